"""Operations on fields: columns, and the keys and indexes that come with them."""

from __future__ import annotations

from pglint_locks.schema.migrations.django.operation import Made, Operation
from pglint_locks.schema.migrations.django.state import (
    Model,
    has_column,
    is_indexed,
    is_reference,
    is_unique,
    type_of,
)
from pglint_locks.schema.migrations.pycode import Call, call_of, listed, quoted
from pglint_locks.schema.migrations.steps import Drop


def field_index(model: Model, name: str, definition: Call) -> Made:
    """The index that a field has beside its keys."""
    if is_indexed(definition):
        yield f"CREATE INDEX ON {quoted(model.table)} ({listed(model.named([name]))})"


def _named_field(operation: Operation) -> tuple[Model, str, Call] | None:
    """The model, the name and the definition of the field that an operation makes."""
    model, name = operation.model("model_name"), operation.call.text(1, "name")
    definition = call_of(operation.call.node(2, "field"))
    if model is None or name is None or definition is None:
        return None
    return model, name, definition


def add_field(operation: Operation) -> Made:
    """AddField."""
    found = _named_field(operation)
    if found is None:
        operation.unclear()
        return
    model, name, definition = found
    if has_column(definition):
        column = operation.fields.column(model, name, definition)
        yield f"ALTER TABLE {quoted(model.table)} ADD COLUMN {column}"
        yield from field_index(model, name, definition)
    own = (operation.call.text(0, "model_name") or "").lower()
    yield from operation.fields.join_table(model, name, definition, own)


def remove_field(operation: Operation) -> Made:
    """RemoveField."""
    model, name = operation.model("model_name"), operation.call.text(1, "name")
    if model is None or name is None:
        return
    if name in model.many:
        yield f"DROP TABLE {quoted(model.many.pop(name).table)} CASCADE"
    elif name in model.fields:
        (column,) = model.named([name])
        del model.fields[name]
        yield f"ALTER TABLE {quoted(model.table)} DROP COLUMN {quoted(column)} CASCADE"


def rename_field(operation: Operation) -> Made:
    """RenameField."""
    model, old = operation.model("model_name"), operation.call.text(1, "old_name")
    new = operation.call.text(2, "new_name")
    if model is None or old is None or new is None or old not in model.fields:
        operation.unclear()
        return
    (before,) = model.named([old])
    operation.fields.name(model, new, model.fields.pop(old))
    (after,) = model.named([new])
    model.key = after if model.key == before else model.key
    model.together = [[new if each == old else each for each in names] for names in model.together]
    if before != after:
        renamed = f"RENAME COLUMN {quoted(before)} TO {quoted(after)}"
        yield f"ALTER TABLE {quoted(model.table)} {renamed}"


def alter_field(operation: Operation) -> Made:
    """AlterField."""
    found = _named_field(operation)
    if found is None or found[1] not in found[0].fields:
        operation.unclear()
        return
    model, name, new = found
    old, (before,), table = model.fields[name], model.named([name]), quoted(model.table)
    operation.fields.name(model, name, new)
    (column,) = model.named([name])
    if before != column:
        yield f"ALTER TABLE {table} RENAME COLUMN {quoted(before)} TO {quoted(column)}"
    if not is_reference(new):
        yield f"ALTER TABLE {table} ALTER {quoted(column)} TYPE {type_of(new)}"
    word = "DROP" if new.flag("null") else "SET"
    yield f"ALTER TABLE {table} ALTER {quoted(column)} {word} NOT NULL"
    columns = (column,)
    if is_unique(old) and not is_unique(new):
        yield Drop("unique", model.table, columns)
    elif is_unique(new) and not is_unique(old):
        yield f"ALTER TABLE {table} ADD UNIQUE ({quoted(column)})"
    if is_indexed(old) and not is_indexed(new):
        yield Drop("index", model.table, columns)
    elif is_indexed(new) and not is_indexed(old):
        yield from field_index(model, name, new)
    if new.flag("primary_key") != old.flag("primary_key"):
        operation.unclear()
    target = operation.fields.target(model, new)
    if target != operation.fields.target(model, old):
        yield Drop("foreign key", model.table, columns)
        if target:
            yield f"ALTER TABLE {table} ADD FOREIGN KEY ({quoted(column)}) {target}"
