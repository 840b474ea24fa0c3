"""Whether a range item can give more than one row, as far as the text tells."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pglast import ast

from pglint_locks.model.locks.row_marks import RowMark
from pglint_locks.model.planner.aggregates import is_lone_aggregate
from pglint_locks.model.planner.flow import (
    is_bounded,
    lazy_limits,
    levels_above,
    locking_level,
    reads_whole_input,
    row_limit,
)
from pglint_locks.model.planner.join_sides import joins
from pglint_locks.model.planner.predicates import column_parts, conjuncts, equal_sides
from pglint_locks.model.queries.constants import is_named_parameter
from pglint_locks.model.queries.names import TableName, is_key_like, may_be_natural_key
from pglint_locks.model.queries.query import (
    Clause,
    ItemKind,
    Query,
    QueryKind,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.sql.standins import is_stand_in
from pglint_locks.sql.walk import textual_children


def locks_many_rows(mark: RowMark) -> bool:
    """Whether a mark can lock several rows in one run: no LIMIT 1, no equality on a key."""
    if any(limit in (0, 1) for limit in lazy_limits(mark.level)) or _is_fetched_once(mark):
        return False
    return not is_single(mark.item) and not _is_pinned_above(mark)


def _is_fetched_once(mark: RowMark) -> bool:
    """Whether whatever asks for the rows takes one of them: INTO, EXISTS, a scalar sub-SELECT."""
    for level in levels_above(mark.level):
        link = level.embedding
        if level is not mark.level and reads_whole_input(level):
            return False
        if isinstance(link, SubLink):
            asks_once = link.kind in (SubLinkKind.EXISTS, SubLinkKind.SCALAR)
            return asks_once and not level.reads_from(link.holder)
        if level.parent is None and mark.clauses[0].statement.fetches_one:
            return not level.is_write
    return False


def reads_all_that_match(mark: RowMark) -> bool:
    """Whether a mark's rows are those of a plain read: neither bounded by LIMIT nor by key."""
    if any(is_bounded(level) for level in levels_above(mark.level)):
        return False
    return not is_single(mark.item) and not _is_pinned_above(mark)


def equal_column_names(item: RangeItem) -> set[str]:
    """The columns of an item that its level holds equal to one value."""
    return {column for column, others in _pins(item) if all(is_single(other) for other in others)}


def may_be_one_row(columns: Collection[str]) -> bool:
    """Whether equality on these columns may be equality on a key that is not known as one."""
    return len(columns) > 1 or any(may_be_natural_key(column) for column in columns)


def is_single(item: RangeItem, asked: frozenset[RangeItem] = frozenset()) -> bool:
    """Whether an item gives at most one row.

    A table does where its key equals a value, or a column of an item that itself gives one
    row at most; other items where LIMIT or the lack of FROM shows it.
    """
    if item in asked:
        return False
    asked |= {item}
    if item.kind is ItemKind.TABLE and item.table is not None:
        return any(
            _is_key(column, item.table) and all(is_single(other, asked) for other in others)
            for column, others in _pins(item)
        )
    query = item.cte.query if item.cte is not None else item.query
    return query is not None and _gives_one_row(query, asked)


def _gives_one_row(query: Query, asked: frozenset[RangeItem]) -> bool:
    if row_limit(query) in (0, 1) or is_lone_aggregate(query):
        return True
    if query.kind is QueryKind.VALUES:
        return len(query.node.valuesLists) == 1
    if query.kind is not QueryKind.SELECT:
        return False
    return all(is_single(item, asked) for item in query.items if item.kind is not ItemKind.JOIN)


def _is_key(column: str, table: TableName) -> bool:
    # What stands for a column that is not known may be the key.
    return is_stand_in(column) or column == "ctid" or is_key_like(column, table)


def _is_pinned_above(mark: RowMark) -> bool:
    """Whether a level that a FROM sub-SELECT is pulled up into pins the table's key."""
    level, top = mark.level, locking_level(mark.level)
    while level is not top and isinstance(level.embedding, RangeItem):
        item = level.embedding
        if any(_is_key(column, mark.table) and not others for column, others in _pins(item)):
            return True
        level = item.holder
    return False


def _pins(item: RangeItem) -> Iterator[tuple[str, list[RangeItem]]]:
    """Columns of an item that equal something, with the other items of the level in that."""
    level = item.holder
    for condition in _conditions(item):
        for side, value in equal_sides(condition):
            parts = column_parts(side)
            meant = level.resolve(parts) if parts else None
            # A name that is not known and belongs to no item may be that item's column.
            if parts and (meant is item or (meant is None and is_stand_in(parts[-1]))):
                others = items_named_in(value, level)
                if item not in others:
                    yield parts[-1], others
    for link in level.sub_links:
        column = _column_in_one_row(link, item)
        if column is not None:
            yield column, items_read_by(link.query, level)
    for join in joins(level):
        if join.restricts(item) and item in (*join.left, *join.right):
            others = list(join.right if item in join.left else join.left)
            yield from ((column, others[:1]) for column in join.using)


def _column_in_one_row(link: SubLink, item: RangeItem) -> str | None:
    """The column of an item in `column IN (SELECT … LIMIT 1)` or `column = ANY (…)`."""
    standing = link.standing
    if link.kind is not SubLinkKind.ANY or standing.clause is not Clause.WHERE:
        return None
    operator = link.node.operName
    if not standing.conjunct or standing.negated or (operator and operator[-1].sval != "="):
        return None
    parts = column_parts(link.node.testexpr)
    if parts and item.holder.resolve(parts) is item and _gives_one_row(link.query, frozenset()):
        return parts[-1]
    return None


def _conditions(item: RangeItem) -> Iterator[ast.Node]:
    """What must hold for a row of an item: WHERE, and ON where the join restricts it."""
    level = item.holder
    yield from conjuncts(getattr(level.node, "whereClause", None))
    for join in joins(level):
        if join.restricts(item):
            yield from conjuncts(join.condition)


def items_named_in(value: ast.Node, level: Query) -> list[RangeItem]:
    """The items of a level that an expression depends on, also through a sub-SELECT in it."""
    found: list[RangeItem] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.SubLink):
            for link in level.sub_links:
                if link.node is node:
                    found += items_read_by(link.query, level)
            stack += [node.testexpr] if node.testexpr is not None else []
        elif is_named_parameter(node):
            continue
        elif isinstance(node, ast.ColumnRef):
            item = level.resolve(tuple(getattr(part, "sval", "*") for part in node.fields))
            if item is not None and item.holder is level:
                found.append(item)
        else:
            stack.extend(reversed(list(textual_children(node))))
    return list(dict.fromkeys(found))


def items_read_by(query: Query, level: Query) -> list[RangeItem]:
    """The items of a level whose rows a sub-SELECT of it depends on."""
    return [item for item in level.named_items() if query.reads_from(level, item)]
