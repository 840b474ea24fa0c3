"""`--fix` and `--diff`: what is changed, what is printed of it, what is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pglint_locks.commands.sieve import Sieve
from pglint_locks.config import Config, Settings
from pglint_locks.discovery import FoundFile

if TYPE_CHECKING:
    from pglint_locks.findings import Finding
    from pglint_locks.fixes import Fixed
    from pglint_locks.run import Run


class Fixing:
    """The fixes of a run: made in the files, or under `--diff` only in a patch.

    `patch` is what `--diff` prints; `texts` are, by name, the texts that files would have;
    `errors` tell of files that could not be changed.  `output` is standard input as it goes
    on, None where it is not read.
    """

    def __init__(self, config: Config, sieve: Sieve) -> None:
        self.shows_only: bool = config["diff"]
        self.is_wanted: bool = config["fix"] or (self.shows_only and not config["add-suppressions"])
        self.patch = ""
        self.texts: dict[str, str] = {}
        self.errors: list[str] = []
        self.output: bytes | None = None
        self._sieve = sieve
        self._unsafe: bool = config["unsafe-fixes"]
        self._tells_all: bool = config["verbose"]
        self._fixed = 0
        self._unsafe_left = 0
        self._refused: list[tuple[Finding, str]] = []

    def files(
        self, files: Sequence[FoundFile], settings_for: Callable[[FoundFile], Settings]
    ) -> Run | None:
        """Fix files; gives what linting them found, unless they are to be linted again now."""
        from pglint_locks.engine import fix_files

        paths = {file.name: file.path for file in files}
        sieve = self._sieve
        run, found = fix_files(
            files, settings_for, sieve.texts, unsafe=self._unsafe, reported=sieve.reported
        )
        for name, (before, fixed) in sorted(found.items()):
            if self.put(name, paths[name], before, fixed.text):
                self._count(fixed)
        return None if self._fixed else run

    def put(self, name: str, path: Path, before: str, after: str) -> bool:
        """Have a file hold another text, or under `--diff` the patch show it; whether that went."""
        from pglint_locks.rewriting import RewriteError, rewrite

        if self.shows_only:
            self._show(name, before, after)
            self.texts[name] = after
        elif after != before:
            try:
                if name in self._sieve.texts:
                    raise RewriteError("has changes that are not staged")
                rewrite(path, before, after)
            except RewriteError as error:
                self.errors.append(f"{name}: {error}; it is left as it is")
                return False
        self._sieve.note_edit(name, before, after)
        return True

    @property
    def passes_on(self) -> bytes | None:
        """What is to be printed of standard input; None where that is nothing."""
        return self.output if self.is_wanted and not self.shows_only else None

    def text(self, text: str, name: str, settings: Settings) -> str:
        """Standard input's text, fixed."""
        from pglint_locks.engine import fix_text

        fixed = fix_text(text, name, settings, unsafe=self._unsafe, reported=self._sieve.reported)
        self._count(fixed)
        if self.shows_only:
            self._show(name, text, fixed.text)
        self.output = fixed.text.encode()
        return fixed.text

    def told(self) -> list[str]:
        """What there is to tell on standard error: what was fixed, and under `-v` what was not."""
        left = f"{self._unsafe_left} more with --unsafe-fixes" if self._unsafe_left else ""
        lines = [
            f"{_place(finding)}: the fix of {finding.rule.code} is not applied: {reason}"
            for finding, reason in self._refused
            if self._tells_all
        ]
        if self._fixed or left:
            verb = "Would fix" if self.shows_only else "Fixed"
            noun = "finding" if self._fixed == 1 else "findings"
            lines.append(f"{verb} {self._fixed or 'no'} {noun}{left and f' ({left})'}.")
        return lines

    def _show(self, name: str, before: str, after: str) -> None:
        from pglint_locks.patches import patch

        self.patch += patch(name, before, after)

    def _count(self, fixed: Fixed) -> None:
        self._fixed += len(fixed.fixed)
        self._unsafe_left += fixed.unsafe_left
        self._refused += fixed.refused


def _place(finding: Finding) -> str:
    at = finding.source.position(finding.span.start)
    return f"{finding.source.name}:{at.row}:{at.column}"
