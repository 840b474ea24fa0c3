"""Reading PL/pgSQL bodies: the statements found by PL/pgSQL's own keywords.

The model is `pl_gram.y`, but nothing here fails: what cannot be read costs itself alone,
and constructs that never end are closed where the one around them ends.
"""

from __future__ import annotations

from collections.abc import Callable

from pglint_locks.sources.bodies.body import Body
from pglint_locks.sources.plpgsql import blocks, branches, commands
from pglint_locks.sources.plpgsql.commands import Reading
from pglint_locks.sources.plpgsql.constructs import Constructs
from pglint_locks.sources.plpgsql.extents import BodyTokens
from pglint_locks.sources.plpgsql.notes import Notes
from pglint_locks.sources.units import SqlUnit

_READERS: dict[str, Callable[[Reading, int], int]] = {
    "assert": commands.check,
    "begin": blocks.begin,
    "case": branches.case,
    "close": commands.skip,
    "commit": commands.end_transaction,
    "continue": commands.go_out,
    "declare": blocks.declare,
    "else": branches.otherwise,
    "elseif": branches.elsif,
    "elsif": branches.elsif,
    "end": blocks.end,
    "exception": blocks.exception,
    "execute": commands.execute,
    "exit": commands.go_out,
    "fetch": commands.fetch,
    "for": branches.for_loop,
    "foreach": branches.foreach_loop,
    "get": commands.get_diagnostics,
    "if": branches.if_then,
    "loop": branches.loop,
    "move": commands.skip,
    "null": commands.skip,
    "open": commands.open_cursor,
    "perform": commands.perform,
    "raise": commands.report,
    "return": commands.give_back,
    "rollback": commands.end_transaction,
    "when": branches.when,
    "while": branches.while_loop,
}


def read_body(unit: SqlUnit) -> Body:
    """The SQL statements of a PL/pgSQL body, in order; never fails."""
    tokens = BodyTokens(unit.text)
    body = Reading(tokens, Constructs(), Notes(unit, tokens))
    at = _behind_options(tokens)
    while at < len(tokens):
        at = max(_read_one(body, at), at + 1)
    body.constructs.close_all()
    return body.notes.body()


def _read_one(body: Reading, at: int) -> int:
    """Read what begins at a token; where to go on."""
    tokens = body.tokens
    word = tokens.word(at)
    if word == ";":
        return at + 1
    if word == "<<" and tokens.word(at + 2) == ">>":
        body.constructs.label = tokens.name(at + 1)
        return at + 3
    if blocks.is_declaration(body, at):
        return blocks.declaration(body, at)
    if commands.is_assignment(body, at):
        return commands.assignment(body, at)
    return _READERS.get(word, commands.sql)(body, at)


def _behind_options(tokens: BodyTokens) -> int:
    """The token behind `#variable_conflict use_column` and the like, each on its line."""
    at = 0
    while tokens.word(at) == "#":
        at += 1
        while at < len(tokens) and not tokens.begins_line(at):
            at += 1
    return at
