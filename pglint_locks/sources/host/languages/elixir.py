"""Elixir, where all is a call: its definitions and conditions get kinds of their own first."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds
from pglint_locks.sources.host.tree import Node
from pglint_locks.text import Span

_FORMS = {
    **dict.fromkeys(("def", "defp", "defmacro", "defmacrop"), "def"),
    **dict.fromkeys(("defmodule", "defimpl", "defprotocol"), "defmodule"),
    **dict.fromkeys(("if", "unless"), "if"),
    "for": "for",
    "try": "try",
}
_FURTHER = kinds("else_block rescue_block catch_block after_block")
_DOCS = frozenset({"doc", "moduledoc", "typedoc", "shortdoc"})
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_QUOTE = "(?P<quote>\"\"\"|'''|[\"'|/])"


def _shape(root: Node, text: str) -> None:
    """Names calls by what they define, and takes ELSE and RESCUE out of the first block."""
    for node in list(root.below()):
        if node.kind == "call" and node.children[0].kind == "identifier":
            first = node.children[0].span
            node.kind = _FORMS.get(text[first.start : first.end], "call")
            if node.kind in ("if", "try"):
                _take_blocks_out(node)
        elif node.kind == "unary_operator" and node.has_token("@") and node.operands:
            _shape_attribute(node, text)


def _take_blocks_out(node: Node) -> None:
    for block in [child for child in node.children if child.kind == "do_block"]:
        further = [child for child in block.children if child.kind in _FURTHER]
        block.children = [child for child in block.children if child.kind not in _FURTHER]
        node.children += further
        for child in further:
            child.parent = node


def _shape_attribute(node: Node, text: str) -> None:
    """`@name value` sets a name of the module; documentation is no text of the program."""
    call = node.operands[0]
    if call.kind != "call" or len(call.children) != 2:
        return
    name, arguments = call.children
    if text[name.span.start : name.span.end] in _DOCS:
        node.children = []
        return
    sign = Node("=", Span(name.span.end, name.span.end), False, node)
    node.kind, node.children = "attribute", [name, sign, *arguments.operands]
    for child in node.children:
        child.parent = node


def _named(node: Node) -> Node | None:
    """The first name behind the word that defines."""
    behind = node.children[1:2]
    found = (each for start in behind for each in start.below())
    return next((each for each in found if each.kind in ("identifier", "alias")), None)


def _sigils(letter: str, escape: re.Pattern[str] | None) -> tuple[Form, ...]:
    pairs = (
        Form(re.compile(f"~{letter}{re.escape(opening)}"), closing, escape)
        for opening, closing in _PAIRS
    )
    return (Form(re.compile(f"~{letter}{_QUOTE}"), "%(quote)s", escape), *pairs)


ELIXIR = Language(
    grammar="elixir",
    forms=(
        Form(re.compile(_QUOTE), "%(quote)s", escapes.BACKSLASH),
        *_sigils("[a-z]", escapes.BACKSLASH),
        *_sigils("[A-Z]+", None),
    ),
    strings=kinds("string sigil"),
    holes=kinds("interpolation"),
    sums=kinds("binary_operator"),
    signs=frozenset({"<>", "|"}),
    names=kinds("identifier"),
    members=kinds("dot"),
    invocations=kinds("call"),
    arguments=kinds("arguments"),
    functions=kinds("def anonymous_function"),
    anonymous=kinds("anonymous_function"),
    classes=kinds("defmodule"),
    bodies=kinds("source do_block else_block rescue_block catch_block after_block body"),
    branches=kinds("if"),
    loops=kinds("for"),
    tries=kinds("try"),
    handlers=kinds("rescue_block catch_block"),
    cases=kinds("stab_clause"),
    leaves=frozenset(),
    assigning=frozenset({"="}),
    lists=kinds("list"),
    iodata=True,
    named=_named,
    shape=_shape,
    calls={
        "join": Does.JOIN_WITH_SECOND,
        "trim": Does.SAME_AS_FIRST,
        "to_string": Does.SAME_AS_FIRST,
    },
)
