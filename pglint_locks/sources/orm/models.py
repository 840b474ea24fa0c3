"""What the classes of a file say of the tables behind them: Django's and SQLAlchemy's models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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

    `columns` are the fields that are a column of the table.  `is_known`: all that makes its
    queries shows; `is_ordered`: they have an order where none is asked for.
    """

    table: str
    key: str = "id"
    relations: Mapping[str, Relation] = MappingProxyType({})
    columns: frozenset[str] = frozenset()
    is_known: bool = False
    is_ordered: bool = False


Models = Mapping[str, Model]


def models_of(root: Node, filename: str = "", others: Models = MappingProxyType({})) -> Models:
    """The models that a file of Python defines, and `others`, by the names of their classes."""
    found: dict[str, Model] = dict(others)
    for node in root.below():
        if node.kind == "class_definition" and len(node.operands) > 1:
            model = _model(node, _app_of(filename))
            known = [found.get(base) for base in _bases(node)]
            for base in filter(None, known):
                model = _inherited(model, base)
            is_known = model.is_known and all(base and base.is_known for base in known)
            found[node.operands[0].text] = model._replace(is_known=is_known)
    return found


def _bases(node: Node) -> list[str]:
    """The classes that a class is made from, but for Django's own."""
    given = [each.node.text for each in arguments_of(node)]
    return [name for name in given if name not in ("models.Model", "Model")]


def _inherited(model: Model, base: Model) -> Model:
    return model._replace(
        relations={**base.relations, **model.relations},
        columns=base.columns | model.columns,
        is_ordered=model.is_ordered or base.is_ordered,
    )


def _app_of(filename: str) -> str | None:
    """The label of the Django application whose models a file holds: it begins their tables."""
    found = re.search(r"(?:\A|/)([^/]+)/models(?:\.py\Z|/)", filename)
    return found[1] if found else None


def _model(node: Node, app: str | None) -> Model:
    name = node.operands[0].text
    table, key = f"{app}_{name.lower()}" if app else name.lower(), "id"
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
    meta = _meta(node.operands[-1])
    options = dict(_assignments(meta.operands[-1])) if meta is not None else {}
    makes_manager = any("objects" in target for target, _ in _assignments(node.operands[-1]))
    return Model(
        string_of(options.get("db_table")) or table,
        key,
        relations,
        frozenset(columns),
        is_known=not makes_manager and (meta is None or not any(arguments_of(meta))),
        is_ordered="ordering" in options,
    )


def _assignments(body: Node) -> Iterator[tuple[str, Node]]:
    for statement in body.operands:
        for each in statement.operands:
            if each.kind == "assignment" and len(each.operands) >= 2:
                yield each.operands[0].text, each.operands[-1]


def _meta(body: Node) -> Node | None:
    """A model's class Meta."""
    for inner in body.operands:
        if inner.kind == "class_definition" and inner.operands[0].text == "Meta":
            return inner
    return None


def _class_of(argument: Argument) -> str:
    """The class that a relation names: `Owner`, `"shop.Owner"`."""
    return re.split(r"\.", string_of(argument.node) or argument.node.text)[-1]


def _may_be_null(given: list[Argument]) -> bool:
    return any(each.keyword == "null" and is_true(each.node) for each in given)


_CLASS = re.compile(r"^class[ \t]+(\w+)[ \t]*\(([^()]*)\)", re.MULTILINE)
_USED = re.compile(r"\b([A-Z]\w*)\b")
_MOST_ROUNDS = 4


def files_needed(using: Iterable[str], defining: Mapping[str, str]) -> list[str]:
    """The files that define what some texts use, those of base classes before the others.

    `defining` are the texts of files that may define models, by name.
    """
    classes: dict[str, list[tuple[str, list[str]]]] = {}
    for filename, text in defining.items():
        for found in _CLASS.finditer(text):
            classes.setdefault(found[1], []).append((filename, _USED.findall(found[2])))
    names = {name for text in using for name in _USED.findall(text)}
    rounds: list[str] = []
    for _ in range(_MOST_ROUNDS):
        made = [each for name in sorted(names) for each in classes.get(name, ())]
        rounds += sorted({filename for filename, _ in made})
        names = {base for _, bases in made for base in bases}
    return list(dict.fromkeys(reversed(rounds)))


def without_twins(models: Models, defining: Mapping[str, str]) -> Models:
    """The models whose names one class has, in all files."""
    times = Counter(name for text in defining.values() for name, _ in _CLASS.findall(text))
    return {name: model for name, model in models.items() if times[name] == 1}
