"""PGL204: a locking clause in a view, rule or policy locks for everybody who reads."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause in a definition that others run by using it."""
    holder = clause.statement.holder
    if holder is None or not clause.marks or not model.is_run(clause):
        return
    tables = " and ".join(dict.fromkeys(str(mark.table) for mark in clause.marks))
    yield Hazard(
        span=clause.span,
        severity=Severity.WARNING,
        message=f"{_who(holder)} locks rows of {tables} until its transaction ends{_also(holder)}",
        label="locks for every reader",
        advice=f"leave {clause.words} out here, and lock in the statements that change the rows",
        evidence=_evidence(holder),
        table=str(clause.marks[0].table),
    )


def _who(holder: model.Holder) -> str:
    match holder.kind:
        case model.HolderKind.VIEW:
            return f"every query that reads {holder}, count(*) and COPY too,"
        case model.HolderKind.MATERIALIZED_VIEW:
            return f"every REFRESH of {holder}"
        case model.HolderKind.RULE:
            return f"every statement that {holder} acts on"
    return f"every query that {holder} is applied to"


def _also(holder: model.Holder) -> str:
    match holder.kind:
        case model.HolderKind.VIEW | model.HolderKind.POLICY:
            return ", and is refused in a read-only transaction"
        case model.HolderKind.MATERIALIZED_VIEW:
            return ", and waits for writers that hold them"
    return ""


def _evidence(holder: model.Holder) -> str | None:
    if holder.kind is model.HolderKind.VIEW:
        return "count(*) by a role that may only SELECT locked all the view's rows"
    return None


RULE = Rule(
    code="PGL204",
    name="lock-in-view",
    summary="a locking clause in a view, rule or policy locks for everybody who reads",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
)
