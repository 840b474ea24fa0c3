/** Lock reports, as read-only documents that Markdown's preview can show. */

import * as vscode from "vscode";

export const SCHEME = "pglint-locks-report";

export class Reports implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  /** Keeps the report of a document; the result is where it can be read. */
  put(document: vscode.Uri, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `${document.path}.md` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }
}
