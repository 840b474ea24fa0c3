"""The one kind of error that a person can mend, and the words that help to mend it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_IN_URL = re.compile(r"(\w:/{1,2}[^\s/?#:@]*:)\S+(?=@)")


class UsageError(Exception):
    """Something is wrong with how the program was called or configured.

    The message says what is wrong and what to do.  The command line prints it as one
    line after `pglint-locks: error: ` and the exit status becomes 2.
    """


def did_you_mean(word: str, known: Iterable[str], prefix: str = "") -> str:
    """`; did you mean 'x'?` with the known word nearest to `word`, or nothing.

    `prefix` begins all of them and makes none of them nearer.
    """
    from difflib import get_close_matches  # only needed once something has gone wrong

    by_folded = {name.removeprefix(prefix).lower(): name for name in known}
    close = get_close_matches(word.removeprefix(prefix).lower(), by_folded, n=1)
    return f"; did you mean '{by_folded[close[0]]}'?" if close else ""


def without_url_passwords(text: str) -> str:
    """A message without the passwords of URLs in it, wherever they came from."""
    return _IN_URL.sub(r"\1***", text)
