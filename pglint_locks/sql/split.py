r"""Splits a psql script into the statements that psql would send, and finds its comments.

Where psql would swallow the rest of the script (a literal, comment or parenthesis that
never ends), the statement is cut short instead, so that it costs itself alone.  Unlike
psql we read every branch of `\if`, go on behind `\q`, and take no notice of what a
statement did: a failed COPY's data are data, and variables stand as written.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from pglint_locks.sql.chunks import Chunk, Comment, Script
from pglint_locks.sql.literals import SPACE
from pglint_locks.sql.reading import Reading, allowance, start_of
from pglint_locks.text import Span

__all__ = ["Chunk", "Comment", "Script", "recut", "split", "split_off"]


def split(text: str) -> Script:
    """Split a script (without byte order mark) into statements; never fails.

    The time grows with the length of the text, whatever is in it.
    """
    reading = Reading(text)
    reading.read(0)
    return Script(_in_order(reading.chunks), tuple(reading.comments))


class SplitOff(NamedTuple):
    """The first statement of a text, or several that hang together.

    `end` is where the next one may begin; `reread` as in `Script`.
    """

    chunks: tuple[Chunk, ...]
    end: int
    reread: int


def split_off(text: str, at: int) -> SplitOff:
    """The first statement from `at` on, where one may begin and nothing before matters.

    It is what `split` finds there, and so is what it finds from `end` on.  Statements hang
    together by COPY data and psql's conditions.
    """
    reading = Reading(text)
    reading.stops = True
    end = reading.read(at)
    return SplitOff(_in_order(reading.chunks), end, reading.reread)


def recut(text: str, script: Script, index: int) -> Script | None:
    r"""The script with its statement `index` cut at a semicolon that a literal swallowed.

    For a statement that ends properly but does not parse: an apostrophe too many makes
    literals of what lies between it and a later statement's quote, and so makes one
    statement of several.  It is cut at its first line-ending semicolon that stands in a
    quoted literal, a quoted name or parentheses (not in a comment or dollar quote), and
    what follows is split again, up to where the old statements fit.  None if it has no
    such semicolon, or if so much was read again that the script must be made to do harm.
    Worth taking only if what follows the cut parses: a literal may hold a function's body.
    """
    chunk = script.chunks[index]
    if chunk.unterminated or script.reread > allowance(len(text)):
        return None
    alone = Reading(chunk.text)
    alone.read(0)
    cut, behind = next(alone.cuts(0), (-1, -1))
    if cut < 0:
        return None
    start, resume = chunk.span.start, chunk.span.start + behind
    head = chunk.text[:cut].rstrip(SPACE)
    reading = Reading(text)
    reading.known = script.chunks
    reading.read(resume)
    back = reading.start
    found = [chunk for chunk in reading.chunks if chunk.span.start < back]
    comments = [comment for comment in reading.comments if comment.span.start < back]
    return Script(
        (
            *script.chunks[:index],
            Chunk(Span(start, start + len(head)), head, unterminated=True),
            *_in_order(found),
            *script.chunks[bisect_left(script.chunks, back, key=start_of) :],
        ),
        (
            *script.comments[: bisect_right(script.comments, resume, key=_end_of)],
            *comments,
            *script.comments[bisect_left(script.comments, back, key=start_of) :],
        ),
        script.reread + back - resume,
    )


def _end_of(comment: Comment) -> int:
    return comment.span.end


def _in_order(chunks: list[Chunk]) -> tuple[Chunk, ...]:
    r"""A `\copy` in the middle of a statement was found before that statement's end."""
    return tuple(sorted(chunks, key=start_of))
