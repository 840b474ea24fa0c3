"""SQL scripts as a source of a catalogue: which of their statements are parsed, and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from pglast import ast, parser

from pglint_locks.schema.catalog import DEFAULT_SEARCH_PATH, Catalog
from pglint_locks.schema.ddl.altering import drop_foreign_key
from pglint_locks.schema.ddl.draft import Draft
from pglint_locks.schema.ddl.replay import replay
from pglint_locks.schema.models import declared_in
from pglint_locks.schema.names import TableName
from pglint_locks.schema.origins import Origin, Trust
from pglint_locks.sql.deepstack import max_statement_length
from pglint_locks.sql.parse import Unparsed, parse
from pglint_locks.sql.split import Chunk, split
from pglint_locks.text import SourceText

# What the second word of CREATE, ALTER or DROP makes without matter here.
_NO_MATTER = frozenset(
    """function procedure aggregate operator domain cast collation conversion extension
    language policy publication subscription rule role user group tablespace text transform
    access event statistics default comment large routine system""".split()
)
# The tables that a text creates, alters, drops or gives an index, as far as they show.
_NAME = r'(?:"(?:[^"\n]|"")+"|[A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*)'
_CHANGED = re.compile(
    rf"\b(?:create|alter|drop)\s+(?:\w+\s+)?table\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?"
    rf"(?:({_NAME})\s*\.\s*)?({_NAME})|\bon\s+(?:only\s+)?(?:({_NAME})\s*\.\s*)?({_NAME})\s*"
    r"(?:using\s+\w+\s*)?\(",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
# One whose name is put in at run time.
_COMPUTED = re.compile(r"\b(?:table|index|on)\s+(?:%|'\s*\|\|)", re.IGNORECASE)
_BEGINNINGS = frozenset({"cr", "dr", "al", "se", "re", "do", "wi"})
_SKIPPED = frozenset({"or", "replace", "unique", "constraint", "trusted", "procedural"})


def may_matter(chunk: Chunk) -> bool:
    """Whether a statement may change a catalogue, by the words that it begins with."""
    if chunk.text[:2].lower() not in _BEGINNINGS:  # a dump may have millions of INSERTs
        return False
    words = chunk.first_words
    match words[:1]:
        case ("create",) | ("drop",):
            second = next((word for word in words[1:] if word not in _SKIPPED), "")
            return second not in _NO_MATTER and (second != "type" or "enum" not in words)
        case ("alter",) if words[1:2] == ("type",):
            return "rename" in chunk.text.lower()
        case ("alter",):
            return (words[1:2] in (("role",), ("database",)) and "search_path" in chunk.text) or (
                words[1] not in _NO_MATTER if len(words) > 1 else False
            )
        case ("reset",):
            return True
        case ("set",):
            return "search_path" in chunk.text[:60].lower()
        case ("select",):
            folded = chunk.text.lower()
            return "set_config" in folded or "into" in folded
        case ("do",):
            return _CHANGED.search(chunk.text) is not None or bool(_COMPUTED.search(chunk.text))
        case ("with",):
            return "into" in chunk.text.lower()
    return False


class Replay:
    """The schema that scripts make, one after the other.

    `unread` are the places of statements that matter and were not understood.
    """

    def __init__(self, trust: Trust = Trust.SCHEMA_FILE) -> None:
        self.draft = Draft(Origin(trust, ""))
        self.unread: list[Origin] = []
        self._trust = trust

    def run(self, source: SourceText) -> None:
        """Replay the statements of a file that is SQL from its first to its last character."""
        self.begin()
        self.replay(split(source.text).chunks, lambda at: self.origin(source, at))

    def begin(self) -> None:
        """Begin a session: settings are those of the database."""
        self.draft.path = DEFAULT_SEARCH_PATH

    def declare(self, source: SourceText) -> None:
        """Replay the DDL that a schema in another language stands for."""
        for sql, offset in declared_in(source):
            self.draft.at = self.origin(source, offset)
            result = parse(sql)
            if not isinstance(result, Unparsed):
                replay(self.draft, result.node)

    def origin(self, source: SourceText, offset: int) -> Origin:
        """A place of a file as facts have it."""
        return Origin(self._trust, source.name, source.position(offset).row)

    def replay(self, chunks: Sequence[Chunk], origin_at: Callable[[int], Origin]) -> None:
        """Replay statements; `origin_at` tells where an offset of their script stands."""
        for chunk in chunks:
            if may_matter(chunk):
                self.draft.at = origin_at(chunk.span.start)
                statement = _parsed(chunk)
                if statement is None:
                    self._leave(chunk)
                else:
                    replay(self.draft, statement)

    def run_sql(self, sql: str, at: Origin) -> None:
        """Replay statements that other code runs at a place."""
        self.replay(split(sql).chunks, lambda _: at)

    def drop(self, kind: str, table: str, columns: Sequence[str]) -> None:
        """Drop what is not named: the unique constraint, index or foreign key over columns."""
        relation = self.draft.find(TableName(None, table))
        if relation is None:
            return
        for index in list(relation.indexes.values()):
            wanted = index.unique if kind == "unique" else kind == "index" and not index.unique
            if wanted and not index.primary and [k.column for k in index.keys] == list(columns):
                self.draft.drop_index(relation, index.name)
        for key in list(relation.foreign_keys.values()):
            if kind == "foreign key" and key.columns == list(columns):
                drop_foreign_key(relation, key.name)

    def leave(self, texts: Iterable[str]) -> None:
        """Note that code was not understood in which these texts stand, such as tables' names."""
        self.draft.is_closed = False
        words = {word for text in texts for word in _WORD.findall(text)}
        for relation in self.draft.relations.values():
            if relation.name.name in words:
                relation.is_whole = False

    def catalog(self) -> Catalog:
        """What there is now."""
        made = {
            name: relation.made()
            for name, relation in self.draft.relations.items()
            if not relation.is_stub or self.draft.is_told_of(relation)
        }
        paths = self.draft.app_paths
        path = next(iter(paths)) if len(paths) == 1 else DEFAULT_SEARCH_PATH
        return Catalog(made, path, is_closed=self.draft.is_closed)

    def _leave(self, chunk: Chunk) -> None:
        """Note that what a statement names is not known whole any more."""
        if chunk.first_words[:1] != ("do",):
            self.unread.append(self.draft.at)
        for schema, name, on_schema, on_name in _CHANGED.findall(chunk.text):
            written = TableName(_folded(schema or on_schema) or None, _folded(name or on_name))
            self.draft.unread(written)
        if _COMPUTED.search(chunk.text):
            self.draft.is_closed = False


def _parsed(chunk: Chunk) -> ast.Node | None:
    """A statement's tree; None where it does not parse, has placeholders or runs code."""
    if chunk.first_words[:1] == ("do",) or len(chunk.text) > max_statement_length():
        return None
    try:
        (statement,) = parser.parse_sql(chunk.text)
        return statement.stmt
    except (parser.ParseError, ValueError):
        result = parse(chunk.text)
    return None if isinstance(result, Unparsed) or result.parameters else result.node


def _folded(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()
