"""Alembic's migrations: the operations of `upgrade`, as the SQL that they run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pglint_locks.schema.migrations.pycode import Call, call_of, listed, literal, names_in, quoted
from pglint_locks.schema.migrations.saelements import (
    column_of,
    constraint_of,
    deferred_of,
    index_of,
    sql_text_of,
    type_of,
)
from pglint_locks.schema.migrations.steps import Step


class Revision(NamedTuple):
    """A migration's own name, and those that run before it."""

    name: str
    before: tuple[str, ...]


def revision_of(module: ast.Module) -> Revision | None:
    """What a module says of its place among others; None where it is no migration."""
    found: dict[str, object] = {}
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else ()
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(node, (ast.Assign, ast.AnnAssign)):
                found[target.id] = literal(node.value)
    name = found.get("revision")
    if not isinstance(name, str) or "down_revision" not in found:
        return None
    before = [*_as_tuple(found["down_revision"]), *_as_tuple(found.get("depends_on"))]
    return Revision(name, tuple(before))


def steps(module: ast.Module) -> Iterator[Step]:
    """What a migration's `upgrade` does, in order."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name == "upgrade":
            yield from _steps(node.body, {}, is_certain=True)


def _as_tuple(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, (list, tuple, set)) else ()


def _steps(
    body: Sequence[ast.stmt], batches: Mapping[str, Call], *, is_certain: bool
) -> Iterator[Step]:
    """The steps of a block; those under a condition may not be taken."""
    for node in body:
        match node:
            case ast.Expr(value=ast.Call()) | ast.Assign(value=ast.Call()):
                call = call_of(node.value)
                found = list(_operation(call, batches)) if call is not None else []
                yield from found
                if found and not is_certain:
                    yield Step(node.lineno, names=tuple(names_in(node)))
            case ast.With():
                inner = dict(batches)
                for item in node.items:
                    batch = call_of(item.context_expr)
                    if batch is not None and isinstance(item.optional_vars, ast.Name):
                        inner[item.optional_vars.id] = batch
                yield from _steps(node.body, inner, is_certain=is_certain)
            case ast.If() | ast.Try():
                yield from _steps(node.body, batches, is_certain=False)
            case ast.For() | ast.While() | ast.Return():
                yield Step(node.lineno, names=tuple(names_in(node)))


def _operation(call: Call, batches: Mapping[str, Call]) -> Iterator[Step]:
    """What a call does: of `op`, or of the batch of one table."""
    batch = batches.get(call.owner)
    if batch is not None and batch.name == "batch_alter_table" and batch.arguments:
        schema = {"schema": batch.keywords["schema"]} if "schema" in batch.keywords else {}
        after_name = call.name.startswith("create_") or call.name == "drop_constraint"
        place = 1 if after_name else 0
        if call.name == "drop_index":
            place = 1
        arguments = list(call.arguments)
        arguments.insert(place, batch.arguments[0])
        call = call._replace(arguments=arguments, keywords={**call.keywords, **schema}, owner="op")
    if call.owner != "op":
        return
    make = _OPERATIONS.get(call.name)
    if make is None:
        return
    sql = make(call)
    parts = (*call.arguments, *call.keywords.values()) if sql is None else ()
    yield Step(call.line, sql, names=tuple(name for part in parts for name in names_in(part)))


# --- operations ---------------------------------------------------------------------


def _table(call: Call, place: int, *keywords: str, schema: str = "schema") -> str | None:
    name = call.text(place, *keywords)
    if name is None:
        return None
    written = call.keywords.get(schema)
    above = literal(written)
    if written is not None and above is not None and not isinstance(above, str):
        return None
    if written is not None and above is None and not _is_none(written):
        return None
    return f"{quoted(above)}.{quoted(name)}" if isinstance(above, str) else quoted(name)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _create_table(call: Call) -> str | None:
    table = _table(call, 0, "table_name")
    elements, later = [], []
    for node in call.arguments[1:]:
        element = call_of(node)
        if element is None or table is None:
            return None
        if element.name == "Column":
            made = column_of(element)
            if element.flag("index"):
                later.append(f"CREATE INDEX ON {table} ({quoted(element.text(0, 'name') or '')})")
        elif element.name == "Index":
            index = index_of(element._replace(arguments=element.arguments), table, 0, 1)
            made = "" if index is not None else None
            later += [index] if index is not None else []
        else:
            made = constraint_of(element)
        if made is None:
            return None
        elements += [made] if made else []
    if table is None:
        return None
    exists = "IF NOT EXISTS " if call.flag("if_not_exists") else ""
    return "; ".join([f"CREATE TABLE {exists}{table} ({', '.join(elements)})", *later])


def _create_index(call: Call) -> str | None:
    return index_of(call, _table(call, 1, "table_name"), 0, 2)


def _drop_index(call: Call) -> str | None:
    name = call.text(0, "index_name")
    schema = call.text(-1, "schema")
    if name is None:
        return None
    return f"DROP INDEX {f'{quoted(schema)}.' if schema else ''}{quoted(name)}"


def _add_column(call: Call) -> str | None:
    table, column = _table(call, 0, "table_name"), call_of(call.node(1, "column"))
    made = column_of(column) if column is not None else None
    if table is None or column is None or made is None:
        return None
    sql = f"ALTER TABLE {table} ADD COLUMN {made}"
    if column.flag("index"):
        sql += f"; CREATE INDEX ON {table} ({quoted(column.text(0, 'name') or '')})"
    return sql


def _drop_column(call: Call) -> str | None:
    table, column = _table(call, 0, "table_name"), call.text(1, "column_name")
    if table is None or column is None:
        return None
    return f"ALTER TABLE {table} DROP COLUMN {quoted(column)}"


def _alter_column(call: Call) -> str | None:
    table, column = _table(call, 0, "table_name"), call.text(1, "column_name")
    if table is None or column is None:
        return None
    done = []
    nullable = call.flag("nullable")
    if nullable is not None:
        word = "DROP" if nullable else "SET"
        done.append(f"ALTER TABLE {table} ALTER {quoted(column)} {word} NOT NULL")
    if "type_" in call.keywords:
        changed = type_of(call.keywords["type_"])
        done.append(f"ALTER TABLE {table} ALTER {quoted(column)} TYPE {changed}")
    if "new_column_name" in call.keywords:
        new = call.text(-1, "new_column_name")
        if new is None:
            return None
        done.append(f"ALTER TABLE {table} RENAME COLUMN {quoted(column)} TO {quoted(new)}")
    return "; ".join(done)


def _create_key(kind: str) -> Callable[[Call], str | None]:
    def make(call: Call) -> str | None:
        table, columns = _table(call, 1, "table_name"), call.texts(2, "columns")
        if table is None or not columns:
            return None
        name = call.text(0, "constraint_name")
        named = f"CONSTRAINT {quoted(name)} " if name is not None else ""
        return f"ALTER TABLE {table} ADD {named}{kind} ({listed(columns)}){deferred_of(call)}"

    return make


def _create_foreign_key(call: Call) -> str | None:
    source = _table(call, 1, "source_table", schema="source_schema")
    target = _table(call, 2, "referent_table", schema="referent_schema")
    own, referenced = call.texts(3, "local_cols"), call.texts(4, "remote_cols")
    if source is None or target is None or not own or not referenced:
        return None
    name = call.text(0, "constraint_name")
    named = f"CONSTRAINT {quoted(name)} " if name is not None else ""
    key = f"FOREIGN KEY ({listed(own)}) REFERENCES {target} ({listed(referenced)})"
    return f"ALTER TABLE {source} ADD {named}{key}"


def _drop_constraint(call: Call) -> str | None:
    name, table = call.text(0, "constraint_name"), _table(call, 1, "table_name")
    if name is None or table is None:
        return None
    return f"ALTER TABLE {table} DROP CONSTRAINT {quoted(name)}"


def _drop_table(call: Call) -> str | None:
    table = _table(call, 0, "table_name")
    return f"DROP TABLE {table}" if table is not None else None


def _rename_table(call: Call) -> str | None:
    table, new = _table(call, 0, "old_table_name"), call.text(1, "new_table_name")
    return f"ALTER TABLE {table} RENAME TO {quoted(new)}" if table and new else None


def _execute(call: Call) -> str | None:
    return call.text(0, "sqltext") or sql_text_of(call.node(0, "sqltext"))


_OPERATIONS: dict[str, Callable[[Call], str | None]] = {
    "create_table": _create_table,
    "drop_table": _drop_table,
    "rename_table": _rename_table,
    "add_column": _add_column,
    "drop_column": _drop_column,
    "alter_column": _alter_column,
    "create_index": _create_index,
    "drop_index": _drop_index,
    "create_unique_constraint": _create_key("UNIQUE"),
    "create_primary_key": _create_key("PRIMARY KEY"),
    "create_foreign_key": _create_foreign_key,
    "drop_constraint": _drop_constraint,
    "execute": _execute,
}
