"""Which statements of a PL/pgSQL body run after which others.

A body's statements stand in arms: the two sides of an IF, the alternatives of a CASE, a
loop's body, a block's body and its exception handlers.  Arms know the arm around them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol


class ArmKind(Enum):
    """What an arm belongs to."""

    BODY = auto()
    """The whole text of a body."""
    BLOCK = auto()
    """What stands between BEGIN and END."""
    HANDLER = auto()
    """One WHEN of a block's EXCEPTION."""
    CHOICE = auto()
    """An arm of IF or CASE."""
    LOOP = auto()
    """A loop that runs at least once."""
    MAYBE_LOOP = auto()
    """A loop that may run never: WHILE, FOR, FOREACH."""


@dataclass(eq=False, slots=True)
class Arm:
    """A run of statements that are carried out in order.

    Of the arms of one `construct` (numbered within the body) only one runs to its end.
    `query` is the order of the statement whose rows a FOR loop is run for.  `catches` are
    the conditions that a block's EXCEPTION handles.  `around` is what `path` has found.
    """

    kind: ArmKind
    parent: Arm | None
    construct: int
    query: int | None = None
    leave: Leave | None = None
    commits: list[int] = field(default_factory=list)
    catches: set[str] = field(default_factory=set)
    around: tuple[Arm, ...] = ()

    @property
    def is_loop(self) -> bool:
        """Whether it is a loop's body."""
        return self.kind in (ArmKind.LOOP, ArmKind.MAYBE_LOOP)

    def path(self) -> tuple[Arm, ...]:
        """The arms around, from the outermost to this one."""
        if not self.around:
            self.around = (self,) if self.parent is None else (*self.parent.path(), self)
        return self.around


@dataclass(frozen=True, slots=True, eq=False)
class Leave:
    """Where an arm is left without condition: RETURN, RAISE, or EXIT and CONTINUE of `target`.

    None for `target` leaves the body, or goes to a handler, where what was locked since
    the block began is locked no more.
    """

    order: int
    target: Arm | None
    again: bool = False


class Placed(Protocol):
    """A statement with its place: its arm, and its order in the text."""

    @property
    def arm(self) -> Arm:
        """The arm that it stands in."""

    @property
    def order(self) -> int:
        """Greater than that of all before it."""


class Follows(Enum):
    """Whether a statement runs after another one, in the same transaction."""

    NEVER = auto()
    MAYBE = auto()
    ALWAYS = auto()


def follows(first: Placed, second: Placed) -> Follows:
    """Whether `second` runs after `first` has, before a COMMIT or ROLLBACK.

    NEVER in another arm of one IF or CASE, in the handler of an exception that undoes
    `first`, behind a RETURN, or only behind a COMMIT.  MAYBE under a condition, or in a
    loop's next turn.  ALWAYS otherwise: conditions under which the body is left in between
    (IF NOT FOUND THEN RETURN, EXIT WHEN) are not counted, for they are as a rule about what
    `first` found.  The body of a FOR loop always follows its own query.
    """
    outer, inner = first.arm.path(), second.arm.path()
    if _is_dead(first, outer) or _is_dead(second, inner):
        return Follows.NEVER
    common = 0
    for one, other in zip(outer, inner, strict=False):
        if one is not other:
            break
        common += 1
    onward = _runs_on(first, second, outer, inner, common)
    if onward is not Follows.NEVER:
        return onward
    return _in_next_turn(first, second, outer, inner, common)


def may_follow(first: Placed, second: Placed) -> bool:
    """Whether `second` may run after `first`: see `follows`."""
    return follows(first, second) is not Follows.NEVER


def exclude_each_other(one: Arm, other: Arm) -> bool:
    """Whether two arms are, or stand in, different arms of one construct."""
    for left, right in zip(one.path(), other.path(), strict=False):
        if left is not right:
            return left.construct == right.construct
    return False


def share_loop(one: Arm, other: Arm) -> Arm | None:
    """The innermost loop around both arms."""
    loop = None
    for left, right in zip(one.path(), other.path(), strict=False):
        if left is not right:
            break
        if left.is_loop:
            loop = left
    return loop


def _runs_on(
    first: Placed, second: Placed, outer: tuple[Arm, ...], inner: tuple[Arm, ...], common: int
) -> Follows:
    """What the text's order gives, without another turn of any loop.

    `outer` and `inner` are the arms around the two; they have `common` ones in common.
    """
    left, entered = outer[common:], inner[common:]
    if second.order <= first.order or exclude_each_other(first.arm, second.arm):
        return Follows.NEVER
    if _depth_left_to(first, outer, common) != common:
        return Follows.NEVER
    shared = outer[common - 1]
    if _commits(left, first.order, None) or _commits((shared,), first.order, second.order):
        return Follows.NEVER
    if _commits(entered, None, second.order):
        return Follows.NEVER
    for arm in entered:
        sure = arm.kind in (ArmKind.BLOCK, ArmKind.LOOP) or arm.query == first.order
        if not sure:
            return Follows.MAYBE
    return Follows.ALWAYS


def _depth_left_to(first: Placed, outer: tuple[Arm, ...], floor: int) -> int:
    """How many of the arms around `first` it is still inside of when it has run on.

    `floor` if no arm above is left early; -1 if the body is left.
    """
    depth = len(outer)
    while depth > floor:
        leave = outer[depth - 1].leave
        if leave is None or leave.order < first.order:
            depth -= 1
        elif leave.target is None:
            return -1
        else:
            depth = outer.index(leave.target)
    return depth


def _commits(arms: tuple[Arm, ...], after: int | None, before: int | None) -> bool:
    return any(
        (after is None or order > after) and (before is None or order < before)
        for arm in arms
        for order in arm.commits
    )


def _is_dead(statement: Placed, around: tuple[Arm, ...]) -> bool:
    """Whether an arm around a statement is left before it."""
    return any(arm.leave and arm.leave.order < statement.order for arm in around)


def _in_next_turn(
    first: Placed, second: Placed, outer: tuple[Arm, ...], inner: tuple[Arm, ...], common: int
) -> Follows:
    """Whether a loop around both leads from `first` to `second`."""
    for home in range(common - 1, -1, -1):
        if not outer[home].is_loop:
            continue
        if _commits(outer[home:], first.order, None) or _commits(inner[home:], None, second.order):
            return Follows.NEVER
        if _begins_turn(first, outer, home):
            return Follows.MAYBE
    return Follows.NEVER


def _begins_turn(first: Placed, outer: tuple[Arm, ...], home: int) -> bool:
    """Whether the loop at the index `home` may begin another turn when `first` has run."""
    loop = outer[home]
    depth = len(outer)
    while depth > home:
        leave = outer[depth - 1].leave
        if leave is None or leave.order < first.order:
            depth -= 1
        elif leave.target is None:
            return False
        elif leave.target is loop:
            return leave.again
        else:
            depth = outer.index(leave.target)
    return depth == home
