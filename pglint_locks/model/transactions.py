"""Where a script's transactions begin and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pglint_locks.model.statements import Statement
from pglint_locks.sql.split import Chunk


def transaction_blocks(chunks: Sequence[Chunk]) -> Iterator[range]:
    """Index ranges of the statements that run together between BEGIN and COMMIT.

    A block that the script never ends reaches to its last statement.  ROLLBACK TO and
    PREPARE TRANSACTION's later COMMIT PREPARED end nothing.
    """
    start: int | None = None
    for index, chunk in enumerate(chunks):
        if start is not None and _ends(chunk.first_words):
            yield range(start, index)
            start = index + 1 if chunk.first_words[-2:] == ("and", "chain") else None
        elif start is None and _begins(chunk.first_words):
            start = index + 1
    if start is not None:
        yield range(start, len(chunks))


def _begins(words: tuple[str, ...]) -> bool:
    return words[:1] == ("begin",) or words[:2] == ("start", "transaction")


def _ends(words: tuple[str, ...]) -> bool:
    if words[:2] == ("prepare", "transaction"):
        return True
    if words[:1] in (("commit",), ("end",), ("rollback",), ("abort",)):
        return "prepared" not in words and "to" not in words
    return False


def join_in_order(statements: Sequence[Statement]) -> None:
    """Tells each statement of one transaction which others follow it."""
    for index, statement in enumerate(statements):
        statement.later = tuple(statements[index + 1 :])
