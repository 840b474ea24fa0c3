"""What of a chain is not known: said, weighed less, and counted."""

from __future__ import annotations

import pytest

from pglint_locks.commands.summary import coverage
from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Severity

KNOWN = "Job.objects.select_for_update(skip_locked=False).order_by('?')[:5]"
QUERY = "select(Job).order_by(func.random()).limit(5)"


@pytest.mark.parametrize(
    ("chain", "unknown"),
    [
        (KNOWN, None),
        (KNOWN.replace("skip_locked=False", "**how"), "**how of select_for_update()"),
        (KNOWN.replace("False", "skip"), "skip_locked of select_for_update()"),
        (KNOWN.replace("objects", "objects.mine()"), "mine()"),
        (f"{QUERY}.with_for_update()", None),
        (f"{QUERY}.with_for_update(**how)", "**how of with_for_update()"),
        (f"{QUERY}.with_for_update(nowait=wait)", "nowait of with_for_update()"),
    ],
)
def test_what_is_not_known_is_said(chain: str, unknown: str | None) -> None:
    run = lint_text(f"def f():\n    return {chain}\n", "a.py", Settings())
    [finding] = [each for each in run.findings if each.rule.code == "PGL401"]
    assert finding.severity is (Severity.WARNING if unknown else Severity.ERROR)
    assert finding.message.endswith(f"; not known: {unknown})") == (unknown is not None)
    assert run.in_part == (unknown is not None)
    assert ("calls known in part" in coverage(run)) == (unknown is not None)


@pytest.mark.parametrize(
    ("chain", "rows"),
    [
        ("order.lines.select_for_update()", "order.lines"),
        ("self.select_for_update()", "self"),
        ("Job.objects.select_for_update()", "job"),
    ],
)
def test_whose_rows_they_are(chain: str, rows: str) -> None:
    """A manager that is no class's own does not say of which table."""
    run = lint_text(f"def f():\n    return {chain}.order_by('?')\n", "a.py", Settings())
    [finding] = [each for each in run.findings if each.rule.code == "PGL401"]
    assert finding.table == (rows if rows == "job" else f"{{{rows}}}")


@pytest.mark.parametrize(
    ("name", "text", "clauses", "analysed"),
    [
        ("a.py", "def f(query):\n    return query.with_for_update()\n", 1, 0),
        ("a.py", "def f(query):\n    return with_for_update(query)\n", 0, 0),
        ("a.py", "def f():\n    return select(Job).with_for_update()\n", 1, 1),
        ("a.php", "<?php f(fn ($query) => $query->lockForUpdate());", 1, 0),
        ("a.php", "<?php $team->servers()->lockForUpdate()->get();", 1, 0),
        ("a.php", "<?php Job::where('a', 1)->lockForUpdate()->get();", 1, 1),
    ],
)
def test_a_lock_of_a_query_from_elsewhere_is_counted(
    name: str, text: str, clauses: int, analysed: int
) -> None:
    run = lint_text(text, name, Settings())
    assert (run.clauses, run.analysed) == (clauses, analysed)
    assert {each.reason for each in run.not_analysed} <= {"on a query from elsewhere"}
