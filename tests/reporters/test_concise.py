from __future__ import annotations

from made_findings import claim_finding, make_finding, report

from pglint_locks.findings import Severity


def test_one_line_a_finding() -> None:
    note = make_finding("SELECT 1\n\nFOR UPDATE", "FOR UPDATE", severity=Severity.NOTE)
    assert report("concise", [claim_finding(), note], width=40, color=True) == (
        "claim.sql:4:11: PGL101 error LIMIT 10 does not bound this UPDATE of jobs: the planner "
        "may run the locking sub-SELECT once for each row; "
        "write id = ANY(ARRAY(SELECT id … LIMIT 10 FOR UPDATE SKIP LOCKED))\n"
        "claim.sql:3:1: PGL101 note LIMIT 10 does not bound this UPDATE of jobs\n"
    )


def test_it_stays_one_line_whatever_the_names_hold() -> None:
    finding = make_finding("x", "x", name="a\n\x1b[1m.sql", message="table \r\n\u202e")
    assert (
        report("concise", [finding]) == "a\\n\\x1b[1m.sql:1:1: PGL101 error table \\r\\n\\u202e\n"
    )


def test_nothing_found_is_nothing_shown() -> None:
    assert report("concise", []) == ""
