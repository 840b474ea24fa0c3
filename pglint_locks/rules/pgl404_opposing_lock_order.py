"""PGL404: two statements of the project lock rows of one table in different orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pglint_locks import model
from pglint_locks.findings import FiledNote, Hazard, Note, Rule, RunHazard, Severity, Subject

# How many of the other places one finding names.
_MOST = 3


def gather(clause: model.LockingClause) -> Iterator[Note]:
    """The order in which a clause waits for many rows, if its ORDER BY shows it."""
    for mark, order in model.lock_orders(clause):
        yield Note(clause.statement.order_clause(mark.level), order)


def visit(notes: Sequence[FiledNote]) -> Iterator[RunHazard]:
    """One finding at each place that another place opposes; it names the first of those."""
    by_table: defaultdict[str, defaultdict[model.LockOrder, list[FiledNote]]]
    by_table = defaultdict(lambda: defaultdict(list))
    for note in notes:
        by_table[note.fact.table.name][note.fact].append(note)
    for note in notes:
        others: list[FiledNote] = []
        for order, places in by_table[note.fact.table.name].items():
            if note.fact.opposes(order):
                others += [place for place in places if not _replaces(place, note)][:_MOST]
        if others:
            yield _finding(note, sorted(others, key=lambda place: place.sort_key)[:_MOST])


def _replaces(one: FiledNote, other: FiledNote) -> bool:
    """Whether two files make the same function or view: then only one of them is in force."""
    return one.unit is not None and one.unit == other.unit and one.filename != other.filename


def _finding(note: FiledNote, others: list[FiledNote]) -> RunHazard:
    order, first = note.fact, others[0].fact
    how = "the opposite order to" if order.is_reverse_of(first) else "another order than"
    return RunHazard(
        at=note,
        hazard=Hazard(
            span=note.span,
            severity=Severity.WARNING,
            message=(
                f"{order.words} locks rows of {order.table} in {how} {first.words} "
                f"elsewhere: where both lock the same rows, two transactions deadlock"
            ),
            label="locks in this order",
            advice="lock the rows of a table in one order everywhere: ORDER BY its key",
            evidence="40 of 80 transactions died of deadlock (40P01), none in one order",
            table=str(order.table),
        ),
        others=tuple((other, f"{other.fact.words} locks in another order") for other in others),
    )


RULE = Rule(
    code="PGL404",
    name="opposing-lock-order",
    summary="two statements of the project lock rows of one table in different orders",
    severities=(Severity.WARNING,),
    subject=Subject.RUN,
    visit=visit,
    about_missing=True,
    gather=gather,
)
