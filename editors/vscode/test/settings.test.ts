import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { documentSelector, initializationOptions, LANGUAGES, serverCommand } from "../src/settings";

const manifest = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8"));
const settings = { command: ["pglint-locks", "lsp"], inlayHints: false };

test("the command is what the settings say", () => {
  assert.deepEqual(serverCommand(settings, undefined), { command: "pglint-locks", args: ["lsp"] });
});

test("the open folder is put into the command", () => {
  const command = ["${workspaceFolder}/.venv/bin/pglint-locks", "lsp", "${workspaceFolder}"];
  assert.deepEqual(serverCommand({ ...settings, command }, "/a $& b"), {
    command: "/a $& b/.venv/bin/pglint-locks",
    args: ["lsp", "/a $& b"],
  });
  assert.throws(() => serverCommand({ ...settings, command }, undefined), /no folder is open/);
});

test("an empty command is refused with the default", () => {
  assert.throws(() => serverCommand({ ...settings, command: [] }, "/a"), /the default is/);
});

test("the server is told what it knows", () => {
  assert.deepEqual(initializationOptions({ ...settings, inlayHints: true }), { inlayHints: true });
});

test("the manifest starts the extension for the languages that it lints", () => {
  assert.deepEqual(
    manifest.activationEvents,
    LANGUAGES.map((language) => `onLanguage:${language}`),
  );
  assert.equal(documentSelector().length, 2 * LANGUAGES.length);
});

test("the manifest's defaults are what the code takes", () => {
  const properties = manifest.contributes.configuration.properties;
  assert.deepEqual(properties["pglint-locks.command"].default, settings.command);
  assert.equal(properties["pglint-locks.inlayHints"].default, settings.inlayHints);
});

test("a folder that is not trusted cannot say what is run", () => {
  const limited = manifest.capabilities.untrustedWorkspaces;
  assert.deepEqual(limited.restrictedConfigurations, ["pglint-locks.command"]);
});
