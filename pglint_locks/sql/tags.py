"""The tags of text templates in SQL: where they stand, and what each does to the text.

Jinja (`{{ }}`, `{% %}`, `{# #}`), Go's templates and Mustache (`{{ }}`), ERB, EEx and EJS
(`<% %>`).  What a tag computes is not known; what it opens and closes is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from pglint_locks.text import Span


class TagKind(Enum):
    """What a tag does to the text of the template."""

    VALUE = auto()
    """Puts some text in its place."""
    SILENT = auto()
    """Puts nothing in its place: an assignment, a directive."""
    COMMENT = auto()
    OPEN = auto()
    """Begins text that is there under a condition, or repeated."""
    ELSE = auto()
    CLOSE = auto()
    DEFINE = auto()
    """Begins text of its own, which is used elsewhere: a macro, a block."""
    PART = auto()
    """Begins or ends such text where no closing tag is looked for."""


class Tag(NamedTuple):
    """A tag with its signs."""

    span: Span
    kind: TagKind


_ERB = re.compile(r"<%[=#-]|-%>|<%\s*end\b|<%\s*\}")
_OPENING = re.compile(r"\{\{|\{%|\{#|<%")
_QUOTES = r"""|'[^'\r\n]*'|"[^"\r\n]*\""""
_STOPS = {
    "{{": re.compile(r"\}\}|\{\{" + _QUOTES),
    "{%": re.compile(r"%\}|\{%" + _QUOTES),
    "<%": re.compile(r"%>|<%" + _QUOTES),
    "{#": re.compile(r"#\}|\{#"),
}
_CLOSINGS = {"{{": "}}", "{%": "%}", "<%": "%>", "{#": "#}"}
_WORD = re.compile(r"\w+")
_ARRAY = re.compile(r"""\{\{[\d"'{}-]?[\d"'},.]""")
_RUBY_BLOCK = re.compile(r"\bdo(?:\s*\|[^|]*\|)?\s*\Z|->\s*\Z")
_ASSIGNMENT = re.compile(r"[\w\s,.$]*:?=(?!=)")

_OPEN_WORDS = frozenset("if unless for foreach while range with case ifversion".split())
_ELSE_WORDS = frozenset("else elif elsif elseif when".split())
_CLOSE_WORDS = frozenset("end endif endfor endforeach endunless endwhile endcase".split())
_PARTS = frozenset("macro block call snapshot test materialization query sql".split())


def has_tags(text: str) -> bool:
    """Whether a text may hold tags: a cheap look."""
    return "{{" in text or "{%" in text or "{#" in text or "<%" in text


def find_tags(text: str) -> Iterator[Tag]:
    """The tags of a text in order.  One that is never closed is none.

    `<%` and `%>` are operators too: they are tags where something in the text says so.
    """
    has_erb = "<%" in text and _ERB.search(text) is not None
    at = 0
    while opening := _OPENING.search(text, at):
        start, sign = opening.start(), opening[0]
        end = _tag_end(text, opening.end(), sign)
        if end < 0 or (sign == "<%" and not has_erb) or _ARRAY.match(text, start):
            at = opening.end()
            continue
        inner = text[start + 2 : end - 2]
        if inner.startswith("{") and text.startswith("}", end):
            end += 1  # {{{ x }}}
        yield Tag(Span(start, end), _kind(sign, inner))
        at = end


def _tag_end(text: str, at: int, sign: str) -> int:
    """The offset behind the tag whose inside begins at `at`; -1 if it has no end."""
    for stop in _STOPS[sign].finditer(text, at):
        if stop[0] == _CLOSINGS[sign]:
            return stop.end()
        if stop[0] == sign:
            return -1
    return -1


def _kind(sign: str, inner: str) -> TagKind:
    if sign == "{#":
        return TagKind.COMMENT
    if sign == "{%":
        return _of_statement(inner.strip("-+~ \t\r\n"))
    if sign == "<%":
        return _of_erb(inner)
    return _of_braces(inner.strip("-~ \t\r\n"))


def _of_statement(inner: str) -> TagKind:
    """What a `{% … %}` is."""
    word = _first_word(inner)
    if word == "set":
        return TagKind.SILENT if "=" in inner else TagKind.PART
    if word in _PARTS or word.removeprefix("end") in (*_PARTS, "set"):
        return TagKind.PART
    if word == "with":
        return TagKind.SILENT
    return _by_word(word, TagKind.SILENT)


def _of_braces(inner: str) -> TagKind:
    """What a `{{ … }}` is."""
    if inner.startswith(("/*", "!")):
        return TagKind.COMMENT
    if inner.startswith(("#", "^")):
        return TagKind.OPEN
    if inner.startswith("/"):
        return TagKind.CLOSE
    word = _first_word(inner)
    if word in ("define", "block") and not inner.startswith(f"{word}("):
        return TagKind.DEFINE
    if word == "config" or (inner.startswith("$") and _ASSIGNMENT.match(inner)):
        return TagKind.SILENT
    return _by_word(word, TagKind.VALUE)


def _of_erb(inner: str) -> TagKind:
    """What a `<% … %>` is, in Ruby, Elixir or JavaScript."""
    if inner.startswith("#"):
        return TagKind.COMMENT
    code = inner.strip("=-_ \t\r\n")
    if code.startswith("}"):
        return TagKind.ELSE if code.endswith("{") else TagKind.CLOSE
    if code.endswith("{") or _RUBY_BLOCK.search(code[-80:]):
        return TagKind.OPEN
    if inner.startswith(("=", "-=")):
        return TagKind.VALUE
    return _by_word(_first_word(code), TagKind.SILENT)


def _by_word(word: str, otherwise: TagKind) -> TagKind:
    if word in _OPEN_WORDS:
        return TagKind.OPEN
    if word in _ELSE_WORDS:
        return TagKind.ELSE
    return TagKind.CLOSE if word in _CLOSE_WORDS else otherwise


def _first_word(inner: str) -> str:
    word = _WORD.match(inner)
    return word[0] if word else ""
