"""Where sources of a schema contradict one another, and which of them is believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pglint_locks.schema.catalog import Catalog, Column, Relation, RelationKind
from pglint_locks.schema.origins import Trust
from pglint_locks.sql.normal import normal_expression

_PARTS = {
    "kind": "kinds",
    "columns": "columns",
    "indexes": "keys and indexes",
    "foreign_keys": "foreign keys",
    "triggers": "triggers",
}
_VIEWS = (RelationKind.VIEW, RelationKind.MATERIALIZED_VIEW)


def contradictions(catalogs: Sequence[Catalog]) -> Iterator[str]:
    """A line for each relation of which a schema tells what a more trusted one does not.

    The catalogues stand in the order of trust, the least first.
    """
    told = [each for each in catalogs if _is_schema(each)]
    for place, catalog in enumerate(told):
        for better in told[place + 1 :]:
            for name, relation in catalog.relations.items():
                other = better.relations.get(name)
                if other is None and better.is_closed:
                    yield (
                        f"{name} is in {relation.origin}, but not in {_source(better)}: what the "
                        "former tells of it is taken"
                    )
                elif other is not None and (parts := differences(relation, other)):
                    yield (
                        f"{relation.origin} and {other.origin} tell of other {' and '.join(parts)} "
                        f"of {name}: the latter is believed"
                    )


def differences(one: Relation, other: Relation) -> list[str]:
    """In what two accounts of a relation differ, in words; what one does not know is no matter."""
    first, second = comparable(one), comparable(other)
    if not (one.is_whole and other.is_whole):
        return [_PARTS["kind"]] if first.kind is not second.kind else []
    columns = _as_known(first.columns, second.columns), _as_known(second.columns, first.columns)
    first, second = first._replace(columns=columns[0]), second._replace(columns=columns[1])
    return [
        words for part, words in _PARTS.items() if getattr(first, part) != getattr(second, part)
    ]


def _as_known(columns: Sequence[Column], others: Sequence[Column]) -> tuple[Column, ...]:
    """Columns without those types that the others do not know."""
    untyped = {each.name for each in others if each.type is None}
    return tuple(each._replace(type=None) if each.name in untyped else each for each in columns)


def comparable(relation: Relation) -> Relation:
    """A relation without what may be said in several ways.

    Where facts come from, the order of keys, the spelling of expressions and of a view's query.
    """
    bare = relation.without_origins()
    is_view = relation.kind in _VIEWS
    return bare._replace(
        columns=tuple(
            each._replace(type=None if is_view else _unqualified(each.type))
            for each in bare.columns
        ),
        indexes=tuple(
            sorted(
                (
                    index._replace(
                        predicate=_normal(index.predicate),
                        keys=tuple(
                            key._replace(expression=_normal(key.expression)) for key in index.keys
                        ),
                    )
                    for index in bare.indexes
                ),
                key=lambda each: each.name or "",
            )
        ),
        foreign_keys=tuple(sorted(bare.foreign_keys, key=lambda each: each.name or "")),
        triggers=tuple(sorted(bare.triggers, key=lambda each: each.name)),
        view_query=None,
    )


def _normal(expression: str | None) -> str | None:
    return None if expression is None else normal_expression(expression)


def _unqualified(shown: str | None) -> str | None:
    """A type without the schema that the search path may spare it."""
    return shown and shown.removeprefix("public.").removeprefix("pg_catalog.")


def _is_schema(catalog: Catalog) -> bool:
    return _trust(catalog) is not Trust.LINTED_FILE


def _trust(catalog: Catalog) -> Trust:
    return next((each.origin.trust for each in catalog.relations.values()), Trust.LINTED_FILE)


def _source(catalog: Catalog) -> str:
    return next(iter(catalog.relations.values())).origin.name
