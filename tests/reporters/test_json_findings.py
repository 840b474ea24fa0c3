from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from made_findings import CLAIM, claim_finding, make_finding, report, span_of

from pglint_locks.findings import Edit, Finding, Fix

SCHEMA = json.loads(
    files("pglint_locks.reporters").joinpath("findings.schema.json").read_text("utf-8")
)
FIX = Fix(
    "safe",
    "wrap the sub-SELECT in ARRAY",
    (
        Edit(span_of(CLAIM, "IN ("), "= ANY(ARRAY("),
        Edit(span_of(CLAIM, "LOCKED)"), "LOCKED))"),
    ),
)
FULLEST = claim_finding(unit="function claim(integer)", fix=FIX, sqlstate="0A000")
LEAST = make_finding("x", "x")


def validate(findings: Any) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    validator.validate(findings)


def read(findings: list[Finding]) -> Any:
    text = report("json", findings)
    loaded = json.loads(text)
    validate(loaded)
    assert text.endswith("]\n")
    return loaded


def test_the_fullest_finding() -> None:
    assert read([FULLEST]) == [
        {
            "code": "PGL101",
            "name": "rescanned-locking-subquery",
            "severity": "error",
            "message": "LIMIT 10 does not bound this UPDATE of jobs: the planner may run the "
            "locking sub-SELECT once for each row; "
            "write id = ANY(ARRAY(SELECT id … LIMIT 10 FOR UPDATE SKIP LOCKED))",
            "filename": "claim.sql",
            "location": {"row": 4, "column": 11},
            "end_location": {"row": 4, "column": 13},
            "table": "jobs",
            "unit": "function claim(integer)",
            "url": "https://github.com/pglint-locks/pglint-locks/blob/main/rules/"
            "PGL101-rescanned-locking-subquery.md",
            "fix": {
                "applicability": "safe",
                "message": "wrap the sub-SELECT in ARRAY",
                "edits": [
                    {
                        "content": "= ANY(ARRAY(",
                        "location": {"row": 4, "column": 11},
                        "end_location": {"row": 4, "column": 15},
                    },
                    {
                        "content": "LOCKED))",
                        "location": {"row": 6, "column": 41},
                        "end_location": {"row": 6, "column": 48},
                    },
                ],
            },
            "related": [
                {
                    "message": "each run takes 10 more",
                    "filename": "claim.sql",
                    "location": {"row": 6, "column": 25},
                    "end_location": {"row": 6, "column": 47},
                }
            ],
            "sqlstate": "0A000",
        }
    ]


def test_all_keys_stand_in_the_least_finding_too() -> None:
    (least,) = read([LEAST])
    assert list(least) == list(read([FULLEST])[0])
    assert [key for key, value in least.items() if value is None] == [
        "table",
        "unit",
        "fix",
        "sqlstate",
    ]
    assert least["related"] == []


def test_nothing_found_is_an_empty_array() -> None:
    assert report("json", []) == "[]\n"
    assert report("jsonl", []) == ""


def test_lines_hold_the_same_objects() -> None:
    text = report("jsonl", [FULLEST, LEAST])
    lines = text.splitlines(keepends=True)
    assert [json.loads(line) for line in lines] == read([FULLEST, LEAST])
    assert all(line.endswith("}\n") for line in lines)


def test_columns_count_code_points_and_rows_every_line_end() -> None:
    text = "'日本🎉'\tx\r\ny\rFOR UPDATE"
    (tabbed, last) = read([make_finding(text, "x"), make_finding(text, "FOR UPDATE")])
    assert tabbed["location"] == {"row": 1, "column": 7}
    assert last["location"] == {"row": 3, "column": 1}
    assert last["end_location"] == {"row": 3, "column": 11}


def test_everything_is_ascii_without_control_characters() -> None:
    evil = "\x1b\x7f\x9b\u202e日"
    finding = make_finding("x", "x", name=f"{evil}.sql", message=evil, table=evil)
    for format in ("json", "jsonl"):
        text = report(format, [finding])
        assert text.isascii()
        assert text.replace("\n", " ").isprintable()
    (read_back,) = json.loads(report("json", [finding]))
    assert read_back["table"] == evil
    assert read_back["filename"] == f"{evil}.sql"


def test_a_file_name_that_is_no_utf8_does_not_spoil_the_document() -> None:
    (finding,) = read([make_finding("x", "x", name="caf\udce9.sql")])
    assert finding["filename"] == "caf\ufffd.sql"


@pytest.mark.parametrize("key", [*SCHEMA["$defs"]["finding"]["properties"]])
def test_the_schema_asks_for_every_key(key: str) -> None:
    (finding,) = read([FULLEST])
    del finding[key]
    with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
        validate([finding])


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"code": "101"},
        {"severity": "fatal"},
        {"location": {"row": 0, "column": 1}},
        {"location": {"row": 1, "column": 1, "offset": 0}},
        {"fix": {"applicability": "maybe", "message": "", "edits": []}},
        {"related": None},
        {"sqlstate": "nope"},
    ],
)
def test_the_schema_is_strict(change: dict[str, object]) -> None:
    (finding,) = read([FULLEST])
    with pytest.raises(jsonschema.ValidationError):
        validate([{**finding, **change}])
