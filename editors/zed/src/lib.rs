//! Starts `pglint-locks lsp`, or what the settings name as the binary of "pglint-locks".

use zed_extension_api::{self as zed, serde_json, settings::LspSettings, LanguageServerId, Result};

struct PglintLocks;

impl zed::Extension for PglintLocks {
    fn new() -> Self {
        PglintLocks
    }

    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree)?.binary;
        let (path, arguments) = match binary {
            Some(binary) => (binary.path, binary.arguments),
            None => (None, None),
        };
        let command = path
            .or_else(|| worktree.which("pglint-locks"))
            .ok_or("pglint-locks is not installed: pip install 'pglint-locks[all]'")?;
        Ok(zed::Command {
            command,
            args: arguments.unwrap_or_else(|| vec!["lsp".to_string()]),
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(LspSettings::for_worktree(id.as_ref(), worktree)?.initialization_options)
    }
}

zed::register_extension!(PglintLocks);
