"""What a statement locks: query levels, row marks, placement, refusals, transactions.

Worked out the way PostgreSQL's parse analysis and planner do it.  Rules read this
package, by the names below, and nothing under it.  A name loads its module when it is
first used: the catalogue of rules can be read without the parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pglint_locks.model.edits.fencing import fits_array as fits_array
    from pglint_locks.model.edits.fencing import run_once as run_once
    from pglint_locks.model.edits.repairs import moved_into as moved_into
    from pglint_locks.model.edits.repairs import ordered_by_key as ordered_by_key
    from pglint_locks.model.edits.repairs import ordered_without_ties as ordered_without_ties
    from pglint_locks.model.edits.repairs import with_names as with_names
    from pglint_locks.model.edits.repairs import with_skip_locked as with_skip_locked
    from pglint_locks.model.edits.repairs import with_strength as with_strength
    from pglint_locks.model.locks.claim_indexes import ClaimPath as ClaimPath
    from pglint_locks.model.locks.claim_indexes import Served as Served
    from pglint_locks.model.locks.claim_indexes import claim_path as claim_path
    from pglint_locks.model.locks.execution import PartialRead as PartialRead
    from pglint_locks.model.locks.execution import cte_readers as cte_readers
    from pglint_locks.model.locks.execution import is_run as is_run
    from pglint_locks.model.locks.execution import partial_read as partial_read
    from pglint_locks.model.locks.execution import unread_cte as unread_cte
    from pglint_locks.model.locks.lock_orders import LockOrder as LockOrder
    from pglint_locks.model.locks.lock_orders import lock_orders as lock_orders
    from pglint_locks.model.locks.plans import PlanRescan as PlanRescan
    from pglint_locks.model.locks.plans import PlanScan as PlanScan
    from pglint_locks.model.locks.plans import lacks_lock as lacks_lock
    from pglint_locks.model.locks.plans import scan_of_claim as scan_of_claim
    from pglint_locks.model.locks.plans import seen_rescan as seen_rescan
    from pglint_locks.model.locks.plans import seen_scan as seen_scan
    from pglint_locks.model.locks.plans import seen_without_lock as seen_without_lock
    from pglint_locks.model.locks.plans import unforeseen_rescan as unforeseen_rescan
    from pglint_locks.model.locks.reach import ctes_reached as ctes_reached
    from pglint_locks.model.locks.reach import is_remote as is_remote
    from pglint_locks.model.locks.reach import kinds_reached as kinds_reached
    from pglint_locks.model.locks.reach import may_hold_clause as may_hold_clause
    from pglint_locks.model.locks.reach import table_below as table_below
    from pglint_locks.model.locks.reach import tables_in_sub_links as tables_in_sub_links
    from pglint_locks.model.locks.reach import tables_locked_inside as tables_locked_inside
    from pglint_locks.model.locks.refusals import RefusalKind as RefusalKind
    from pglint_locks.model.locks.rescans import Rescan as Rescan
    from pglint_locks.model.locks.rescans import rescans as rescans
    from pglint_locks.model.locks.row_marks import LockingClause as LockingClause
    from pglint_locks.model.locks.row_marks import RowMark as RowMark
    from pglint_locks.model.locks.row_marks import Strength as Strength
    from pglint_locks.model.locks.row_marks import WaitPolicy as WaitPolicy
    from pglint_locks.model.locks.rowcounts import equal_column_names as equal_column_names
    from pglint_locks.model.locks.rowcounts import locks_many_rows as locks_many_rows
    from pglint_locks.model.locks.rowcounts import may_be_one_row as may_be_one_row
    from pglint_locks.model.locks.rowcounts import reads_all_that_match as reads_all_that_match
    from pglint_locks.model.locks.sorting import is_locked_in_order as is_locked_in_order
    from pglint_locks.model.locks.sorting import random_sort_key as random_sort_key
    from pglint_locks.model.locks.ties import may_tie as may_tie
    from pglint_locks.model.locks.ties import tie_breaker as tie_breaker
    from pglint_locks.model.locks.whole_tables import locks_whole_table as locks_whole_table
    from pglint_locks.model.planner.aggregates import aggregates_over as aggregates_over
    from pglint_locks.model.planner.flow import late_limit as late_limit
    from pglint_locks.model.planner.flow import lazy_limits as lazy_limits
    from pglint_locks.model.planner.flow import levels_above as levels_above
    from pglint_locks.model.planner.flow import locking_level as locking_level
    from pglint_locks.model.planner.flow import skips_rows as skips_rows
    from pglint_locks.model.planner.flow import whole_input_reason as whole_input_reason
    from pglint_locks.model.planner.outer_joins import lockable_names as lockable_names
    from pglint_locks.model.planner.outer_joins import preserved_names as preserved_names
    from pglint_locks.model.planner.predicates import is_by_key as is_by_key
    from pglint_locks.model.planner.unread import unread_item as unread_item
    from pglint_locks.model.queries.holders import Holder as Holder
    from pglint_locks.model.queries.holders import HolderKind as HolderKind
    from pglint_locks.model.queries.keys import knows_keys as knows_keys
    from pglint_locks.model.queries.query import Cte as Cte
    from pglint_locks.model.queries.query import Query as Query
    from pglint_locks.model.queries.query import RangeItem as RangeItem
    from pglint_locks.model.queries.query import SubLink as SubLink
    from pglint_locks.model.queries.query import SubLinkKind as SubLinkKind
    from pglint_locks.model.rows.absence import AbsenceTest as AbsenceTest
    from pglint_locks.model.rows.absence import absence_tests as absence_tests
    from pglint_locks.model.rows.advisory import StrayLock as StrayLock
    from pglint_locks.model.rows.advisory import StrayReason as StrayReason
    from pglint_locks.model.rows.advisory import stray_locks as stray_locks
    from pglint_locks.model.rows.children import has_no_children as has_no_children
    from pglint_locks.model.rows.children import reads_children as reads_children
    from pglint_locks.model.rows.children import references_to as references_to
    from pglint_locks.model.rows.choices import Choice as Choice
    from pglint_locks.model.rows.choices import unlocked_choices as unlocked_choices
    from pglint_locks.model.rows.claims import changed_columns as changed_columns
    from pglint_locks.model.rows.claims import claimed_columns as claimed_columns
    from pglint_locks.model.rows.claims import is_ranked as is_ranked
    from pglint_locks.model.rows.claims import level_with_ties as level_with_ties
    from pglint_locks.model.rows.claims import limiting_level as limiting_level
    from pglint_locks.model.rows.claims import retested_columns as retested_columns
    from pglint_locks.model.rows.claims import stale_order_columns as stale_order_columns
    from pglint_locks.model.rows.claims import takes_rows_in_turn as takes_rows_in_turn
    from pglint_locks.model.rows.claims import unlocked_claims as unlocked_claims
    from pglint_locks.model.rows.claims import write_by_ctid as write_by_ctid
    from pglint_locks.model.rows.guards import Guard as Guard
    from pglint_locks.model.rows.guards import unlocked_guards as unlocked_guards
    from pglint_locks.model.rows.presence import insert_after_check as insert_after_check
    from pglint_locks.model.rows.upgrades import Upgrade as Upgrade
    from pglint_locks.model.rows.upgrades import lock_upgrades as lock_upgrades
    from pglint_locks.model.rows.uses import RowUse as RowUse
    from pglint_locks.model.rows.uses import is_written as is_written
    from pglint_locks.model.rows.uses import returns_to_one_row as returns_to_one_row
    from pglint_locks.model.rows.uses import row_uses as row_uses
    from pglint_locks.model.statements.context import Context as Context
    from pglint_locks.model.statements.statement import Statement as Statement
    from pglint_locks.model.statements.transactions import kept_snapshot as kept_snapshot
    from pglint_locks.model.statements.transactions import runs_by_itself as runs_by_itself

_HOMES = {
    "queries.keys": ("knows_keys",),
    "locks.ties": (
        "may_tie",
        "tie_breaker",
    ),
    "locks.claim_indexes": (
        "ClaimPath",
        "Served",
        "claim_path",
    ),
    "rows.absence": (
        "AbsenceTest",
        "absence_tests",
    ),
    "rows.advisory": (
        "StrayLock",
        "StrayReason",
        "stray_locks",
    ),
    "planner.aggregates": ("aggregates_over",),
    "rows.choices": (
        "Choice",
        "unlocked_choices",
    ),
    "rows.claims": (
        "changed_columns",
        "claimed_columns",
        "is_ranked",
        "level_with_ties",
        "limiting_level",
        "retested_columns",
        "stale_order_columns",
        "takes_rows_in_turn",
        "unlocked_claims",
        "write_by_ctid",
    ),
    "statements.context": ("Context",),
    "locks.execution": (
        "PartialRead",
        "cte_readers",
        "is_run",
        "partial_read",
        "unread_cte",
    ),
    "edits.fencing": (
        "fits_array",
        "run_once",
    ),
    "planner.flow": (
        "late_limit",
        "lazy_limits",
        "levels_above",
        "locking_level",
        "skips_rows",
        "whole_input_reason",
    ),
    "rows.children": (
        "has_no_children",
        "reads_children",
        "references_to",
    ),
    "rows.guards": (
        "Guard",
        "unlocked_guards",
    ),
    "queries.holders": (
        "Holder",
        "HolderKind",
    ),
    "locks.lock_orders": (
        "LockOrder",
        "lock_orders",
    ),
    "locks.row_marks": (
        "LockingClause",
        "RowMark",
        "Strength",
        "WaitPolicy",
    ),
    "planner.outer_joins": (
        "lockable_names",
        "preserved_names",
    ),
    "planner.predicates": ("is_by_key",),
    "rows.presence": ("insert_after_check",),
    "queries.query": (
        "Cte",
        "Query",
        "RangeItem",
        "SubLink",
        "SubLinkKind",
    ),
    "locks.plans": (
        "PlanRescan",
        "PlanScan",
        "lacks_lock",
        "scan_of_claim",
        "seen_rescan",
        "seen_scan",
        "seen_without_lock",
        "unforeseen_rescan",
    ),
    "locks.reach": (
        "is_remote",
        "ctes_reached",
        "kinds_reached",
        "may_hold_clause",
        "table_below",
        "tables_in_sub_links",
        "tables_locked_inside",
    ),
    "locks.refusals": ("RefusalKind",),
    "edits.repairs": (
        "ordered_without_ties",
        "moved_into",
        "ordered_by_key",
        "with_names",
        "with_skip_locked",
        "with_strength",
    ),
    "locks.rescans": (
        "Rescan",
        "rescans",
    ),
    "locks.rowcounts": (
        "equal_column_names",
        "locks_many_rows",
        "may_be_one_row",
        "reads_all_that_match",
    ),
    "locks.sorting": (
        "is_locked_in_order",
        "random_sort_key",
    ),
    "statements.statement": ("Statement",),
    "statements.transactions": (
        "kept_snapshot",
        "runs_by_itself",
    ),
    "planner.unread": ("unread_item",),
    "rows.upgrades": (
        "Upgrade",
        "lock_upgrades",
    ),
    "rows.uses": (
        "RowUse",
        "is_written",
        "returns_to_one_row",
        "row_uses",
    ),
    "locks.whole_tables": ("locks_whole_table",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
