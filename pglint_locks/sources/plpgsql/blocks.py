"""Reading a body's blocks: DECLARE, BEGIN, EXCEPTION and END.

Each function gets the index of a token, notes what is there, and gives the index to go
on from.
"""

from __future__ import annotations

from pglint_locks.sources.bodies.flow import ArmKind
from pglint_locks.sources.plpgsql.commands import Reading, scroll_option
from pglint_locks.sources.plpgsql.constructs import Construct

_LEADS_OUT = ("begin", "declare", "<<")
_NOT_DECLARED = frozenset("select with if for foreach while loop execute case return".split())


def declare(body: Reading, at: int) -> int:
    """DECLARE begins a block; it may be repeated."""
    innermost = body.constructs.innermost
    if innermost is None or not innermost.declaring:
        block = body.constructs.enter("block")
        block.declaring = True
        body.constructs.enter_arm(block, ArmKind.BLOCK)
    return at + 1


def begin(body: Reading, at: int) -> int:
    """BEGIN ends the declarations, or begins a block without any."""
    innermost = body.constructs.innermost
    if innermost is not None and innermost.declaring:
        innermost.declaring = False
    else:
        body.constructs.enter_arm(body.constructs.enter("block"), ArmKind.BLOCK)
    return at + 1


def is_declaration(body: Reading, at: int) -> bool:
    """Whether something is declared here: behind DECLARE and before BEGIN, or where that is not."""
    innermost = body.constructs.innermost
    if innermost is None or not innermost.declaring or body.tokens.word(at) in _LEADS_OUT:
        return False
    if body.tokens.word(at) in _NOT_DECLARED:  # BEGIN was forgotten
        innermost.declaring = False
    return innermost.declaring


def declaration(body: Reading, at: int) -> int:
    """`name [CONSTANT] type [DEFAULT expression]`, a cursor, or an alias."""
    tokens, notes = body.tokens, body.notes
    end = tokens.until(at, "begin")
    name = tokens.name(at)
    scroll, cursor = scroll_option(tokens, at + 1)
    if tokens.word(cursor) == "cursor":
        query = tokens.find(cursor + 1, end, "for", "is") + 1
        notes.cursor(body.constructs.arm, (query, end), name, scroll)
        return end
    notes.dynamic.variables.declare(name)
    sign = tokens.find(at + 1, end, ":=", "=", "default")
    if sign < end:
        # An error in a default is not the block's own handlers' business.
        outer = body.constructs.arm.parent or body.constructs.arm
        notes.expression(outer, sign + 1, end, target=name)
        notes.dynamic.variables.set(name, sign, body.constructs.arm, (sign + 1, end))
    return end


def exception(body: Reading, at: int) -> int:
    """EXCEPTION: the handlers of the block follow, each with its WHEN."""
    block = _innermost_block(body)
    if block is not None:
        block.complete = True
    return at + 1


def end(body: Reading, at: int) -> int:
    """`END IF`, `END CASE`, `END LOOP`, and END with or without a label."""
    tokens, constructs = body.tokens, body.constructs
    word = tokens.word(at + 1)
    if word in ("if", "case", "loop"):
        if constructs.back_to(word) is not None:
            constructs.close()
        return _behind_label(body, at + 2)
    if _innermost_block(body) is not None:
        constructs.close()
    return _behind_label(body, at + 1)


def _behind_label(body: Reading, at: int) -> int:
    """Behind the label that may stand between END and its semicolon."""
    return at + (body.tokens.is_name(at) and body.tokens.word(at + 1) in (";", ""))


def handler(body: Reading, at: int) -> int | None:
    """`WHEN condition THEN` of an EXCEPTION; None where there is no EXCEPTION."""
    block = _innermost_block(body)
    if block is None or not block.complete:
        return None
    end = body.tokens.until(at + 1, "then")
    block.arms[0].catches.update(map(body.tokens.name, range(at + 1, end)))
    body.constructs.enter_arm(block, ArmKind.HANDLER)
    return body.tokens.behind(at, "then")


def _innermost_block(body: Reading) -> Construct | None:
    """The block that is being read; what never ended inside it is closed."""
    constructs = body.constructs
    while constructs.innermost is not None and constructs.innermost.word != "block":
        constructs.close()
    return constructs.innermost
