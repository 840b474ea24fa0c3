"""What holds of fixes in the literals of host languages, tried on generated statements.

A literal is repaired as the statement in it would be in a file of SQL, and written again
as that literal is written.
"""

from __future__ import annotations

import re

import pytest
from host_literals import HOST_LITERALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_fix_properties import statements

from pglint_locks import engine
from pglint_locks.config import Settings
from pglint_locks.fixes import Fixed

# Comments between FOR and UPDATE are not looked for where line ends are escapes.
_LOCK_WORDS = re.compile(
    r"\b(for|no|key)(?:\s|--[^\n]*\n|/\*.*?\*/)+(?=no\b|key\b|update\b|share\b)", re.IGNORECASE
)


def fix(text: str, name: str, unsafe: bool) -> Fixed:
    return engine.fix_text(text, name, Settings(), unsafe=unsafe)


def codes(done: Fixed) -> list[str]:
    return sorted(finding.rule.code for finding in done.fixed)


@pytest.mark.parametrize("form", HOST_LITERALS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    sql=statements(),
    unsafe=st.booleans(),
    ends=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "", "\ufeff"]),
)
def test_a_fixed_literal(form: str, sql: str, unsafe: bool, ends: str, mark: str) -> None:
    sql = _LOCK_WORDS.sub(r"\1 ", sql)
    name, head, write, tail = HOST_LITERALS[form]
    head, written, tail = (part.replace("\n", ends) for part in (head, write(sql), tail))
    text = f"{mark}{head}{written}{tail}"
    before = engine.lint_text(text, name, Settings())
    assert before.clauses >= 1, "the literal is read"
    assert before.clauses == len(before.not_analysed) + before.analysed
    done = fix(text, name, unsafe)
    after = engine.lint_text(done.text, name, Settings())

    # Byte for byte the same outside the statement, and nothing to do where nothing is offered.
    assert done.text.startswith(mark + head)
    assert done.text.endswith(tail)
    offered = [each.fix for each in before.findings if each.fix]
    assert bool(done.fixed) == any(unsafe or each.is_safe for each in offered)
    assert (done.text == text) == (not done.fixed)
    # Line ends stay those of the file.
    assert done.text.count("\r") == (done.text.count("\n") if ends == "\r\n" else 0)
    # It is still read, and a second time changes nothing.
    assert (after.statements, after.clauses > 0) == (before.statements, True)
    assert len(after.not_analysed) == len(before.not_analysed)
    again = fix(done.text, name, unsafe)
    assert (again.text, again.fixed) == (done.text, ())

    # What the statement becomes is what it becomes in a file of SQL.
    alone = fix(sql, "claim.sql", unsafe)
    if codes(alone) == codes(done):
        expected = write(alone.text).replace("\n", ends)
        assert done.text == f"{mark}{head}{expected}{tail}"
