"""Python of migrations, as far as it is literal: calls, their arguments, and SQL made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

ANY_TYPE = '"?"'
"""What stands for a type that is not known."""


class Call(NamedTuple):
    """A call: the last part of the function's name, what that is asked of, and its arguments."""

    name: str
    owner: str
    arguments: Sequence[ast.expr]
    keywords: dict[str, ast.expr]
    line: int

    def node(self, place: int, *keywords: str) -> ast.expr | None:
        """An argument by its place or one of its names."""
        if 0 <= place < len(self.arguments):
            return self.arguments[place]
        return next((self.keywords[key] for key in keywords if key in self.keywords), None)

    def text(self, place: int, *keywords: str) -> str | None:
        """An argument that is a literal text."""
        value = literal(self.node(place, *keywords))
        return value if isinstance(value, str) else None

    def texts(self, place: int, *keywords: str) -> list[str] | None:
        """An argument that is a literal list of texts."""
        return texts(self.node(place, *keywords))

    def flag(self, keyword: str) -> bool | None:
        """A keyword that is literally True or False."""
        value = literal(self.keywords.get(keyword))
        return value if isinstance(value, bool) else None


def call_of(node: ast.AST | None) -> Call | None:
    """A node as a call; None if it is none."""
    if not isinstance(node, ast.Call):
        return None
    function = node.func
    owner = ""
    if isinstance(function, ast.Attribute):
        name, inner = function.attr, function.value
        owner = inner.id if isinstance(inner, ast.Name) else ast.unparse(inner)
    elif isinstance(function, ast.Name):
        name = function.id
    else:
        return None
    keywords = {each.arg: each.value for each in node.keywords if each.arg is not None}
    return Call(name, owner, node.args, keywords, node.lineno)


def literal(node: ast.expr | None) -> object:
    """The value of a literal; None for anything else."""
    if node is None:
        return None
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def texts(node: ast.expr | None) -> list[str] | None:
    """A literal list, tuple or set of texts; None for anything else."""
    value = literal(node)
    if isinstance(value, (list, tuple, set)) and all(isinstance(each, str) for each in value):
        return [str(each) for each in value]
    return None


def names_in(node: ast.AST) -> Iterator[str]:
    """The texts that stand in a piece of code: among them are the names of tables."""
    for below in ast.walk(node):
        if isinstance(below, ast.Constant) and isinstance(below.value, str):
            yield below.value


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def listed(names: Iterable[str]) -> str:
    """Names as SQL lists them."""
    return ", ".join(map(quoted, names))


def parsed(text: str) -> ast.Module | None:
    """The module that a text of Python is; None where it is none."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
