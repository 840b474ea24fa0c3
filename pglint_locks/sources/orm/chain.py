"""Chains of method calls, in whatever language: `root.first(…).second(…)[:10]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pglint_locks.text import Span

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node


class Argument(NamedTuple):
    """An argument of a call: its expression, and its keyword if it has one."""

    node: Node
    keyword: str | None = None


class Link(NamedTuple):
    """A call, an attribute or a subscript of a chain.

    `name` is empty for a subscript, whose argument is what stands in the brackets.
    `span` (file offsets) leads from the name, or the bracket, to the link's end.
    """

    name: str
    arguments: tuple[Argument, ...]
    span: Span
    is_call: bool

    def positional(self, index: int) -> Node | None:
        """The positional argument of that number."""
        nodes = [each.node for each in self.arguments if each.keyword is None]
        return nodes[index] if index < len(nodes) else None

    def keyword(self, name: str) -> Node | None:
        """The argument of that keyword."""
        return next((each.node for each in self.arguments if each.keyword == name), None)


class Chain(NamedTuple):
    """An expression that begins at `root` and goes on through `links`, in order.

    `held` are the queries that names in its arguments stand for.
    """

    root: Node
    links: tuple[Link, ...]
    held: Mapping[str, Chain] = MappingProxyType({})

    @property
    def span(self) -> Span:
        """The whole chain, as file offsets."""
        start = self.root.span.start
        return Span(start, self.links[-1].span.end if self.links else self.root.span.end)

    @property
    def gives_sql(self) -> bool:
        """Whether the SQL of the query is asked for, not its rows."""
        return bool(self.links) and self.links[-1].name in _GIVE_SQL

    def resolved(self, node: Node) -> Chain:
        """The chain that an argument is, with what a name holds that it begins with."""
        chain = chain_of(node)
        query = self.held.get(chain.root.text)
        if query is None or chain.root.kind != "identifier":
            return chain._replace(held=self.held)
        return Chain(query.root, query.links + chain.links, self.held)

    def named(self, *names: str) -> Iterator[Link]:
        """The calls of these names."""
        return (link for link in self.links if link.is_call and link.name in names)


_GIVE_SQL = frozenset({"to_sql", "sql", "toSql", "toSQL", "toQuery", "toString", "getSQL"})
# The kinds of nodes that a call, an attribute and a subscript are.
_CALLS = frozenset(
    """call call_expression method_invocation invocation_expression member_call_expression
    nullsafe_member_call_expression scoped_call_expression""".split()
)
_BLOCKS = frozenset({"block", "do_block", "type_arguments"})
_MEMBERS = frozenset(
    """attribute member_expression field_expression selector_expression navigation_expression
    member_access_expression field_access dot""".split()
)
_SUBSCRIPTS = frozenset({"subscript", "subscript_expression", "element_reference"})
_ARGUMENTS = frozenset({"argument_list", "arguments", "value_arguments", "call_suffix"})
_WRAPPERS = frozenset(
    """parenthesized_expression await await_expression argument value_argument
    literal_element non_null_expression try_expression as_expression""".split()
)
_KEYWORDS = frozenset({"keyword_argument", "pair", "named_argument"})


def inner(node: Node) -> Node:
    """The expression itself: without parentheses and `await` around it."""
    while node.kind in _WRAPPERS:
        named = [child for child in node.children if child.named]
        if not named:
            break
        node = named[0]
    return node


def chain_of(node: Node) -> Chain:
    """The chain that an expression is; one that is none has no links."""
    links: list[Link] = []
    node = inner(node)
    while (step := _step(node)) is not None:
        receiver, link = step
        if link.name or link.is_call or link.arguments:
            links.append(link)
        node = inner(receiver)
    links.reverse()
    return Chain(node, tuple(links))


def with_own_call(chain: Chain) -> Chain:
    """A chain that begins with a call on nothing, as one of that call: `where(…).lock`."""
    root = chain.root
    called = [each for each in root.operands if each.kind not in _ARGUMENTS | _BLOCKS]
    if root.kind not in _CALLS or len(called) != 1 or called[0].kind != "identifier":
        return chain
    own = Link(called[0].text, tuple(arguments_of(root)), root.span, is_call=True)
    return chain._replace(links=(own, *chain.links))


def _step(node: Node) -> tuple[Node, Link] | None:
    """The last link of an expression, and what it is a link of."""
    if node.kind in _CALLS:
        return _call(node)
    if node.kind in _SUBSCRIPTS:
        return _subscript(node)
    if node.kind in _MEMBERS:
        receiver, name = _member(node)
        if receiver is not None and name is not None:
            return receiver, Link(name.text, (), name.span, is_call=False)
    return None


def _call(node: Node) -> tuple[Node, Link] | None:
    """A call: its function is a member of something, or stands behind its receiver."""
    called = [child for child in node.operands if child.kind not in _ARGUMENTS | _BLOCKS]
    receiver, name = None, None
    if len(called) == 1 and called[0].kind in _MEMBERS:
        receiver, name = _member(called[0])
    elif len(called) > 1:
        receiver, name = called[0], called[1]
    if receiver is None or name is None:
        return None
    span = Span(name.span.start, node.span.end)
    return receiver, Link(name.text, tuple(arguments_of(node)), span, is_call=True)


def _member(node: Node) -> tuple[Node | None, Node | None]:
    named = node.operands
    if len(named) < 2:
        return None, None
    name = named[-1]
    if name.kind == "navigation_suffix":  # Kotlin
        name = next((child for child in name.children if child.named), name)
    return named[0], name


def _subscript(node: Node) -> tuple[Node, Link] | None:
    named = [child for child in node.children if child.named]
    if len(named) < 2:
        return None
    start = named[0].span.end
    return named[0], Link(
        "", tuple(map(Argument, named[1:])), Span(start, node.span.end), is_call=False
    )


def arguments_of(call: Node) -> Iterator[Argument]:
    """The arguments of a call, in order."""
    for child in call.children:
        if child.kind in _ARGUMENTS:
            for each in child.children:
                if each.kind in _ARGUMENTS:  # Kotlin's `call_suffix` holds them once more
                    yield from (Argument(inner(one)) for one in each.children if one.named)
                elif each.named and each.kind != "comment":
                    yield _argument(each)


def _argument(node: Node) -> Argument:
    if node.kind in _KEYWORDS:
        named = [child for child in node.children if child.named]
        if len(named) >= 2:
            return Argument(inner(named[-1]), named[0].text.strip(": "))
    return Argument(inner(node))


def unknown_options(link: Link, *others: str) -> list[str]:
    """The arguments of a call that are no literal truth values, but for those named."""
    return [
        f"{each.keyword or each.node.text} of {link.name}()"
        for each in link.arguments
        if each.keyword not in others and each.node.text not in ("True", "False", "None")
    ]


def before_calls(chain: Chain) -> str:
    """What a chain begins with, up to its first call: `order.lines`."""
    end = chain.root.span.end
    for link in chain.links:
        if link.is_call or not link.name:
            break
        end = link.span.end
    return chain.root.whole[chain.root.span.start : end]


def pairs_of(node: Node | None) -> dict[str, Node]:
    """The keys of a literal object, dictionary or keyword list that are plain names."""
    if node is None:
        return {}
    found = {}
    for child in node.children:
        if child.kind in ("pair", "keyed_element", "array_element_initializer"):
            named = [each for each in child.children if each.named]
            if len(named) >= 2:
                found[named[0].text.strip(":\"' ")] = inner(named[-1])
    return found


def items_of(node: Node) -> list[Node]:
    """The items of a literal list, tuple or set; the node itself where it is none."""
    if node.kind in ("list", "tuple", "set", "array", "array_creation_expression"):
        return [inner(child) for child in node.children if child.named]
    return [node]


def string_of(node: Node | None) -> str | None:
    """The value of a plain string literal or symbol without escapes; None for all else."""
    if node is None:
        return None
    if node.kind in ("simple_symbol", "atom"):
        return node.text.lstrip(":")
    parts = [child for child in node.children if child.named]
    kinds = {part.kind for part in parts}
    if "string" not in node.kind or not kinds <= _PLAIN:
        return None
    return "".join(part.text for part in parts if "content" in part.kind or "fragment" in part.kind)


_PLAIN = frozenset(
    """string_start string_content string_end string_fragment
    interpreted_string_literal_content raw_string_literal_content quoted_content""".split()
)
