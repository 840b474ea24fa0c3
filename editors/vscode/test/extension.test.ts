import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";

import { settings, shown, state, uri } from "./vscode";

import { activate, deactivate } from "../src/extension";
import { Reports } from "../src/reports";

const manifest = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8"));

async function begin(): Promise<void> {
  await activate({ subscriptions: [] } as unknown as Parameters<typeof activate>[0]);
}

beforeEach(async () => {
  await deactivate();
  shown.commands.clear();
  for (const kept of [shown.executed, shown.messages, shown.clients, shown.changed]) {
    kept.length = 0;
  }
  Object.assign(settings, { command: ["pglint-locks", "lsp"], inlayHints: undefined });
  Object.assign(state, { document: undefined, report: undefined, failure: undefined });
});

test("it starts the server that the settings name, in the folder that is open", async () => {
  settings.command = ["${workspaceFolder}/bin/pglint-locks", "lsp"];
  settings.inlayHints = true;
  await begin();
  const [client] = shown.clients;
  assert.ok(client.running);
  assert.deepEqual(client.server, {
    command: "/project/bin/pglint-locks",
    args: ["lsp"],
    options: { cwd: "/project" },
  });
  assert.deepEqual(
    (client.options as { initializationOptions: unknown }).initializationOptions,
    { inlayHints: true },
  );
  await deactivate();
  assert.ok(!client.running);
});

test("it has the commands that the manifest names", async () => {
  await begin();
  const named = manifest.contributes.commands.map((each: { command: string }) => each.command);
  assert.deepEqual([...shown.commands.keys()].sort(), named.sort());
});

test("a server that does not start is told, with what to do", async () => {
  state.failure = new Error("spawn pglint-locks ENOENT");
  await begin();
  assert.match(shown.messages.join(), /ENOENT.*pip install/);
  state.failure = undefined;
  await shown.commands.get("pglint-locks.restart")!();
  assert.ok(shown.clients.at(-1)!.running);
});

test("a new command takes over", async () => {
  await begin();
  settings.command = ["other"];
  const affects = (changed: string) => ({ affectsConfiguration: (name: string) => name === changed });
  await shown.changed[0](affects("editor.fontSize"));
  assert.equal(shown.clients.length, 1);
  await shown.changed[0](affects("pglint-locks.command"));
  assert.deepEqual(
    shown.clients.map((client) => client.running),
    [false, true],
  );
});

test("the lock report is shown beside the file", async () => {
  await begin();
  state.document = { uri: uri("/project/a.sql") };
  state.report = "# Locks of a.sql\n";
  await shown.commands.get("pglint-locks.showLockReport")!();
  assert.deepEqual(shown.clients[0].requests, [
    ["workspace/executeCommand", { command: "pglint-locks.report", arguments: ["file:/project/a.sql"] }],
  ]);
  const [[command, at]] = shown.executed;
  assert.equal(command, "markdown.showPreviewToSide");
  assert.equal(String(at), "pglint-locks-report:/project/a.sql.md");
});

test("without a file, or for one that is not read, it says so", async () => {
  await begin();
  await shown.commands.get("pglint-locks.showLockReport")!();
  assert.match(shown.messages.at(-1)!, /no file is open/);
  state.document = { uri: uri("/project/a.txt") };
  state.report = null;
  await shown.commands.get("pglint-locks.showLockReport")!();
  assert.match(shown.messages.at(-1)!, /not one that it reads/);
  assert.deepEqual(shown.executed, []);
});

test("a report is the document's last one", () => {
  const reports = new Reports();
  const document = uri("/project/a.sql") as unknown as Parameters<Reports["put"]>[0];
  reports.put(document, "one");
  assert.equal(reports.provideTextDocumentContent(reports.put(document, "two")), "two");
});
