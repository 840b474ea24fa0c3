"""`db/schema.rb` of Rails: `create_table`, its columns and indexes, and `add_foreign_key`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.schema.models.declared import Declared, Table, all_declared, dotted, listed
from pglint_locks.text import SourceText

_TABLE = re.compile(
    r"^[ \t]*create_table[ (]+[\"':](?P<name>[\w.]+)[\"']?(?P<options>.*?)\bdo\b", re.M
)
_END = re.compile(r"^[ \t]*end\b", re.M)
_COLUMN = re.compile(r"^[ \t]*t\.(?P<type>\w+)[ (]+(?P<names>[\"':\[].*)$", re.M)
_INDEX = re.compile(r"^[ \t]*add_index[ (]+[\"':](?P<table>[\w.]+)[\"']?,(?P<rest>.*)$", re.M)
_KEY = re.compile(
    r"^[ \t]*add_foreign_key[ (]+[\"':](?P<table>[\w.]+)[\"']?,\s*[\"':](?P<target>[\w.]+)[\"']?"
    r"(?P<options>.*)$",
    re.M,
)
_NAME = re.compile(r"[\"':](\w+)[\"']?")
_NO_COLUMNS = frozenset({"index", "timestamps", "foreign_key", "check_constraint"})
_TYPES = {
    "datetime": "timestamptz",
    "string": "text",
    "binary": "bytea",
    "references": "bigint",
    "belongs_to": "bigint",
}
_PLAIN_TYPES = frozenset("bigint integer boolean uuid jsonb json date decimal float inet".split())


def read_rails(source: SourceText) -> Iterator[Declared]:
    """The DDL that a schema of Rails stands for."""
    text = source.text
    tables = [_table(match, text) for match in _TABLE.finditer(text)]
    yield from all_declared(tables)
    for match in _INDEX.finditer(text):
        yield Declared(_create_index(match["table"], match["rest"]), match.start())
    for match in _KEY.finditer(text):
        options = match["options"]
        column = _option(options, "column") or f"{_singular(match['target'])}_id"
        there = _option(options, "primary_key") or "id"
        yield Declared(
            f"ALTER TABLE {dotted(match['table'])} ADD FOREIGN KEY ({listed([column])})"
            f" REFERENCES {dotted(match['target'])} ({listed([there])})",
            match.start(),
        )


def _table(match: re.Match[str], text: str) -> Table:
    table = Table(match["name"], match.start())
    options = match["options"]
    if not re.search(r"\bid:\s*false", options):
        keys = re.search(r"\bprimary_key:\s*\[([^\]]*)\]", options)
        table.key = _NAME.findall(keys[1]) if keys else [_option(options, "primary_key") or "id"]
        table.columns = dict.fromkeys(table.key, _type(_option(options, "id") or "bigint"))
    end = _END.search(text, match.end())
    body = text[match.end() : end.start() if end else len(text)]
    for line in _COLUMN.finditer(body):
        if line["type"] == "index":
            _add_index(table, line["names"])
        elif line["type"] not in _NO_COLUMNS:
            for name in _NAME.findall(line["names"].partition(", ")[0]):
                column = f"{name}_id" if line["type"] in ("references", "belongs_to") else name
                table.columns[column] = _type(line["type"])
                if "null: false" in line["names"]:
                    table.required.add(column)
    return table


def _type(name: str) -> str:
    return _TYPES.get(name) or (name if name in _PLAIN_TYPES else "text")


def _add_index(table: Table, rest: str) -> None:
    columns = _columns_of(rest)
    if columns and "where:" not in rest:
        (table.uniques if "unique: true" in rest else table.indexes).append(columns)


def _create_index(table: str, rest: str) -> str:
    unique = "UNIQUE " if "unique: true" in rest else ""
    where = _option(rest, "where")
    columns = _columns_of(rest)
    what = listed(columns) if columns else f"({_option(rest, '') or 'id'})"
    return f"CREATE {unique}INDEX ON {dotted(table)} ({what})" + (
        f" WHERE {where}" if where else ""
    )


def _columns_of(rest: str) -> list[str]:
    """The columns of an index; none where it is of an expression."""
    found = re.match(r"\s*(?:\[([^\]]*)\]|[\"':](\w+)[\"']?\s*(?:,|\)|\Z))", rest)
    if found is None:
        return []
    return _NAME.findall(found[1]) if found[1] is not None else [found[2]]


def _option(options: str, name: str) -> str | None:
    found = re.search(rf"\b{name}:\s*(?:\"([^\"]*)\"|'([^']*)'|:(\w+))", options) if name else None
    return next(filter(None, found.groups()), None) if found else None


def _singular(table: str) -> str:
    """The name of a row of a table, as Rails has it: `companies` are each a `company`."""
    name = table.rpartition(".")[2]
    if name.endswith("ies"):
        return name[:-3] + "y"
    if re.search(r"(?:s|x|ch|sh)es\Z", name):
        return name[:-2]
    return name.removesuffix("s")
