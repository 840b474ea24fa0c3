"""Assertions that hold their ground: under `python -O`, and without pytest's rewriting."""

from __future__ import annotations


def ensure(holds: bool, otherwise: str) -> None:
    """Raise AssertionError where something does not hold, under `python -O` too."""
    if not holds:
        raise AssertionError(otherwise)


def same(found: object, expected: object, what: str) -> None:
    """Raise AssertionError where two things are not equal."""
    ensure(found == expected, f"{what}: found {found!r}, expected {expected!r}")
