"""`--baseline` and `--write-baseline`: which findings are known, and which of those are gone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pglint_locks.config import Config, Settings
from pglint_locks.discovery import FoundFile
from pglint_locks.errors import UsageError
from pglint_locks.paths import absolute, shown

if TYPE_CHECKING:
    from pglint_locks.baseline import Baseline, Gone, Key
    from pglint_locks.findings import Finding
    from pglint_locks.run import Run


class Known:
    """The baseline of a run: none, one that is read, or one that is written."""

    def __init__(self, config: Config, files: Sequence[FoundFile], folders: Sequence[Path]) -> None:
        """Read the baseline.  `folders` are the directories that are searched.

        Raises:
            UsageError: there is none, or it cannot be read.
        """
        self.errors: list[str] = []
        self._cwd = config.cwd
        self._folders = folders
        self._files = {file.name: file for file in files}
        written = config.file("write-baseline")
        self.is_written = written is not None
        self._path = written or config.file("baseline")
        self._baseline: Baseline = {}
        if self._path and not written:
            self._baseline = _read(self._path, self.name)

    @property
    def name(self) -> str:
        """The name of its file."""
        return shown(self._file, self._cwd)

    def unknown(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings that it does not list."""
        if self.is_written and not self.errors:
            return []
        if not self._baseline:
            return list(findings)
        from pglint_locks.baseline import unknown_of

        checked = {self._listed(name) for name in self._files}
        return unknown_of(
            findings,
            self._baseline,
            self._listed_of,
            lambda name: name in checked or not self._exists(name),
        )

    def gone(self, run: Run, settings_for: Callable[[FoundFile], Settings]) -> list[Gone]:
        """What it lists that a run did not find, though it would have."""
        if not self._baseline:
            return []
        from pglint_locks.baseline import gone_from
        from pglint_locks.sources.kinds import kind_of

        failed = {error.filename for error in run.errors}
        read = {
            self._listed(name): file
            for name, file in self._files.items()
            if name not in failed and kind_of(name).extra not in run.missing_extras
        }

        def was_looked_for(key: Key, name: str) -> bool:
            if name in read:
                return settings_for(read[name]).runs(key.code)
            return not self._exists(name) and self._is_searched(name)

        return gone_from(self._baseline, run.findings, self._listed_of, was_looked_for)

    def write(self, findings: Iterable[Finding]) -> None:
        """List findings in the file; `errors` tell where that cannot be."""
        from pglint_locks.baseline import made_of, rendered
        from pglint_locks.rewriting import RewriteError, write

        try:
            write(self._file, rendered(made_of(findings, self._listed_of)))
        except RewriteError as error:
            self.errors.append(f"{self.name}: {error}")

    # --- files as the baseline names them, relative to where it stands --------------------

    @property
    def _file(self) -> Path:
        assert self._path is not None
        return self._path

    def _listed_of(self, finding: Finding) -> str:
        return self._listed(finding.source.name)

    def _listed(self, name: str) -> str:
        folder = absolute(self._file, self._cwd).parent
        return os.path.relpath(absolute(Path(name), self._cwd), folder).replace(os.sep, "/")

    def _place(self, listed: str) -> Path:
        return absolute(self._file.parent / listed, self._cwd)

    def _exists(self, listed: str) -> bool:
        return os.path.lexists(self._place(listed))

    def _is_searched(self, listed: str) -> bool:
        """Whether a file that is no more would have been found."""
        return any(folder in self._place(listed).parents for folder in self._folders)


def _read(path: Path, name: str) -> Baseline:
    from pglint_locks.baseline import parsed
    from pglint_locks.plugins import known_rules

    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        hint = f"--write-baseline {name} writes it"
        raise UsageError(f"{name}: there is no such baseline; {hint}") from None
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        hint = "write it anew with --write-baseline"
        raise UsageError(f"{name}: is no baseline: it is not UTF-8; {hint}") from None
    return parsed(text, name, known_rules())
