"""Which database a text of host code is for, as far as names around it tell.

Drivers for several databases have twins of a query: under `if dialect == "mysql"`, in a
class `MySQLQueue`, in a constant `SQLITE_CLAIM`, or in a table by the database's name.
"""

from __future__ import annotations

import re

from pglint_locks.sources.host.language import Language
from pglint_locks.sources.host.tree import Node

_OTHERS = re.compile(
    r"my_?sql|maria_?db|sqlite|ms_?sql|sql_?server"
    r"|oracle(?=['\"`]|_?(?:dialect|db|database|sql|driver))",
    re.IGNORECASE,
)
_POSTGRES = re.compile(r"postg|pgsql|psql|cockroach|(?<![a-z])pg(?![a-z])", re.IGNORECASE)
_NEGATED = re.compile(r"!|\bnot\b|\bunless\b|<>|/=")

_CONDITIONAL = re.compile(r"(?:if|unless|elif|elsif|guard)(?:_|$)|else_if")
_ARM = re.compile(r"block|body|statement|then|else|elif|elsif|suite")
# What has a name or a label of its own in front; containers of several such have none.
_LABELLED = re.compile(
    r"_case\b|^case_|arm$|switch_(?:case|entry|section|rule)|when|match_conditional|pair"
    r"|keyed_element|initializer|assignment|declarat|const|static_item|property|entry|attribute"
    r"|unary_operator|function|method|class|object_|struct|module|impl|trait|interface"
)
_CONTAINER = re.compile(r"body|block|list|when_expression|^object$|_group$")
_LONGEST_LABEL = 300


def is_for_another(node: Node, language: Language) -> bool:
    """Whether names around a text say that it is not for PostgreSQL.

    The nearest names decide; those of several databases together say nothing.
    """
    if node.kind in language.names | language.members:
        own = _names(node.text)
        if own is not None:
            return own
    inner = node
    for outer in node.above():
        answer = _of_branch(outer, inner, language)
        if answer is not None:
            return answer
        inner = outer
    return False


def _names(text: str) -> bool | None:
    """Whether a text names another database (True), PostgreSQL (False), or neither or both."""
    others, own = _OTHERS.search(text) is not None, _POSTGRES.search(text) is not None
    return others if others != own else None


def _of_branch(outer: Node, inner: Node, language: Language) -> bool | None:
    """What a node says of the one of its children that the text stands in."""
    if outer.kind in language.choices:
        return _of_choice(outer.operands, inner, language.choices[outer.kind])
    if _CONDITIONAL.match(outer.kind):
        return _of_conditional(outer, inner)
    if outer.parent and _LABELLED.search(outer.kind) and not _CONTAINER.search(outer.kind):
        label = outer.whole[outer.span.start : inner.span.start]
        return _names(label) if len(label) <= _LONGEST_LABEL else None
    return None


def _of_choice(operands: list[Node], inner: Node, values: tuple[int, ...]) -> bool | None:
    """What a conditional expression says of one of its values."""
    conditions = [each for index, each in enumerate(operands) if index not in values]
    if inner not in operands or inner in conditions or len(conditions) != 1:
        return None
    return _of_condition(conditions[0].text, holds=operands.index(inner) == values[0])


def _of_conditional(outer: Node, inner: Node) -> bool | None:
    """What IF says of one of its arms."""
    arms = [each for each in outer.operands if _ARM.search(each.kind)]
    if inner not in arms:
        return None
    condition = outer.whole[outer.span.start : arms[0].span.start]
    return _of_condition(condition, holds=inner is arms[0] and "else" not in inner.kind)


def _of_condition(condition: str, *, holds: bool) -> bool | None:
    """What a condition says that holds, or does not: what it names, or another than that."""
    names_other = _names(condition)
    if names_other is None:
        return None
    return names_other == (holds == (_NEGATED.search(condition) is None))
