"""Linting of open documents, each with the settings that hold where its file stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pglint_locks.config import Configs, Settings
from pglint_locks.discovery import excluded_by
from pglint_locks.engine import lint_again, lint_text
from pglint_locks.errors import UsageError
from pglint_locks.findings import Finding
from pglint_locks.lsp.documents import Document
from pglint_locks.paths import shown

CONFIGURATION_FILES = (".pglint-locks.toml", "pglint-locks.toml", "pyproject.toml")


Configurations = Callable[[Path], Configs]
"""What reads the configurations below a folder."""


class Analysis:
    """What is found in documents; `errors` are what is wrong with configuration files."""

    def __init__(self, root: Path, configurations: Configurations) -> None:
        self.root = root
        self._configurations = configurations
        self.errors: list[str] = []
        self._configs: Configs | None = None

    def reload(self) -> None:
        """Read configuration files anew, when next they are asked for."""
        self._configs = None

    def name_of(self, path: Path) -> str:
        """How a file is spoken of."""
        return shown(path, self.root)

    def settings(self, document: Document) -> Settings | None:
        """A document's settings; None where it is left out, or where they cannot be read."""
        try:
            if self._configs is None:
                self._configs = self._configurations(self.root)
            if excluded_by(document.path, self._configs, self.root):
                return None
            return self._configs.above(document.path.parent).settings(document.path)
        except UsageError as error:
            self.errors.append(str(error))
            return None

    def findings(self, document: Document) -> Sequence[Finding]:
        """What is found in a document, and is not below the severity that is asked for."""
        if document.findings is None:
            settings = self.settings(document)
            found: Sequence[Finding] = ()
            if settings is not None:
                found = lint_again(document.text, document.name, settings, document.memory)
                found = _shown(found, settings)
            document.findings = found
        return document.findings

    def fixable(self, document: Document) -> Sequence[Finding]:
        """The same, with those fixes alone that bear out."""
        if document.fixable is None:
            settings = self.settings(document)
            found: Sequence[Finding] = ()
            if settings is not None:
                run = lint_text(document.text, document.name, settings, document.trials)
                found = _shown(run.findings, settings)
            document.fixable = found
        return document.fixable


def _shown(findings: Sequence[Finding], settings: Settings) -> Sequence[Finding]:
    return [each for each in findings if each.severity >= settings.severity_threshold]
