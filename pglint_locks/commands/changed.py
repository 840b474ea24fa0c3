"""`--since` and `--staged`: which findings are of statements that changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pglint_locks.config import Config
from pglint_locks.discovery import FoundFile
from pglint_locks.text import BYTE_ORDER_MARK, SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.changes import Changes
    from pglint_locks.findings import Finding


class Changed:
    """The statements that changed, as git has it; all, where nobody asks for that.

    `texts` are, by name, what the index has of files of which the work tree has something
    else, under `--staged`.  `errors` tell of those that cannot be read.
    """

    def __init__(self, config: Config, files: Sequence[FoundFile]) -> None:
        """Ask git.  Raises UsageError where it fails or is not there."""
        self.texts: dict[str, str] = {}
        self.errors: list[str] = []
        self._paths = {file.name: file.path for file in files}
        self._spans: dict[str, list[Span]] = {}
        self._changes: Changes | None = None
        self._since: str | None = config["since"]
        if self._since or config["staged"]:
            from pglint_locks.changes import Changes

            self._changes = Changes("--since" if self._since else "--staged", self._since)
            self._changes.look_at(self._paths.values() or [config.cwd])
            if not self._since:
                self._read_index(self._changes)

    def of(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings of statements that changed.  Raises UsageError where git fails."""
        if self._changes is None:
            return list(findings)
        return [finding for finding in findings if self._is_changed(finding)]

    def note_edit(self, name: str, before: str, after: str) -> None:
        """Take into account that a file has another text now, or is taken to have it."""
        if name in self._spans:
            from pglint_locks.changes import moved

            texts = (before.removeprefix(BYTE_ORDER_MARK), after.removeprefix(BYTE_ORDER_MARK))
            self._spans[name] = moved(self._spans[name], *texts)

    @property
    def words(self) -> str:
        """What a statement is that counts."""
        return f"changed since {self._since}" if self._since else "staged"

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
