"""PGL301: FOR UPDATE on rows whose key is not touched keeps child rows from coming in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pglint_locks import model
from pglint_locks.findings import SAFE, UNSAFE, Fix, Hazard, Place, Rule, Severity, Subject
from pglint_locks.schema.catalog import Reference


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause, for the first table of which only other columns change."""
    if clause.strength is not model.Strength.FOR_UPDATE:
        return
    for mark in clause.marks:
        uses = model.row_uses(clause, mark)
        if not uses and not clause.statement.context.strict_no_key:
            continue
        if any(use.write.takes_key_lock for use in uses) or clause.statement.is_followed_by_unread:
            continue
        if not model.has_no_children(mark, clause) and not model.reads_children(clause, mark):
            yield _hazard(clause, mark, uses)
            return


def _hazard(clause: model.LockingClause, mark: model.RowMark, uses: list[model.RowUse]) -> Hazard:
    references = model.references_to(mark, clause)
    return Hazard(
        span=clause.span,
        severity=Severity.WARNING if references and uses else Severity.NOTE,
        message=f"FOR UPDATE on {mark.table} {_judgement(uses)}, {_harm(mark, references)}",
        label="also blocks rows that refer to these",
        advice="write FOR NO KEY UPDATE: it keeps out the same writers and lets those INSERTs in",
        evidence="INSERT into a child table waits behind FOR UPDATE, not FOR NO KEY UPDATE",
        table=str(mark.table),
        places=tuple(Place(use.span, _changes(use)) for use in uses[:_MOST_PLACES]),
        fix=_fix(clause),
    )


def _harm(mark: model.RowMark, references: Sequence[Reference]) -> str:
    if not references:
        return (
            f"but where another table refers to {mark.table}, its INSERTs wait for the locked rows "
            "until this transaction ends"
        )
    named = [
        f"{each.holder.name.name} ({', '.join(each.key.columns)})"
        for each in references[:_MOST_PLACES]
    ]
    more = len(references) - len(named)
    others = f" and {more} more" if more else ""
    return (
        f"and INSERTs into {', '.join(named)}{others}, which refer to {mark.table}, wait for the "
        "locked rows until this transaction ends"
    )


def _fix(clause: model.LockingClause) -> Fix | None:
    """Safe where one statement locks and writes, and the schema shows which columns are keys."""
    uses = [model.row_uses(clause, mark) for mark in clause.marks]
    if any(use.write.takes_key_lock for each in uses for use in each):
        return None
    is_safe = all(
        each and all(use.same_statement for use in each) and model.knows_keys(mark.item)
        for mark, each in zip(clause.marks, uses, strict=True)
    )
    edits = model.with_strength(clause, model.Strength.FOR_NO_KEY_UPDATE)
    applicability = SAFE if is_safe else UNSAFE
    return Fix(applicability, "write FOR NO KEY UPDATE", edits) if edits else None


_MOST_PLACES = 3


def _judgement(uses: list[model.RowUse]) -> str:
    if not uses:  # only under strict-no-key
        return "may be stronger than needed: no DELETE or change of a key is seen"
    columns = list(dict.fromkeys(column for use in uses for column in use.write.columns))
    what = f"only {', '.join(columns)} change" if columns else "no column changes"
    return f"is stronger than needed: {what}{'s' if len(columns) == 1 else ''}"


def _changes(use: model.RowUse) -> str:
    return f"changes {', '.join(use.write.columns) or 'no column'} only"


RULE = Rule(
    code="PGL301",
    name="no-key-update-suffices",
    summary="FOR UPDATE on rows whose key is not changed blocks INSERTs of rows that refer to them",
    severities=(Severity.WARNING, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
    about_others=True,
)
