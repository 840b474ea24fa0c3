"""Rules that settings make speak, or keep silent."""

from __future__ import annotations

from typing import Any

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text


def codes(text: str, **settings: Any) -> list[str]:
    """What default rules find under some settings."""
    run = lint_text(text, "a.sql", Settings(**settings))
    assert run.errors == ()
    return [finding.rule.code for finding in run.findings]


CLAIM = "SELECT id FROM {} ORDER BY id LIMIT 1 FOR NO KEY UPDATE;\n"


@pytest.mark.parametrize(
    ("table", "queues", "found"),
    [
        ("jobs", (), []),
        ("jobs", ("jobs",), ["PGL105"]),
        ("jobs", ("app.jobs",), ["PGL105"]),
        ("app.jobs", ("jobs",), ["PGL105"]),
        ("app.jobs", ("old.jobs",), []),
        ("jobs", ("job",), []),
        ('"Jobs"', ("jobs",), []),
        ('"Jobs"', ("Jobs",), ["PGL105"]),
    ],
)
def test_queue_tables(table: str, queues: tuple[str, ...], found: list[str]) -> None:
    assert codes(CLAIM.format(table), queue_tables=queues) == found


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM jobs LIMIT 1 FOR NO KEY UPDATE;",  # any row will do
        "SELECT id FROM jobs ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;",
        "SELECT id FROM jobs WHERE id = 1 LIMIT 1 FOR NO KEY UPDATE;",
    ],
)
def test_what_is_no_convoy_in_a_queue_table(text: str) -> None:
    assert "PGL105" not in codes(text, queue_tables=("jobs",))


UNLOCKED = """\
UPDATE jobs SET status = 'running'
 WHERE id = (SELECT id FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 1);
"""


@pytest.mark.parametrize("level", [None, "read committed", "read uncommitted"])
def test_unlocked_claims_are_made_twice_under_read_committed(level: str | None) -> None:
    assert codes(UNLOCKED, isolation_level=level) == ["PGL113"]


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_a_snapshot_keeps_unlocked_claims_apart(level: str) -> None:
    assert codes(UNLOCKED, isolation_level=level) == []


def test_a_choice_before_the_lock_fails_under_a_snapshot() -> None:
    sql = UNLOCKED.replace("UPDATE jobs SET status = 'running'", "SELECT id FROM jobs")
    run = lint_text(sql.replace(");", ") FOR UPDATE;"), "a.sql", Settings())
    assert [finding.severity.value for finding in run.findings] == ["error"]
    settings = Settings(isolation_level="serializable")
    run = lint_text(sql.replace(");", ") FOR UPDATE;"), "a.sql", settings)
    found = [finding for finding in run.findings if finding.rule.code == "PGL103"]
    assert [finding.severity.value for finding in found] == ["warning"]
    assert "40001" in found[0].message


STRICT = [
    ("SELECT id FROM jobs WHERE id = 1 FOR UPDATE;", True),
    ("SELECT id FROM jobs WHERE id = 1 FOR NO KEY UPDATE;", False),
    ("DELETE FROM jobs WHERE id = (SELECT id FROM jobs WHERE id = 1 FOR UPDATE);", False),
    ("BEGIN; SELECT id FROM jobs WHERE id = 1 FOR UPDATE; DELETE FROM jobs; COMMIT;", False),
    (
        "BEGIN; SELECT id FROM jobs WHERE id = 1 FOR UPDATE;"
        " SELECT count(*) FROM runs WHERE job_id = 1; COMMIT;",
        False,
    ),
]


@pytest.mark.parametrize(("text", "found"), STRICT)
def test_strict_no_key(text: str, found: bool) -> None:
    assert codes(text) == []
    assert codes(text, strict_no_key=True) == (["PGL301"] if found else [])
