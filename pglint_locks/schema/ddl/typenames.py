"""Types as the server shows them (`format_type`)."""

from __future__ import annotations

from pglast import ast

_SHOWN = {
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "int": "integer",
    "float4": "real",
    "float8": "double precision",
    "bool": "boolean",
    "varchar": "character varying",
    "bpchar": "character",
    "char": '"char"',
    "varbit": "bit varying",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "decimal": "numeric",
}
_SERIALS = {
    "serial": "integer",
    "serial4": "integer",
    "bigserial": "bigint",
    "serial8": "bigint",
    "smallserial": "smallint",
    "serial2": "smallint",
}
# The fields of an interval type, by the bits of its modifier.
_INTERVALS = {
    1 << 2: " year",
    1 << 1: " month",
    1 << 3: " day",
    1 << 10: " hour",
    1 << 11: " minute",
    1 << 12: " second",
    1 << 1 | 1 << 2: " year to month",
    1 << 3 | 1 << 10: " day to hour",
    1 << 3 | 1 << 10 | 1 << 11: " day to minute",
    1 << 3 | 1 << 10 | 1 << 11 | 1 << 12: " day to second",
    1 << 10 | 1 << 11: " hour to minute",
    1 << 10 | 1 << 11 | 1 << 12: " hour to second",
    1 << 11 | 1 << 12: " minute to second",
}


def serial_type(node: ast.TypeName) -> str | None:
    """The type of a column that is declared serial; None for any other."""
    return _SERIALS.get(node.names[0].sval) if len(node.names) == 1 else None


def shown_type(node: ast.TypeName | None) -> str | None:
    """A type's name; None where it is not known (`%TYPE`, or `"?"` of a migration)."""
    if node is None or node.pct_type or node.names[-1].sval == "?":
        return None
    *schema, name = (part.sval for part in node.names)
    known = _SHOWN.get(name)
    if name == "bpchar" and not schema:
        known = None  # without a length it goes by that name
    if schema not in ([], ["pg_catalog"]) or known is None:
        shown = ".".join((*schema, name)) if schema != ["pg_catalog"] else name
    else:
        shown = known
    modifiers = _modifiers(node, name)
    head, _, tail = shown.partition(" ")
    if modifiers and head in ("time", "timestamp") and known is not None:
        shown = f"{head}{modifiers} {tail}"
    else:
        shown += modifiers
    return shown + ("[]" if node.arrayBounds else "")


def _modifiers(node: ast.TypeName, name: str) -> str:
    values = [
        item.val.ival
        for item in node.typmods or ()
        if isinstance(item, ast.A_Const) and isinstance(item.val, ast.Integer)
    ]
    if name == "interval":
        fields = _INTERVALS.get(values[0], "") if values else ""
        return fields + (f"({values[1]})" if len(values) > 1 else "")
    if name in ("numeric", "decimal") and len(values) == 1:
        values = [values[0], 0]
    if name == "bpchar" and node.names[0].sval != "pg_catalog":
        return ""
    return f"({','.join(map(str, values))})" if values else ""
