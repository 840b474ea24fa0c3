"""Schemas of Prisma: `model` blocks with `@id`, `@unique`, `@relation` and their like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.schema.models.declared import Declared, Table, all_declared
from pglint_locks.text import SourceText

_MODEL = re.compile(r"^[ \t]*model\s+(?P<name>\w+)\s*\{(?P<body>.*?)^[ \t]*\}", re.M | re.S)
_FIELD = re.compile(
    r"^[ \t]*(?P<name>\w+)[ \t]+(?P<type>\w+)(?P<many>\[\])?(?P<maybe>\?)?(?P<rest>.*)$", re.M
)
_OTHER_DATABASE = re.compile(r"\bprovider\s*=\s*\"(?:mysql|sqlite|sqlserver|mongodb)\"")
_TYPES = {
    "Int": "integer", "BigInt": "bigint", "Boolean": "boolean", "DateTime": "timestamp",
    "Json": "jsonb", "Bytes": "bytea", "Float": "double precision", "Decimal": "numeric",
}  # fmt: skip


def read_prisma(source: SourceText) -> Iterator[Declared]:
    """The DDL that a schema of Prisma stands for; none for another database."""
    if _OTHER_DATABASE.search(source.text):
        return
    models = [*_MODEL.finditer(source.text)]
    tables = {match["name"]: _table_name(match) for match in models}
    columns = {match["name"]: _column_names(match["body"]) for match in models}
    yield from all_declared([_table(match, tables, columns) for match in models])


def _table_name(match: re.Match[str]) -> str:
    mapped = re.search(r"@@map\(\s*(?:name:\s*)?\"([^\"]+)\"", match["body"])
    schema = re.search(r"@@schema\(\s*\"([^\"]+)\"", match["body"])
    name = mapped[1] if mapped else match["name"]
    return f"{schema[1]}.{name}" if schema else name


def _column_names(body: str) -> dict[str, str]:
    """The columns of fields, by the fields' names."""
    names = {}
    for line in _FIELD.finditer(_without_comments(body)):
        mapped = re.search(r"@map\(\s*(?:name:\s*)?\"([^\"]+)\"", line["rest"])
        names[line["name"]] = mapped[1] if mapped else line["name"]
    return names


def _table(
    match: re.Match[str], tables: dict[str, str], columns: dict[str, dict[str, str]]
) -> Table:
    table, own = Table(tables[match["name"]], match.start()), columns[match["name"]]
    body = _without_comments(match["body"])
    for line in _FIELD.finditer(body):
        column, rest = own[line["name"]], line["rest"]
        if line["type"] in tables:
            _relate(table, line, tables, columns, own)
            continue
        array = "[]" if line["many"] else ""
        table.columns[column] = _TYPES.get(line["type"], "text") + array
        if not line["maybe"]:
            table.required.add(column)
        if re.search(r"@id\b", rest):
            table.key = [column]
        if re.search(r"@unique\b", rest):
            table.uniques.append([column])
    for kind, listed in re.findall(r"@@(id|unique|index)\(\s*(?:fields:\s*)?\[([^\]]*)\]", body):
        names = [own[name] for name in re.findall(r"(\w+)(?:\([^)]*\))?", listed) if name in own]
        if kind == "id":
            table.key = names
        else:
            (table.uniques if kind == "unique" else table.indexes).append(names)
    return table


def _relate(
    table: Table,
    line: re.Match[str],
    tables: dict[str, str],
    columns: dict[str, dict[str, str]],
    own: dict[str, str],
) -> None:
    """Add the foreign key of a field that `@relation` gives columns to."""
    fields = re.search(r"\bfields:\s*\[([^\]]*)\]", line["rest"])
    there = re.search(r"\breferences:\s*\[([^\]]*)\]", line["rest"])
    if fields and there:
        target = line["type"]
        table.references.append(
            (
                [own.get(name, name) for name in re.findall(r"\w+", fields[1])],
                tables[target],
                [columns[target].get(name, name) for name in re.findall(r"\w+", there[1])],
            )
        )


def _without_comments(body: str) -> str:
    return re.sub(r"//.*$", "", body, flags=re.M)
