"""What sub-SELECTs compute for their output columns."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast

from pglint_locks.model.planner.plan_levels import is_fenced
from pglint_locks.model.planner.predicates import column_parts
from pglint_locks.model.queries.functions import is_aggregate, is_set_returning
from pglint_locks.model.queries.query import Call, ItemKind, Query, QueryKind, RangeItem
from pglint_locks.sql.walk import descendants


def value_of(item: RangeItem, column: str) -> ast.Node | None:
    """The expression that a sub-SELECT gives for a column; None where that does not show."""
    if item.query is None:
        return None
    if item.columns is None:
        only = _only_star(item.query)
        return None if only is None else _column(only, column)
    targets = getattr(item.query.node, "targetList", None) or ()
    if column not in item.columns or len(targets) not in (1, len(item.columns)):
        return None
    return output_at(item.query, item.columns.index(column))


def output_at(query: Query, place: int) -> ast.Node | None:
    """What a SELECT computes for a column, by its place; None where that does not show."""
    only = _only_star(query)
    if only is not None:
        columns: tuple[str, ...] = only.columns or ()
        return _column(only, columns[place]) if place < len(columns) else None
    targets = getattr(query.node, "targetList", None) or ()
    stars = any(isinstance(each, ast.A_Star) for target in targets for each in _fields(target))
    return None if stars or place >= len(targets) else targets[place].val


def _only_star(query: Query) -> RangeItem | None:
    """The item all of whose columns, and nothing else, a level gives."""
    targets = list(getattr(query.node, "targetList", None) or ())
    fields = _fields(targets[0]) if len(targets) == 1 else []
    if not any(isinstance(each, ast.A_Star) for each in fields):
        return None
    names = [each.sval for each in fields if isinstance(each, ast.String)]
    items = [item for item in query.items if not names or item.refname == names[0]]
    is_one = len(items) == 1 and items[0].kind is not ItemKind.JOIN
    return items[0] if is_one else None


def _fields(target: ast.ResTarget) -> list[ast.Node]:
    return list(target.val.fields) if isinstance(target.val, ast.ColumnRef) else []


def _column(item: RangeItem, column: str) -> ast.ColumnRef:
    """A reference to a column of an item."""
    names = (item.refname, column)
    return ast.ColumnRef(fields=tuple(ast.String(sval=name) for name in names if name))


def values_of(
    leaf: RangeItem | Query, column: str | int
) -> Iterator[tuple[Query, ast.Node | None]]:
    """What each level whose rows a sub-SELECT gives makes of a column: arms, or its own.

    Without those that no condition is pushed down into.  The column of a `Query` is its place.
    """
    query = leaf.query if isinstance(leaf, RangeItem) else leaf
    if query is None or is_fenced(query):
        return
    if query.kind is QueryKind.SET_OPERATION:
        place = _place_of(leaf, column)
        for arm in query.arms:
            if arm.kind is QueryKind.SET_OPERATION and place is not None:
                yield from values_of(arm, place)
            elif not is_fenced(arm):
                value = None if place is None else output_at(arm, place)
                if _is_safe(arm, value):
                    yield arm, value
        return
    value = value_of(leaf, str(column)) if isinstance(leaf, RangeItem) else None
    if not isinstance(leaf, RangeItem):
        value = output_at(query, int(column))
    if _is_safe(query, value):
        yield query, value


def is_pushed_to(leaf: RangeItem | Query, column: str | int) -> bool:
    """Whether a condition on a leaf's column is pushed down; one on a table is tested there."""
    is_table = isinstance(leaf, RangeItem) and leaf.query is None
    return is_table or any(True for _ in values_of(leaf, column))


def _is_safe(query: Query, value: ast.Node | None) -> bool:
    """Whether a condition on a column of this value may go down (`check_output_expressions`).

    Not on what an aggregate, a window or a set-returning function gives, and only on keys of
    DISTINCT ON and PARTITION BY.
    """
    if value is None or query.kind is not QueryKind.SELECT:
        return True
    nodes = [value, *descendants(value)]
    if any(_is_over_rows(call) and _is_among(call.node, nodes) for call in query.calls):
        return False
    keys = [each for each in query.node.distinctClause or () if each is not None]
    windows = [call.node.over for call in query.calls if call.windowed]
    unnamed = [each for each in windows if not (each.name or each.refname)]
    partitions = [list(each.partitionClause or ()) for each in unnamed]
    return all(_may_be_key(value, each) for each in [keys] * bool(keys) + partitions)


def _is_over_rows(call: Call) -> bool:
    return call.windowed or is_aggregate(call) or is_set_returning(call)


def _is_among(node: ast.Node, nodes: list[ast.Node]) -> bool:
    return any(node is each for each in nodes)


def _may_be_key(value: ast.Node, keys: list[ast.Node]) -> bool:
    own = column_parts(value)[-1:]
    return any(column_parts(key)[-1:] in ((), own) for key in keys)


def _place_of(leaf: RangeItem | Query, column: str | int) -> int | None:
    if isinstance(column, int):
        return column
    columns = leaf.columns if isinstance(leaf, RangeItem) else None
    return columns.index(column) if columns and column in columns else None
