"""`--add-suppressions`: writes the comments that suppress what is found, and tells of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pglint_locks.commands.fix import Fixing
from pglint_locks.config import Config, Settings
from pglint_locks.discovery import FoundFile
from pglint_locks.errors import UsageError

if TYPE_CHECKING:
    from pglint_locks.findings import Finding


class Suppressing:
    """The comments of a run: written into the files, or under `--diff` into the patch."""

    def __init__(self, config: Config, fixing: Fixing, reads_standard_input: bool) -> None:
        """Raise UsageError where what is asked for does not go together."""
        self.reason: str | None = config["add-suppressions"]
        if self.reason and config["fix"]:
            raise UsageError("--add-suppressions and --fix exclude each other; fix first")
        if self.reason and reads_standard_input:
            raise UsageError("--add-suppressions writes into files; standard input is none")
        self._fixing = fixing
        self._left: list[Finding] = []
        self._done = 0

    def files(
        self,
        files: Sequence[FoundFile],
        settings_for: Callable[[FoundFile], Settings],
        findings: Sequence[Finding],
    ) -> bool:
        """Suppress findings; whether anything is different now."""
        if not self.reason or not findings:
            return False
        from pglint_locks.engine import suppress_files

        found = suppress_files(files, settings_for, findings, self.reason)
        paths = {file.name: file.path for file in files}
        for name, (before, suppressed) in sorted(found.items()):
            if self._fixing.put(name, paths[name], before, suppressed.text):
                self._done += len(suppressed.done)
            self._left += suppressed.left
        return self._done > 0

    def told(self) -> list[str]:
        """What there is to tell on standard error."""
        if not self.reason:
            return []
        verb = "Would suppress" if self._fixing.shows_only else "Suppressed"
        lines = [f"{verb} {self._done or 'no'} {'finding' if self._done == 1 else 'findings'}."]
        for finding in self._left:
            at = finding.source.position(finding.span.start)
            place = f"{finding.source.name}:{at.row}:{at.column}"
            lines.append(f"{place}: no comment can suppress {finding.rule.code} here")
        return lines
