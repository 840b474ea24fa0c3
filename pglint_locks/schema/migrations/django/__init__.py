"""Django's migrations: their operations, as the SQL that they run on PostgreSQL.

Only the tables, keys, indexes and foreign keys of models are of interest.  The state of the
models says what an operation that names a model or a field means for the database.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from pglint_locks.schema.migrations.django.columns import (
    add_field,
    alter_field,
    remove_field,
    rename_field,
)
from pglint_locks.schema.migrations.django.keys import (
    add_index,
    alter_together,
    remove_index,
    rename_index,
    run_sql,
)
from pglint_locks.schema.migrations.django.operation import Made, Operation
from pglint_locks.schema.migrations.django.state import Fields, Models
from pglint_locks.schema.migrations.django.tables import (
    create_model,
    delete_model,
    rename_model,
    rename_table,
)
from pglint_locks.schema.migrations.pycode import call_of, names_in, texts
from pglint_locks.schema.migrations.steps import Step

_OPERATIONS: dict[str, Callable[[Operation], Made]] = {
    "CreateModel": create_model,
    "DeleteModel": delete_model,
    "RenameModel": rename_model,
    "AlterModelTable": rename_table,
    "AddField": add_field,
    "RemoveField": remove_field,
    "RenameField": rename_field,
    "AlterField": alter_field,
    "AlterUniqueTogether": alter_together,
    "AddIndex": add_index,
    "AddIndexConcurrently": add_index,
    "AddConstraint": add_index,
    "RemoveIndex": remove_index,
    "RemoveIndexConcurrently": remove_index,
    "RemoveConstraint": remove_index,
    "RenameIndex": rename_index,
    "RunSQL": run_sql,
}
_WITHOUT_SCHEMA = frozenset(
    """RunPython AlterModelOptions AlterModelManagers AlterOrderWithRespectTo CreateExtension
    ValidateConstraint AlterModelTableComment HStoreExtension TrigramExtension CITextExtension
    BtreeGinExtension BtreeGistExtension CryptoExtension UnaccentExtension""".split()
)


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
            yield from Operation(call, Fields(app, models), node).steps(_OPERATIONS.get(call.name))
