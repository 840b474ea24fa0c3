"""Whether a later statement means the rows that an earlier one locked."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pglast import ast

from pglint_locks.model.locks.row_marks import RowMark
from pglint_locks.model.planner.flow import is_bounded
from pglint_locks.model.planner.predicates import column_parts, equalities
from pglint_locks.model.queries.outputs import has_star, output_column, output_expression
from pglint_locks.model.queries.query import Query, QueryKind
from pglint_locks.model.statements.statement import Statement
from pglint_locks.schema.names import TableName


class Steps(NamedTuple):
    """Two statements of one transaction: one that locks rows, and a later one."""

    locking: Statement
    later: Statement

    def keep(self, value: str) -> bool:
        """Whether a constant, parameter, variable, or a variable's field is the same in both."""
        return not self.locking.may_change(value, self.later)


def is_other_row(mark: RowMark, written: Query) -> bool:
    """Whether a mark and a level pin one column of the table to constants that differ."""
    locked = _pinned(mark.level, mark.table)
    changed = _pinned(written, mark.table)
    return any(column in changed and changed[column] != value for column, value in locked.items())


def is_same_row(mark: RowMark, written: Query, steps: Steps) -> bool:
    """Whether a level shows that it means the rows of a mark.

    By the same value of a column, by what the lock gave back of the row (`SELECT … INTO r`,
    `WHERE id = r.id`), or as the row where the lock's cursor is (`WHERE CURRENT OF c`).
    It does too where one of the two takes all rows, or both have one condition in the same
    words: `id > 5` and `id < 3` may be of different rows.
    """
    if written.kind is QueryKind.MERGE:  # finds its rows by a join
        return not is_other_row(mark, written)
    conditions = [getattr(level.node, "whereClause", None) for level in (mark.level, written)]
    if isinstance(conditions[1], ast.CurrentOfExpr):
        return conditions[1].cursor_name in steps.locking.targets
    if conditions[1] is None or (conditions[0] is None and not is_bounded(mark.level)):
        return True
    locked, changed = values_of(mark.level, mark.table), values_of(written, mark.table)
    given = _given_back(mark, changed, steps)
    if not (locked or changed):
        return bool(conditions[0] == conditions[1])
    same = columns_of_same_row(mark, written, steps)
    return bool(same) and (locked.keys() & changed.keys()) - given <= same


def columns_of_same_row(mark: RowMark, written: Query, steps: Steps) -> set[str]:
    """The columns by which a level finds a row that has the same value there as a mark's."""
    locked, changed = values_of(mark.level, mark.table), values_of(written, mark.table)
    equal = {
        column
        for column in locked.keys() & changed.keys()
        if locked[column] == changed[column] and steps.keep(locked[column])
    }
    return equal | _given_back(mark, changed, steps)


def _given_back(mark: RowMark, changed: dict[str, str], steps: Steps) -> set[str]:
    """The columns whose values are those that variables took from the locked row."""
    if mark.level not in steps.locking.queries:
        return set()
    return {
        column
        for column, value in changed.items()
        if _source_of(value, mark, steps.locking.targets) == column and steps.keep(value)
    }


def _source_of(value: str, mark: RowMark, targets: tuple[str, ...]) -> str | None:
    """The column of the locked table that was put into a variable, or a field of one."""
    query = mark.level
    variable, _, field = value.partition(".")
    if variable not in targets:
        return None
    name = field or output_column(query, targets.index(variable))
    if name is None:
        return None
    if has_star(query):
        return name if len(query.items) == 1 else None
    given = output_expression(query, name)
    parts = column_parts(given) if given is not None else ()
    item = query.resolve(parts) if parts else None
    return parts[-1] if item is not None and item.table == mark.table else None


def values_of(query: Query, table: TableName) -> dict[str, str]:
    """What a level's WHERE holds columns of a table equal to, as text."""
    return {
        equality.column: text
        for equality in equalities(query)
        if equality.item.table is not None
        and equality.item.table.same_table(table)
        and (text := value_text(equality.value)) is not None
    }


def value_text(node: ast.Node) -> str | None:
    """A constant (behind `=`), parameter or variable as text; None for anything else."""
    while isinstance(node, ast.TypeCast):
        node = node.arg
    match node:
        case ast.A_Const():
            return f"={_constant_value(node)}"
        case ast.ParamRef():
            return f"${node.number}"
        case ast.ColumnRef():
            return ".".join(column_parts(node)) or None
    return None


@lru_cache(maxsize=1024)
def _pinned(query: Query, table: TableName) -> dict[str, object]:
    """Columns of a table that a level's WHERE holds equal to a constant."""
    return {
        equality.column: _constant_value(equality.value)
        for equality in equalities(query)
        if equality.item.table is not None
        and equality.item.table.same_table(table)
        and isinstance(equality.value, ast.A_Const)
    }


def _constant_value(node: ast.A_Const) -> object:
    value = node.val
    for field in ("ival", "fval", "sval", "boolval"):
        if hasattr(value, field):
            return str(getattr(value, field))
    return None
