/** What the settings say: how the server is started, and what it is told. */

export interface Settings {
  readonly command: readonly string[];
  readonly inlayHints: boolean;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
}

/** The languages in which SQL is read; `package.json` starts the extension for the same ones. */
export const LANGUAGES: readonly string[] = [
  "sql",
  "postgres",
  "python",
  "go",
  "javascript",
  "javascriptreact",
  "typescript",
  "typescriptreact",
  "java",
  "kotlin",
  "scala",
  "ruby",
  "php",
  "csharp",
  "rust",
  "elixir",
  "swift",
  "xml",
  "markdown",
  "restructuredtext",
  "shellscript",
];

/** Documents that are linted: files, and those that are not saved yet. */
export function documentSelector(): { scheme: string; language: string }[] {
  return ["file", "untitled"].flatMap((scheme) =>
    LANGUAGES.map((language) => ({ scheme, language })),
  );
}

/**
 * The command that starts the server, with the folder that is open put in.
 *
 * @throws Error where the settings name none, or a folder that is not there.
 */
export function serverCommand(settings: Settings, folder: string | undefined): ServerCommand {
  const [command, ...args] = settings.command.map((part) =>
    part.replaceAll("${workspaceFolder}", () => {
      if (folder === undefined) {
        throw new Error("pglint-locks.command names ${workspaceFolder}, and no folder is open");
      }
      return folder;
    }),
  );
  if (!command) {
    throw new Error("pglint-locks.command is empty; the default is [\"pglint-locks\", \"lsp\"]");
  }
  return { command, args };
}

/** What the server is told as it begins. */
export function initializationOptions(settings: Settings): { inlayHints: boolean } {
  return { inlayHints: settings.inlayHints };
}
