"""Codes of rules in suppression comments: what they mean, and which there are."""

from __future__ import annotations

import re

from lsprotocol import types

from pglint_locks.errors import UsageError
from pglint_locks.lsp.documents import Document
from pglint_locks.pages import read_page
from pglint_locks.plugins import known_rules
from pglint_locks.selection import find_rule
from pglint_locks.text import Span

_BRACKETS = re.compile(r"pglint[ \t]*:[ \t]*[\w-]+[ \t]*\[([^\]\r\n]*)", re.IGNORECASE)
_WORD = re.compile(r"[\w-]+")


def page_at(document: Document, offset: int) -> tuple[Span, str] | None:
    """The page of the rule that a comment names at an offset of the text, and the name's range."""
    brackets = _brackets_at(document, offset)
    if brackets is None:
        return None
    for word in _WORD.finditer(document.text, *brackets):
        if word.start() <= offset <= word.end():
            try:
                return Span(*word.span()), read_page(find_rule(known_rules(), word[0]))
            except UsageError:
                return None
    return None


def completions(document: Document, offset: int) -> list[types.CompletionItem]:
    """The rules that may be named at an offset, if it is in the brackets of a comment."""
    brackets = _brackets_at(document, offset)
    if brackets is None:
        return []
    words = _WORD.finditer(document.text, *brackets)
    spans = (Span(*word.span()) for word in words)
    here = next((span for span in spans if span.start <= offset <= span.end), Span(offset, offset))
    place = document.places.range(here)
    return [
        types.CompletionItem(
            rule.code,
            kind=types.CompletionItemKind.EnumMember,
            detail=rule.name,
            documentation=rule.summary,
            filter_text=f"{rule.code} {rule.name}",
            text_edit=types.TextEdit(place, rule.code),
        )
        for rule in known_rules()
    ]


def _brackets_at(document: Document, offset: int) -> Span | None:
    """Where what stands in the brackets of a directive is, around an offset."""
    line = document.places.line(offset)
    for found in _BRACKETS.finditer(document.text, line.start, line.end):
        if found.start(1) <= offset <= found.end(1):
            return Span(*found.span(1))
    return None
