/** The server itself, over the connection that VS Code's client speaks. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import {
  createProtocolConnection,
  DocumentDiagnosticRequest,
  ExecuteCommandRequest,
  InitializeRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";

import { initializationOptions, serverCommand } from "../src/settings";

const TEXT = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 3 FOR UPDATE);\n";
const uri = "untitled:claim.sql";

test("diagnostics and report of the server", async () => {
  // The command of another installation, as JSON; else the one on the PATH.
  const command: string[] = JSON.parse(process.env.LANGUAGE_SERVER ?? '["pglint-locks", "lsp"]');
  const settings = { command, inlayHints: true };
  const { command: program, args } = serverCommand(settings, undefined);
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { diagnostic: {} } },
    initializationOptions: initializationOptions(settings),
  });
  assert.ok(capabilities.executeCommandProvider?.commands.includes("pglint-locks.report"));
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "sql", version: 1, text: TEXT },
  });
  const found = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
  assert.ok(found.kind === "full");
  assert.equal(found.items[0].code, "PGL101");
  assert.deepEqual(found.items[0].range, {
    start: { line: 0, character: TEXT.indexOf("IN (") },
    end: { line: 0, character: TEXT.indexOf("IN (") + 2 },
  });
  const report: unknown = await connection.sendRequest(ExecuteCommandRequest.type, {
    command: "pglint-locks.report",
    arguments: [uri],
  });
  assert.match(String(report), /^# Locks of /);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  assert.equal(await ended, 0);
  connection.dispose();
});
