/** Starts `pglint-locks lsp`, and shows lock reports. */

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

import { Reports, SCHEME } from "./reports";
import { documentSelector, initializationOptions, serverCommand, Settings } from "./settings";

const NAME = "pglint-locks";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const reports = new Reports();
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, reports),
    vscode.commands.registerCommand(`${NAME}.showLockReport`, () => showLockReport(reports)),
    vscode.commands.registerCommand(`${NAME}.restart`, restart),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration(`${NAME}.command`) || change.affectsConfiguration(`${NAME}.inlayHints`)) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

async function start(): Promise<void> {
  const said = vscode.workspace.getConfiguration(NAME);
  const settings: Settings = {
    command: said.get<string[]>("command", []),
    inlayHints: said.get<boolean>("inlayHints", false),
  };
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  try {
    const server: ServerOptions = { ...serverCommand(settings, folder), options: { cwd: folder } };
    const options: LanguageClientOptions = {
      documentSelector: documentSelector(),
      initializationOptions: initializationOptions(settings),
    };
    client = new LanguageClient(NAME, NAME, server, options);
    await client.start();
  } catch (error) {
    client = undefined;
    const why = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(
      `pglint-locks did not start: ${why}. Install it (pip install 'pglint-locks[all]'), or set pglint-locks.command.`,
    );
  }
}

async function showLockReport(reports: Reports): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (client === undefined || document === undefined) {
    void vscode.window.showInformationMessage("pglint-locks: no file is open, or the server is not at work.");
    return;
  }
  const report: unknown = await client.sendRequest("workspace/executeCommand", {
    command: `${NAME}.report`,
    arguments: [client.code2ProtocolConverter.asUri(document.uri)],
  });
  if (typeof report !== "string") {
    void vscode.window.showInformationMessage("pglint-locks: this file is not one that it reads.");
    return;
  }
  await vscode.commands.executeCommand("markdown.showPreviewToSide", reports.put(document.uri, report));
}
