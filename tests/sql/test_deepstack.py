"""The deep-stack thread: one for the process, whatever is called in it."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.sql.deepstack import call_with_deep_stack


def test_all_calls_run_in_one_thread() -> None:
    threads = {call_with_deep_stack(threading.get_ident) for _ in range(50)}
    assert len(threads) == 1
    assert threads != {threading.get_ident()}


def test_a_call_from_inside_stays_inside() -> None:
    inner = call_with_deep_stack(lambda: call_with_deep_stack(threading.get_ident))
    assert inner == call_with_deep_stack(threading.get_ident)


def test_an_exception_is_the_callers_and_the_thread_goes_on() -> None:
    with pytest.raises(ZeroDivisionError):
        call_with_deep_stack(lambda: 1 // 0)
    assert call_with_deep_stack(lambda: 7) == 7


def test_callers_in_several_threads_take_turns() -> None:
    found: list[int] = []
    callers = [
        threading.Thread(target=lambda n=n: found.append(call_with_deep_stack(lambda: n)))
        for n in range(20)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert sorted(found) == list(range(20))


def test_the_process_never_runs_out_of_thread_specific_keys() -> None:
    """Each thread that parses costs one of 1,024 keys, and other libraries need some too."""
    script = (
        "from pglint_locks.config import Settings\n"
        "from pglint_locks.engine import lint_text\n"
        "for _ in range(1100):\n"
        "    lint_text('SELECT 1 FROM t FOR UPDATE', 'a.sql', Settings())\n"
        "import ctypes\n"
        "key = ctypes.c_uint()\n"
        "raise SystemExit(ctypes.CDLL(None).pthread_key_create(ctypes.byref(key), None))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, timeout=120)
    assert done.returncode == 0


def test_linting_in_a_thread_of_the_callers() -> None:
    runs: list[int] = []
    caller = threading.Thread(
        target=lambda: runs.append(
            lint_text("SELECT 1 FROM t FOR UPDATE", "a.sql", Settings()).clauses
        )
    )
    caller.start()
    caller.join()
    assert runs == [1]
