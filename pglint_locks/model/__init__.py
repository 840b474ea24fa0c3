"""What a statement locks: query levels, row marks, placement, refusals, transactions.

Worked out the way PostgreSQL's parse analysis and planner do it.  Rules read this
package, by the names below, and nothing under it.  A name loads its module when it is
first used: the catalogue of rules can be read without the parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pglint_locks.model.aggregates import aggregates_over as aggregates_over
    from pglint_locks.model.flow import lazy_limits as lazy_limits
    from pglint_locks.model.flow import levels_above as levels_above
    from pglint_locks.model.flow import locking_level as locking_level
    from pglint_locks.model.flow import skips_rows as skips_rows
    from pglint_locks.model.locks import LockingClause as LockingClause
    from pglint_locks.model.locks import RowMark as RowMark
    from pglint_locks.model.locks import Strength as Strength
    from pglint_locks.model.locks import WaitPolicy as WaitPolicy
    from pglint_locks.model.predicates import is_by_key as is_by_key
    from pglint_locks.model.queries import Cte as Cte
    from pglint_locks.model.queries import SubLink as SubLink
    from pglint_locks.model.reach import ctes_reached as ctes_reached
    from pglint_locks.model.reach import rows_locked_inside as rows_locked_inside
    from pglint_locks.model.reach import table_below as table_below
    from pglint_locks.model.reach import tables_locked_inside as tables_locked_inside
    from pglint_locks.model.refusals import RefusalKind as RefusalKind
    from pglint_locks.model.rescans import Rescan as Rescan
    from pglint_locks.model.rescans import rescans as rescans
    from pglint_locks.model.sorting import random_sort_key as random_sort_key
    from pglint_locks.model.uses import RowUse as RowUse
    from pglint_locks.model.uses import reads_children as reads_children
    from pglint_locks.model.uses import row_uses as row_uses

_HOMES = {
    "aggregates": ("aggregates_over",),
    "flow": ("lazy_limits", "levels_above", "locking_level", "skips_rows"),
    "locks": ("LockingClause", "RowMark", "Strength", "WaitPolicy"),
    "predicates": ("is_by_key",),
    "queries": ("Cte", "SubLink"),
    "reach": ("ctes_reached", "rows_locked_inside", "table_below", "tables_locked_inside"),
    "refusals": ("RefusalKind",),
    "rescans": ("Rescan", "rescans"),
    "sorting": ("random_sort_key",),
    "uses": ("RowUse", "reads_children", "row_uses"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
