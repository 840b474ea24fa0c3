"""What a body's variables are set to, for those that hold SQL text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from pglint_locks.sources.bodies.flow import Arm, exclude_each_other, share_loop

V = TypeVar("V")
_MAX_WRITES = 500


@dataclass(frozen=True)
class Write(Generic[V]):
    """A place where a variable is set: to the expression `value`, or to what is unknown."""

    order: int
    arm: Arm
    value: V | None


class Variables(Generic[V]):
    """Every place where a variable of the body is set, in order."""

    def __init__(self) -> None:
        self._writes: defaultdict[str, list[Write[V]]] = defaultdict(list)
        self._declared: Counter[str] = Counter()

    def declare(self, name: str) -> None:
        """A variable of that name is declared, in some block."""
        self._declared[name] += 1

    @property
    def declared(self) -> frozenset[str]:
        """The names that the body declares, folded."""
        return frozenset(self._declared)

    def set(self, name: str, order: int, arm: Arm, value: V | None) -> None:
        """A variable is set at the place `order`."""
        self._writes[name].append(Write(order, arm, value))

    @property
    def settings(self) -> dict[str, tuple[Write[V], ...]]:
        """The places where each variable is set."""
        return {name: tuple(writes) for name, writes in self._writes.items()}

    def everything(self) -> Iterator[tuple[str, Write[V]]]:
        """Each name with each place where it is set."""
        for name, writes in self._writes.items():
            for write in writes:
                yield name, write

    def all_writes(self, name: str) -> list[Write[V]]:
        """Every place where the variable is set."""
        return self._writes.get(name, [])

    def writes_before(self, name: str, order: int, arm: Arm) -> list[Write[V]] | None:
        """The places that a value read at `order` may come from; None if that cannot be said.

        It cannot where two blocks declare the name, or a loop brings the value of its last
        turn.
        """
        known = self.all_writes(name)
        if self._declared[name] > 1 or len(known) > _MAX_WRITES:
            return None
        writes = [write for write in known if not exclude_each_other(write.arm, arm)]
        before = [write for write in writes if write.order < order]
        around = arm.path()
        for write in writes:
            loop = share_loop(write.arm, arm)
            if write.order >= order and loop is not None:
                fresh = (w for w in before if loop in w.arm.path() and w.arm in around)
                if next(fresh, None) is None:
                    return None
        return before
