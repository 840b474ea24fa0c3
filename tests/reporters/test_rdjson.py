from __future__ import annotations

import json
from typing import Any

from made_findings import CLAIM, claim_finding, make_finding, report, span_of

from pglint_locks.findings import Edit, Fix, Severity

FIX = Fix(
    "safe",
    "wrap the sub-SELECT in ARRAY",
    (
        Edit(span_of(CLAIM, "IN ("), "= ANY(ARRAY("),
        Edit(span_of(CLAIM, "LOCKED)"), "LOCKED))"),
    ),
)


def read(findings: Any) -> Any:
    result = json.loads(report("rdjson", findings))
    assert result["source"]["name"] == "pglint-locks"
    return result["diagnostics"]


def test_the_diagnostic_of_a_finding() -> None:
    finding = claim_finding()
    assert read([finding]) == [
        {
            "message": finding.text,
            "location": {
                "path": "claim.sql",
                "range": {"start": {"line": 4, "column": 11}, "end": {"line": 4, "column": 13}},
            },
            "severity": "ERROR",
            "code": {"value": "PGL101", "url": finding.rule.url},
        }
    ]


def test_severities_have_reviewdogs_names() -> None:
    diagnostics = read([claim_finding(severity=severity) for severity in Severity])
    assert [each["severity"] for each in diagnostics] == ["INFO", "WARNING", "ERROR"]


def test_columns_count_bytes_of_utf_8() -> None:
    text = "/* \U0001f389é */ FOR UPDATE"
    (diagnostic,) = read([make_finding(text, "FOR UPDATE")])
    place = diagnostic["location"]["range"]
    start, end = place["start"]["column"] - 1, place["end"]["column"] - 1
    assert text.encode()[start:end] == b"FOR UPDATE"


def test_a_safe_fix_is_one_suggestion() -> None:
    (diagnostic,) = read([claim_finding(fix=FIX)])
    (suggestion,) = diagnostic["suggestions"]
    assert suggestion["range"] == {
        "start": {"line": 4, "column": 11},
        "end": {"line": 6, "column": 48},
    }
    assert suggestion["text"] == (
        "= ANY(ARRAY(SELECT id FROM jobs\n"
        "               WHERE status = 'ready'\n"
        "               LIMIT 10 FOR UPDATE SKIP LOCKED))"
    )


def test_an_unsafe_fix_is_not_suggested() -> None:
    (diagnostic,) = read([claim_finding(fix=FIX._replace(applicability="unsafe"))])
    assert "suggestions" not in diagnostic
