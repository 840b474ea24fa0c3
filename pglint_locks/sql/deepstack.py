"""A thread with a stack deep enough for PostgreSQL's recursive parser.

A chain of 50,000 operators overflows the usual 8 MB stack inside the parser, which
ends the process.  The memory of the deep stack is only taken when it is used.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import ClassVar, TypeVar

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
    """Call `function` in the deep-stack thread; its result or exception becomes ours.

    A call from inside that thread stays in it; calls from others take turns.
    KeyboardInterrupt reaches the caller.
    """
    if hasattr(_capacity, "stack"):
        return function()
    with _turn:
        return _Worker.current().call(function)


_turn = threading.Lock()


class _Worker:
    """The thread, kept for the life of the process.

    The parser takes a thread-specific key of the C library in every thread that it runs in
    and never gives it back (`pg_query_init`), and a process has 1,024 of them.
    """

    _current: ClassVar[_Worker | None] = None

    def __init__(self) -> None:
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._is_left = False
        self._thread = _start_thread(self._run)

    @classmethod
    def current(cls) -> _Worker:
        """The worker; a new one behind a fork, and where a call was broken off in the old one."""
        worker = cls._current
        if worker is None or worker._is_left or not worker._thread.is_alive():
            worker = cls._current = cls()
        return worker

    def call(self, function: Callable[[], T]) -> T:
        outcome: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

        def answer() -> None:
            try:
                outcome.put((function(), None))
            except BaseException as error:
                outcome.put((None, error))

        self._asked.put(answer)
        try:
            result, failure = outcome.get()
        except BaseException:
            self._is_left = True
            raise
        if failure is not None:
            raise failure
        return result  # type: ignore[return-value]

    def _run(self, stack: int) -> None:
        _capacity.stack = stack
        while not self._is_left:
            self._asked.get()()


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
