"""What the classes of a file say of the tables behind them: Django's and SQLAlchemy's models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pglint_locks.sources.orm.chain import Argument, arguments_of, string_of
from pglint_locks.sources.orm.expressions import is_true

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node

_KEYS = frozenset({"ForeignKey", "OneToOneField"})


class Relation(NamedTuple):
    """A foreign key of a model: its column, the model that it refers to, whether it may be NULL."""

    column: str
    model: str
    nullable: bool


class Model(NamedTuple):
    """A model's table, its primary key's column, and its relations by the names of fields.

    `columns` are the fields that are a column of the table.
    """

    table: str
    key: str = "id"
    relations: Mapping[str, Relation] = MappingProxyType({})
    columns: frozenset[str] = frozenset()


Models = Mapping[str, Model]


def models_of(root: Node) -> Models:
    """The models that a file of Python defines, by the names of their classes."""
    found: dict[str, Model] = {}
    for node in root.below():
        if node.kind == "class_definition" and len(node.operands) > 1:
            found[node.operands[0].text] = _model(node)
    return found


def _model(node: Node) -> Model:
    name = node.operands[0].text
    table, key = name.lower(), "id"
    relations: dict[str, Relation] = {}
    columns: set[str] = set()
    for target, value in _assignments(node.operands[-1]):
        if target == "__tablename__":
            table = string_of(value) or table
        function = value.text.partition("(")[0].rpartition(".")[2]
        given = list(arguments_of(value)) if value.kind == "call" else []
        if any(each.keyword == "primary_key" and is_true(each.node) for each in given):
            key = target
        if function in _KEYS or function in ("Column", "mapped_column"):
            columns.add(target)
        if function.endswith("Field") and function != "ManyToManyField":
            columns.add(target)
        if function in _KEYS and given:
            column = target if target.endswith("_id") else f"{target}_id"
            relations[target] = Relation(column, _class_of(given[0]), _may_be_null(given))
        if function == "relationship" and given:
            relations[target] = Relation(f"{target}_id", _class_of(given[0]), nullable=True)
    return Model(_meta_table(node.operands[-1]) or table, key, relations, frozenset(columns))


def _assignments(body: Node) -> Iterator[tuple[str, Node]]:
    for statement in body.operands:
        for each in statement.operands:
            if each.kind == "assignment" and len(each.operands) >= 2:
                yield each.operands[0].text, each.operands[-1]


def _meta_table(body: Node) -> str | None:
    """`db_table` of a model's class Meta."""
    for inner in body.operands:
        if inner.kind == "class_definition" and inner.operands[0].text == "Meta":
            for target, value in _assignments(inner.operands[-1]):
                if target == "db_table":
                    return string_of(value)
    return None


def _class_of(argument: Argument) -> str:
    """The class that a relation names: `Owner`, `"shop.Owner"`."""
    return re.split(r"\.", string_of(argument.node) or argument.node.text)[-1]


def _may_be_null(given: list[Argument]) -> bool:
    return any(each.keyword == "null" and is_true(each.node) for each in given)
