"""PGL003: a suppression comment that names no known rule."""

from __future__ import annotations

from pglint_locks.findings import Rule, Severity, Subject

RULE = Rule(
    code="PGL003",
    name="unknown-suppression",
    summary="a suppression comment names no known rule",
    severities=(Severity.WARNING,),
    subject=Subject.LINTER,
)
