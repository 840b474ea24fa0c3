"""Whether a range item can give more than one row, as far as the text tells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

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
from pglint_locks.model.queries.keys import knows_keys, pins_one_row
from pglint_locks.model.queries.names import may_be_natural_key
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


def may_be_one_row(item: RangeItem) -> bool:
    """Whether the columns that must equal a value may be a key that is not known as one."""
    columns = equal_column_names(item)
    if knows_keys(item):
        return False
    return len(columns) > 1 or any(may_be_natural_key(column) for column in columns)


def is_single(item: RangeItem) -> bool:
    """Whether an item gives at most one row.

    A table does where its key equals a value, or a column of an item that itself gives one
    row at most; other items where LIMIT or the lack of FROM shows it.
    """
    return item in _singles(item.holder)


@lru_cache(maxsize=128)
def _singles(level: Query, around: frozenset[Query] = frozenset()) -> frozenset[RangeItem]:
    """The items of a level that give at most one row; `around` are levels that ask for it."""
    if level in around:
        return frozenset()
    around |= {level}
    pins = _pins_of(level, around)
    items = level.named_items()
    found = {item for item in items if _is_query_of_one_row(item, around)}
    before = -1
    while before < len(found):
        before = len(found)
        for item in items:
            if item not in found:
                columns = [each for each, by in pins.get(item, ()) if found.issuperset(by)]
                if _may_be_one(item, columns):
                    found.add(item)
    return frozenset(found)


def _is_query_of_one_row(item: RangeItem, around: frozenset[Query]) -> bool:
    query = item.cte.query if item.cte is not None else item.query
    return query is not None and _gives_one_row(query, around)


def _gives_one_row(query: Query, around: frozenset[Query]) -> bool:
    if row_limit(query) in (0, 1) or is_lone_aggregate(query):
        return True
    if query.kind is QueryKind.VALUES:
        return len(query.node.valuesLists) == 1
    if query.kind is not QueryKind.SELECT:
        return False
    singles = _singles(query, around)
    return all(item in singles for item in query.items if item.kind is not ItemKind.JOIN)


def _may_be_one(item: RangeItem, columns: Collection[str]) -> bool:
    """Whether equality in some columns leaves one row of a table."""
    if item.kind is not ItemKind.TABLE or item.table is None:
        return False
    # What stands for a column that is not known may be the key.
    by_itself = any(column == "ctid" or is_stand_in(column) for column in columns)
    return by_itself or pins_one_row(item, columns)


def _is_pinned_above(mark: RowMark) -> bool:
    """Whether a level that a FROM sub-SELECT is pulled up into pins the table's key."""
    level, top = mark.level, locking_level(mark.level)
    while level is not top and isinstance(level.embedding, RangeItem):
        item = level.embedding
        if _may_be_one(mark.item, [column for column, others in _pins(item) if not others]):
            return True
        level = item.holder
    return False


Pin = tuple[str, Sequence[RangeItem]]


def _pins(item: RangeItem) -> Sequence[Pin]:
    """Columns of an item that equal something, with the other items of the level in that."""
    return _pins_of(item.holder, frozenset({item.holder})).get(item, ())


@lru_cache(maxsize=128)
def _pins_of(level: Query, around: frozenset[Query]) -> dict[RangeItem, list[Pin]]:
    """What `_pins` says of each item of a level.

    WHERE pins them, and ON where the join restricts the item.
    """
    found: dict[RangeItem, list[Pin]] = {}
    for condition in conjuncts(getattr(level.node, "whereClause", None)):
        for item, pin in _pinned_by(condition, level):
            found.setdefault(item, []).append(pin)
    for link in level.sub_links:
        for item, column in _columns_in_one_row(link, around):
            found.setdefault(item, []).append((column, items_read_by(link.query, level)))
    for join in joins(level):
        for condition in conjuncts(join.condition):
            for item, pin in _pinned_by(condition, level):
                if join.restricts(item):
                    found.setdefault(item, []).append(pin)
        for item in (*join.left, *join.right) if join.using else ():
            if join.restricts(item):
                others = list(join.right if item in join.left else join.left)
                found.setdefault(item, []).extend((column, others[:1]) for column in join.using)
    return found


def _pinned_by(condition: ast.Node, level: Query) -> Iterator[tuple[RangeItem, Pin]]:
    """The items of which a condition holds a column equal to something."""
    for side, value in equal_sides(condition):
        parts = column_parts(side)
        meant = level.resolve(parts) if parts else None
        if meant is not None:
            may_be = [meant] if meant.holder is level else []
        else:  # a name that is not known and belongs to no item may be any item's column
            may_be = level.named_items() if parts and is_stand_in(parts[-1]) else []
        others = items_named_in(value, level) if may_be else []
        for item in may_be:
            if item not in others:
                yield item, (parts[-1], others)


def _columns_in_one_row(link: SubLink, around: frozenset[Query]) -> Iterator[tuple[RangeItem, str]]:
    """The column in `column IN (SELECT … LIMIT 1)` or `column = ANY (…)`, with its item."""
    standing = link.standing
    if link.kind is not SubLinkKind.ANY or standing.clause is not Clause.WHERE:
        return
    operator = link.node.operName
    if not standing.conjunct or standing.negated or (operator and operator[-1].sval != "="):
        return
    parts = column_parts(link.node.testexpr)
    item = link.holder.resolve(parts) if parts else None
    if item is not None and item.holder is link.holder and _gives_one_row(link.query, around):
        yield item, parts[-1]


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
