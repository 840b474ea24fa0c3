"""An operation of a Django migration, while its SQL is made."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from pglint_locks.schema.migrations.django.state import Fields, Model
from pglint_locks.schema.migrations.pycode import Call, names_in
from pglint_locks.schema.migrations.steps import Drop, Step

Made = Iterator["str | Drop"]
"""What an operation makes: SQL, and what it drops without a name."""


class Operation:
    """An operation of an app's migration; `tables` are those that it changes."""

    def __init__(self, call: Call, fields: Fields, node: ast.expr) -> None:
        self.call = call
        self.fields = fields
        self.tables: list[str] = []
        self._node = node

    def steps(self, make: Callable[[Operation], Made] | None) -> Iterator[Step]:
        """What it makes; what of it does not show is told by the names in it."""
        made = list(make(self)) if make is not None else []
        for each in made:
            if isinstance(each, str):
                yield Step(self.call.line, each)
            else:
                yield Step(self.call.line, drop=each)
        if make is None or self.fields.is_unclear:
            yield Step(self.call.line, names=(*self.tables, *names_in(self._node)))

    def model(self, *keywords: str) -> Model | None:
        """The model that it names; None where that is unclear, or has no table of its own."""
        name = self.call.text(0, *keywords)
        found = self.fields.models.find(self.fields.app, name) if name is not None else None
        if found is None:
            self.unclear()
            return None
        self.tables.append(found.table)
        return found if found.is_managed else None

    def unclear(self) -> None:
        """Note that part of it does not show."""
        self.fields.is_unclear = True
