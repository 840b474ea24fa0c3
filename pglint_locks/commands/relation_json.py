"""What is known of tables as JSON."""

from __future__ import annotations

import json
from typing import Any

from pglint_locks.schema.catalog import Catalog, Relation, RelationKind
from pglint_locks.schema.indexes import Index
from pglint_locks.schema.origins import Origin


def as_json(catalog: Catalog, relation: Relation | None) -> str:
    """One relation, or all but sequences in the order of their names."""
    if relation is not None:
        value: Any = _relation(catalog, relation)
    else:
        known = sorted(catalog.relations.values(), key=lambda each: each.name)
        value = {
            "knows_all_foreign_keys": catalog.is_closed,
            "ambiguous": sorted(str(name) for name in catalog.ambiguous),
            "tables": [
                _relation(catalog, each) for each in known if each.kind is not RelationKind.SEQUENCE
            ],
        }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _relation(catalog: Catalog, relation: Relation) -> dict[str, Any]:
    return {
        "schema": relation.name.schema,
        "name": relation.name.name,
        "kind": relation.kind.value,
        "origin": _origin(relation.origin),
        "is_whole": relation.is_whole,
        "columns": [column._asdict() for column in relation.columns],
        "indexes": [_index(index) for index in relation.indexes],
        "foreign_keys": [
            {
                "name": key.name,
                "columns": key.columns,
                "references": str(key.referenced),
                "referenced_columns": key.referenced_columns,
                "origin": _origin(key.origin),
            }
            for key in relation.foreign_keys
        ],
        "referenced_by": [
            {
                "table": str(holder.name),
                "columns": key.columns,
                "referenced_columns": key.referenced_columns,
                "origin": _origin(key.origin),
            }
            for holder, key in catalog.references_to(relation)
        ],
        "knows_all_references": catalog.knows_references_to(relation),
        "triggers": [
            {**trigger._asdict(), "events": sorted(trigger.events)} for trigger in relation.triggers
        ],
        "parents": [str(parent) for parent in relation.parents],
        "is_partition": relation.is_partition,
        "partition_key": relation.partition_key,
        "wrapper": relation.wrapper,
        "view_query": relation.view_query,
    }


def _index(index: Index) -> dict[str, Any]:
    facts = index._asdict()
    facts["keys"] = [key._asdict() for key in index.keys]
    facts["origin"] = _origin(index.origin)
    facts["key_columns"] = list(index.columns) if index.has_key_columns else []
    facts["can_be_referenced"] = index.is_unique_key
    return facts


def _origin(origin: Origin | None) -> dict[str, Any] | None:
    if origin is None:
        return None
    source = origin.trust.name.lower().replace("_", " ")
    return {"source": source, "name": origin.name, "line": origin.line}
