r"""Splits a psql script into the statements that psql would send, and finds its comments.

Where psql would swallow the rest of the script (a literal, comment or parenthesis that
never ends), the statement is cut short instead, so that it costs itself alone.  Unlike
psql we read every branch of `\if`, go on behind `\q`, and take no notice of what a
statement did: a failed COPY's data are data, and variables stand as written.
"""

from __future__ import annotations

from bisect import bisect_left

from pglint_locks.sql.chunks import Chunk, Comment, Script
from pglint_locks.sql.reading import Reading, start_of

__all__ = ["Chunk", "Comment", "Script", "recut", "split"]


def split(text: str) -> Script:
    """Split a script (without byte order mark) into statements; never fails.

    The time grows with the length of the text, whatever is in it.
    """
    reading = Reading(text)
    reading.read(0)
    return Script(_in_order(reading.chunks), tuple(reading.comments))


def recut(text: str, script: Script, index: int) -> Script | None:
    r"""The script with its statement `index` cut at a semicolon that a literal swallowed.

    For a statement that ends properly but does not parse: an apostrophe too many makes
    literals of what lies between it and a later statement's quote, and so makes one
    statement of several.  It is cut at its first line-ending semicolon that stands in a
    quoted literal, a quoted name or parentheses (not in a comment or dollar quote), and
    what follows is split again, up to where the old statements fit.  None if it has no
    such semicolon.  Worth taking only if what follows the cut parses: a literal may hold
    a function's body.
    """
    chunk = script.chunks[index]
    alone = Reading(chunk.text)
    alone.read(0)
    cut = next(alone.cuts(0), None)
    if chunk.unterminated or cut is None:
        return None
    start = chunk.span.start
    end, resume = start + cut[0], start + cut[1]
    reading = Reading(text)
    reading.start = start
    reading.close(end, unterminated=True)
    reading.known = script.chunks
    reading.read(resume)
    back = bisect_left(script.chunks, reading.start, key=start_of)
    found = [chunk for chunk in reading.chunks if chunk.span.start < reading.start]
    comments = [comment for comment in reading.comments if comment.span.start < reading.start]
    return Script(
        script.chunks[:index] + _in_order(found) + script.chunks[back:],
        (
            *(comment for comment in script.comments if comment.span.end <= resume),
            *comments,
            *(comment for comment in script.comments if comment.span.start >= reading.start),
        ),
    )


def _in_order(chunks: list[Chunk]) -> tuple[Chunk, ...]:
    r"""A `\copy` in the middle of a statement was found before that statement's end."""
    return tuple(sorted(chunks, key=start_of))
