"""The constructs that a body's reader is inside of: blocks, IF, CASE and loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from pglint_locks.sources.bodies.flow import Arm, ArmKind, Leave

_MAX_DEPTH = 50


@dataclass(eq=False, slots=True)
class Construct:
    """A construct that has begun.

    `word` is block, if, case or loop; `outer` is the arm around it, `holder` the one that
    its next arm is put into.  `complete` says that an IF or CASE has its ELSE, a block
    its EXCEPTION; `declaring` that a block's BEGIN has not come yet.
    """

    word: str
    outer: Arm
    holder: Arm
    number: int
    label: str | None
    arms: list[Arm] = field(default_factory=list)
    complete: bool = False
    declaring: bool = False


class Constructs:
    """Those that have begun and not ended; `arm` is where the reader is, `label` the next one's."""

    def __init__(self) -> None:
        self.arm = Arm(ArmKind.BODY, None, 0)
        self.label: str | None = None
        self._open: list[Construct] = []
        self._count = 0

    @property
    def innermost(self) -> Construct | None:
        """The construct that the reader is directly in."""
        return self._open[-1] if self._open else None

    def enter(self, word: str) -> Construct:
        """Begin a construct; its arms come later."""
        self._count += 1
        entered = Construct(word, self.arm, self.arm, self._count, self.label)
        self.label = None
        self._open.append(entered)
        return entered

    def enter_arm(self, construct: Construct, kind: ArmKind, query: int | None = None) -> None:
        """Begin the next arm of a construct."""
        self.arm = self._arm_in(construct, kind, query)
        construct.arms.append(self.arm)

    def enter_else(self, construct: Construct) -> None:
        """Begin the arm that a later condition stands in: `ELSIF …` is `ELSE IF …`."""
        self.arm = self._arm_in(construct, ArmKind.CHOICE)
        self._count += 1
        construct.holder, construct.number = self.arm, self._count

    def _arm_in(self, construct: Construct, kind: ArmKind, query: int | None = None) -> Arm:
        """A new arm; where too many are nested, what is deeper inside counts as straight on."""
        holder = construct.holder
        if len(holder.path()) >= _MAX_DEPTH:
            return holder
        return Arm(kind, holder, construct.number, query)

    def leave(self, order: int, target: Arm | None, *, again: bool = False) -> None:
        """The arm is left here without condition: see `Leave`."""
        if self.arm.leave is None:
            self.arm.leave = Leave(order, target, again)

    def to_leave(self, label: str | None) -> Arm | None:
        """The arm that EXIT or CONTINUE means: of the labelled construct, or of a loop."""
        for construct in reversed(self._open):
            named = construct.label == label if label else construct.word == "loop"
            if named and construct.arms:
                return construct.arms[-1]
        return None

    def back_to(self, *words: str) -> Construct | None:
        """The innermost construct of a kind; those that never ended inside it are closed.

        Blocks are closed by their own END only.
        """
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index].word in words:
                while len(self._open) > index + 1:
                    self.close()
                return self._open[index]
            if self._open[index].word == "block":
                return None
        return None

    def close_all(self) -> None:
        """End what the body leaves open."""
        while self._open:
            self.close()

    def close(self) -> None:
        """End the innermost construct; where all its arms leave, what is around is left too."""
        closed = self._open.pop()
        self.arm = closed.outer
        leaves = [arm.leave for arm in closed.arms if arm.leave is not None]
        if not leaves or len(leaves) < len(closed.arms) or closed.word == "loop":
            return
        if closed.word == "if" and not closed.complete:
            return
        last = max(leaves, key=lambda leave: leave.order)
        alike = all(leave.target is last.target for leave in leaves)
        if alike and last.target not in closed.arms and closed.outer.leave is None:
            closed.outer.leave = last
