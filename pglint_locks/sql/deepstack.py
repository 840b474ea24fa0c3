"""A thread with a stack deep enough for PostgreSQL's recursive parser.

A chain of 50,000 operators overflows the usual 8 MB stack inside the parser, which
ends the process.  The memory of the deep stack is only taken when it is used.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_MIB = 1 << 20

# Tried in this order: a small machine or an address-space limit may refuse the first.
_STACK_SIZES = (512 * _MIB, 128 * _MIB, 32 * _MIB)

# The parser and the tree's conversion take less than this for each nesting level
# (measured: 200,000 levels pass in 128 MiB), and a level takes two characters at least.
_STACK_BYTES_PER_CHARACTER = 384

# Nested query levels are walked recursively; bison allows some thousands of them.
_RECURSION_LIMIT = 50_000

_capacity = threading.local()


def max_statement_length() -> int:
    """Length, in characters, of the longest statement that is safe to parse in this thread."""
    stack: int = getattr(_capacity, "stack", 4 * _MIB)
    return min(stack // _STACK_BYTES_PER_CHARACTER, _MIB)


def call_with_deep_stack(function: Callable[[], T]) -> T:
    """Call `function` in a deep-stack thread; its result or exception becomes ours.

    A call from inside such a thread stays in it.  KeyboardInterrupt reaches the caller.
    """
    if hasattr(_capacity, "stack"):
        return function()
    results: list[T] = []
    failures: list[BaseException] = []

    def run(stack: int) -> None:
        _capacity.stack = stack
        try:
            results.append(function())
        except BaseException as error:
            failures.append(error)

    thread = _start_thread(run)
    thread.join()
    if failures:
        raise failures[0]
    return results[0]


def _start_thread(run: Callable[[int], None]) -> threading.Thread:
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
    for size in _STACK_SIZES:
        try:
            before = threading.stack_size(size)
        except ValueError:
            continue
        try:
            thread = threading.Thread(target=run, args=(size,), daemon=True)
            thread.start()
            return thread
        except RuntimeError:
            continue
        finally:
            threading.stack_size(before)
    thread = threading.Thread(target=run, args=(4 * _MIB,), daemon=True)
    thread.start()
    return thread
