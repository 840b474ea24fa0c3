"""What stays of a statement when it is moved, laid out anew or given other constants."""

from __future__ import annotations

import re

from pglast import parser

from pglint_locks.fingerprints import digest
from pglint_locks.sql.deepstack import max_statement_length
from pglint_locks.sql.standins import STAND_IN

# What stands for a placeholder or a hole is named by its place and length in the text.
_NAMED_BY_PLACE = re.compile(rf"{STAND_IN.pattern}|\b_h\d*\b")


def fingerprint(text: str) -> str:
    """The parser's fingerprint of a statement, in 16 hexadecimal digits.

    It depends neither on layout and comments, nor on constants, nor on what stands for
    placeholders.  Of a text that does not parse it is one of the words, however spaced.
    """
    if len(text) <= max_statement_length():
        try:
            return str(parser.fingerprint(_NAMED_BY_PLACE.sub("_h", text)))
        except parser.ParseError:
            pass
    return digest(" ".join(text.split()))
