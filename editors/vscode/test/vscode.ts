/** As much of VS Code as the extension takes: what it registers and shows is kept. */

import Module from "node:module";

export interface Shown {
  commands: Map<string, (...args: unknown[]) => unknown>;
  executed: unknown[][];
  messages: string[];
  clients: Client[];
  changed: ((change: { affectsConfiguration: (name: string) => boolean }) => unknown)[];
}

export const shown: Shown = { commands: new Map(), executed: [], messages: [], clients: [], changed: [] };
export const settings: Record<string, unknown> = {};
export const state: { document?: unknown; report?: unknown; failure?: Error } = {};

export class Client {
  running = false;
  readonly requests: unknown[][] = [];
  readonly code2ProtocolConverter = { asUri: (uri: { toString(): string }) => uri.toString() };

  constructor(
    readonly id: string,
    readonly name: string,
    readonly server: unknown,
    readonly options: unknown,
  ) {
    shown.clients.push(this);
  }

  async start(): Promise<void> {
    if (state.failure) {
      throw state.failure;
    }
    this.running = true;
  }

  async stop(): Promise<void> {
    this.running = false;
  }

  async sendRequest(...request: unknown[]): Promise<unknown> {
    this.requests.push(request);
    return state.report;
  }
}

class Uri {
  constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}

  static from(parts: { scheme: string; path: string }): Uri {
    return new Uri(parts.scheme, parts.path);
  }

  toString(): string {
    return `${this.scheme}:${this.path}`;
  }
}

class EventEmitter {
  readonly event = () => ({ dispose() {} });
  fire(): void {}
}

const disposable = { dispose() {} };
const vscode = {
  Uri,
  EventEmitter,
  commands: {
    registerCommand(name: string, run: () => unknown) {
      shown.commands.set(name, run);
      return disposable;
    },
    async executeCommand(...command: unknown[]) {
      shown.executed.push(command);
    },
  },
  window: {
    get activeTextEditor() {
      return state.document && { document: state.document };
    },
    showErrorMessage: (message: string) => shown.messages.push(message),
    showInformationMessage: (message: string) => shown.messages.push(message),
  },
  workspace: {
    workspaceFolders: [{ uri: { fsPath: "/project" } }],
    getConfiguration: () => ({ get: (name: string, otherwise: unknown) => settings[name] ?? otherwise }),
    registerTextDocumentContentProvider: () => disposable,
    onDidChangeConfiguration(listener: Shown["changed"][number]) {
      shown.changed.push(listener);
      return disposable;
    },
  },
};

const loader = Module as unknown as { _load(name: string, ...rest: unknown[]): unknown };
const load = loader._load;
loader._load = (name, ...rest) => {
  switch (name) {
    case "vscode":
      return vscode;
    case "vscode-languageclient/node":
      return { LanguageClient: Client };
    default:
      return load(name, ...rest);
  }
};

export const uri = (path: string): Uri => new Uri("file", path);
