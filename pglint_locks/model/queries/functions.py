"""What is known of PostgreSQL's own functions by their names (`pg_proc` of version 18)."""

from __future__ import annotations

from pglast import ast

from pglint_locks.model.queries.query import Call

_AGGREGATES = frozenset(
    """any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop
    covar_samp every json_agg json_agg_strict json_arrayagg json_object_agg
    json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_objectagg
    jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique
    jsonb_object_agg_unique_strict max min mode percentile_cont percentile_disc range_agg
    range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
    regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum var_pop var_samp
    variance xmlagg""".split()
)

_SET_RETURNING = frozenset(
    """aclexplode generate_series generate_subscripts json_array_elements
    json_array_elements_text json_each json_each_text json_object_keys json_populate_recordset
    json_to_recordset jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text
    jsonb_object_keys jsonb_path_query jsonb_path_query_tz jsonb_populate_recordset
    jsonb_to_recordset pg_ls_dir regexp_matches regexp_split_to_table string_to_table ts_debug
    ts_parse ts_stat ts_token_type txid_snapshot_xip unnest""".split()
)

# Functions whose every call gives another value, so that an order by them is random.
_RANDOM = frozenset(
    """clock_timestamp gen_random_uuid nextval random random_normal timeofday uuidv4
    uuidv7""".split()
)

# Functions that may give a value for NULL, in every form of theirs (`NOT proisstrict`).
_NOT_STRICT = frozenset(
    """array_append array_cat array_fill array_position array_positions array_prepend
    array_remove array_replace concat concat_ws daterange enum_first enum_last enum_range
    format format_type int4range int8range json_build_array json_build_object
    json_populate_record jsonb_build_array jsonb_build_object jsonb_populate_record
    jsonb_set_lax num_nonnulls num_nulls numrange overlaps pg_typeof quote_nullable
    set_config string_to_array tsrange tstzrange""".split()
)


_NEVER_STRICT = (
    ast.CaseExpr,
    ast.MinMaxExpr,
    ast.XmlExpr,
    ast.A_ArrayExpr,
    ast.GroupingFunc,
    ast.JsonObjectConstructor,
    ast.JsonArrayConstructor,
)


def is_aggregate(call: Call) -> bool:
    """Whether a call is certainly an aggregate of PostgreSQL's (or written as only one can be)."""
    if call.windowed:
        return False
    return call.aggregate_syntax or (call.is_system and call.name in _AGGREGATES)


def is_set_returning(call: Call) -> bool:
    """Whether a call is certainly one of a set-returning function of PostgreSQL's."""
    return call.is_system and call.name in _SET_RETURNING


def is_random(schema: str | None, name: str) -> bool:
    """Whether a function gives another value on each call (`uuid_generate_v…` is uuid-ossp's)."""
    if name.startswith("uuid_generate_v"):
        return True
    return schema in (None, "pg_catalog") and name in _RANDOM


def is_not_strict(schema: str | None, name: str) -> bool:
    """Whether a function is certainly PostgreSQL's own and gives a value for NULL, too."""
    return schema in (None, "pg_catalog") and name in _NOT_STRICT


def is_never_strict(node: ast.Node) -> bool:
    """Whether an expression may give a value for NULL, by the grammar alone (CASE, COALESCE)."""
    if isinstance(node, ast.CoalesceExpr):
        return len(node.args) > 1
    return isinstance(node, _NEVER_STRICT)
