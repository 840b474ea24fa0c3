"""Sets what is known of tables in lines for people."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

from pglint_locks.schema.catalog import Catalog, Column, Relation, RelationKind
from pglint_locks.schema.indexes import Index, IndexKey
from pglint_locks.schema.origins import Origin

_WIDEST_NAME = 30
_BOLD, _FAINT, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def listed(catalog: Catalog, width: int) -> str:
    """All relations but sequences, a line each, and what is not known of them."""
    relations = [each for each in catalog.relations.values() if _is_listed(each)]
    relations.sort(key=lambda each: each.name)
    widest = min(max((len(str(each.name)) for each in relations), default=0), 40)
    lines = [_line(catalog, each, widest) for each in relations]
    counts = Counter(each.kind for each in relations)
    total = ", ".join(_count(count, kind.value) for kind, count in counts.items())
    nothing = "No table is known; name files of DDL by --schema."
    lines += [f"{total}." if total else nothing, *_limits(catalog, None, width)]
    return "\n".join(lines) + "\n"


def _is_listed(relation: Relation) -> bool:
    return relation.kind is not RelationKind.SEQUENCE


def _line(catalog: Catalog, relation: Relation, widest: int) -> str:
    keys = sum(index.has_key_columns for index in relation.indexes)
    facts = [relation.kind.value] if relation.kind is not RelationKind.TABLE else []
    facts.append(_count(len(relation.columns), "column"))
    facts += [_count(keys, "key")] if keys else []
    references = len(catalog.references_to(relation))
    facts += [f"referenced by {references}"] if references else []
    facts += [] if relation.is_whole else ["known in part"]
    return f"{relation.name!s:{widest}}  {', '.join(facts)}"


class Sheet:
    """What is known of one relation, in lines of at most `width` characters where that can be."""

    def __init__(self, catalog: Catalog, relation: Relation, width: int, color: bool) -> None:
        self._catalog = catalog
        self._relation = relation
        self._width = width
        self._color = color

    def text(self) -> str:
        """All that is known."""
        relation = self._relation
        lines = [self._styled(f"{relation.kind.value} {relation.name}", _BOLD)]
        lines += [f"  {_from(relation.origin)}", *self._about()]
        lines += self._section("columns", (self._column(each) for each in relation.columns))
        keys = [index for index in relation.indexes if index.has_key_columns]
        others = [index for index in relation.indexes if not index.has_key_columns]
        title = "keys (an UPDATE of their columns takes the lock of FOR UPDATE)"
        lines += self._section(title, map(self._index, keys))
        lines += self._section("other indexes", map(self._index, others))
        lines += self._section("foreign keys", self._foreign_keys())
        lines += self._section("referenced by", self._references())
        lines += self._section("triggers", self._triggers())
        lines += self._partitions()
        lines += self._query()
        limits = _limits(self._catalog, relation, self._width)
        return "\n".join([*lines, *([""] if limits else []), *limits]) + "\n"

    def _about(self) -> Iterator[str]:
        relation = self._relation
        if relation.is_partition:
            yield f"  partition of {relation.parents[0]}"
        elif relation.parents:
            yield f"  inherits from {', '.join(map(str, relation.parents))}"
        if relation.partition_key:
            key = ", ".join(column or "an expression" for column in relation.partition_key)
            yield f"  partitioned by {key}"
        if relation.wrapper:
            yield f"  foreign-data wrapper {relation.wrapper}"

    def _partitions(self) -> list[str]:
        own = self._relation.name
        below = [each for each in self._catalog.relations.values() if own in each.parents]
        title = "partitions" if any(each.is_partition for each in below) else "inherited by"
        return self._section(title, ((str(each.name), "", each.origin) for each in below))

    def _query(self) -> list[str]:
        query = self._relation.view_query
        if query is None:
            return []
        wrapped = textwrap.wrap(query, max(self._width - 4, 60), break_long_words=False)
        return ["", f"  {self._styled('query', _BOLD)}", *(f"    {line}" for line in wrapped)]

    def _column(self, column: Column) -> tuple[str, str, Origin | None]:
        words = [column.type or "type not known"]
        words += ["not null"] if column.not_null else []
        words += ["identity"] if column.identity else []
        words += ["generated"] if column.generated else []
        return column.name, ", ".join(words), None

    def _index(self, index: Index) -> tuple[str, str, Origin | None]:
        return index.name or "(no name)", index_words(index), index.origin

    def _foreign_keys(self) -> Iterator[tuple[str, str, Origin | None]]:
        for key in self._relation.foreign_keys:
            columns = f"({', '.join(key.columns)})"
            target = f"{key.referenced} ({', '.join(key.referenced_columns)})"
            yield key.name or "(no name)", f"{columns} -> {target}", key.origin

    def _references(self) -> Iterator[tuple[str, str, Origin | None]]:
        for holder, key in self._catalog.references_to(self._relation):
            columns = f"({', '.join(key.columns)}) -> ({', '.join(key.referenced_columns)})"
            yield str(holder.name), columns, key.origin

    def _triggers(self) -> Iterator[tuple[str, str, Origin | None]]:
        for trigger in self._relation.triggers:
            when = "before" if trigger.before else "after"
            what = " or ".join(sorted(event.lower() for event in trigger.events))
            each = "row" if trigger.per_row else "statement"
            yield trigger.name, f"{when} {what}, for each {each}", None

    def _section(self, title: str, rows: Iterable[tuple[str, str, Origin | None]]) -> list[str]:
        known = list(rows)
        if not known:
            return []
        widest = min(max(len(name) for name, _, _ in known), _WIDEST_NAME)
        lines = ["", f"  {self._styled(title, _BOLD)}"]
        for name, words, origin in known:
            lines += self._row(name, words, origin, widest)
        return lines

    def _row(self, name: str, words: str, origin: Origin | None, widest: int) -> list[str]:
        """A fact: its name, what it is, and in the same line or the next where it is from."""
        head = f"    {name:{widest}}  "
        indent = " " * (widest + 6)
        lines = textwrap.wrap(
            words,
            max(self._width, 60),
            initial_indent=head if len(name) <= widest else indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [head.rstrip()]
        if len(name) > widest and words:
            lines.insert(0, head.rstrip())
        if origin is not None and not _is_told(origin, self._relation.origin):
            place = str(origin)
            if len(lines[-1]) + len(place) + 2 <= self._width:
                lines[-1] += f"  {self._styled(place, _FAINT)}"
            else:
                lines.append(f"{indent}{self._styled(place, _FAINT)}")
        return lines

    def _styled(self, text: str, style: str) -> str:
        return f"{style}{text}{_PLAIN}" if self._color else text


def index_words(index: Index) -> str:
    """An index in words: `unique (email), deferrable`."""
    kind = "primary key" if index.primary else "unique" if index.unique else index.method
    words = f"{kind} ({', '.join(map(_key_words, index.keys))})"
    if index.unique and index.method != "btree":
        words = f"{words} using {index.method}"
    words += f" include ({', '.join(index.included)})" if index.included else ""
    words += f" where {index.predicate}" if index.predicate else ""
    words += ", nulls not distinct" if index.nulls_not_distinct else ""
    words += ", deferrable" if index.deferrable else ""
    return words if index.valid else f"{words}, not valid"


def _key_words(key: IndexKey) -> str:
    words = key.column or key.expression or "an expression"
    words += " desc" if key.descending else ""
    if key.nulls_first != key.descending:
        words += " nulls first" if key.nulls_first else " nulls last"
    return words


def _limits(catalog: Catalog, relation: Relation | None, width: int) -> list[str]:
    """What one should not conclude from what is shown."""
    notes: list[str] = []
    if relation is not None and not relation.is_whole:
        notes.append("Part of what makes this table is not understood: there may be more to it.")
    if relation is None and catalog.ambiguous:
        names = ", ".join(sorted(str(name) for name in catalog.ambiguous))
        notes.append(f"Defined in more than one way, and so not known: {names}.")
    is_closed = catalog.is_closed if relation is None else catalog.knows_references_to(relation)
    if not is_closed and catalog.relations:
        notes.append("There may be foreign keys that no file read here tells of.")
    return [line for note in notes for line in textwrap.wrap(note, max(width, 60))]


def _from(origin: Origin) -> str:
    return f"from {origin}"


def _is_told(origin: Origin, of_relation: Origin) -> bool:
    """Whether a fact stands in the statement that makes the relation."""
    return origin == of_relation


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
