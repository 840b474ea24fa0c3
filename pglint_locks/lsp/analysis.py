"""What is found in open documents, with the settings that hold where their files stand.

One thread asks for all of it, one question after the other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from pglint_locks.config import Config, Configs, Settings
from pglint_locks.discovery import FoundFile, excluded_by
from pglint_locks.errors import UsageError
from pglint_locks.findings import Finding
from pglint_locks.lsp.documents import Document
from pglint_locks.lsp.linter import Linter
from pglint_locks.lsp.project import NO_SURVEY, Survey, survey
from pglint_locks.paths import shown
from pglint_locks.plugins import plugin_errors
from pglint_locks.run import FileReport

Configurations = Callable[[Path], Configs]
"""What reads the configurations below a folder."""

Unknown = Callable[[Config, FoundFile], Callable[[Sequence[Finding]], Sequence[Finding]]]
"""What reads a configuration's baseline, and tells the findings of a file it does not list."""


class Analysed(NamedTuple):
    """A version of a document, what was found in it, and what of that is shown.

    The findings have fixes only where `has_fixes`.
    """

    document: Document
    linter: Linter
    report: FileReport
    shown: Sequence[Finding]
    has_fixes: bool


class Analysis:
    """Lints documents; `errors` are what is wrong with configurations, a line each."""

    def __init__(self, root: Path, configurations: Configurations, unknown: Unknown) -> None:
        self.root = root
        self.errors: list[str] = []
        self._configurations = configurations
        self._unknown = unknown
        self._configs: Configs | None = None
        self._linters: dict[str, Linter] = {}
        self._last: dict[str, Analysed] = {}
        self._survey = NO_SURVEY

    def reload(self) -> None:
        """Read configurations and schemas anew, when next they are asked for."""
        self._configs = None
        self._forget_all()

    def survey(self, changed: Collection[Path] | None, is_wanted: Callable[[], bool]) -> Survey:
        """Look at the files of the workspace, or at those that have changed; in any thread."""
        configs = self._configurations(self.root)
        return survey(self.root, configs, self._survey, changed, is_wanted)

    def take(self, found: Survey) -> bool:
        """Take over what a survey has found; whether that is new."""
        if found is self._survey:
            return False
        self._survey = found
        self._forget_all()
        return True

    def _forget_all(self) -> None:
        self._last.clear()
        self._linters.clear()

    def forget(self, uri: str) -> None:
        """Drop what is remembered of a document that was closed."""
        self._linters.pop(uri, None)
        self._last.pop(uri, None)

    def of(self, document: Document, *, with_fixes: bool = False) -> Analysed | None:
        """What is found in a document; None where it is left out, or its settings are broken."""
        last = self._last.get(document.uri)
        if last is not None and last.document is document and last.has_fixes >= with_fixes:
            return last
        try:
            found = self._of(document, with_fixes)
        except UsageError as error:
            self.errors.append(str(error))
            return None
        if found is not None:
            self._last[document.uri] = found
        self.errors += plugin_errors()
        return found

    def _of(self, document: Document, with_fixes: bool) -> Analysed | None:
        if self._configs is None:
            self._configs = self._configurations(self.root)
        if excluded_by(document.path, self._configs, self.root):
            return None
        config = self._configs.above(document.path.parent)
        if not (document.is_ours or config.covers("include", document.path, False)):
            return None
        settings = config.settings(document.path)
        name = shown(document.path, self.root)
        linter = self._linter(document.uri, name, settings)
        report = linter.report(document.body, with_fixes=with_fixes)
        self.errors += [f"{failure.filename}: {failure.message}" for failure in report.failures]
        threshold = settings.severity_threshold
        seen: Sequence[Finding] = [each for each in report.findings if each.severity >= threshold]
        baseline = config.file("baseline")
        if seen and baseline is not None and os.path.exists(baseline):
            seen = self._unknown(config, FoundFile(document.path, name))(seen)
        return Analysed(document, linter, report, seen, with_fixes)

    def _linter(self, uri: str, name: str, settings: Settings) -> Linter:
        linter = self._linters.get(uri)
        if linter is None or linter.settings != settings or linter.name != name:
            linter = self._linters[uri] = Linter(name, settings, self._survey.others(name))
        return linter
