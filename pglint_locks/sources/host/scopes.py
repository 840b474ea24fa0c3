"""The functions and classes of a host file, and the names that are set in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pglint_locks.sources.bodies.flow import Arm, ArmKind
from pglint_locks.sources.bodies.variables import Variables
from pglint_locks.sources.host.tree import Node


class Setting(NamedTuple):
    """What a name is set to.

    `adds` says that it goes behind what was there before, `element` as one more of a list,
    `line` with a line end; with `whole` the expression names what was there itself.
    """

    node: Node
    adds: bool = False
    element: bool = False
    whole: bool = False
    line: bool = False


@dataclass(eq=False, slots=True)
class Scope:
    """A function, a class (`is_class`) or, without a name, the file itself."""

    node: Node
    name: str | None = None
    parent: Scope | None = None
    is_class: bool = False
    variables: Variables[Setting] = field(default_factory=Variables)
    arm: Arm = field(default_factory=lambda: Arm(ArmKind.BODY, None, 0))

    @property
    def label(self) -> str | None:
        """The qualified name: `Worker.claim`, `claim > inner`; None for the file."""
        if self.parent is None or self.parent.label is None:
            return self.name
        return f"{self.parent.label}{'.' if self.parent.is_class else ' > '}{self.name}"

    @property
    def is_function(self) -> bool:
        """Whether its statements are run in order, when it is called."""
        return self.name is not None and not self.is_class

    def outwards(self) -> Iterator[Scope]:
        """It and the scopes around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def constants(self) -> Iterator[tuple[str, Node]]:
        """What is set in a class, or in the file outside of functions."""
        if not self.is_function:
            for name, write in self.variables.everything():
                if write.value is not None:
                    yield name, write.value.node

    @property
    def of_class(self) -> Scope:
        """The class around it, or the outermost scope where there is none."""
        return next((scope for scope in self.outwards() if scope.is_class), [*self.outwards()][-1])


class Use(NamedTuple):
    """A text expression, where it stands; `sets` is the name that it is assigned to."""

    node: Node
    scope: Scope
    arm: Arm
    order: int
    sets: tuple[Scope, str] | None = None
