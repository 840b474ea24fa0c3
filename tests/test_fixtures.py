"""The fixtures below `fixtures/`, and that rules, pages and fixtures belong together.

A fixture's last lines say what the default settings find in it:
`-- expect: PGL101 error 4:8-4:10 "words of the message"`: the range is half open, the
words stand in message or advice.  It lists every finding of warning or above, those of
other rules too, and every finding of its own rule.  `-- select: PGL106` among them switches
opt-in rules on.  `fixed/` has bad cases repaired: see `test_fixes.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from rulepages import PAGES, PROVED, examples, has_proofs, page, proofs, writes_page

from pglint_locks.commands.markdown import render
from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Finding, Rule, Severity
from pglint_locks.rules import RULES
from pglint_locks.selection import resolve

TESTS = Path(__file__).parent
FIXTURES = TESTS / "fixtures"
HEADINGS = (
    "## What it flags",
    "## What happens",
    "## Why",
    "## Bad",
    "## Good",
    "## How to fix",
    "## When to ignore",
    "## References",
)

_EXPECT = re.compile(
    r"^[ \t]*(?:--|//|#|<!--|%#?|;|\*|\.\.|\"--) expect: (PGL\d{3}) (error|warning|note)"
    r" (\d+:\d+-\d+:\d+)((?: \"[^\"\r\n]+\")*)(?: (?:-->|\*/)|\",?)?\r?$",
    re.MULTILINE,
)
_SELECT = re.compile(r"^-- select: (PGL\d{3}(?:, PGL\d{3})*)\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Expectation:
    """One `-- expect:` line."""

    code: str
    severity: str
    place: str
    words: tuple[str, ...]


def expectations(text: str) -> list[Expectation]:
    """The expectations of a fixture, in the order of its lines."""
    found = [
        Expectation(code, severity, place, tuple(re.findall(r'"([^"]+)"', words)))
        for code, severity, place, words in _EXPECT.findall(text)
    ]
    assert len(found) == len(re.findall(r"\bexpect:", text)), "an expect line is not well formed"
    return found


def place_of(finding: Finding) -> str:
    """Start and end of a finding as the expect lines write them."""
    start = finding.source.position(finding.span.start)
    end = finding.source.position(finding.span.end)
    return f"{start.row}:{start.column}-{end.row}:{end.column}"


def expect_line(finding: Finding) -> str:
    """The line of a fixture that expects a finding."""
    return f"-- expect: {finding.rule.code} {finding.severity.value} {place_of(finding)}"


def lint(text: str, name: str, select: Iterable[str] = ()) -> tuple[Finding, ...]:
    """What the default settings and `select` find in a text; fails on a file error."""
    codes = [code for line in _SELECT.findall(text) for code in line.split(", ")]
    run = lint_text(text, name, Settings(enabled=resolve(RULES, None, (*codes, *select))))
    assert run.errors == ()
    return run.findings


def fixture_files() -> list[Path]:
    """All fixtures that follow the folder scheme `CODE/bad|good|fixed/name.sql`."""
    return sorted(FIXTURES.glob("PGL*/*/*.sql"))


def name_of(path: Path) -> str:
    """`PGL101/bad/name`: the test's id, and the file name that the engine is told."""
    return path.relative_to(FIXTURES).with_suffix("").as_posix()


@pytest.mark.parametrize("path", fixture_files(), ids=name_of)
def test_fixture_gives_exactly_its_expectations(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    own, _, _ = name_of(path).partition("/")
    expected = expectations(text)
    listed = {each.code for each in expected} | {own}
    found = [
        finding
        for finding in lint(text, f"{name_of(path)}.sql")
        if finding.rule.code in listed or finding.severity >= Severity.WARNING
    ]
    assert [(each.rule.code, each.severity.value, place_of(each)) for each in found] == [
        (each.code, each.severity, each.place) for each in expected
    ], "the findings are these:\n" + "\n".join(map(expect_line, found))
    for finding, expectation in zip(found, expected, strict=True):
        said = f"{finding.message}\n{finding.advice or ''}"
        assert [word for word in expectation.words if word not in said] == [], said
        assert finding.severity in finding.rule.severities
        assert not finding.message.endswith("."), "a message has no full stop"


@pytest.mark.parametrize("path", fixture_files(), ids=name_of)
def test_fixture_is_well_formed(path: Path) -> None:
    text = path.read_text(encoding="utf-8-sig")
    code, kind, _ = name_of(path).split("/")
    assert text.startswith("-- "), "the first line says what the fixture shows"
    assert kind in ("bad", "good", "fixed")
    if kind == "fixed":
        assert (path.parents[1] / "bad" / path.name).is_file()
        return
    assert (code in {each.code for each in expectations(text)}) == (kind == "bad")
    twin = path.parents[1] / ("good" if kind == "bad" else "bad") / path.name
    assert twin.is_file(), "a bad case and its near-miss share a name"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_has_fixtures(rule: Rule) -> None:
    for kind in ("bad", "good"):
        assert list((FIXTURES / rule.code / kind).glob("*.sql")), kind


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_severity_of_a_rule_is_shown(rule: Rule) -> None:
    shown = {
        each.severity
        for path in (FIXTURES / rule.code / "bad").glob("*.sql")
        for each in expectations(path.read_text(encoding="utf-8-sig"))
        if each.code == rule.code
    }
    assert shown == {severity.value for severity in rule.severities}


def test_no_fixture_without_a_rule() -> None:
    folders = {path.name for path in FIXTURES.glob("PGL*")}
    assert folders == {rule.code for rule in RULES}


def test_pages_are_those_of_the_rules() -> None:
    assert {path.name for path in PAGES.glob("*.md")} == {rule.page for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_has_its_parts(rule: Rule) -> None:
    text = page(rule)
    assert text.splitlines()[0] == f"# {rule.code} {rule.name}"
    headings = [*HEADINGS, PROVED] if has_proofs(rule) else list(HEADINGS)
    assert re.findall(r"^## .*$", text, re.MULTILINE) == headings
    severities = re.findall(r"^Severity: (.+)$", text, re.MULTILINE)
    assert len(severities) == 1
    said = set(re.findall(r"\b(?:error|warning|note)\b", severities[0]))
    assert said == {severity.value for severity in rule.severities}
    assert examples(rule, "## Bad")
    assert examples(rule, "## Good")


@pytest.mark.parametrize("rule", [*filter(has_proofs, RULES)], ids=lambda rule: rule.code)
def test_page_names_proofs_that_exist(rule: Rule) -> None:
    assert proofs(rule)
    assert [proof.test for proof in proofs(rule) if not writes_page(proof.test)] == []
    shown = render("\n".join(map(str, proofs(rule))), 80, color=False)
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_bad_examples_of_the_page_are_found(rule: Rule) -> None:
    for number, example in enumerate(examples(rule, "## Bad"), 1):
        found = {
            finding.rule.code for finding in lint(example, f"{rule.code}-bad.sql", (rule.code,))
        }
        assert rule.code in found, f"bad example {number}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_good_examples_of_the_page_are_silent(rule: Rule) -> None:
    for number, example in enumerate(examples(rule, "## Good"), 1):
        found = {
            finding.rule.code for finding in lint(example, f"{rule.code}-good.sql", (rule.code,))
        }
        assert rule.code not in found, f"good example {number}"
