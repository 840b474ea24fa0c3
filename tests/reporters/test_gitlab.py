from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from made_findings import CLAIM, claim_finding, make_finding, report

from pglint_locks.findings import Severity


def read(findings: Any, cwd: Path = Path("/nowhere")) -> Any:
    return json.loads(report("gitlab", findings, cwd=cwd))


def test_the_issue_of_a_finding() -> None:
    finding = claim_finding()
    (issue,) = read([finding])
    unique = issue.pop("fingerprint")
    assert len(unique) == 16
    assert issue == {
        "description": finding.text,
        "check_name": "PGL101 rescanned-locking-subquery",
        "severity": "major",
        "location": {"path": "claim.sql", "lines": {"begin": 4, "end": 4}},
    }


def test_severities_have_gitlabs_names() -> None:
    issues = read([claim_finding(severity=severity) for severity in Severity])
    assert [each["severity"] for each in issues] == ["info", "minor", "major"]


def test_no_two_issues_share_a_fingerprint() -> None:
    findings = [claim_finding(), claim_finding(), claim_finding(name="other.sql")]
    assert len({each["fingerprint"] for each in read(findings)}) == 3


def test_a_fingerprint_stays_when_lines_move() -> None:
    before, after = make_finding(CLAIM, "IN"), make_finding("-- new\n" + CLAIM, "IN")
    assert read([before])[0]["fingerprint"] == read([after])[0]["fingerprint"]


def test_paths_count_from_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (issue,) = read([claim_finding(name="a.sql")], tmp_path / "db")
    assert issue["location"]["path"] == "db/a.sql"


def test_no_findings_are_an_empty_array() -> None:
    assert read([]) == []
