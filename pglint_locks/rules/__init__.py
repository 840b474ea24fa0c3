"""The catalogue: every rule, in the order of its code."""

from __future__ import annotations

from pglint_locks.findings import Rule
from pglint_locks.rules import (
    pgl001_syntax_error,
    pgl002_unused_suppression,
    pgl003_unknown_suppression,
    pgl101_rescanned_locking_subquery,
    pgl102_offset_locks_skipped_rows,
    pgl201_lock_stops_at_with,
    pgl301_no_key_update_suffices,
    pgl401_random_order_lock,
    pgl501_aggregate_over_skip_locked,
    pgl701_lock_with_grouping,
)

RULES: tuple[Rule, ...] = (
    pgl001_syntax_error.RULE,
    pgl002_unused_suppression.RULE,
    pgl003_unknown_suppression.RULE,
    pgl101_rescanned_locking_subquery.RULE,
    pgl102_offset_locks_skipped_rows.RULE,
    pgl201_lock_stops_at_with.RULE,
    pgl301_no_key_update_suffices.RULE,
    pgl401_random_order_lock.RULE,
    pgl501_aggregate_over_skip_locked.RULE,
    pgl701_lock_with_grouping.RULE,
)
