"""What the nodes of expressions are: calls, sub-links, and how their operands stand."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType, SubLinkType

from pglint_locks.model.queries.query import Call, Standing, SubLinkKind

_SUB_LINK_KINDS = {
    SubLinkType.EXISTS_SUBLINK: SubLinkKind.EXISTS,
    SubLinkType.ALL_SUBLINK: SubLinkKind.ALL,
    SubLinkType.ANY_SUBLINK: SubLinkKind.ANY,
    SubLinkType.ROWCOMPARE_SUBLINK: SubLinkKind.ROW_COMPARE,
    SubLinkType.EXPR_SUBLINK: SubLinkKind.SCALAR,
    SubLinkType.ARRAY_SUBLINK: SubLinkKind.ARRAY,
}

_COMPARISONS = {"=", "<", ">", "<=", ">=", "<>", "!=", "@>", "<@", "&&"}


def flatten(value: object) -> Iterator[ast.Node]:
    """The nodes in what a field of a node holds: a node, a list of such, or neither."""
    if isinstance(value, ast.Node):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from flatten(item)


def call_of(node: ast.Node, standing: Standing) -> Call:
    """A function call, or an SQL/JSON aggregate, as the model knows it."""
    if not isinstance(node, ast.FuncCall):
        name = "json_arrayagg" if isinstance(node, ast.JsonArrayAgg) else "json_objectagg"
        made = node.constructor
        return Call(None, name, node, made.location, standing, made.over is not None, True)
    *schema, name = (part.sval for part in node.funcname)
    aggregate_syntax = bool(
        node.agg_star
        or node.agg_distinct
        or node.agg_order
        or node.agg_filter
        or node.agg_within_group
    )
    return Call(
        schema[-1] if schema else None,
        name,
        node,
        node.location,
        standing,
        windowed=node.over is not None,
        aggregate_syntax=aggregate_syntax,
    )


def sub_link_kind(node: ast.SubLink) -> SubLinkKind:
    """What a sub-link asks of its query: EXISTS, IN, a single value …."""
    return _SUB_LINK_KINDS.get(node.subLinkType, SubLinkKind.SCALAR)


def standing_below(node: ast.Node, standing: Standing) -> Standing:
    """How the operands of a node stand."""
    match node:
        case ast.BoolExpr():
            if node.boolop == BoolExprType.OR_EXPR:
                return standing._replace(conjunct=False)
            if node.boolop == BoolExprType.NOT_EXPR:
                return standing._replace(negated=True)
        case ast.CaseExpr() | ast.CoalesceExpr() | ast.NullTest() | ast.BooleanTest():
            return standing._replace(conjunct=False)
        case ast.A_Expr() if standing.comparison is None and _is_comparison(node):
            return standing._replace(comparison=node)
    return standing


def _is_comparison(node: ast.A_Expr) -> bool:
    if node.kind in (A_Expr_Kind.AEXPR_OP, A_Expr_Kind.AEXPR_OP_ANY, A_Expr_Kind.AEXPR_OP_ALL):
        return node.name[-1].sval in _COMPARISONS
    return node.kind in (A_Expr_Kind.AEXPR_IN, A_Expr_Kind.AEXPR_NOT_DISTINCT)
