"""What a statement locks: query levels, row marks, placement, refusals, transactions.

Worked out the way PostgreSQL's parse analysis and planner do it.  Rules read this
package, by the names below, and nothing under it.  A name loads its module when it is
first used: the catalogue of rules can be read without the parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pglint_locks.model.absence import AbsenceTest as AbsenceTest
    from pglint_locks.model.absence import absence_tests as absence_tests
    from pglint_locks.model.advisory import StrayLock as StrayLock
    from pglint_locks.model.advisory import StrayReason as StrayReason
    from pglint_locks.model.advisory import stray_locks as stray_locks
    from pglint_locks.model.aggregates import aggregates_over as aggregates_over
    from pglint_locks.model.choices import Choice as Choice
    from pglint_locks.model.choices import unlocked_choices as unlocked_choices
    from pglint_locks.model.claims import changed_columns as changed_columns
    from pglint_locks.model.claims import claimed_columns as claimed_columns
    from pglint_locks.model.claims import is_ranked as is_ranked
    from pglint_locks.model.claims import level_with_ties as level_with_ties
    from pglint_locks.model.claims import limiting_level as limiting_level
    from pglint_locks.model.claims import retested_columns as retested_columns
    from pglint_locks.model.claims import stale_order_columns as stale_order_columns
    from pglint_locks.model.claims import takes_rows_in_turn as takes_rows_in_turn
    from pglint_locks.model.claims import unlocked_claims as unlocked_claims
    from pglint_locks.model.claims import write_by_ctid as write_by_ctid
    from pglint_locks.model.context import Context as Context
    from pglint_locks.model.execution import PartialRead as PartialRead
    from pglint_locks.model.execution import cte_readers as cte_readers
    from pglint_locks.model.execution import is_run as is_run
    from pglint_locks.model.execution import partial_read as partial_read
    from pglint_locks.model.execution import unread_cte as unread_cte
    from pglint_locks.model.fencing import fits_array as fits_array
    from pglint_locks.model.fencing import run_once as run_once
    from pglint_locks.model.flow import late_limit as late_limit
    from pglint_locks.model.flow import lazy_limits as lazy_limits
    from pglint_locks.model.flow import levels_above as levels_above
    from pglint_locks.model.flow import locking_level as locking_level
    from pglint_locks.model.flow import skips_rows as skips_rows
    from pglint_locks.model.flow import whole_input_reason as whole_input_reason
    from pglint_locks.model.guards import Guard as Guard
    from pglint_locks.model.guards import unlocked_guards as unlocked_guards
    from pglint_locks.model.holders import Holder as Holder
    from pglint_locks.model.holders import HolderKind as HolderKind
    from pglint_locks.model.lock_orders import LockOrder as LockOrder
    from pglint_locks.model.lock_orders import lock_orders as lock_orders
    from pglint_locks.model.locks import LockingClause as LockingClause
    from pglint_locks.model.locks import RowMark as RowMark
    from pglint_locks.model.locks import Strength as Strength
    from pglint_locks.model.locks import WaitPolicy as WaitPolicy
    from pglint_locks.model.outer_joins import lockable_names as lockable_names
    from pglint_locks.model.outer_joins import preserved_names as preserved_names
    from pglint_locks.model.predicates import is_by_key as is_by_key
    from pglint_locks.model.presence import insert_after_check as insert_after_check
    from pglint_locks.model.queries import Cte as Cte
    from pglint_locks.model.queries import Query as Query
    from pglint_locks.model.queries import RangeItem as RangeItem
    from pglint_locks.model.queries import SubLink as SubLink
    from pglint_locks.model.queries import SubLinkKind as SubLinkKind
    from pglint_locks.model.reach import ctes_reached as ctes_reached
    from pglint_locks.model.reach import kinds_reached as kinds_reached
    from pglint_locks.model.reach import may_hold_clause as may_hold_clause
    from pglint_locks.model.reach import table_below as table_below
    from pglint_locks.model.reach import tables_in_sub_links as tables_in_sub_links
    from pglint_locks.model.reach import tables_locked_inside as tables_locked_inside
    from pglint_locks.model.refusals import RefusalKind as RefusalKind
    from pglint_locks.model.repairs import moved_into as moved_into
    from pglint_locks.model.repairs import ordered_by_key as ordered_by_key
    from pglint_locks.model.repairs import with_names as with_names
    from pglint_locks.model.repairs import with_skip_locked as with_skip_locked
    from pglint_locks.model.repairs import with_strength as with_strength
    from pglint_locks.model.rescans import Rescan as Rescan
    from pglint_locks.model.rescans import rescans as rescans
    from pglint_locks.model.rowcounts import equal_column_names as equal_column_names
    from pglint_locks.model.rowcounts import locks_many_rows as locks_many_rows
    from pglint_locks.model.rowcounts import may_be_one_row as may_be_one_row
    from pglint_locks.model.rowcounts import reads_all_that_match as reads_all_that_match
    from pglint_locks.model.sorting import is_locked_in_order as is_locked_in_order
    from pglint_locks.model.sorting import random_sort_key as random_sort_key
    from pglint_locks.model.statements import Statement as Statement
    from pglint_locks.model.transactions import kept_snapshot as kept_snapshot
    from pglint_locks.model.transactions import runs_by_itself as runs_by_itself
    from pglint_locks.model.unread import unread_item as unread_item
    from pglint_locks.model.upgrades import Upgrade as Upgrade
    from pglint_locks.model.upgrades import lock_upgrades as lock_upgrades
    from pglint_locks.model.uses import RowUse as RowUse
    from pglint_locks.model.uses import is_written as is_written
    from pglint_locks.model.uses import reads_children as reads_children
    from pglint_locks.model.uses import returns_to_one_row as returns_to_one_row
    from pglint_locks.model.uses import row_uses as row_uses
    from pglint_locks.model.whole_tables import locks_whole_table as locks_whole_table

_HOMES = {
    "absence": (
        "AbsenceTest",
        "absence_tests",
    ),
    "advisory": (
        "StrayLock",
        "StrayReason",
        "stray_locks",
    ),
    "aggregates": ("aggregates_over",),
    "choices": (
        "Choice",
        "unlocked_choices",
    ),
    "claims": (
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
    "context": ("Context",),
    "execution": (
        "PartialRead",
        "cte_readers",
        "is_run",
        "partial_read",
        "unread_cte",
    ),
    "fencing": (
        "fits_array",
        "run_once",
    ),
    "flow": (
        "late_limit",
        "lazy_limits",
        "levels_above",
        "locking_level",
        "skips_rows",
        "whole_input_reason",
    ),
    "guards": (
        "Guard",
        "unlocked_guards",
    ),
    "holders": (
        "Holder",
        "HolderKind",
    ),
    "lock_orders": (
        "LockOrder",
        "lock_orders",
    ),
    "locks": (
        "LockingClause",
        "RowMark",
        "Strength",
        "WaitPolicy",
    ),
    "outer_joins": (
        "lockable_names",
        "preserved_names",
    ),
    "predicates": ("is_by_key",),
    "presence": ("insert_after_check",),
    "queries": (
        "Cte",
        "Query",
        "RangeItem",
        "SubLink",
        "SubLinkKind",
    ),
    "reach": (
        "ctes_reached",
        "kinds_reached",
        "may_hold_clause",
        "table_below",
        "tables_in_sub_links",
        "tables_locked_inside",
    ),
    "refusals": ("RefusalKind",),
    "repairs": (
        "moved_into",
        "ordered_by_key",
        "with_names",
        "with_skip_locked",
        "with_strength",
    ),
    "rescans": (
        "Rescan",
        "rescans",
    ),
    "rowcounts": (
        "equal_column_names",
        "locks_many_rows",
        "may_be_one_row",
        "reads_all_that_match",
    ),
    "sorting": (
        "is_locked_in_order",
        "random_sort_key",
    ),
    "statements": ("Statement",),
    "transactions": (
        "kept_snapshot",
        "runs_by_itself",
    ),
    "unread": ("unread_item",),
    "upgrades": (
        "Upgrade",
        "lock_upgrades",
    ),
    "uses": (
        "RowUse",
        "is_written",
        "reads_children",
        "returns_to_one_row",
        "row_uses",
    ),
    "whole_tables": ("locks_whole_table",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
