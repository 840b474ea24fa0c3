"""What the names of relations in statements mean: views that a run defines, and the schema."""

from __future__ import annotations

from typing import NamedTuple

from pglint_locks.model.queries.views import View, Views
from pglint_locks.schema.catalog import Catalog, Relation
from pglint_locks.schema.names import TableName
from pglint_locks.schema.planner import Planned


class Known(NamedTuple):
    """The views of a run and the relations of its schema, as far as they are known.

    A `planner` is asked for the plans of statements that lock.
    """

    views: Views = Views()
    catalog: Catalog = Catalog()
    planner: Planned | None = None

    def view(self, name: TableName) -> View | None:
        """The view that a name means, if its definition is known."""
        return self.views.find(name)

    def relation(self, name: TableName) -> Relation | None:
        """The relation that a name means, if the schema tells of it."""
        return self.catalog.find(name)


NOTHING_KNOWN = Known()
