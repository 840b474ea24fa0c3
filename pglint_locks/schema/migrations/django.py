"""Django's migrations: their operations, as the SQL that they run on PostgreSQL.

Only the tables, keys, indexes and foreign keys of models are of interest.  The state of the
models says what an operation that names a model or a field means for the database.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from pglint_locks.schema.migrations.djangofields import (
    Fields,
    Model,
    Models,
    has_column,
    is_indexed,
    is_reference,
    is_unique,
    type_of,
)
from pglint_locks.schema.migrations.pycode import (
    Call,
    call_of,
    listed,
    literal,
    names_in,
    quoted,
    texts,
)
from pglint_locks.schema.migrations.steps import Drop, Step

_METHODS = {"BTree": "btree", "Gin": "gin", "Gist": "gist", "Brin": "brin", "Hash": "hash"}
_Made = Iterator["str | Drop"]


def operations_of(module: ast.Module) -> list[ast.expr] | None:
    """The operations of a migration; None for a module that is none."""
    body = _migration(module)
    if body is None:
        return None
    return list(getattr(_assigned(body, "operations"), "elts", ()))


def dependencies_of(module: ast.Module) -> list[tuple[str, str]]:
    """The migrations that run before one, by app and name, as far as they are literal."""
    written = getattr(_assigned(_migration(module) or (), "dependencies"), "elts", ())
    pairs = (texts(each) for each in written)
    return [(pair[0], pair[1]) for pair in pairs if pair is not None and len(pair) == 2]


def _migration(module: ast.Module) -> list[ast.stmt] | None:
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name == "Migration":
            return node.body
    return None


def _assigned(body: Sequence[ast.stmt], name: str) -> ast.expr | None:
    for node in body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    return node.value
    return None


def steps(operations: Sequence[ast.expr], app: str, models: Models) -> Iterator[Step]:
    """What the operations of an app's migration do to the database, in order."""
    for node in operations:
        call = call_of(node)
        if call is None:
            yield Step(node.lineno, names=tuple(names_in(node)))
        elif call.name == "SeparateDatabaseAndState":
            done = getattr(call.node(0, "database_operations"), "elts", ())
            state = getattr(call.node(1, "state_operations"), "elts", ())
            yield from steps(done, app, models.copy())
            for _ in steps(state, app, models):
                pass  # it changes what is known of the models, and nothing in the database
        elif call.name not in _WITHOUT_SCHEMA:
            yield from _Operation(call, Fields(app, models), node).steps()


class _Operation:
    """An operation of an app's migration; `tables` are those that it changes."""

    def __init__(self, call: Call, fields: Fields, node: ast.expr) -> None:
        self.call = call
        self.fields = fields
        self.tables: list[str] = []
        self._node = node

    def steps(self) -> Iterator[Step]:
        """What it does; what of it does not show is told by the names in it."""
        make = _OPERATIONS.get(self.call.name)
        made = list(make(self)) if make is not None else []
        for each in made:
            if isinstance(each, str):
                yield Step(self.call.line, each)
            else:
                yield Step(self.call.line, drop=each)
        if make is None or self.fields.is_unclear:
            yield Step(self.call.line, names=(*self.tables, *names_in(self._node)))

    def model(self, *keywords: str) -> Model | None:
        """The model that it names; None where that is unclear, or has no table of its own."""
        name = self.call.text(0, *keywords)
        found = self.fields.models.find(self.fields.app, name) if name is not None else None
        if found is None:
            self.unclear()
            return None
        self.tables.append(found.table)
        return found if found.is_managed else None

    def unclear(self) -> None:
        """Note that part of it does not show."""
        self.fields.is_unclear = True


# --- models -------------------------------------------------------------------------


def _create_model(operation: _Operation) -> _Made:
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
            later += _field_index(model, field_name, definition)
        later += fields.join_table(model, field_name, definition, name.lower())
    model.together = _together(options.get("unique_together"))
    columns += [f"UNIQUE ({listed(model.named(names))})" for names in model.together]
    yield f"CREATE TABLE {quoted(model.table)} ({', '.join(columns)})"
    yield from later
    for names in _together(options.get("index_together")):
        yield f"CREATE INDEX ON {quoted(model.table)} ({listed(model.named(names))})"
    for key in ("indexes", "constraints"):
        for node in getattr(options.get(key), "elts", ()):
            yield from _index_or_constraint(operation, model, call_of(node))


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


def _together(node: ast.expr | None) -> list[list[str]]:
    """`{("a", "b")}`, or one tuple alone."""
    alone = texts(node)
    if alone:
        return [alone]
    return [found for each in getattr(node, "elts", ()) if (found := texts(each))]


def _delete_model(operation: _Operation) -> _Made:
    model = operation.model("name")
    if model is not None:
        for table in (*model.many.values(), model.table):
            yield f"DROP TABLE {quoted(table)} CASCADE"


def _rename_model(operation: _Operation) -> _Made:
    fields, call = operation.fields, operation.call
    model, old, new = (
        operation.model("old_name"),
        call.text(0, "old_name"),
        call.text(1, "new_name"),
    )
    if model is None or old is None or new is None:
        return
    app = fields.app.lower()
    fields.models.known[app, new.lower()] = fields.models.known.pop((app, old.lower()))
    if model.many:
        operation.unclear()  # the tables of many-to-many fields are renamed too
    if model.table == f"{fields.app}_{old.lower()}":
        table = f"{fields.app}_{new.lower()}"
        yield f"ALTER TABLE {quoted(model.table)} RENAME TO {quoted(table)}"
        model.table = table


def _rename_table(operation: _Operation) -> _Made:
    model, table = operation.model("name"), operation.call.text(1, "table")
    if model is None or table is None:
        operation.unclear()
    elif table != model.table:
        yield f"ALTER TABLE {quoted(model.table)} RENAME TO {quoted(table)}"
        model.table = table


# --- fields -------------------------------------------------------------------------


def _field_index(model: Model, name: str, definition: Call) -> _Made:
    if is_indexed(definition):
        yield f"CREATE INDEX ON {quoted(model.table)} ({listed(model.named([name]))})"


def _named_field(operation: _Operation) -> tuple[Model, str, Call] | None:
    """The model, the name and the definition of the field that an operation makes."""
    model, name = operation.model("model_name"), operation.call.text(1, "name")
    definition = call_of(operation.call.node(2, "field"))
    if model is None or name is None or definition is None:
        return None
    return model, name, definition


def _add_field(operation: _Operation) -> _Made:
    found = _named_field(operation)
    if found is None:
        operation.unclear()
        return
    model, name, definition = found
    if has_column(definition):
        column = operation.fields.column(model, name, definition)
        yield f"ALTER TABLE {quoted(model.table)} ADD COLUMN {column}"
        yield from _field_index(model, name, definition)
    own = (operation.call.text(0, "model_name") or "").lower()
    yield from operation.fields.join_table(model, name, definition, own)


def _remove_field(operation: _Operation) -> _Made:
    model, name = operation.model("model_name"), operation.call.text(1, "name")
    if model is None or name is None:
        return
    if name in model.many:
        yield f"DROP TABLE {quoted(model.many.pop(name))} CASCADE"
    elif name in model.fields:
        (column,) = model.named([name])
        del model.fields[name]
        yield f"ALTER TABLE {quoted(model.table)} DROP COLUMN {quoted(column)} CASCADE"


def _rename_field(operation: _Operation) -> _Made:
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


def _alter_field(operation: _Operation) -> _Made:
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
        yield from _field_index(model, name, new)
    if new.flag("primary_key") != old.flag("primary_key"):
        operation.unclear()
    target = operation.fields.target(model, new)
    if target != operation.fields.target(model, old):
        yield Drop("foreign key", model.table, columns)
        if target:
            yield f"ALTER TABLE {table} ADD FOREIGN KEY ({quoted(column)}) {target}"


# --- indexes and constraints ----------------------------------------------------------


def _alter_together(operation: _Operation) -> _Made:
    model = operation.model("name")
    if model is None:
        return
    new = _together(operation.call.node(1, "unique_together"))
    for names in model.together:
        if names not in new:
            yield Drop("unique", model.table, tuple(model.named(names)))
    for names in new:
        if names not in model.together:
            yield f"ALTER TABLE {quoted(model.table)} ADD UNIQUE ({listed(model.named(names))})"
    model.together = new


def _index_or_constraint(operation: _Operation, model: Model, definition: Call | None) -> _Made:
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


def _add_index(operation: _Operation) -> _Made:
    model = operation.model("model_name")
    if model is not None:
        definition = call_of(operation.call.node(1, "index", "constraint"))
        yield from _index_or_constraint(operation, model, definition)


def _remove_index(operation: _Operation) -> _Made:
    model, name = operation.model("model_name"), operation.call.text(1, "name")
    if model is not None and name is not None:
        yield f"ALTER TABLE {quoted(model.table)} DROP CONSTRAINT IF EXISTS {quoted(name)}"
        yield f"DROP INDEX IF EXISTS {quoted(name)}"
    else:
        operation.unclear()


def _rename_index(operation: _Operation) -> _Made:
    old, new = operation.call.text(-1, "old_name"), operation.call.text(1, "new_name")
    if operation.model("model_name") is None or old is None or new is None:
        operation.unclear()
    else:
        yield f"ALTER INDEX {quoted(old)} RENAME TO {quoted(new)}"


def _run_sql(operation: _Operation) -> _Made:
    written = operation.call.node(0, "sql")
    value = literal(written)
    several = texts(written)
    if isinstance(value, str):
        yield value
    elif several is not None:
        yield from several
    else:
        operation.unclear()


_OPERATIONS: dict[str, Callable[[_Operation], _Made]] = {
    "CreateModel": _create_model,
    "DeleteModel": _delete_model,
    "RenameModel": _rename_model,
    "AlterModelTable": _rename_table,
    "AddField": _add_field,
    "RemoveField": _remove_field,
    "RenameField": _rename_field,
    "AlterField": _alter_field,
    "AlterUniqueTogether": _alter_together,
    "AddIndex": _add_index,
    "AddIndexConcurrently": _add_index,
    "AddConstraint": _add_index,
    "RemoveIndex": _remove_index,
    "RemoveIndexConcurrently": _remove_index,
    "RemoveConstraint": _remove_index,
    "RenameIndex": _rename_index,
    "RunSQL": _run_sql,
}
_WITHOUT_SCHEMA = frozenset(
    """RunPython AlterModelOptions AlterModelManagers AlterOrderWithRespectTo CreateExtension
    ValidateConstraint AlterModelTableComment HStoreExtension TrigramExtension CITextExtension
    BtreeGinExtension BtreeGistExtension CryptoExtension UnaccentExtension""".split()
)
