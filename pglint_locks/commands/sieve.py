"""Which findings are reported: not those of a baseline, nor those of unchanged statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pglint_locks.commands.changed import Changed
from pglint_locks.commands.known import Known
from pglint_locks.config import Config, Settings
from pglint_locks.discovery import Discovery, FoundFile
from pglint_locks.errors import UsageError

if TYPE_CHECKING:
    from pglint_locks.baseline import Gone
    from pglint_locks.findings import Finding
    from pglint_locks.run import Run

_EXCLUDING = (("since", "staged"), ("write-baseline", "since"), ("write-baseline", "staged"))


class Sieve:
    """What `--since`, `--staged` and the baseline leave of the findings."""

    def __init__(self, config: Config, found: Discovery, folders: Sequence[Path]) -> None:
        """Read the baseline, and ask git.  `folders` are the directories that are searched.

        Raises:
            UsageError: options exclude each other, the baseline cannot be read, or git fails.
        """
        _check_options(config)
        self._changed = Changed(config, found.files)
        self._known = Known(config, found.files, folders)
        self._is_strict: bool = config["baseline-strict"]
        self._tells_all: bool = config["verbose"]
        self._left_out = self._unchanged = 0
        self._gone: list[Gone] = []

    @property
    def texts(self) -> dict[str, str]:
        """The texts, by name, that files are taken to have."""
        return self._changed.texts

    @property
    def errors(self) -> list[str]:
        """What could not be read or written, a line each."""
        return [*self._changed.errors, *self._known.errors]

    def reported(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings that are changed and not known.  Raises UsageError where git fails."""
        return self._known.unknown(self._changed.of(findings))

    def run(self, run: Run, settings_for: Callable[[FoundFile], Settings]) -> Run:
        """The run with what is left of its findings, which are counted now.

        Raises:
            UsageError: git fails.
        """
        if self._known.is_written:
            self._known.write(run.findings)
        changed = self._changed.of(run.findings)
        left = self._known.unknown(changed)
        self._unchanged = len(run.findings) - len(changed)
        self._left_out = len(changed) - len(left)
        self._gone = self._known.gone(run, settings_for)
        return run._replace(findings=tuple(left))

    def note_edit(self, name: str, before: str, after: str) -> None:
        """Take into account that a file has another text now, or is taken to have it."""
        self._changed.note_edit(name, before, after)

    @property
    def fails(self) -> bool:
        """Whether the run fails for what the baseline lists and is there no more."""
        return self._is_strict and bool(self._gone)

    def gone(self) -> list[str]:
        """What the baseline lists and is there no more, a line each, if that matters."""
        return [
            f"{self._known.name}: {each.key.code} of {each.key.table or 'a statement'} in "
            f"{each.filename} is gone{f' ({each.times} times)' if each.times > 1 else ''}"
            for each in self._gone
            if self._is_strict or self._tells_all
        ]

    def told(self) -> list[str]:
        """What there is to tell on standard error of what was left out."""
        lines = []
        if self._unchanged:
            unchanged = _findings(self._unchanged)
            lines.append(f"Left out {unchanged} in statements not {self._changed.words}.")
        if self._known.is_written and not self._known.errors:
            lines.append(f"Wrote {_findings(self._left_out)} to {self._known.name}.")
        elif self._left_out:
            lines.append(f"Left out {_findings(self._left_out, 'known ')} of {self._known.name}.")
        if self._gone:
            count = sum(each.times for each in self._gone)
            are, them = ("is", "it") if count == 1 else ("are", "them")
            hint = f"--write-baseline drops {them}"
            lines.append(f"{_findings(count)} of {self._known.name} {are} gone; {hint}.")
        return lines


def _check_options(config: Config) -> None:
    for one, other in _EXCLUDING:
        if config[one] and config[other]:
            raise UsageError(f"--{one} and --{other} exclude each other; leave one out")
    if config["baseline-strict"] and not (config["baseline"] or config["write-baseline"]):
        raise UsageError("--baseline-strict needs --baseline PATH")


def _findings(count: int, kind: str = "") -> str:
    return f"{count} {kind}finding{'' if count == 1 else 's'}"
