"""What becomes of locked rows, later in their statement and transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.model.locks.row_marks import LockingClause, RowMark
from pglint_locks.model.planner.flow import consumers
from pglint_locks.model.planner.predicates import column_parts, conjuncts, equal_sides
from pglint_locks.model.queries.outputs import only_output_column, source_column, tested_column
from pglint_locks.model.queries.query import Clause, Query, SubLinkKind
from pglint_locks.model.queries.writes import Write, write_of
from pglint_locks.model.rows.same_rows import (
    Steps,
    columns_of_same_row,
    is_other_row,
    values_of,
)
from pglint_locks.model.statements.statement import Statement
from pglint_locks.schema.names import TableName
from pglint_locks.text import Span


class RowUse(NamedTuple):
    """A later change, in the same statement or transaction, of rows that a clause locks."""

    write: Write
    statement: Statement
    same_statement: bool

    @property
    def span(self) -> Span:
        """The name of the table that is written, where it is written, as unit offsets."""
        return self.statement.target_name(self.write.query)


def row_uses(clause: LockingClause, mark: RowMark) -> list[RowUse]:
    """What its statement and the later ones of its transaction change of a mark's rows.

    In its own statement a write counts where it is fed by the locked rows; in a later
    one where it writes the same table and no key shows that it means another row.
    """
    own_readers = consumers(mark.level)
    uses = [
        RowUse(write, clause.statement, same_statement=True)
        for write in _writes(clause.statement, mark.table)
        if write.query in own_readers and not _writes_other_rows(write.query)
    ]
    for statement in clause.statement.later:
        uses += [
            RowUse(write, statement, same_statement=False)
            for write in _writes(statement, mark.table)
            if not is_other_row(mark, write.query)
        ]
    return uses


def _writes_other_rows(written: Query) -> bool:
    """Whether a write finds its rows by other columns than those it was given.

    `WHERE parent IN (SELECT id …)` locks rows and writes their children.
    """
    pairs = [pair for pair in _matched_columns(written) if None not in pair]
    return bool(pairs) and all(own != given for own, given in pairs)


def _matched_columns(written: Query) -> Iterator[tuple[str | None, str | None]]:
    """Columns of the written table, each with the name of what it is compared with."""
    for link in written.sub_links:
        if link.standing.clause is Clause.WHERE and link.kind is not SubLinkKind.EXISTS:
            yield tested_column(link), only_output_column(link.query)
    for node in conjuncts(getattr(written.node, "whereClause", None)):
        for left, right in equal_sides(node):
            own, given = column_parts(left), column_parts(right)
            if own and given and written.resolve(own) is written.target:
                item = written.resolve(given)
                if item is None or item is written.target:
                    continue
                inner = item.query or (item.cte.query if item.cte else None)
                yield own[-1], source_column(inner, given[-1]) if inner else given[-1]


def _writes(statement: Statement, table: TableName) -> Iterator[Write]:
    for level in statement.levels:
        write = write_of(level)
        if write is not None and write.table.same_table(table):
            yield write


def returns_to_one_row(clause: LockingClause, mark: RowMark) -> bool:
    """Whether a later write finds the row by a value that the lock looked for, and keeps it."""
    looked_for = values_of(mark.level, mark.table).keys()
    for use in row_uses(clause, mark):
        found_by = columns_of_same_row(
            mark, use.write.query, Steps(clause.statement, use.statement)
        )
        if looked_for & found_by - set(use.write.columns):
            return True
    return False


def is_written(statement: Statement, table: TableName) -> bool:
    """Whether a statement, or a later one of its transaction, changes rows of a table."""
    return any(any(_writes(each, table)) for each in (statement, *statement.later))
