r"""COPY's data inside of a script, and psql's own `\copy`."""

from __future__ import annotations

import re

from pglint_locks.sql.literals import (
    LETTER,
    LINE_ENDING_SEMICOLON,
    SPACE,
    WORD,
    block_comment_end,
)
from pglint_locks.sql.slash import line_end
from pglint_locks.text import Span

_TOKEN = re.compile(
    rf"""'[^']*' | "[^"]*" | --[^\r\n]* | /\* | [()] | {LETTER}{WORD}*""", re.VERBOSE
)
_TARGET = re.compile(rf"[{SPACE}]+(?:'(?:[^']|'')*'|[^{SPACE}']+)")


def reads_client_data(statement: str) -> bool:
    """Whether a COPY statement reads data from its client: from the script's next lines.

    STDOUT is the same as STDIN to the server's grammar, and the way is told by FROM.
    """
    at, depth, after_from = 0, 0, False
    while token := _TOKEN.search(statement, at):
        at, word = token.end(), token[0].lower()
        if word == "/*":
            at = block_comment_end(statement, token.start())
            if at < 0:
                return False
        elif word[0] not in "(-)":
            if after_from:
                return word in ("stdin", "stdout")
            after_from = depth == 0 and word == "from"
        else:
            depth += (word == "(") - (word == ")")
    return False


class CopyData:
    """Finds the ends of data blocks in one text; remembers that there are no more of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._none_after: int | None = None

    def end(self, at: int) -> int:
        r"""Where the data that begin behind the line of `at` end; `at` if there are none.

        They end behind the line that is `\.` and nothing else.  Without one psql reads
        all that is left.  We do that only where no line of it ends with a semicolon: a
        file for another client may leave its COPY without data, and its statements must
        not pass for data.
        """
        text = self._text
        start = line_end(text, at)
        if self._none_after is None:
            mark = text.find("\n\\.", start)
            while mark >= 0:
                end = line_end(text, mark + 1)
                if text[mark + 3 : end] in ("", "\r"):
                    return min(end + 1, len(text))
                mark = text.find("\n\\.", end)
            self._none_after = _last_line_ending_semicolon(text)
        return len(text) if start > self._none_after else at


def _last_line_ending_semicolon(text: str) -> int:
    last = -1
    for semicolon in LINE_ENDING_SEMICOLON.finditer(text):
        last = semicolon.start()
    return last


def slash_copy_query(text: str, start: int, end: int) -> tuple[Span, str] | None:
    r"""The statement in a `\copy (…) to …`; `start` and `end` enclose it from `copy` on.

    psql sends the query with STDOUT for its target.  The file name may stand without
    quotes, which the server's grammar does not read, so it becomes a literal of the same
    length here.  None if it copies a table: then no query is in it.
    """
    while end > start and text[end - 1] in SPACE + ";":
        end -= 1
    statement = text[start:end]
    opened = re.match(rf"(?i:copy)[{SPACE}]*\(", statement)
    if not opened:
        return None
    at, depth, to = opened.end(), 1, None
    while to is None and (token := _TOKEN.search(statement, at)):
        at, word = token.end(), token[0].lower()
        depth += (word == "(") - (word == ")")
        if depth == 0 and word == "to":
            to = at
    target = _TARGET.match(statement, to) if to is not None else None
    if target is None:
        return Span(start, end), statement
    written = target[0].lstrip(SPACE)
    if not written.startswith("'") and written.lower() not in ("stdout", "program"):
        width = max(len(written), 2)  # a name of one letter takes a space with it
        literal = "'" + "_" * (width - 2) + "'"
        statement = statement[: target.end() - width] + literal + statement[target.end() :]
    return Span(start, end), statement
