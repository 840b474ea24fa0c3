"""Findings that comments suppress, and the reasons that stand there, as reports may show them."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Severity
from pglint_locks.rules import RULES
from pglint_locks.selection import resolve

SQL = "SELECT id FROM jobs WHERE kind = 'a' ORDER BY id LIMIT 5 OFFSET 9 FOR SHARE"


def silenced(text: str, settings: Settings | None = None) -> list[tuple[str, str]]:
    """Codes and reasons."""
    run = lint_text(text, "a.sql", settings or Settings(enabled=resolve(RULES, ["PGL102"])))
    return [(each.finding.rule.code, each.reason) for each in run.suppressed]


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("-- pglint: ignore", ""),
        ("-- pglint: ignore[PGL102]", ""),
        ("-- pglint: ignore[PGL102] one session at night", "one session at night"),
        ("-- pglint: ignore[PGL102]: one session", "one session"),
        ("-- pglint: ignore[PGL102] - one session", "one session"),
        ("-- pglint: ignore[PGL1] one session, pglint: ignore[PGL402] by hand", "one session"),
        ("/* pglint: ignore[PGL102] one session */", "one session"),
        ("/* pglint: ignore[PGL102]\n   elsewhere */", ""),
        ("-- pglint: ignore[PGL102] one session -- pglint: ignore[PGL402]", "one session"),
    ],
)
def test_the_reason_is_what_stands_behind(comment: str, reason: str) -> None:
    assert silenced(f"{SQL}; {comment}\n") == [("PGL102", reason)]
    assert silenced(f"{comment}\n{SQL};\n") == [("PGL102", reason)]


def test_the_first_reason_counts_where_several_comments_cover() -> None:
    text = f"-- pglint: ignore-file\n-- pglint: off all of it\n{SQL};\n-- pglint: on\n"
    assert silenced(text) == [("PGL102", "all of it")]


def test_what_no_comment_covers_is_not_among_them() -> None:
    assert silenced(f"{SQL}; -- pglint: ignore[PGL402]\n") == []
    assert silenced(f"{SQL};\n") == []


def test_rules_that_do_not_run_suppress_nothing() -> None:
    text = f"{SQL}; -- pglint: ignore\n"
    assert silenced(text, Settings(enabled=resolve(RULES, ["PGL1"], ignore=["PGL102"]))) == []
    enabled = resolve(RULES, ["PGL102"])
    assert silenced(text, Settings(enabled=enabled, severity={"PGL102": None})) == []


def test_severities_that_are_set_hold_for_them_too() -> None:
    settings = Settings(enabled=resolve(RULES, ["PGL102"]), severity={"PGL102": Severity.ERROR})
    (each,) = lint_text(f"{SQL}; -- pglint: ignore\n", "a.sql", settings).suppressed
    assert each.finding.severity is Severity.ERROR
