"""`junit`: the XML of JUnit, which CI servers show among the results of tests.

Each finding is a test that failed; a file or option that failed the run is a test that had
an error.  A run without either is one test that passed: servers take none for a mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pglint_locks.findings import Finding
from pglint_locks.reporters.options import RenderOptions
from pglint_locks.reporters.xml_text import DECLARATION, attributes, content, in_ascii

if TYPE_CHECKING:
    from pglint_locks.run import Run

NAME = "pglint-locks"


def render(run: Run, options: RenderOptions) -> str:
    """One `<testsuite>` for each file with findings, and one for what failed the run."""
    suites: list[str] = []
    for name, group in groupby(run.findings, key=lambda finding: finding.source.name):
        cases = [_failure(finding) for finding in group]
        suites += _suite(name, cases, failures=len(cases))
    if options.errors:
        suites += _suite(
            NAME, [_error(each) for each in options.errors], errors=len(options.errors)
        )
    if not suites:
        passed = f"<testcase{attributes({'name': 'no findings', 'classname': NAME, 'time': 0})}/>"
        suites = _suite(NAME, [passed])
    failures, errors = len(run.findings), len(options.errors)
    counts = _counts(max(failures + errors, 1), failures, errors)
    head = f"<testsuites{attributes({'name': NAME, **counts})}>"
    return DECLARATION + in_ascii("\n".join([head, *suites, "</testsuites>\n"]))


def _suite(name: str, cases: Sequence[str], failures: int = 0, errors: int = 0) -> list[str]:
    head = f"  <testsuite{attributes({'name': name, **_counts(len(cases), failures, errors)})}>"
    return [head, *(f"    {case}" for case in cases), "  </testsuite>"]


def _counts(tests: int, failures: int, errors: int) -> dict[str, object]:
    return {"tests": tests, "failures": failures, "errors": errors, "skipped": 0, "time": 0}


def _failure(finding: Finding) -> str:
    at = finding.source.position(finding.span.start)
    name = finding.source.name
    case = {
        "name": f"{finding.rule.code} {finding.rule.name} ({at.row}:{at.column})",
        "classname": name,
        "file": name,
        "line": at.row,
        "time": 0,
    }
    failure = {"message": finding.text, "type": finding.severity.value}
    text = f"{name}:{at.row}:{at.column}: {finding.text}\n{finding.rule.url}"
    return _case(case, f"<failure{attributes(failure)}>{content(text)}</failure>")


def _error(line: str) -> str:
    case = {"name": line, "classname": NAME, "time": 0}
    return _case(case, f"<error{attributes({'message': line, 'type': 'error'})}/>")


def _case(values: dict[str, object], inside: str) -> str:
    return f"<testcase{attributes(values)}>{inside}</testcase>"
