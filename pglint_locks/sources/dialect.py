"""Telling another database's SQL from PostgreSQL's, so as not to lint it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

FOREIGN = "another database's SQL"
"""Why such a clause is not analysed."""

# Literals and comments are passed over; an unterminated one reaches to the end.
_FOREIGN = r"""
      (?P<sqlite>\b(?:datetime\s*\(\s*'now'|strftime\s*\(\s*'%|(?:unixepoch|julianday)\s*\(
                |autoincrement\b|sqlite_\w))
    | --[^\n]* | /\*.*?(?:\*/|\Z) | '[^']*(?:'|\Z) | "[^"]*(?:"|\Z)
    | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z)
    | (?P<foreign>
          `[^`\n]+`
        | \block\s+in\s+share\s+mode\b
        | \bfor\s+update\s+(?:of\s+[\w.,\s"]+\s+)?wait\s+\d+
        | \b(?:rownum|systimestamp|sysdate)\b | \bfrom\s+dual\b
      )
    """
# One of these stands in whatever matches: they are found much faster than that.
_HINTS = (
    *("`", "share", "wait", "datetime", "strftime", "unixepoch", "julianday", "autoincrement"),
    *("sqlite_", "rownum", "sysdate", "systimestamp", "dual"),
)


def is_foreign_sql(text: str, statements: Iterable[str]) -> bool:
    """Whether a statement of an SQL text uses what only other databases know.

    Backquoted identifiers, LOCK IN SHARE MODE, FOR UPDATE … WAIT n; Oracle's ROWNUM, SYSDATE
    and DUAL; SQLite's functions of time and AUTOINCREMENT.
    """
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return False
    foreign = re.compile(_FOREIGN, re.VERBOSE | re.DOTALL | re.IGNORECASE)
    return any(
        match["foreign"] or match["sqlite"] for sql in statements for match in foreign.finditer(sql)
    )


def names_other_database(filename: str, databases: Sequence[str]) -> bool:
    """Whether a segment of a path, or a part of one between dots, names another database."""
    parts = re.split(r"[/.]", filename.lower())
    return any(database.lower() in parts for database in databases)
