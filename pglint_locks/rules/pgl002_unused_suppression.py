"""PGL002: a suppression comment that suppresses nothing."""

from __future__ import annotations

from pglint_locks.findings import Rule, Severity, Subject

RULE = Rule(
    code="PGL002",
    name="unused-suppression",
    summary="a suppression comment suppresses nothing",
    severities=(Severity.WARNING,),
    subject=Subject.LINTER,
)
