"""What a locking clause does, in Markdown, for whoever points at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pglint_locks import model
from pglint_locks.lsp.conflicts import table
from pglint_locks.model.locks.row_marks import LockingClause, RowMark, WaitPolicy

_WAITS = {
    WaitPolicy.BLOCK: "waits until the other transaction ends",
    WaitPolicy.SKIP_LOCKED: "leaves out rows that another transaction holds",
    WaitPolicy.NOWAIT: "fails at once (55P03) where another transaction holds a row",
}


def about(clause: LockingClause) -> str:
    """Which rows of which tables it locks, how often it runs, and what excludes what."""
    if clause.refusal is not None:
        return (
            f"**`{clause.words}`**: the server refuses the statement\n\n"
            f"> ERROR: {clause.refusal.message} (SQLSTATE {clause.refusal.sqlstate})"
        )
    if not clause.marks:
        return f"**`{clause.words}`** locks no row: nothing that it reaches is a table"
    marks = {str(mark.strength): mark for mark in clause.marks}
    lines = [f"**`{clause.words}`**", "", *_locks(clause.marks), *_uses(clause)]
    for strength in marks:
        lines += ["", f"`{strength}` on one row:", "", table(strength)]
    return "\n".join(lines)


def hint(clause: LockingClause) -> str:
    """The same in a few words, to stand behind the clause."""
    if clause.refusal is not None:
        return "refused by the server"
    if not clause.marks:
        return "locks nothing"
    names = dict.fromkeys(str(mark.table) for mark in clause.marks)
    strengths = dict.fromkeys(str(mark.strength)[4:].lower() for mark in clause.marks)
    return f"locks {', '.join(names)} ({', '.join(strengths)})"


def _locks(marks: Sequence[RowMark]) -> Iterator[str]:
    for mark in marks:
        how_many = "" if model.locks_many_rows(mark) else ", one at most"
        waits = _WAITS[mark.wait_policy]
        yield f"- locks rows of `{mark.table}` with `{mark.strength}`{how_many}; {waits}"


def _uses(clause: LockingClause) -> Iterator[str]:
    if not model.is_run(clause):
        yield "- is never run: nothing reads what it is part of"
    elif any(True for _ in model.rescans(clause)):
        yield "- may run once for each row of another item of the plan"
    else:
        yield "- the locks are held until the transaction ends"
    for mark in clause.marks:
        for use in model.row_uses(clause, mark):
            yield f"- then {use.write.verb} of `{use.write.table}` changes its rows"
            break
