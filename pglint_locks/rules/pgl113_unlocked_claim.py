"""PGL113: a claim without any lock: two sessions change the same rows."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(statement: model.Statement) -> Iterator[Hazard]:
    """One hazard for each write that changes the state by which its rows were chosen."""
    for claim in model.unlocked_claims(statement):
        choice = claim.choice
        limit = statement.limit_clause(choice.chooser)
        words = statement.words(limit)
        table = str(claim.write.table)
        columns = " and ".join(claim.columns)
        yield Hazard(
            span=statement.opener(choice.opener)
            if isinstance(choice.opener, model.SubLink)
            else statement.opening_word(choice.opened),
            severity=Severity.WARNING,
            message=(
                f"two sessions that run this {claim.write.verb} of {table} together change the "
                f"same rows: {words} chooses them without a lock, and the one that waits does not "
                f"test {columns} again"
            ),
            label="chosen without a lock",
            advice=_advice(statement, choice, words),
            evidence="4 workers, 12 jobs: 48 claims, 36 of them double",
            table=table,
            places=(Place(limit, "the same rows for every session"),),
        )


def _advice(statement: model.Statement, choice: model.Choice, words: str) -> str:
    lock = "FOR NO KEY UPDATE SKIP LOCKED"
    opener = choice.opener
    if isinstance(opener, model.SubLink) and choice.opened is choice.chooser:
        if opener.kind in (model.SubLinkKind.SCALAR, model.SubLinkKind.ARRAY):
            return f"write {words} {lock} in the sub-SELECT"
        column = statement.tested_column(opener)
        if column is not None:
            return f"write {column} = ANY(ARRAY(SELECT … {words} {lock}))"
    if isinstance(opener, model.RangeItem) and opener.cte is not None:
        return f"write {words} {lock} in the WITH query {opener.cte.name}"
    return f"choose the rows in a WITH query that ends in {words} {lock}, and join to it on the key"


RULE = Rule(
    code="PGL113",
    name="unlocked-claim",
    summary="an UPDATE chooses its rows with an unlocked LIMIT, so two sessions change the same",
    severities=(Severity.WARNING,),
    subject=Subject.STATEMENT,
    visit=visit,
    about_missing=True,
    about_others=True,
)
