"""Codes of rules in suppression comments: what they mean, and which there are."""

from __future__ import annotations

import re

from lsprotocol import types

from pglint_locks.lsp.documents import Document
from pglint_locks.pages import read_page
from pglint_locks.rules import RULES
from pglint_locks.text import Span

_BRACKETS = re.compile(r"pglint:\s*[\w-]+\[([^\]\r\n]*)")
_WORD = re.compile(r"[\w-]+")


def page_at(document: Document, offset: int) -> tuple[Span, str] | None:
    """The page of the rule that a comment names at an offset of the text, and the name's range."""
    for word in _words_at(document, offset):
        for rule in RULES:
            if word[0].upper() == rule.code or word[0] == rule.name:
                return Span(*word.span()), read_page(rule)
    return None


def completions(document: Document, offset: int) -> list[types.CompletionItem]:
    """The rules that may be named at an offset, if it is in the brackets of a comment."""
    if _brackets_at(document, offset) is None:
        return []
    return [
        types.CompletionItem(
            rule.code,
            kind=types.CompletionItemKind.EnumMember,
            detail=rule.name,
            documentation=rule.summary,
            filter_text=f"{rule.code} {rule.name}",
        )
        for rule in RULES
    ]


def _brackets_at(document: Document, offset: int) -> re.Match[str] | None:
    line = document.places.position(offset).line
    start = document.places.offset(types.Position(line, 0))
    end = document.places.offset(types.Position(line, 1 << 30))
    for found in _BRACKETS.finditer(document.text, start, end):
        if found.start(1) <= offset <= found.end(1):
            return found
    return None


def _words_at(document: Document, offset: int) -> list[re.Match[str]]:
    brackets = _brackets_at(document, offset)
    if brackets is None:
        return []
    words = _WORD.finditer(document.text, *brackets.span(1))
    return [word for word in words if word.start() <= offset <= word.end()]
