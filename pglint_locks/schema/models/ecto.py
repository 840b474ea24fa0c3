"""Schemas of Ecto: `schema "jobs" do`, with its fields and `belongs_to`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.schema.models.declared import Declared, Table, all_declared
from pglint_locks.text import SourceText

_SCHEMA = re.compile(r"^(?P<indent>[ \t]*)schema[ (]+\"(?P<name>\w+)\"\)?\s+do\b", re.M)
_KEY = re.compile(r"@primary_key\s+(?:(false)|\{:(\w+)\s*,\s*:(\w+))")
_PREFIX = re.compile(r"@schema_prefix\s+\"(\w+)\"")
_FIELD = re.compile(r"^[ \t]*field[ (]+:(\w+)(?P<rest>.*)$", re.M)
_BELONGS = re.compile(r"^[ \t]*belongs_to[ (]+:(\w+)\s*,\s*[\w.]+(?P<rest>.*)$", re.M)


def read_ecto(source: SourceText) -> Iterator[Declared]:
    """The DDL that schemas of Ecto stand for; of foreign keys they do not tell."""
    text = source.text
    yield from all_declared([_table(match, text) for match in _SCHEMA.finditer(text)])


def _table(match: re.Match[str], text: str) -> Table:
    before = text[: match.start()]
    prefix = _last(_PREFIX, before)
    table = Table(f"{prefix[1]}.{match['name']}" if prefix else match["name"], match.start())
    key = _last(_KEY, before)
    if key is None or not key[1]:
        name, kind = (key[2], key[3]) if key else ("id", "id")
        table.key, table.columns[name] = [name], "uuid" if kind == "binary_id" else "bigint"
    end = re.compile(rf"^{match['indent']}end\b", re.M).search(text, match.end())
    body = text[match.end() : end.start() if end else len(text)]
    for line in _FIELD.finditer(body):
        table.columns[line[1]] = "text"
        if "primary_key: true" in line["rest"]:
            table.key = [*table.key, line[1]]
    for line in _BELONGS.finditer(body):
        named = re.search(r"foreign_key:\s*:(\w+)", line["rest"])
        table.columns[named[1] if named else f"{line[1]}_id"] = "bigint"
    return table


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(reversed([*pattern.finditer(text)]), None)
