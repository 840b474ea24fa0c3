"""PGL403: rows that are equal in ORDER BY are locked as the plan finds them."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.sessions import DEADLOCK
from rulepages import bad, good

from pglint_locks.testing.fixtures import schema_lines

# Ten accounts of region 4 and of one day; its index has them the other way round.
ROWS = """
INSERT INTO accounts SELECT n, CASE WHEN n > 10 THEN n ELSE 4 END, '2024-01-01'
  FROM generate_series(1, 5000) AS n;
CREATE INDEX ON accounts (region, id DESC);
ANALYZE;
"""
[TIES], [UNIQUE] = bad("PGL403"), good("PGL403")
SCHEMA = "\n".join(schema_lines(TIES)) + ROWS
GATE = "SELECT FROM accounts WHERE id = 5 FOR UPDATE"
COLLISIONS = 10


def deadlocks(lab: Lab, claim: str) -> int:
    """How many of 10 collisions of a statement, under two plans, end in a deadlock."""
    other = claim.replace("region = 4", "region + 0 = 4")
    ends = [lab.collide(GATE, (claim,), (other,)) for _ in range(COLLISIONS)]
    assert {code for end in ends for code in end} <= {None, DEADLOCK}
    return sum(DEADLOCK in end for end in ends)


def test_ties_are_locked_in_the_order_of_the_plan(lab: Lab, proved: Callable[[str], None]) -> None:
    died, cured = deadlocks(lab, TIES), deadlocks(lab, UNIQUE)
    assert (died, cured) == (COLLISIONS, 0)
    proved(
        f"ten accounts of one day, under two plans: {died} of {COLLISIONS} collisions with ORDER BY"
        f" opened end in a deadlock (40P01), {cured} with the key at its end"
    )
