"""Reading PL/pgSQL's branches and loops: IF, CASE, LOOP, WHILE, FOR and FOREACH.

Each function gets the index of a token, notes what is there, and gives the index to go
on from.
"""

from __future__ import annotations

from pglint_locks.sources.bodies.body import Role
from pglint_locks.sources.bodies.flow import ArmKind
from pglint_locks.sources.plpgsql import blocks
from pglint_locks.sources.plpgsql.commands import Reading
from pglint_locks.sources.plpgsql.constructs import Construct

_BEGINS_QUERY = frozenset(
    "( select with values table insert update delete merge explain show call fetch".split()
)


def if_then(body: Reading, at: int) -> int:
    """`IF condition THEN`; the condition is tried outside of all arms."""
    _condition(body, at + 1, "then")
    body.constructs.enter_arm(body.constructs.enter("if"), ArmKind.CHOICE)
    return body.tokens.behind(at + 1, "then")


def elsif(body: Reading, at: int) -> int:
    """`ELSIF condition THEN`."""
    construct = body.constructs.back_to("if")
    if construct is not None:
        _next_arm(body, construct, at + 1)
    return body.tokens.behind(at + 1, "then")


def case(body: Reading, at: int) -> int:
    """`CASE [expression]`, up to its first WHEN."""
    _condition(body, at + 1, "when")
    body.constructs.enter("case")
    return body.tokens.until(at + 1, "when")


def when(body: Reading, at: int) -> int:
    """`WHEN … THEN`, of a CASE or of an EXCEPTION."""
    construct = body.constructs.back_to("case")
    if construct is not None:
        _next_arm(body, construct, at + 1)
    else:
        behind = blocks.handler(body, at)
        if behind is not None:
            return behind
    return body.tokens.behind(at + 1, "then")


def otherwise(body: Reading, at: int) -> int:
    """ELSE, of an IF or a CASE."""
    construct = body.constructs.back_to("if", "case")
    if construct is not None:
        construct.complete = True
        body.constructs.enter_arm(construct, ArmKind.CHOICE)
    return at + 1


def _next_arm(body: Reading, construct: Construct, first: int) -> None:
    """Begin an arm that has a condition, which is tried where the earlier ones failed."""
    end = body.tokens.until(first, "then")
    if construct.arms and body.notes.holds_query(first, end):
        body.constructs.enter_else(construct)
    body.notes.expression(construct.holder, first, end)
    body.constructs.enter_arm(construct, ArmKind.CHOICE)


def _condition(body: Reading, first: int, word: str) -> None:
    body.notes.expression(body.constructs.arm, first, body.tokens.until(first, word))


def loop(body: Reading, at: int) -> int:
    """LOOP without a head."""
    body.constructs.enter_arm(body.constructs.enter("loop"), ArmKind.LOOP)
    return at + 1


def while_loop(body: Reading, at: int) -> int:
    """`WHILE condition LOOP`; the condition is tried in every turn."""
    body.constructs.enter_arm(body.constructs.enter("loop"), ArmKind.MAYBE_LOOP)
    _condition(body, at + 1, "loop")
    return body.tokens.behind(at + 1, "loop")


def for_loop(body: Reading, at: int) -> int:
    """`FOR x IN … LOOP`, over integers, a cursor, a query or dynamic SQL."""
    tokens = body.tokens
    start = tokens.until(at, "in")
    end = tokens.until(start, "loop")
    variable = tokens.key(at + 1, start - 1).replace(" ", "")
    arm = body.constructs.arm
    query = _rows(body, start + 1, end, variable)
    body.notes.set_unknown(arm, at + 1, start, query)
    return _enter_loop(body, end, query)


def _enter_loop(body: Reading, end: int, query: int | None = None) -> int:
    """Go into the loop whose LOOP should be at `end`; where to go on."""
    if body.tokens.word(end) != "loop":
        return end
    body.constructs.enter_arm(body.constructs.enter("loop"), ArmKind.MAYBE_LOOP, query)
    return end + 1


def _rows(body: Reading, first: int, end: int, variable: str) -> int | None:
    """Note what FOR runs over; the order of the query whose rows those are, if there is one."""
    tokens, notes, arm = body.tokens, body.notes, body.constructs.arm
    dots = tokens.find(first, end, "..")
    if dots < end:
        by = tokens.find(dots, end, "by")
        first += tokens.word(first) == "reverse"
        notes.expressions(arm, [(first, dots), (dots + 1, by), (by + 1, end)])
        return None
    if tokens.word(first) == "execute":
        notes.execution(Role.LOOP, arm, first + 1, end, target=variable)
        return first + 1
    if tokens.is_name(first) and tokens.word(first) not in _BEGINS_QUERY:
        notes.opened.add(tokens.name(first))
        notes.expression(arm, first + 1, end)
        return None
    notes.statement(Role.LOOP, arm, first, end, target=variable)
    return first


def foreach_loop(body: Reading, at: int) -> int:
    """`FOREACH x [SLICE n] IN ARRAY expression LOOP`."""
    tokens, arm = body.tokens, body.constructs.arm
    array = tokens.until(at, "array")
    end = tokens.until(array, "loop")
    body.notes.set_unknown(arm, at + 1, min(tokens.until(at, "in", "slice"), end))
    body.notes.expression(arm, array + 1, end)
    return _enter_loop(body, end)
