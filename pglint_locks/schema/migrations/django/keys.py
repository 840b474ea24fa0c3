"""Operations on indexes and constraints, and SQL that is written out."""

from __future__ import annotations

import ast

from pglint_locks.schema.migrations.django.operation import Made, Operation
from pglint_locks.schema.migrations.django.state import Model
from pglint_locks.schema.migrations.pycode import Call, call_of, listed, literal, quoted, texts
from pglint_locks.schema.migrations.steps import Drop

_METHODS = {"BTree": "btree", "Gin": "gin", "Gist": "gist", "Brin": "brin", "Hash": "hash"}


def together(node: ast.expr | None) -> list[list[str]]:
    """`{("a", "b")}`, or one tuple alone."""
    alone = texts(node)
    if alone:
        return [alone]
    return [found for each in getattr(node, "elts", ()) if (found := texts(each))]


def alter_together(operation: Operation) -> Made:
    """AlterUniqueTogether."""
    model = operation.model("name")
    if model is None:
        return
    new = together(operation.call.node(1, "unique_together"))
    for names in model.together:
        if names not in new:
            yield Drop("unique", model.table, tuple(model.named(names)))
    for names in new:
        if names not in model.together:
            yield f"ALTER TABLE {quoted(model.table)} ADD UNIQUE ({listed(model.named(names))})"
    model.together = new


def index_or_constraint(operation: Operation, model: Model, definition: Call | None) -> Made:
    """An index or a constraint of a model."""
    if definition is not None and definition.name == "CheckConstraint":
        return
    names = definition.texts(-1, "fields") if definition is not None else None
    name = definition.text(-1, "name") if definition is not None else None
    if definition is None or not names or name is None or "expressions" in definition.keywords:
        operation.unclear()
        return
    table, columns = quoted(model.table), model.named(names)
    include = definition.texts(-1, "include")
    included = f" INCLUDE ({listed(model.named(include))})" if include else ""
    # What a Q object says is not known: the index is partial, whatever its predicate.
    where = " WHERE NULL" if "condition" in definition.keywords else ""
    if definition.name == "UniqueConstraint" and not where:
        deferred = " DEFERRABLE" if "deferrable" in definition.keywords else ""
        unique = f"UNIQUE ({listed(columns)}){included}{deferred}"
        yield f"ALTER TABLE {table} ADD CONSTRAINT {quoted(name)} {unique}"
        return
    unique = "UNIQUE " if definition.name == "UniqueConstraint" else ""
    method = _METHODS.get(definition.name.removesuffix("Index"), "btree")
    keys = [
        f"{quoted(column)}{' DESC' if written.startswith('-') else ''}"
        for column, written in zip(columns, names, strict=True)
    ]
    making = f"CREATE {unique}INDEX {quoted(name)} ON {table} USING {method}"
    yield f"{making} ({', '.join(keys)}){included}{where}"


def add_index(operation: Operation) -> Made:
    """AddIndex and AddConstraint."""
    model = operation.model("model_name")
    if model is not None:
        definition = call_of(operation.call.node(1, "index", "constraint"))
        yield from index_or_constraint(operation, model, definition)


def remove_index(operation: Operation) -> Made:
    """RemoveIndex and RemoveConstraint."""
    model, name = operation.model("model_name"), operation.call.text(1, "name")
    if model is not None and name is not None:
        yield f"ALTER TABLE {quoted(model.table)} DROP CONSTRAINT IF EXISTS {quoted(name)}"
        yield f"DROP INDEX IF EXISTS {quoted(name)}"
    else:
        operation.unclear()


def rename_index(operation: Operation) -> Made:
    """RenameIndex."""
    old, new = operation.call.text(-1, "old_name"), operation.call.text(1, "new_name")
    if operation.model("model_name") is None or old is None or new is None:
        operation.unclear()
    else:
        yield f"ALTER INDEX {quoted(old)} RENAME TO {quoted(new)}"


def run_sql(operation: Operation) -> Made:
    """RunSQL."""
    written = operation.call.node(0, "sql")
    value = literal(written)
    several = texts(written)
    if isinstance(value, str):
        yield value
    elif several is not None:
        yield from several
    else:
        operation.unclear()
