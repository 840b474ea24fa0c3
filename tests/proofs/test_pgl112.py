"""PGL112: WITH TIES looks, and locks, one row ahead."""

from __future__ import annotations

from collections.abc import Callable

from proofs.claims import QUEUE
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = QUEUE
(WITH_TIES,) = bad("PGL112")
(ROWS_ONLY,) = good("PGL112")


def test_one_row_more_is_locked(lab: Lab, proved: Callable[[str], None]) -> None:
    returned, locked = lab.locks(WITH_TIES)
    assert (returned, locked) == (3, 4)
    assert "FETCH … ROWS ONLY" in advice("PGL112", WITH_TIES)
    assert lab.locks(ROWS_ONLY) == (3, 3)
    proved(f"the bad example returns {returned} rows and locks {locked}, the good one locks 3")
