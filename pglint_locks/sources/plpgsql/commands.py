"""Reading PL/pgSQL's commands: those that hold no other ones.

Each function gets the index of the command's first token, notes what is in it, and
gives the index to go on from.  They mirror the rules of `pl_gram.y`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pglint_locks.sources.bodies.body import Role
from pglint_locks.sources.plpgsql.constructs import Constructs
from pglint_locks.sources.plpgsql.extents import BodyTokens
from pglint_locks.sources.plpgsql.notes import SELECT, Notes
from pglint_locks.sources.plpgsql.tokens import Kind

_RESERVED = frozenset(
    """all begin by case declare else end execute for foreach from if in into loop not null or
    strict then to using when while""".split()
)
_QUIET_LEVELS = frozenset("debug log info notice warning".split())


@dataclass(frozen=True, slots=True)
class Reading:
    """A body that is being read: its tokens, where the reader is, and what was found."""

    tokens: BodyTokens
    constructs: Constructs
    notes: Notes


def skip(body: Reading, at: int) -> int:
    """A command without SQL: NULL, CLOSE, MOVE."""
    return body.tokens.semicolon(at)


def is_assignment(body: Reading, at: int) -> bool:
    """Whether `x :=`, `x =`, `x[1] :=` or `x.y :=` stands here; x may be a keyword."""
    tokens = body.tokens
    if tokens.word(at) in _RESERVED or tokens.word(at + 1) not in (":=", "=", "[", "."):
        return False
    return tokens.is_name(at) or tokens[at].kind is Kind.PARAMETER


def assignment(body: Reading, at: int) -> int:
    """`x := expression`."""
    tokens, arm = body.tokens, body.constructs.arm
    sign = tokens.until(at, ":=", "=")
    if tokens.word(sign) not in (":=", "="):
        return sign
    first, end = sign + 1, tokens.statement_end(sign + 1, SELECT)
    target = tokens.name(at)
    body.notes.expression(arm, first, end, target=target)
    shows = sign == at + 1 and first < end
    body.notes.dynamic.variables.set(target, sign, arm, (first, end) if shows else None)
    return end


def sql(body: Reading, at: int) -> int:
    """A plain SQL statement; its INTO is PL/pgSQL's and gets blanked."""
    tokens, arm = body.tokens, body.constructs.arm
    stop = tokens.semicolon(at)
    into = _into(tokens, at, stop)
    blank = None
    if into < stop:
        first = into + 1 + (tokens.word(into + 1) == "strict")
        after = _target_end(tokens, first, stop)
        blank = tokens.span(into, max(after - 1, into))
    end = tokens.statement_end(at, "", blank)
    if blank is None or into >= end:
        body.notes.statement(Role.STATEMENT, arm, at, end)
        return end
    target = tokens.key(first, after - 1).replace(" ", "") if first < after else None
    body.notes.set_unknown(arm, first, after, at)
    body.notes.statement(Role.STATEMENT, arm, at, end, blank=blank, target=target)
    return end


def _into(tokens: BodyTokens, first: int, end: int) -> int:
    """Where PL/pgSQL's INTO stands, in whatever brackets (`make_execsql_stmt`); else `end`."""
    if tokens.word(first) in ("import", "create"):
        return end
    for index in range(first, end):
        if tokens.word(index) == "into" and tokens.word(index - 1) not in ("insert", "merge"):
            return index
    return end


def _target_end(tokens: BodyTokens, at: int, end: int) -> int:
    """Behind the variables, with commas between, that begin at `at`."""
    while at < end and (tokens.is_name(at) or tokens[at].kind is Kind.PARAMETER):
        at += 1
        while tokens.word(at) == "." and at + 1 < end:
            at += 2
        if tokens.word(at) == "[":
            at = min(tokens.find(at + 1, end, "]") + 1, end)
        if tokens.word(at) != ",":
            break
        at += 1
    return min(at, end)


def perform(body: Reading, at: int) -> int:
    """`PERFORM query`: the word stands for SELECT."""
    end = body.tokens.statement_end(at + 1, SELECT)
    body.notes.statement(Role.PERFORM, body.constructs.arm, at, end)
    return end


def execute(body: Reading, at: int) -> int:
    """`EXECUTE text [INTO target] [USING values]`."""
    end = body.tokens.statement_end(at + 1, SELECT)
    body.notes.execution(Role.STATEMENT, body.constructs.arm, at + 1, end)
    return end


def end_transaction(body: Reading, at: int) -> int:
    """COMMIT or ROLLBACK [AND CHAIN]."""
    tokens = body.tokens
    end = tokens.semicolon(at)
    chained = tokens.word(end - 1) == "chain" and tokens.word(end - 2) == "and"
    body.notes.transaction_end(body.constructs.arm, at, end, chained=chained)
    return end


def scroll_option(tokens: BodyTokens, at: int) -> tuple[bool | None, int]:
    """SCROLL, NO SCROLL or neither, and the index behind."""
    if tokens.word(at) == "no" and tokens.word(at + 1) == "scroll":
        return False, at + 2
    return (True, at + 1) if tokens.word(at) == "scroll" else (None, at)


def open_cursor(body: Reading, at: int) -> int:
    """`OPEN c [(arguments)]`, `OPEN c [[NO] SCROLL] FOR query`, `OPEN c FOR EXECUTE …`."""
    tokens, notes, arm = body.tokens, body.notes, body.constructs.arm
    if not tokens.is_name(at + 1):
        return tokens.semicolon(at)
    end = tokens.statement_end(at + 1, SELECT)
    cursor = tokens.name(at + 1)
    notes.opened.add(cursor)
    scroll, first = scroll_option(tokens, at + 2)
    if tokens.word(first) != "for":
        notes.expression(arm, first, end)
    elif tokens.word(first + 1) == "execute":
        notes.execution(Role.CURSOR, arm, first + 2, end, target=cursor, scroll=scroll)
    else:
        notes.cursor(arm, (first + 1, end), cursor, scroll, opened=True)
    return end


def fetch(body: Reading, at: int) -> int:
    """`FETCH … INTO target`."""
    end = body.tokens.semicolon(at)
    into = body.tokens.find(at, end, "into")
    body.notes.set_unknown(body.constructs.arm, into + 1, end)
    return end


def get_diagnostics(body: Reading, at: int) -> int:
    """`GET [STACKED] DIAGNOSTICS x = ROW_COUNT, …`."""
    end = body.tokens.semicolon(at)
    body.notes.set_unknown(body.constructs.arm, at + 1, end)
    return end


def check(body: Reading, at: int) -> int:
    """`ASSERT condition [, message]`."""
    end = body.tokens.statement_end(at + 1, SELECT)
    body.notes.expressions(body.constructs.arm, body.tokens.split(at + 1, end, ","))
    return end


def report(body: Reading, at: int) -> int:
    """`RAISE [level] 'message' [, values] [USING option = value, …]`."""
    tokens, notes, arm = body.tokens, body.notes, body.constructs.arm
    end = tokens.semicolon(at)
    using = tokens.find(at, end, "using")
    notes.expressions(arm, tokens.split(at + 1, using, ",")[1:])
    for first, after in tokens.split(using + 1, end, ","):
        sign = tokens.find(first, after, "=", ":=")
        notes.expression(arm, sign + 1, after)
    notes.dynamic.ignore(at, end)
    if tokens.word(at + 1) not in _QUIET_LEVELS:
        body.constructs.leave(at, None)
    return end


def give_back(body: Reading, at: int) -> int:
    """RETURN, `RETURN NEXT`, `RETURN QUERY query`, `RETURN QUERY EXECUTE …`."""
    tokens, notes, arm = body.tokens, body.notes, body.constructs.arm
    word = tokens.word(at + 1)
    if word == "query" and tokens.word(at + 2) == "execute":
        end = tokens.statement_end(at + 3, SELECT)
        notes.execution(Role.RETURN_QUERY, arm, at + 3, end)
    elif word == "query":
        end = tokens.statement_end(at + 2)
        notes.statement(Role.RETURN_QUERY, arm, at + 2, end)
    elif word == "next":
        end = tokens.statement_end(at + 2, SELECT)
        notes.expression(arm, at + 2, end)
    else:
        end = tokens.statement_end(at + 1, SELECT)
        notes.expression(arm, at + 1, end)
        body.constructs.leave(at, None)
    return end


def go_out(body: Reading, at: int) -> int:
    """EXIT and CONTINUE, with a label and a condition or without."""
    tokens, constructs = body.tokens, body.constructs
    end = tokens.semicolon(at)
    condition = tokens.find(at + 1, end, "when")
    if condition < end:
        body.notes.expression(constructs.arm, condition + 1, end)
        return end
    label = tokens.name(at + 1) if tokens.is_name(at + 1) else None
    target = constructs.to_leave(label)
    if target is not None:
        constructs.leave(at, target, again=tokens.word(at) == "continue")
    return end
