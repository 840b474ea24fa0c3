"""The words of Django's querysets: lookups, slices, sort keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pglint_locks.sources.orm.chain import Chain, Link, chain_of, string_of
from pglint_locks.sources.orm.expressions import is_false, is_true
from pglint_locks.sources.orm.models import Model
from pglint_locks.sources.orm.query import Part, Query, Sql, sql

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node

OPERATORS = {
    "exact": "=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "iexact": "ILIKE",
    "contains": "LIKE", "startswith": "LIKE", "endswith": "LIKE", "regex": "~",
    "icontains": "ILIKE", "istartswith": "ILIKE", "iendswith": "ILIKE", "iregex": "~*",
}  # fmt: skip
LOOKUPS = frozenset(OPERATORS) | {"in", "isnull", "range"}
_CONSTANT = re.compile(r"(?:\w+\.)*[A-Z][A-Z0-9_]*(?:\.value)?\Z")


def is_column(model: Model, name: str, value: Node) -> bool:
    """Whether a field is a column of the model's own table, be it by what it is compared with.

    A relation to many has the same form, and brings in a join.
    """
    if name in ("pk", "id") or name.endswith("_id"):
        return True
    if name in model.columns or name in model.relations:
        return True
    is_plain = string_of(value) is not None or is_true(value) or is_false(value)
    return is_plain or _CONSTANT.match(value.text) is not None


def slice_of(query: Query, link: Link) -> None:
    """`[10:30]` is LIMIT 20 OFFSET 10, `[5]` one row."""
    node = link.arguments[0].node
    if node.kind != "slice":
        query.limit = sql(Part("LIMIT 1", link.span))
        query.offset = sql(Part(f"OFFSET {_count(node)}", link.span))
        return
    low, high = _bounds(node)
    if high is not None:
        size = str(int(high) - int(low)) if low and high.isdigit() and low.isdigit() else high
        query.limit = sql(Part(f"LIMIT {size}", link.span))
    if low is not None and low != "0":
        query.offset = sql(Part(f"OFFSET {low}", link.span))


def _bounds(node: Node) -> tuple[str | None, str | None]:
    """The two sides of a slice's first colon."""
    sides: list[str | None] = [None, None]
    side = 0
    for child in node.children:
        if not child.named:
            side += 1
        elif side < 2:
            sides[side] = _count(child)
    return sides[0], sides[1]


def _count(node: Node) -> str:
    text = node.text.replace("_", "")
    return text if text.isdigit() else "$1"


def selected(chain: Chain, key: str) -> Sql:
    """The column of a query behind IN: what `values()` names, else the key."""
    for link in chain.named("values", "values_list"):
        name = string_of(link.positional(0))
        if name is not None:
            return sql(key if name == "pk" else name)
    return sql(key)


def sort_expression(node: Node) -> str:
    """An expression of `order_by()`: `F('created').asc()`, `Random()`, or what is not known."""
    for call in _calls(node):
        if call.text.startswith(("Random(", "functions.Random(")):
            return "random()"
    return "$1"


def _calls(node: Node) -> Iterator[Node]:
    chain = chain_of(node)
    yield chain.root
    yield node


def turned(key: str) -> str:
    """A sort key in the other direction."""
    return key.removesuffix(" DESC") if key.endswith(" DESC") else f"{key} DESC"
