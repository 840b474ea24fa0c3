"""Edits that take directives out of their comments, or put today's code in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Protocol

from pglint_locks.directives import AFTER_SIGN, Directive, Mistake
from pglint_locks.findings import SAFE, Edit, Fix
from pglint_locks.text import SourceText, Span

_SIGNS = re.compile(r"\s*(?:/?\*+[/!]?|<!--|-->)?\s*")
_CLOSED = re.compile(r"(?:\*/|-->|[#%}]\})\s*\Z")
_WORD = re.compile(r"\w")
_AROUND = re.compile(r"[*\s]*")


class CommentText(Protocol):
    """A comment as file offsets, and its text with its signs."""

    @property
    def span(self) -> Span:
        """From its first sign to behind its last character."""

    @property
    def text(self) -> str:
        """What the file holds there."""


def without(
    source: SourceText, comment: CommentText, directive: Directive, others: Sequence[Directive]
) -> Edit | None:
    """Take a directive out, with its reason; `others` are those of its comment.

    A comment that says nothing else goes with it, and so does the line that it has for itself.
    None where more would have to be known: where the comment is a part of a literal that has
    escapes, or says more.
    """
    if not _is_as_written(source, comment):
        return None
    text, start = comment.text, directive.span.start - comment.span.start
    if others:
        return _beside(comment, directive, others)
    if _WORD.search(text, 0, start) is None:
        return _whole(source, comment.span) if _says_little(text) else None
    lead = AFTER_SIGN.search(text, 0, start)
    if lead is None or _CLOSED.search(text) or not _says_little(text):
        return None
    first = len(text[: lead.start()].rstrip())
    return Edit(Span(comment.span.start + first, comment.span.end), "")


def without_items(
    source: SourceText, comment: CommentText, directive: Directive, idle: Collection[str]
) -> Edit | None:
    """Take words out of a directive's brackets, with their commas.

    None where no other word would be left there.
    """
    span = _brackets(source, comment, directive)
    if span is None:
        return None
    pieces = source.text[span.start : span.end].split(",")
    kept = [piece for piece in pieces if _word(piece) and _word(piece) not in idle]
    if not kept:
        return None
    kept[0] = kept[0].lstrip()
    return Edit(span, ",".join(kept))


def renaming(source: SourceText, comment: CommentText, mistake: Mistake) -> Fix | None:
    """The fix that calls a rule as it is called today."""
    if mistake.becomes is None or not _is_as_written(source, comment):
        return None
    return Fix(SAFE, mistake.advice, (Edit(mistake.span, mistake.becomes),))


def _is_as_written(source: SourceText, comment: CommentText) -> bool:
    return source.text[comment.span.start : comment.span.end] == comment.text


def _word(piece: str) -> str:
    around = _AROUND.match(piece)
    return piece[around.end() if around else 0 :].rstrip()


def _brackets(source: SourceText, comment: CommentText, directive: Directive) -> Span | None:
    """What stands between a directive's brackets."""
    start, end = directive.span
    opened = source.text.find("[", start, end)
    if opened < 0 or not _is_as_written(source, comment):
        return None
    return Span(opened + 1, end - 1)


def _says_little(text: str) -> bool:
    """Whether no more than one line of a comment has words."""
    lines = re.split(r"\r\n|\n|\r", text)
    return sum(_SIGNS.fullmatch(line) is None for line in lines) == 1


def _beside(comment: CommentText, directive: Directive, others: Sequence[Directive]) -> Edit | None:
    """Take out one directive of several; what stands behind the last one is the reason of all."""
    behind = [other.span.start for other in others if other.span.start > directive.span.start]
    if behind:
        return Edit(Span(directive.span.start, min(behind)), "")
    before = max(other.span.end for other in others)
    between = comment.text[before - comment.span.start : directive.span.start - comment.span.start]
    if "\n" in between or "\r" in between:
        return None
    return Edit(Span(before, directive.span.end), "")


def _whole(source: SourceText, span: Span) -> Edit:
    """Take out a comment: with its line if that holds nothing else, else with the space before."""
    first = source.position(span.start).row
    last = source.position(max(span.end - 1, span.start)).row
    start, end = source.line_span(first).start, source.line_span(last).end
    before, after = source.text[start : span.start], source.text[span.end : end]
    if not before.strip() and not after.strip():
        following = source.line_span(last + 1).start if last < source.row_count else end
        return Edit(Span(start, following), "")
    if not after.strip():
        return Edit(Span(start + len(before.rstrip()), end), "")
    if not before.strip():
        return Edit(Span(span.start, span.end + len(after) - len(after.lstrip())), "")
    if before[-1:].isspace() and after[:1].isspace():
        return Edit(Span(start + len(before.rstrip()), span.end), "")
    glued = not before[-1:].isspace() and not after[:1].isspace()
    return Edit(span, " " if glued else "")
