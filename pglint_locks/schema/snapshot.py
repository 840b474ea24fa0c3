"""Snapshots: a catalogue written down as JSON, to be used where there is no server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from pglint_locks.errors import UsageError
from pglint_locks.schema.catalog import (
    Catalog,
    Column,
    ForeignKey,
    Relation,
    RelationKind,
    Trigger,
)
from pglint_locks.schema.indexes import Index, IndexKey
from pglint_locks.schema.names import TableName
from pglint_locks.schema.origins import Origin, Trust

VERSION = 1
_MARK = "pglint-locks-schema"
_Json = dict[str, Any]
T = TypeVar("T", bound=NamedTuple)


def snapshot_of(catalog: Catalog) -> str:
    """A catalogue as JSON; the same catalogue always gives the same text.

    Where its facts come from is left out, and what is as it mostly is.
    """
    relations = [_written(catalog.relations[name]) for name in sorted(catalog.relations, key=str)]
    whole = {
        _MARK: VERSION,
        "search_path": list(catalog.search_path),
        "is_closed": catalog.is_closed,
        "ambiguous": sorted(map(list, catalog.ambiguous), key=str),
        "relations": relations,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def read_snapshot(text: str, name: str) -> Catalog:
    """The catalogue that a snapshot holds; `name` is the file's, for messages and origins.

    Raises:
        UsageError: it is no snapshot, or a newer one than we know.
    """
    try:
        whole = json.loads(text)
    except ValueError as error:
        raise UsageError(f"schema: {name} is no valid JSON: {error}") from None
    version = whole.get(_MARK) if isinstance(whole, dict) else None
    if isinstance(version, bool) or not isinstance(version, int):
        raise UsageError(f"schema: {name} is no snapshot; pglint-locks schema dump writes one")
    if version > VERSION:
        raise UsageError(
            f"schema: {name} is a snapshot of version {version}, and this pglint-locks reads "
            f"version {VERSION}; update pglint-locks, or write the snapshot with this one"
        )
    try:
        return _catalog(whole, Origin(Trust.SNAPSHOT, name))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise UsageError(
            f"schema: {name} is a broken snapshot; write it again: pglint-locks schema dump"
        ) from None


def _catalog(whole: _Json, origin: Origin) -> Catalog:
    relations = [_relation(each, origin) for each in whole["relations"]]
    return Catalog(
        {relation.name: relation for relation in relations},
        tuple(whole["search_path"]),
        bool(whole["is_closed"]),
        frozenset(_name(each) for each in whole["ambiguous"]),
    )


def _written(value: object) -> Any:
    """A value of a catalogue as JSON has it."""
    match value:
        case TableName():
            return list(value)
        case RelationKind():
            return value.value
        case frozenset():
            return sorted(value)
        case tuple() if hasattr(value, "_fields"):
            defaults: Mapping[str, object] = value._field_defaults  # type: ignore[attr-defined]
            return {
                key: _written(each)
                for key, each in value._asdict().items()  # type: ignore[attr-defined]
                if key != "origin" and (key not in defaults or each != defaults[key])
            }
        case tuple():
            return [_written(each) for each in value]
        case str() | bool() | None:
            return value
    raise AssertionError(f"{value!r} is in no catalogue")


def _relation(told: _Json, origin: Origin) -> Relation:
    return Relation(
        **{
            **told,
            "name": _name(told["name"]),
            "kind": RelationKind(told["kind"]),
            "origin": origin,
            "columns": tuple(Column(**each) for each in told.get("columns", ())),
            "indexes": tuple(_index(each, origin) for each in told.get("indexes", ())),
            "foreign_keys": tuple(
                _foreign_key(each, origin) for each in _list(told, "foreign_keys")
            ),
            "parents": tuple(_name(each) for each in _list(told, "parents")),
            "partition_key": tuple(_list(told, "partition_key")),
            "triggers": tuple(
                Trigger(**{**each, "events": frozenset(each["events"])})
                for each in _list(told, "triggers")
            ),
        }
    )


def _index(told: _Json, origin: Origin) -> Index:
    keys = tuple(IndexKey(**each) for each in told["keys"])
    included = tuple(_list(told, "included"))
    return Index(**{**told, "keys": keys, "included": included, "origin": origin})


def _foreign_key(told: _Json, origin: Origin) -> ForeignKey:
    return ForeignKey(
        told["name"],
        tuple(told["columns"]),
        _name(told["referenced"]),
        tuple(told["referenced_columns"]),
        origin,
    )


def _list(told: _Json, key: str) -> list[Any]:
    found = told.get(key, [])
    if not isinstance(found, list):
        raise TypeError(key)
    return found


def _name(told: list[str | None]) -> TableName:
    schema, name = told
    if not isinstance(name, str):
        raise TypeError("name")
    return TableName(schema, name)
