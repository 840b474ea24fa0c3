"""What the readers of host languages differ in: tables over one shared core."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import NamedTuple

from pglint_locks.sources.host.tree import Node


class Form(NamedTuple):
    """A form of string literal: how it opens and closes, and what is escaped in it how.

    `closing` is a format of the groups of `opening`.  Of `escapes`, each match stands
    for what `escapes.meaning` says.
    """

    opening: re.Pattern[str]
    closing: str
    escapes: re.Pattern[str] | None = None


class Does(Enum):
    """What a function of the host does to text."""

    BRACES = auto()
    """Puts its arguments into the `{}` of what it is called on."""
    PERCENT = auto()
    """Puts its arguments into the `%s` of what it is called on."""
    PERCENT_OF_FIRST = auto()
    """Puts its arguments into the `%s` of its first one."""
    BRACES_OF_FIRST = auto()
    """Puts its arguments into the `{}` of its first one."""
    JOIN_FIRST = auto()
    """Joins the texts of a list with what it is called on."""
    JOIN_WITH_SECOND = auto()
    """Joins the texts of its first argument with its second."""
    JOIN_OWN = auto()
    """Joins the texts of the list that it is called on with its first argument."""
    SAME_AS_FIRST = auto()
    """Gives the text of its first argument, for the database the same."""
    SAME = auto()
    """Gives the text that it is called on, for the database the same."""
    WITHOUT_MARGIN = auto()
    """The same, with the `|` taken off that each line begins with."""
    IDENTIFIER = auto()
    """Gives a quoted name."""
    LITERAL = auto()
    """Gives a quoted literal."""
    CONCAT = auto()
    """Adds its arguments to the end of what it is called on, and gives that."""
    CONCAT_BRACES = auto()
    """The same, with its other arguments put into the `{}` of its first one."""
    BIND = auto()
    """Adds the sign of a parameter to the end of what it is called on."""
    INTO_FIRST = auto()
    """Adds its further arguments to the end of its first one."""
    PERCENT_INTO_FIRST = auto()
    """The same, with those put into the `%s` of the second one."""
    BRACES_INTO_FIRST = auto()
    """The same, with those put into the `{}` of the second one."""
    ADD = auto()
    """Adds its arguments to the list that it is called on."""
    EXTEND = auto()
    """Adds the elements of its argument to the list that it is called on."""
    ADD_TO_FIRST = auto()
    """Gives the list that is its first argument with the others behind it."""
    JOIN_WITH_FIRST = auto()
    """Joins the texts of its other arguments, or of a list, with its first one."""
    CONCAT_ALL = auto()
    """Gives its arguments as one text."""
    BUILD = auto()
    """Gives what the function that it is given appends."""
    LIST = auto()
    """Gives a list of its arguments."""


INTO_FIRST = frozenset({Does.INTO_FIRST, Does.PERCENT_INTO_FIRST, Does.BRACES_INTO_FIRST})


_NAMES = frozenset(
    """identifier type_identifier property_identifier field_identifier name simple_identifier
    constant private_property_identifier operator scope_resolution""".split()
)


def own_name(node: Node) -> Node | None:
    """The name of a function or class: the last one before its parameters, else the first."""
    names: list[Node] = []
    for child in node.children:
        if names and "parameter" in child.kind and "type" not in child.kind:
            return names[-1]
        if child.kind in _NAMES:
            names.append(child)
    return names[0] if names else None


def no_prefix(_node: Node, _text: str) -> str:
    """A method's class stands around it."""
    return ""


class Language(NamedTuple):
    """The node kinds of a grammar that matter here.

    `joined` are literals side by side, `sums` and `signs` operations that join texts;
    `choices` say which operands of a conditional expression are its values; `bodies` hold
    statements one after the other; `cases` are the arms of a switch; `handlers` those of
    a try.  `names` are identifiers, `members` names behind a dot.  `calls` say what
    functions do to text, by the last part of their names.  `anonymous` functions are called
    by what they are assigned to; `ands` are signs that give their right side or nothing;
    `fields` are names that a class's body may set; `marks` are the signs around holes;
    `words` are nodes that are signs by their text.  With `iodata` a list may be sent as one
    text; with `captures` formats may name variables.  A space comes behind
    literals that begin `spaced`.
    """

    grammar: str
    forms: tuple[Form, ...]
    strings: frozenset[str]
    holes: frozenset[str]
    sums: frozenset[str]
    signs: frozenset[str]
    names: frozenset[str]
    members: frozenset[str]
    invocations: frozenset[str]
    arguments: frozenset[str]
    functions: frozenset[str]
    classes: frozenset[str]
    bodies: frozenset[str]
    branches: frozenset[str]
    loops: frozenset[str]
    tries: frozenset[str]
    handlers: frozenset[str]
    cases: frozenset[str]
    leaves: frozenset[str]
    calls: Mapping[str, Does]
    joined: frozenset[str] = frozenset()
    choices: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    assigning: frozenset[str] = frozenset({"=", ":=", "+="})
    not_assignments: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    deferred: frozenset[str] = frozenset()
    scoped: frozenset[str] = frozenset()
    docstrings: bool = False
    percent_sign: bool = False
    heredocs: tuple[str, str] | None = None
    anonymous: frozenset[str] = frozenset()
    ands: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    iodata: bool = False
    spaced: tuple[str, ...] = ()
    captures: bool = False
    named: Callable[[Node], Node | None] = own_name
    shape: Callable[[Node, str], None] | None = None
    prefix: Callable[[Node, str], str] = no_prefix


_BINDS = re.compile(r"(?i:append_?(?:param|value|bind|literal))\w*|push_(?:values|tuples|bind)\w*")


def does_of(name: str, language: Language) -> Does | None:
    """What a function of a name does to text; None if it does nothing that is known."""
    does = language.calls.get(name)
    return Does.BIND if does is None and _BINDS.fullmatch(name) else does


def kinds(words: str) -> frozenset[str]:
    """Node kinds, written with spaces between."""
    return frozenset(words.split())
