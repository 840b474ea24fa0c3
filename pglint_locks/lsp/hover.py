"""What a locking clause does, in Markdown, for whoever points at it."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.linting import Seen
from pglint_locks.lsp.conflicts import table
from pglint_locks.model import Cte, LockingClause, RowMark, WaitPolicy
from pglint_locks.text import SourceText

_WAITS = {
    WaitPolicy.BLOCK: "waits where another transaction holds one",
    WaitPolicy.SKIP_LOCKED: "leaves out what another transaction holds",
    WaitPolicy.NOWAIT: "fails at once (SQLSTATE 55P03) where another transaction holds one",
}


def about(seen: Seen, source: SourceText) -> str:
    """Which rows of which tables a clause locks, how often it runs, and what excludes what."""
    lines = [f"**{_code(written(seen, source))}**", "", *facts(seen, source)]
    clause = seen.clause
    strengths = () if clause.refusal is not None else [str(mark.strength) for mark in clause.marks]
    for strength in dict.fromkeys(strengths):
        lines += ["", f"Beside `{strength}` of one transaction on a row:", "", table(strength)]
    return "\n".join(lines)


def plain(markdown: str) -> str:
    """The same for who reads no Markdown."""
    lines = [line for line in markdown.split("\n") if not line.startswith("|---")]
    return "\n".join(lines).replace("**", "").replace("`", "")


def written(seen: Seen, source: SourceText) -> str:
    """A clause's words, in one line."""
    return " ".join(source.text[seen.span.start : seen.span.end].split())


def facts(seen: Seen, source: SourceText) -> list[str]:
    """What a clause does: lines of a list."""
    clause = seen.clause
    if clause.refusal is not None:
        said = f"{clause.refusal.message} (SQLSTATE {clause.refusal.sqlstate})"
        return ["- the server refuses the statement:", f"  {said}"]
    if not clause.marks:
        return ["- locks no row: nothing that it reaches is a table"]
    verb = "locks" if model.is_run(clause) else "would lock"
    locks = [_locks(mark, verb) for mark in clause.marks]
    return [*locks, f"- {_how_often(clause)}", *_uses(seen, source)]


def hint(clause: LockingClause) -> str:
    """The same in a few words, to stand behind the clause."""
    if clause.refusal is not None:
        return "refused by the server"
    if not clause.marks:
        return "locks nothing"
    if not model.is_run(clause):
        return "is never run"
    names = dict.fromkeys(str(mark.table) for mark in clause.marks)
    strengths = dict.fromkeys(str(mark.strength)[4:].lower() for mark in clause.marks)
    return f"locks {', '.join(names)} ({', '.join(strengths)})"


def _locks(mark: RowMark, verb: str) -> str:
    rows = "the rows that the query finds" if model.locks_many_rows(mark) else "one row at most"
    waits = _WAITS[mark.wait_policy]
    return f"- {verb} {_code(str(mark.table))} `{mark.strength}`, {rows}; {waits}"


def _how_often(clause: LockingClause) -> str:
    if not model.is_run(clause):
        return "is never run: nothing reads what it is part of"
    rescan = next(model.rescans(clause), None)
    if rescan is not None:
        often = "runs" if rescan.correlated else "may run, as the planner likes,"
        return f"{often} once for each row of what is around it: its LIMIT holds for each run"
    if clause.query.parent is None:
        return "runs once for each execution of the statement"
    if isinstance(clause.query.embedding, Cte):
        return "runs once for each execution of the statement, as far as its WITH query is read"
    return "runs once, or once for each row of what is around it: that is up to the planner"


def _uses(seen: Seen, source: SourceText) -> Iterator[str]:
    """Where the rows are changed next."""
    clause = seen.clause
    for mark in clause.marks:
        for use in model.row_uses(clause, mark)[:1]:
            row = source.position(seen.place(use.span).start).row
            name = _code(str(mark.table))
            yield f"- the rows are next used by the {use.write.verb} of {name} in line {row}"


def _code(text: str) -> str:
    """A text as Markdown shows code: between more backquotes than it has."""
    sign = "``" if "`" in text else "`"
    return f"{sign} {text} {sign}" if "`" in text else f"{sign}{text}{sign}"
