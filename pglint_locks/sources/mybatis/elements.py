"""XML as far as a mapper needs it: elements, text and where they stand.

No entity is looked up but the five of XML itself and characters by number; nothing outside
of the text is ever read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pglint_locks.sql.chunks import Comment
from pglint_locks.text import Span

_MARKUP = re.compile(
    r"""<!--(?P<comment>) | <!\[CDATA\[(?P<cdata>) | <[?!](?P<other>)
    | <(?P<closes>/)?(?P<name>[\w:.-]+)
      (?P<attributes>(?:[^<>"'/]|/(?!>)|"[^"<]*"|'[^'<]*')*) (?P<empty>/)?>""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')""")
_REFERENCE = re.compile(
    r"&(?:(?P<name>lt|gt|amp|quot|apos)|#(?:(?P<d>\d{1,7})|x(?P<x>[\da-fA-F]{1,6})));"
)
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_MAX_DEPTH = 100


class BrokenXmlError(Exception):
    """The text is not well formed from the offset `at` on."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(frozen=True, slots=True)
class Text:
    """A run of text; in CDATA a reference is none."""

    span: Span
    is_cdata: bool = False


@dataclass(slots=True, eq=False)
class Element:
    """An element: its opening tag's place, what is in it, and where it ends."""

    name: str
    attributes: dict[str, str]
    tag: Span
    children: list[Element | Text] = field(default_factory=list)
    end: int = -1


def parse_xml(text: str, root: Element) -> list[Comment]:
    """Put the text's elements into `root`; returns the comments.

    Raises `BrokenXmlError`; the root then has those that were complete.
    """
    comments: list[Comment] = []
    opened = [root]
    at = 0
    try:
        while (sign := text.find("<", at)) >= 0:
            if sign > at:
                opened[-1].children.append(Text(Span(at, sign)))
            markup = _MARKUP.match(text, sign)
            if markup is None:
                raise BrokenXmlError(sign)
            at = _take(text, markup, opened, comments)
        if len(opened) > 1:
            raise BrokenXmlError(opened[-1].tag.start)
    except BrokenXmlError as error:
        # What is not closed is read by nobody: a statement begins above the mapper's children.
        at = opened[2].tag.start if len(opened) > 2 else error.at
        raise BrokenXmlError(at) from None
    return comments


def _take(text: str, markup: re.Match[str], opened: list[Element], comments: list[Comment]) -> int:
    """Take one piece of markup; where the text goes on."""
    start = markup.start()
    if markup["comment"] is not None:
        end = _behind(text, "-->", markup.end(), start)
        comments.append(Comment(Span(start, end), text[start:end]))
    elif markup["cdata"] is not None:
        end = _behind(text, "]]>", markup.end(), start)
        opened[-1].children.append(Text(Span(markup.end(), end - 3), is_cdata=True))
    elif markup["other"] is not None:
        end = _behind(text, ">", markup.end(), start)
    elif markup["closes"]:
        end = markup.end()
        if len(opened) == 1 or opened[-1].name != markup["name"]:
            raise BrokenXmlError(start)
        opened.pop().end = end
    else:
        end = markup.end()
        attributes = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(markup["attributes"])}
        element = Element(markup["name"], attributes, Span(start, end))
        opened[-1].children.append(element)
        if markup["empty"]:
            element.end = end
        elif len(opened) > _MAX_DEPTH:
            raise BrokenXmlError(start)
        else:
            opened.append(element)
    return end


def _behind(text: str, closing: str, at: int, start: int) -> int:
    end = text.find(closing, at)
    if end < 0:
        raise BrokenXmlError(start)
    return end + len(closing)


def references(text: str, span: Span) -> list[tuple[Span, str]]:
    """The references in a run of text, each with the character that it means."""
    found: list[tuple[Span, str]] = []
    for each in _REFERENCE.finditer(text, span.start, span.end):
        if each["name"]:
            meaning = _NAMED[each["name"]]
        else:
            code = int(each["d"]) if each["d"] else int(each["x"], 16)
            valid = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
            meaning = chr(code) if valid else "\ufffd"
        found.append((Span(*each.span()), meaning))
    return found
