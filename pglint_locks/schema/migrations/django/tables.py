"""Operations on models: their tables."""

from __future__ import annotations

import ast

from pglint_locks.schema.migrations.django.columns import field_index
from pglint_locks.schema.migrations.django.keys import index_or_constraint, together
from pglint_locks.schema.migrations.django.operation import Made, Operation
from pglint_locks.schema.migrations.django.state import Model, has_column
from pglint_locks.schema.migrations.pycode import Call, call_of, listed, literal, quoted
from pglint_locks.schema.migrations.steps import Drop


def create_model(operation: Operation) -> Made:
    """CreateModel."""
    call, fields = operation.call, operation.fields
    name = call.text(0, "name")
    if name is None:
        operation.unclear()
        return
    options = _options(call.node(2, "options"))
    table = literal(options.get("db_table"))
    if "db_table" in options and not isinstance(table, str):
        operation.unclear()
    model = Model(table if isinstance(table, str) else f"{fields.app}_{name.lower()}")
    fields.models.known[fields.app.lower(), name.lower()] = model
    operation.tables.append(model.table)
    is_proxy = literal(options.get("proxy")) is True
    model.is_managed = not is_proxy and literal(options.get("managed")) is not False
    if not model.is_managed:
        return
    columns: list[str] = []
    later: list[str | Drop] = []
    for item in getattr(call.node(1, "fields"), "elts", ()):
        field_name, definition = _field(item)
        if field_name is None or definition is None:
            operation.unclear()
            continue
        if has_column(definition):
            columns.append(fields.column(model, field_name, definition))
            later += field_index(model, field_name, definition)
        later += fields.join_table(model, field_name, definition, name.lower())
    model.together = together(options.get("unique_together"))
    columns += [f"UNIQUE ({listed(model.named(names))})" for names in model.together]
    yield f"CREATE TABLE {quoted(model.table)} ({', '.join(columns)})"
    yield from later
    for names in together(options.get("index_together")):
        yield f"CREATE INDEX ON {quoted(model.table)} ({listed(model.named(names))})"
    for key in ("indexes", "constraints"):
        for node in getattr(options.get(key), "elts", ()):
            yield from index_or_constraint(operation, model, call_of(node))


def _options(node: ast.expr | None) -> dict[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    return {
        key.value: value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _field(item: ast.expr) -> tuple[str | None, Call | None]:
    parts: list[ast.expr] = getattr(item, "elts", [])
    if len(parts) != 2:
        return None, None
    name = literal(parts[0])
    return (name if isinstance(name, str) else None), call_of(parts[1])


def delete_model(operation: Operation) -> Made:
    """DeleteModel."""
    model = operation.model("name")
    if model is not None:
        for table in (*(each.table for each in model.many.values()), model.table):
            yield f"DROP TABLE {quoted(table)} CASCADE"


def rename_model(operation: Operation) -> Made:
    """RenameModel."""
    fields, call = operation.fields, operation.call
    model, old, new = (
        operation.model("old_name"),
        call.text(0, "old_name"),
        call.text(1, "new_name"),
    )
    if model is None or old is None or new is None:
        return
    app = fields.app.lower()
    known = fields.models.known
    known[app, new.lower()] = known.pop((app, old.lower()))
    if model.table == f"{fields.app}_{old.lower()}":
        yield from _moved(model, f"{fields.app}_{new.lower()}")
    for holder in known.values():
        for table, other in holder.many.values():
            for side in ("", "from_", "to_") if model in (holder, other) else ():
                before, after = (f"{side}{name.lower()}_id" for name in (old, new))
                yield f"ALTER TABLE {quoted(table)} RENAME {quoted(before)} TO {quoted(after)}"


def _moved(model: Model, table: str) -> Made:
    """A model gets another table; those of its many-to-many fields are called after it."""
    before, model.table = model.table, table
    yield f"ALTER TABLE {quoted(before)} RENAME TO {quoted(table)}"
    for name, many in model.many.items():
        if many.table == f"{before}_{name}":
            model.many[name] = many._replace(table=f"{table}_{name}")
            yield f"ALTER TABLE {quoted(many.table)} RENAME TO {quoted(f'{table}_{name}')}"


def rename_table(operation: Operation) -> Made:
    """AlterModelTable."""
    model, table = operation.model("name"), operation.call.text(1, "table")
    if model is None or table is None:
        operation.unclear()
    elif table != model.table:
        yield from _moved(model, table)
