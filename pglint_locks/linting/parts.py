"""What is asked of a script as a whole, and of its statements by their index."""

from __future__ import annotations

from typing import Any

from pglint_locks.config import Settings
from pglint_locks.sources.dialect import is_foreign_sql, names_other_database
from pglint_locks.sql.parse import Unparsed
from pglint_locks.sql.script import ParsedScript


def is_foreign(name: str, text: str, script: ParsedScript, settings: Settings) -> bool:
    """Whether a script is another database's, by its file's name or what only those know."""
    if names_other_database(name, settings.dialect_paths):
        return True
    return is_foreign_sql(text, (chunk.text for chunk in script.chunks))


def node_of(script: ParsedScript, index: int) -> Any:
    """A statement's tree; None where it does not parse."""
    result = script.result(index)
    return None if isinstance(result, Unparsed) else result.node
