"""PGL202: a locking WITH query that nothing reads is never run; one read in part locks a part."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause: the reason why it locks nothing, or not all it reads as."""
    if not clause.marks:
        return
    tables = " and ".join(dict.fromkeys(str(mark.table) for mark in clause.marks))
    cte = model.unread_cte(clause.query)
    item = model.unread_item(clause.query)
    if cte is not None:
        yield _unread(clause, cte, tables)
    elif item is not None:
        yield _left_out(clause, item, tables)
    elif not all(model.is_by_key(mark.item) for mark in clause.marks):
        read = model.partial_read(clause.query)
        if read is not None and not _returns_what_it_locks(clause, read):
            yield _partly(clause, read, tables)


def _unread(clause: model.LockingClause, cte: model.Cte, tables: str) -> Hazard:
    readers = " and ".join(dict.fromkeys(f"{reader.name}" for reader in model.cte_readers(cte)))
    why = f"only {readers} reads it, which nothing reads" if readers else "nothing reads it"
    inside = set(cte.query.levels())
    if not readers and any(item.holder not in inside for item in cte.references):
        why = "nothing reads what it is read for"
    return Hazard(
        span=clause.statement.cte_name(cte),
        severity=Severity.ERROR,
        message=f"WITH query {cte.name} is never run, so no row of {tables} is locked: {why}",
        label="never run",
        advice=(
            f"read {cte.name} where its lock is needed (join to it, or WHERE … IN "
            f"(SELECT … FROM {cte.name})), or lock in a statement of its own before this one"
        ),
        evidence="10 rows to lock, none locked; the server says nothing",
        table=str(clause.marks[0].table),
        places=(Place(clause.span, "so this locks nothing"),),
    )


def _left_out(clause: model.LockingClause, item: model.RangeItem, tables: str) -> Hazard:
    return Hazard(
        span=clause.span,
        severity=Severity.ERROR,
        message=(
            f"no row of {tables} is locked: nothing reads what this sub-SELECT gives to "
            f"{item.refname or 'the query'}, so the planner leaves it out"
        ),
        label="never run",
        advice="lock in a statement of its own, or in a WITH query that is read",
        evidence="10 rows to lock, none locked; the server says nothing",
        table=str(clause.marks[0].table),
    )


def _partly(clause: model.LockingClause, read: model.PartialRead, tables: str) -> Hazard:
    statement = clause.statement
    link = read.reader.embedding
    if isinstance(link, model.SubLink) and link.kind is model.SubLinkKind.EXISTS:
        reason, place = "EXISTS stops at the first", statement.opener(link)
    else:
        place = statement.limit_clause(read.reader)
        reason = f"{statement.words(place)} stops reading it"
    name = read.cte.name
    return Hazard(
        span=statement.cte_name(read.cte),
        severity=Severity.WARNING,
        message=(
            f"WITH query {name} locks only the rows of {tables} that are fetched from it: {reason}"
        ),
        label="read only in part",
        advice=(
            f"put the LIMIT into {name} if so few rows are meant, else read {name} whole "
            "(a join to it, an aggregate)"
        ),
        evidence="1 of 10 rows locked",
        table=str(clause.marks[0].table),
        places=(Place(place, "reading ends here"),),
    )


def _returns_what_it_locks(clause: model.LockingClause, read: model.PartialRead) -> bool:
    """Whether a claim is bounded by the LIMIT outside: what is skipped was never asked for."""
    return clause.wait_policy is model.WaitPolicy.SKIP_LOCKED and not isinstance(
        read.reader.embedding, model.SubLink
    )


RULE = Rule(
    code="PGL202",
    name="unread-locking-cte",
    summary="a locking WITH query that nothing reads is never run",
    severities=(Severity.ERROR, Severity.WARNING),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
)
