"""Open documents: their text as the editor has it, version by version."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import gettempdir
from urllib.parse import unquote, urlparse

from lsprotocol import types

from pglint_locks.lsp.positions import Places
from pglint_locks.sources.kinds import SQL, is_read_by_default
from pglint_locks.text import BYTE_ORDER_MARK, Span

_HALF = re.compile("[\ud800-\udfff]")
_SQL_LANGUAGES = frozenset({"sql", "pgsql", "postgres", "postgresql", "plpgsql", "psql"})
_ENDINGS = {"python": ".py", "typescriptreact": ".tsx", "markdown": ".md"}


@dataclass(frozen=True, eq=False)
class Document:
    """A version of a document that is open in the editor; it never changes.

    `path` is where its file is, or would be.
    """

    uri: str
    path: Path
    language: str
    version: int
    text: str
    encoding: types.PositionEncodingKind | str

    @classmethod
    def opened(
        cls, item: types.TextDocumentItem, encoding: types.PositionEncodingKind | str | None
    ) -> Document:
        """A document as it is opened."""
        path = path_of(item.uri, item.language_id)
        encoding = encoding or types.PositionEncodingKind.Utf16
        return cls(item.uri, path, item.language_id, item.version, item.text, encoding)

    def changed(
        self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> Document:
        """The next version, after changes that are made one after the other."""
        text = self.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                places = self.places if text is self.text else Places(text, self.encoding)
                at = places.span(change.range)
                text = text[: at.start] + change.text + text[at.end :]
            else:
                text = change.text
        return Document(self.uri, self.path, self.language, version, text, self.encoding)

    @cached_property
    def places(self) -> Places:
        """Offsets of the text as the protocol counts them."""
        return Places(self.text, self.encoding)

    @property
    def is_ours(self) -> bool:
        """Whether it is of a kind that `check` reads in a folder, or SQL to the editor."""
        return self.language.lower() in _SQL_LANGUAGES or is_read_by_default(self.path.name)

    @cached_property
    def lead(self) -> int:
        """How many characters stand before the text that is linted: a byte order mark."""
        return len(BYTE_ORDER_MARK) if self.text.startswith(BYTE_ORDER_MARK) else 0

    @cached_property
    def body(self) -> str:
        """The text that is linted: halves of surrogate pairs are no characters to a parser."""
        text = self.text[self.lead :]
        return text if text.isascii() else _HALF.sub("\N{REPLACEMENT CHARACTER}", text)

    def path_named(self, name: str, own: str) -> Path:
        """The file of a name as reports have it, in which this one is called its `own`."""
        shown, root = Path(own), self.path
        for _ in () if shown.is_absolute() else shown.parts:
            root = root.parent
        return Path(os.path.normpath(root / name))

    def range(self, span: Span) -> types.Range:
        """Where a range of offsets of the linted text is."""
        return self.places.range(span.shifted(self.lead))

    def span(self, place: types.Range) -> Span:
        """The offsets, in the linted text, of a place."""
        found = self.places.span(place).shifted(-self.lead)
        return Span(max(found.start, 0), max(found.end, 0))


def path_of(uri: str, language: str = "sql") -> Path:
    """The file of a URI; where that names none, one in the working directory.

    The editor's name of its language says then what kind of file it is.
    """
    parts = urlparse(uri)
    path = unquote(parts.path)
    if parts.scheme != "file":
        name, ending = Path(path).name or "untitled", _ENDINGS.get(language, f".{language}")
        if not is_read_by_default(name):
            name += ending if is_read_by_default(f"a{ending}") else SQL.endings[0]
        return Path.cwd() / name
    if os.name == "nt":
        path = path.lstrip("/")
    return Path(os.path.normpath(path))


def is_project(root: Path) -> bool:
    """Whether a folder may be looked through: not everything that somebody has."""
    home = Path(os.path.expanduser("~"))
    return root not in (home, Path(gettempdir()), Path(root.anchor), *home.parents)
