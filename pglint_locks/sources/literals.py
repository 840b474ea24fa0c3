r"""What a string literal means, with the way back from its value to the file.

Read are `'…'` and `N'…'` (doubled quotes), `E'…'` (backslash escapes), `U&'…'` (with
UESCAPE taken for a backslash), `$tag$…$tag$`, and literals that go on behind a line end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from pglint_locks.sources.units import Escape, SqlUnit
from pglint_locks.sql.literals import DOLLAR_DELIMITER, block_comment_end
from pglint_locks.text import Piece, SourceMap, Span

_OPENING = re.compile(r"([eEnN]|[uU]&)?'")
_GAP = re.compile(r"(?:[ \t\n\r\f\v]+|--[^\r\n]*)*")
_PLAIN_STOP = re.compile("'")
_ESCAPE_STOP = re.compile(r"['\\]")
_ESCAPE = re.compile(
    r"\\(?:x(?P<x>[0-9a-fA-F]{1,2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<other>.))",
    re.DOTALL,
)
_UNICODE_ESCAPE = re.compile(
    r"\\(?:\+(?P<U>[0-9a-fA-F]{6})|(?P<u>[0-9a-fA-F]{4})|(?P<other>\\))", re.DOTALL
)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def literal_unit(unit: SqlUnit, span: Span) -> SqlUnit:
    """The value of the string literal at `span` in a unit, as a unit of its own."""
    text, pieces = _read(unit.text, span)
    escape = unit.escape and nested(unit.escape, literal_escape(unit.text, span))
    return unit._replace(text=text, map=unit.map.composed(SourceMap(tuple(pieces))), escape=escape)


def literal_escape(text: str, span: Span) -> Escape:
    """How text is written inside the string literal at `span`."""
    if delimiter := DOLLAR_DELIMITER.match(text, span.start):
        return partial(_in_dollar_quotes, delimiter[0])
    prefix = text[span.start : text.find("'", span.start)].lower()
    return _in_escape_string if prefix in ("e", "u&") else _in_quotes


def nested(outer: Escape, inner: Escape) -> Escape:
    """How text is written in a literal that stands in another."""
    return partial(_nested, outer, inner)


def _nested(outer: Escape, inner: Escape, text: str) -> str | None:
    written = inner(text)
    return None if written is None else outer(written)


def _in_quotes(text: str) -> str | None:
    return text.replace("'", "''")


def _in_escape_string(text: str) -> str | None:
    return text.replace("\\", "\\\\").replace("'", "''")


def _in_dollar_quotes(delimiter: str, text: str) -> str | None:
    return None if delimiter in text else text


def _read(text: str, span: Span) -> tuple[str, list[Piece]]:
    if delimiter := DOLLAR_DELIMITER.match(text, span.start):
        start = delimiter.end()
        end = max(span.end - len(delimiter[0]), start)
        return text[start:end], [Piece(Span(0, end - start), Span(start, end))]
    opening = _OPENING.match(text, span.start)
    if opening is None:  # B'…', X'…' or no literal: nothing that could be SQL
        return "", [Piece(Span(0, 0), Span(span.start, span.start))]
    prefix = (opening[1] or "").lower()
    value: list[str] = []
    pieces: list[Piece] = []
    at = 0
    for meaning, source in _runs(text, Span(opening.end(), span.end), prefix):
        value.append(meaning)
        pieces.append(Piece(Span(at, at + len(meaning)), source))
        at += len(meaning)
    if not pieces:
        pieces.append(Piece(Span(0, 0), Span(opening.end(), opening.end())))
    return "".join(value), pieces


def _runs(text: str, span: Span, prefix: str) -> Iterator[tuple[str, Span]]:
    """The runs of a quoted literal's value, each with where it stands in the text."""
    stop = _ESCAPE_STOP if prefix in ("e", "u&") else _PLAIN_STOP
    at = span.start
    while at < span.end:
        found = stop.search(text, at, span.end)
        end = found.start() if found else span.end
        if end > at:
            yield text[at:end], Span(at, end)
        if found is None:
            return
        if found[0] == "\\":
            meaning, at = _escaped(text, end, prefix, span.end)
            yield meaning, Span(end, at)
        elif text.startswith("''", end) and end + 1 < span.end:
            at = end + 2
            yield "'", Span(end, at)
        else:
            at = _continuation(text, end + 1, span.end)


def _escaped(text: str, at: int, prefix: str, end: int) -> tuple[str, int]:
    """What the backslash at `at` means, and the offset behind what belongs to it."""
    found = (_ESCAPE if prefix == "e" else _UNICODE_ESCAPE).match(text, at, end)
    if found is None:
        return "\\", at + 1
    for name in ("x", "u", "U", "octal"):
        digits = found.groupdict().get(name)
        if digits:
            code = int(digits, 8 if name == "octal" else 16)
            valid = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
            return chr(code) if valid else "\ufffd", found.end()
    return _CONTROLS.get(found["other"], found["other"]), found.end()


def _continuation(text: str, at: int, end: int) -> int:
    """The offset behind the quote with which a literal goes on, or `end`."""
    while gap := _GAP.match(text, at, end):
        at = gap.end()
        if text.startswith("/*", at):
            at = block_comment_end(text, at)
            if at >= 0:
                continue
        elif text.startswith("'", at) and at < end:
            return at + 1
        break
    return end
