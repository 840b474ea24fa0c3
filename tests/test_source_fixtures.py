"""The fixtures of files that are no SQL: `fixtures/sources/KIND/bad|good/name.ext`.

Comments of the host say what is found: `expect:` lines as in the rules' fixtures, for every
finding of warning or above and for the lesser ones that are worth it, and one line
`counts: 3 clauses, 2 analysed` for the locking clauses seen and read.

Where there is something to fix, `bad-fixed/name.ext` (or `good-fixed`) is the file as all fixes,
unsafe ones too, leave it; its comments are still those of the file that was repaired.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from test_fixtures import FIXTURES

from pglint_locks.config import Settings
from pglint_locks.engine import fix_text, lint_text
from pglint_locks.findings import Severity
from pglint_locks.testing.fixtures import expectations, place_of

_COUNTS = re.compile(r"counts: (\d+) clauses, (\d+) analysed")
SOURCES = FIXTURES / "sources"


def source_files() -> list[Path]:
    """All fixtures of files that are no SQL."""
    return sorted(
        path for kind in ("bad", "good") for path in SOURCES.glob(f"*/{kind}/*") if path.is_file()
    )


def name_of(path: Path) -> str:
    """The test's id, and the file name that the engine is told."""
    return path.relative_to(FIXTURES).as_posix()


@pytest.mark.parametrize("path", source_files(), ids=name_of)
def test_fixture_gives_exactly_its_expectations(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    expected = expectations(text)
    run = lint_text(text, name_of(path), Settings())
    assert run.errors == ()
    listed = {(each.code, each.place) for each in expected}
    found = [
        finding
        for finding in run.findings
        if (finding.rule.code, place_of(finding)) in listed or finding.severity >= Severity.WARNING
    ]
    assert sorted((each.rule.code, each.severity.value, place_of(each)) for each in found) == (
        sorted((each.code, each.severity, each.place) for each in expected)
    )
    for expectation in expected:
        said = "\n".join(
            f"{finding.message}\n{finding.advice or ''}"
            for finding in found
            if (finding.rule.code, place_of(finding)) == (expectation.code, expectation.place)
        )
        assert [word for word in expectation.words if word not in said] == [], said
    counts = _COUNTS.search(text)
    assert counts, "a line says how many clauses there are"
    assert (run.clauses, run.analysed) == (int(counts[1]), int(counts[2])), run.not_analysed


@pytest.mark.parametrize("path", source_files(), ids=name_of)
def test_fixture_has_a_twin(path: Path) -> None:
    kind = path.parent.name
    assert kind in ("bad", "good")
    assert bool(expectations(path.read_text(encoding="utf-8"))) == (kind == "bad")
    twin = path.parents[1] / ("good" if kind == "bad" else "bad") / path.name
    assert twin.is_file(), "a bad case and its near-miss share a name"


@pytest.mark.parametrize("path", source_files(), ids=name_of)
def test_fixture_is_repaired_as_its_snapshot(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    before = lint_text(text, name_of(path), Settings())
    done = fix_text(text, name_of(path), Settings(), unsafe=True)
    snapshot = path.parents[1] / f"{path.parent.name}-fixed" / path.name
    assert snapshot.exists() == any(finding.fix for finding in before.findings)
    expected = snapshot.read_bytes().decode("utf-8") if snapshot.exists() else text
    assert done.text == expected, f"{snapshot.name} should be this:\n{done.text}"
    after = lint_text(done.text, name_of(path), Settings())
    codes = Counter(finding.rule.code for finding in before.findings)
    codes.subtract(finding.rule.code for finding in done.fixed)
    assert Counter(finding.rule.code for finding in after.findings) <= codes
    assert (after.statements, after.clauses) == (before.statements, before.clauses)
    assert len(after.not_analysed) == len(before.not_analysed)
    again = fix_text(done.text, name_of(path), Settings(), unsafe=True)
    assert (again.text, again.fixed) == (done.text, ())


def test_no_snapshot_without_a_fixture() -> None:
    for path in SOURCES.glob("*/*-fixed/*"):
        kind = path.parent.name.removesuffix("-fixed")
        assert (path.parents[1] / kind / path.name).is_file(), path
