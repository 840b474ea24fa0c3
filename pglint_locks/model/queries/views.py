"""Views that the same run defines: what a name in FROM stands for (`ApplyRetrieveRule`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pglast import ast
from pglast.enums import ObjectType

from pglint_locks.model.queries.build import build_queries
from pglint_locks.schema.names import TableName

# A name that stands for more than this is left unknown: views of views multiply.
_MAX_NESTING = 8
_MAX_VIEWS_INSIDE = 50

_NAME = r'(?:"[^"\n]+"|[\w$]+)'
_TABLE = re.compile(
    rf"\bcreate\s+(?:\w+\s+){{0,2}}table\s+(?:if\s+not\s+exists\s+)?(?:{_NAME}\s*\.\s*)*({_NAME})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A view's definition.  `columns` are those that it names itself, before AS.

    A materialized one is a relation of its own: its query is not run by who reads it.
    """

    name: TableName
    query: ast.SelectStmt
    columns: tuple[str, ...] | None
    is_materialized: bool
    parameters: Mapping[str, str]

    def says_the_same(self, other: View) -> bool:
        """Whether two definitions differ in nothing but name, white space and comments."""
        return (self.query, self.columns, self.is_materialized) == (
            other.query,
            other.columns,
            other.is_materialized,
        )


def view_defined(node: ast.Node, parameters: Mapping[str, str]) -> View | None:
    """The view that a statement creates, if it does and its name is not put in from outside."""
    match node:
        case ast.ViewStmt():
            relation, columns, is_materialized = node.view, node.aliases, False
        case ast.CreateTableAsStmt(objtype=ObjectType.OBJECT_MATVIEW):
            relation, columns, is_materialized = node.into.rel, node.into.colNames, True
        case _:
            return None
    name = TableName(relation.schemaname, relation.relname)
    if not parameters.keys().isdisjoint(name):
        return None
    names = tuple(column.sval for column in columns) if columns else None
    return View(name, node.query, names, is_materialized, parameters)


@dataclass(frozen=True, slots=True)
class Views:
    """The views of a run.  `locking` are the names of those that lock for their readers."""

    _defined: dict[str, tuple[View, ...]] = field(default_factory=dict)
    _usable: frozenset[View] = frozenset()
    locking: frozenset[str] = frozenset()

    def find(self, name: TableName) -> View | None:
        """The view that a name means; None where there is none, or where it is not known which."""
        found = self._candidates(name)
        usable = found and found[0] in self._usable
        return found[0] if usable and all(map(found[0].says_the_same, found[1:])) else None

    def _candidates(self, name: TableName) -> list[View]:
        same_name = self._defined.get(name.name, ())
        return [view for view in same_name if view.name.same_table(name)]

    def may_lock(self, text: str) -> bool:
        """Whether a text holds the name of a view that locks for its readers."""
        if not self.locking:
            return False
        names = "|".join(map(re.escape, sorted(self.locking)))
        return re.search(rf"(?<!\w)(?:{names})(?!\w)", text, re.IGNORECASE) is not None

    def beside_tables(self, names: set[str]) -> Views:
        """The same beside tables of these names: what such a name means is not known."""
        usable = (view for view in self._usable if view.name.name not in names)
        return Views(self._defined, frozenset(usable), self.locking - names)


def tables_created(text: str) -> set[str]:
    """The names, without schema, of tables that a text creates, be it in a function or comment."""
    found = _TABLE.findall(text)
    return {name[1:-1] if name.startswith('"') else name.lower() for name in found}


def known_views(defined: Iterable[View]) -> Views:
    """The views of a run, whatever the order of their definitions.

    Not to be found: one that reads itself, and one that stands for too many others.
    """
    by_name: dict[str, tuple[View, ...]] = {}
    for view in defined:
        by_name[view.name.name] = (*by_name.get(view.name.name, ()), view)
    every = [view for views in by_name.values() for view in views]
    all_of_them = Views(by_name, frozenset(every))
    below = {view: _views_read(view, all_of_them) for view in every}
    inside: dict[View, int] = {}
    locking: set[View] = set()
    for _ in range(_MAX_NESTING):
        ready = [view for view in every if view not in inside and inside.keys() >= {*below[view]}]
        sizes = {view: 1 + sum(inside[each] for each in below[view]) for view in ready}
        locking.update(
            view for view in ready if _locks(view) or not locking.isdisjoint(below[view])
        )
        inside |= {view: size for view, size in sizes.items() if size <= _MAX_VIEWS_INSIDE}
    names = frozenset(view.name.name for view in locking & inside.keys())
    return Views(by_name, frozenset(inside), names)


def _views_read(view: View, views: Views) -> Sequence[View]:
    if view.is_materialized:
        return ()
    names = [
        item.table
        for query in build_queries(view.query)
        for level in query.levels()
        for item in level.items
        if item.table is not None
    ]
    return [found for name in names if (found := views.find(name)) is not None]


def _locks(view: View) -> bool:
    """Whether a view's own text holds a locking clause that its readers run."""
    return not view.is_materialized and any(
        getattr(level.node, "lockingClause", None)
        for query in build_queries(view.query)
        for level in query.levels()
    )
