"""Which findings are reported: not those of a baseline, nor those of unchanged statements."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pglint_locks.config import Config, Settings
from pglint_locks.discovery import Discovery, FoundFile
from pglint_locks.errors import UsageError
from pglint_locks.paths import absolute, shown
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.baseline import Baseline, Gone, Key
    from pglint_locks.changes import Changes
    from pglint_locks.findings import Finding
    from pglint_locks.run import Run


class Sieve:
    """What `--since`, `--staged` and the baseline leave of the findings.

    `texts` are, by name, what the index has of files where `--staged` is not to read what
    the work tree has.  `errors` tell what could not be read or written.
    """

    def __init__(self, config: Config, found: Discovery, folders: Sequence[Path]) -> None:
        """Read the baseline, and ask git.  `folders` are the directories that are searched.

        Raises:
            UsageError: options exclude each other, the baseline cannot be read, or git fails.
        """
        _check_options(config)
        self.texts: dict[str, str] = {}
        self.errors: list[str] = []
        self._config = config
        self._folders = folders
        self._paths = {file.name: file.path for file in found.files}
        self._spans: dict[str, list[Span]] = {}
        self._changes = self._ask_git(found.files)
        self._writes = config.file("write-baseline")
        self._file = self._writes or config.file("baseline")
        self._baseline: Baseline = {}
        if self._file and not self._writes:
            self._baseline = _read(self._file, config.cwd)
        self._known = 0
        self._unchanged = 0
        self._gone: list[Gone] = []

    # --- what is left of the findings -----------------------------------------------------

    def reported(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings that are changed and not known.

        Raises:
            UsageError: git fails.
        """
        return self._unknown(self._changed(findings))

    def run(self, run: Run, settings_for: Callable[[FoundFile], Settings]) -> Run:
        """The run with what is left of its findings, which are counted now.

        Raises:
            UsageError: git fails.
        """
        if self._writes:
            self._write(run.findings)
        changed = self._changed(run.findings)
        left = self._unknown(changed)
        self._unchanged = len(run.findings) - len(changed)
        self._known = len(changed) - len(left)
        self._gone = self._gone_of(run, settings_for)
        return run._replace(findings=tuple(left))

    def note_edit(self, name: str, before: str, after: str) -> None:
        """Take into account that a file has another text now, or is taken to have it."""
        if name in self._spans:
            from pglint_locks.changes import moved

            texts = (before.removeprefix(_BOM), after.removeprefix(_BOM))
            self._spans[name] = moved(self._spans[name], *texts)

    # --- what is said of it ---------------------------------------------------------------

    @property
    def fails(self) -> bool:
        """Whether the run fails for what the baseline lists and is there no more."""
        return bool(self._gone) and self._config["baseline-strict"]

    def complaints(self) -> list[str]:
        """What fails a run under `--baseline-strict`, a line each."""
        if not self.fails:
            return []
        return [
            f"{self._name}: {each.key.code} of {each.key.table or 'a statement'} in "
            f"{each.filename} is gone{f' ({each.times} times)' if each.times > 1 else ''}"
            for each in self._gone
        ]

    def told(self) -> list[str]:
        """What there is to tell on standard error of what was left out."""
        lines = []
        if self._unchanged:
            where = f"changed since {since}" if (since := self._config["since"]) else "staged"
            lines.append(f"Left out {_findings(self._unchanged)} in statements not {where}.")
        if self._writes and not self.errors:
            lines.append(f"Wrote {_findings(self._known)} to {self._name}.")
        elif self._known:
            lines.append(f"Left out {_findings(self._known, 'known ')} of {self._name}.")
        if self._gone:
            count = sum(each.times for each in self._gone)
            are, them = ("is", "it") if count == 1 else ("are", "them")
            hint = f"--write-baseline drops {them}"
            lines.append(f"{_findings(count)} of {self._name} {are} gone; {hint}.")
        return lines

    # --- changed statements ---------------------------------------------------------------

    def _ask_git(self, files: Sequence[FoundFile]) -> Changes | None:
        since, staged = self._config["since"], self._config["staged"]
        if not since and not staged:
            return None
        from pglint_locks.changes import Changes

        changes = Changes("--since" if since else "--staged", since)
        changes.look_at([file.path for file in files] or [self._config.cwd])
        if staged:
            self._read_index(changes)
        return changes

    def _read_index(self, changes: Changes) -> None:
        from pglint_locks.sources.decode import UnreadableTextError, decode

        names = {path: name for name, path in self._paths.items()}
        for path, data in changes.staged_contents(self._paths.values()):
            try:
                source = decode(names[path], data)
            except UnreadableTextError as error:
                self.errors.append(f"{names[path]}: as staged, {error}")
            else:
                self.texts[names[path]] = source.mark + source.text

    def _changed(self, findings: Sequence[Finding]) -> list[Finding]:
        if self._changes is None:
            return list(findings)
        return [finding for finding in findings if self._is_changed(finding)]

    def _is_changed(self, finding: Finding) -> bool:
        """Whether a line changed of its statement, or of another one that it speaks of."""
        places = [(finding.source, finding.origin.span), (finding.source, finding.span)]
        places += [(related.source, related.span) for related in finding.related]
        return any(
            span.touches(changed) for source, span in places for changed in self._lines_of(source)
        )

    def _lines_of(self, source: SourceText) -> list[Span]:
        if source.name not in self._spans:
            path = self._paths.get(source.name)
            if path is None or self._changes is None:  # standard input
                return [Span(0, len(source.text) + 1)]
            self._spans[source.name] = self._changes.spans(path, source.text)
        return self._spans[source.name]

    # --- the baseline ---------------------------------------------------------------------

    @property
    def _name(self) -> str:
        assert self._file is not None
        return shown(self._file, self._config.cwd)

    def _unknown(self, findings: Sequence[Finding]) -> list[Finding]:
        if self._writes:
            return [] if not self.errors else list(findings)
        if not self._baseline:
            return list(findings)
        from pglint_locks.baseline import unknown_of

        checked = {self._listed(name) for name in self._paths}
        return unknown_of(
            findings,
            self._baseline,
            self._listed_of,
            lambda name: name in checked or not self._exists(name),
        )

    def _gone_of(self, run: Run, settings_for: Callable[[FoundFile], Settings]) -> list[Gone]:
        if not self._baseline:
            return []
        from pglint_locks.baseline import gone_from
        from pglint_locks.sources.kinds import kind_of

        failed = {error.filename for error in run.errors}
        read = {
            self._listed(name): FoundFile(path, name)
            for name, path in self._paths.items()
            if name not in failed and kind_of(name).extra not in run.missing_extras
        }

        def was_looked_for(key: Key, name: str) -> bool:
            if name in read:
                return settings_for(read[name]).runs(key.code)
            return not self._exists(name) and self._is_searched(name)

        return gone_from(self._baseline, run.findings, self._listed_of, was_looked_for)

    def _is_searched(self, listed: str) -> bool:
        """Whether a file that is no more would have been found."""
        path = self._place(listed)
        return any(folder in path.parents for folder in self._folders)

    def _write(self, findings: Iterable[Finding]) -> None:
        from pglint_locks.baseline import made_of, rendered
        from pglint_locks.rewriting import RewriteError, write

        assert self._writes is not None
        try:
            write(self._writes, rendered(made_of(findings, self._listed_of)))
        except RewriteError as error:
            self.errors.append(f"{self._name}: {error}")

    def _listed_of(self, finding: Finding) -> str:
        return self._listed(finding.source.name)

    def _listed(self, name: str) -> str:
        """A file's name as the baseline has it: relative to where that stands."""
        assert self._file is not None
        folder = absolute(self._file, self._config.cwd).parent
        return os.path.relpath(absolute(Path(name), self._config.cwd), folder).replace(os.sep, "/")

    def _place(self, listed: str) -> Path:
        assert self._file is not None
        return absolute(self._file.parent / listed, self._config.cwd)

    def _exists(self, listed: str) -> bool:
        return os.path.lexists(self._place(listed))


def _check_options(config: Config) -> None:
    for one, other in _EXCLUDING:
        if config[one] and config[other]:
            raise UsageError(f"--{one} and --{other} exclude each other; leave one out")
    if config["baseline-strict"] and not (config["baseline"] or config["write-baseline"]):
        raise UsageError("--baseline-strict needs --baseline PATH")


_BOM = "\ufeff"
_EXCLUDING = (("since", "staged"), ("write-baseline", "since"), ("write-baseline", "staged"))


def _read(path: Path, cwd: Path) -> Baseline:
    from pglint_locks.baseline import parsed
    from pglint_locks.rules import RULES

    name = shown(path, cwd)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        hint = f"--write-baseline {name} writes it"
        raise UsageError(f"{name}: there is no such baseline; {hint}") from None
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name}: is no baseline: it is not UTF-8") from None
    return parsed(text, name, RULES)


def _findings(count: int, kind: str = "") -> str:
    return f"{count} {kind}finding{'' if count == 1 else 's'}"
