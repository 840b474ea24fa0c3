"""Choices made at random, kept so that what came of them can be made again, and smaller."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A source of choices.  `taken` are those made so far; the first option is the plainest.

    With `replayed` choices it makes those again, and then the plainest ones.
    """

    def __init__(self, seed: int | str, replayed: Sequence[int] | None = None) -> None:
        self._random = random.Random(seed)
        self._replayed = replayed
        self.taken: list[int] = []

    def below(self, bound: int) -> int:
        """A number from 0 to below a bound."""
        if self._replayed is None:
            value = self._random.randrange(bound)
        else:
            place = len(self.taken)
            value = self._replayed[place] % bound if place < len(self._replayed) else 0
        self.taken.append(value)
        return value

    def one_of(self, options: Sequence[T]) -> T:
        """One of some options."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True so many times in a hundred."""
        return self.below(100) >= 100 - percent


def shrunk(
    taken: Sequence[int], still_fails: Callable[[Sequence[int]], bool], tries: int = 1500
) -> list[int]:
    """The fewest and lowest choices, tried greedily and so many times, that still fail."""
    best = list(taken)
    left = tries

    def fails(other: Sequence[int]) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and still_fails(other)

    is_smaller = True
    while is_smaller:
        is_smaller = False
        size = len(best)
        while size:
            for start in range(len(best) - size, -1, -1):
                if start + size > len(best):
                    continue
                for other in (best[:start] + best[start + size :], _zeroed(best, start, size)):
                    if _weight(other) < _weight(best) and fails(other):
                        best, is_smaller = other, True
                        break
            size //= 2
        for place, value in enumerate(best):
            for lower in {value // 2, value - 1}:
                other = [*best[:place], lower, *best[place + 1 :]]
                if 0 < lower < value and fails(other):
                    best, is_smaller = other, True
                    break
    return best


def _zeroed(taken: list[int], start: int, size: int) -> list[int]:
    return taken[:start] + [0] * size + taken[start + size :]


def _weight(taken: Sequence[int]) -> tuple[int, int]:
    return len(taken), sum(taken)
