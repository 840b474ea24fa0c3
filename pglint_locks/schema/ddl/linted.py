"""A catalogue out of linted files: nobody knows in which order they run, or whether at all.

Each file is replayed by itself.  What several define in contradicting ways is ambiguous, and
what they say of a table that another one creates is added to it.
"""

from __future__ import annotations

from collections.abc import Iterable

from pglint_locks.schema.catalog import Catalog, ForeignKey, Relation
from pglint_locks.schema.ddl.draft import Draft
from pglint_locks.schema.indexes import Index
from pglint_locks.schema.names import TableName


def catalog_of_linted(drafts: Iterable[Draft]) -> Catalog:
    """What files tell of relations, each with a draft of its own."""
    made: dict[TableName, list[Relation]] = {}
    hints: dict[TableName, list[Relation]] = {}
    unclear: set[TableName] = set()
    for draft in drafts:
        unclear |= draft.contested
        unclear |= {draft.home(TableName(None, name)) for name in draft.temporary}
        for relation in draft.relations.values():
            told = hints if relation.is_stub else made
            told.setdefault(relation.name, []).append(relation.made())
        for forgotten in draft.forgotten:
            made.setdefault(forgotten.name, []).append(forgotten)
    relations = {}
    for name, defined in made.items():
        if all(defined[0].without_origins() == each.without_origins() for each in defined[1:]):
            relations[name] = _with_hints(defined[0], hints.get(name, ()))
        else:
            unclear.add(name)
    for name in hints.keys() - made.keys():
        relations[name] = _with_hints(hints[name][0], hints[name][1:])
    return Catalog(relations, ambiguous=frozenset(unclear))


def _with_hints(relation: Relation, hints: Iterable[Relation]) -> Relation:
    """A relation with the indexes and foreign keys that other files give it."""
    indexes: list[Index] = list(relation.indexes)
    keys: list[ForeignKey] = list(relation.foreign_keys)
    for hint in hints:
        names = {index.name for index in indexes} | {key.name for key in keys}
        indexes += [each for each in hint.indexes if each.name not in names]
        keys += [each for each in hint.foreign_keys if each.name not in names]
    return relation._replace(indexes=tuple(indexes), foreign_keys=tuple(keys))
