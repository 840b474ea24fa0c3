"""`junit` and `checkstyle`, read back as their consumers do."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_findings import claim_finding, make_finding

from pglint_locks.findings import Finding, Severity
from pglint_locks.reporters import RenderOptions, render
from pglint_locks.run import Run

COUNTS = ("tests", "failures", "errors", "skipped")


def read(format: str, findings: list[Finding], errors: tuple[str, ...] = ()) -> ET.Element:
    options = RenderOptions(False, 0, Severity.NOTE, Path("/nowhere"), errors)
    run = Run(tuple(findings), files=1, statements=1, clauses=1, not_analysed=(), errors=())
    text = render(run, format, options)
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n')
    return ET.fromstring(text.encode("utf-8"))


def junit(findings: list[Finding], errors: tuple[str, ...] = ()) -> ET.Element:
    """A report whose numbers are those of its elements."""
    root = read("junit", findings, errors)
    assert root.tag == "testsuites"
    for each in (root, *root.iter("testsuite")):
        counted = {
            "tests": len(list(each.iter("testcase"))),
            "failures": len(list(each.iter("failure"))),
            "errors": len(list(each.iter("error"))),
            "skipped": 0,
        }
        assert {key: int(each.attrib[key]) for key in COUNTS} == counted
    return root


def test_a_finding_is_a_test_that_failed() -> None:
    finding = claim_finding()
    root = junit([finding])
    (suite,) = root
    (case,) = suite
    assert suite.attrib["name"] == "claim.sql"
    assert case.attrib == {
        "name": "PGL101 rescanned-locking-subquery (4:11)",
        "classname": "claim.sql",
        "file": "claim.sql",
        "line": "4",
        "time": "0",
    }
    (failure,) = case
    assert failure.tag == "failure"
    assert failure.attrib == {"message": finding.text, "type": "error"}
    assert failure.text == f"claim.sql:4:11: {finding.text}\n{finding.rule.url}"


def test_each_file_is_a_suite() -> None:
    names = ["a.sql", "a.sql", "b.sql"]
    root = junit([claim_finding(name=name) for name in names])
    assert [suite.attrib["name"] for suite in root] == ["a.sql", "b.sql"]


def test_nothing_found_is_a_test_that_passed() -> None:
    (case,) = junit([]).iter("testcase")
    assert case.attrib["name"] == "no findings"
    assert list(case) == []


def test_what_failed_the_run_is_an_error() -> None:
    (error,) = junit([], ("a.sql: cannot be read",)).iter("error")
    assert error.attrib["message"] == "a.sql: cannot be read"


def test_checkstyle_groups_errors_by_file() -> None:
    findings = [
        claim_finding(name="a.sql", severity=Severity.ERROR),
        claim_finding(name="a.sql", severity=Severity.WARNING),
        claim_finding(name="b.sql", severity=Severity.NOTE),
    ]
    root = read("checkstyle", findings)
    assert (root.tag, root.attrib) == ("checkstyle", {"version": "4.3"})
    assert [(file.attrib["name"], len(file)) for file in root] == [("a.sql", 2), ("b.sql", 1)]
    assert [each.attrib["severity"] for each in root.iter("error")] == ["error", "warning", "info"]
    assert root[0][0].attrib == {
        "line": "4",
        "column": "11",
        "severity": "error",
        "message": findings[0].text,
        "source": "pglint-locks.PGL101",
    }


def test_checkstyle_without_findings_is_a_document() -> None:
    assert list(read("checkstyle", [])) == []


@pytest.mark.parametrize("format", ["junit", "checkstyle"])
def test_what_xml_cannot_hold_is_shown(format: str) -> None:
    text = 'a\x00\x1b\x0b\ufffe\uffff\ud800<&>"]]>\n\t\x85'
    finding = make_finding("x", "x", message=text, name=f"{text}.sql")
    root = read(format, [finding], (text,))
    shown = 'a\\x00\\x1b\\x0b\\ufffe\\uffff\\ud800<&>"]]>\\n\\t\\x85'
    (element,) = root.iter("failure" if format == "junit" else "error")
    assert element.attrib["message"] == shown
    assert root[0].attrib["name"] == f"{shown}.sql"


_TEXT = st.text(st.characters(), max_size=30)


@pytest.mark.parametrize("format", ["junit", "checkstyle"])
@given(message=_TEXT, name=_TEXT, error=_TEXT)
def test_whatever_is_told_the_xml_is_well_formed(
    format: str, message: str, name: str, error: str
) -> None:
    root = read(format, [make_finding("x", "x", message=message, name=name)], (error,))
    assert len(root) >= 1
