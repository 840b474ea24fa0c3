"""Open documents: their text as the editor has it, and what was found in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types

from pglint_locks.findings import Finding
from pglint_locks.linting.memory import Memory
from pglint_locks.lsp.positions import Places
from pglint_locks.text import Span

_BOM = "\ufeff"


@dataclass(eq=False)
class Document:
    """A document that is open in the editor.

    `name` is how it is spoken of, `path` where its file is.  `findings` are of this very
    text, and None until they are asked for; those of which the fixes bear out are `fixable`.
    `memory` is of the text, `trials` of what it would be with a fix or a comment.
    """

    uri: str
    path: Path
    name: str
    version: int
    text: str
    encoding: str
    memory: Memory = field(default_factory=Memory)
    trials: Memory = field(default_factory=Memory)
    findings: Sequence[Finding] | None = None
    fixable: Sequence[Finding] | None = None

    def __post_init__(self) -> None:
        """Begin with the text as it was opened."""
        self.places = Places(self.text, self.encoding)

    @property
    def lead(self) -> int:
        """How many characters stand before the text that is linted: a byte order mark."""
        return len(_BOM) if self.text.startswith(_BOM) else 0

    def range(self, span: Span) -> types.Range:
        """Where a range of offsets of a finding is."""
        return self.places.range(span.shifted(self.lead))

    def span(self, place: types.Range) -> Span:
        """The offsets, as findings count them, of a place."""
        found = self.places.span(place).shifted(-self.lead)
        return Span(max(found.start, 0), max(found.end, 0))

    def change(self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """Take changes over, one after the other."""
        text = self.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                at = Places(text, self.encoding).span(change.range)
                text = text[: at.start] + change.text + text[at.end :]
            else:
                text = change.text
        self.version, self.text = version, text
        self.places = Places(text, self.encoding)
        self.forget()

    def forget(self) -> None:
        """Take nothing that was found for true any more."""
        self.findings = self.fixable = None


def path_of(uri: str) -> Path:
    """The file of a URI; a document without one is taken for SQL in the working directory."""
    parts = urlparse(uri)
    if parts.scheme != "file":
        return Path.cwd() / f"{Path(unquote(parts.path)).name or 'untitled'}.sql"
    path = unquote(parts.path)
    if os.name == "nt":
        path = path.lstrip("/")
    return Path(os.path.normpath(path))
