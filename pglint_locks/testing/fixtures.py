"""What must hold of fixtures: files that say what is found in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pglint_locks import engine
from pglint_locks.config import Settings
from pglint_locks.findings import Finding, Rule, Severity
from pglint_locks.plugins import known_rules
from pglint_locks.schema.catalog import Catalog
from pglint_locks.schema.ddl import Replay
from pglint_locks.selection import resolve
from pglint_locks.testing.holds import ensure, same
from pglint_locks.testing.plans import planner_of
from pglint_locks.text import SourceText

_EXPECT = re.compile(
    r"^[ \t]*(?:--|//|#|<!--|%#?|;|\*|\.\.|\"--) expect: ([A-Z]+\d+) (error|warning|note)"
    r" (\d+:\d+-\d+:\d+)((?: \"[^\"\r\n]+\")*)(?: (?:-->|\*/)|\",?)?\r?$",
    re.MULTILINE,
)
_SELECT = re.compile(r"^(?:--|#|//) select: ([A-Z]+\d+(?:, [A-Z]+\d+)*)\r?$", re.MULTILINE)

_SCHEMA = re.compile(r"^(?:--|#|//) schema: (.+?)\r?$", re.MULTILINE)


class Expectation(NamedTuple):
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
    written = len(re.findall(r"\bexpect:", text))
    ensure(len(found) == written, "an expect line is not well formed")
    return found


def place_of(finding: Finding) -> str:
    """Start and end of a finding as the expect lines write them."""
    start, end = finding.location, finding.end_location
    return f"{start.row}:{start.column}-{end.row}:{end.column}"


def expect_line(finding: Finding) -> str:
    """The line of a fixture that expects a finding."""
    return f"-- expect: {finding.rule.code} {finding.severity.value} {place_of(finding)}"


def lint(text: str, name: str, select: Iterable[str] = ()) -> tuple[Finding, ...]:
    """What the default settings and `select` find in a text; fails on a file error."""
    codes = [code for line in _SELECT.findall(text) for code in line.split(", ")]
    enabled = resolve(known_rules(), None, (*codes, *select))
    settings = Settings(enabled=enabled)
    run = engine.lint_text(text, name, settings, schema_of(text), planner_of(text))
    same([each.message for each in run.errors], [], "errors")
    return run.findings


def schema_lines(text: str) -> list[str]:
    """The SQL of a fixture's `-- schema:` lines."""
    return _SCHEMA.findall(text)


def schema_of(text: str) -> Catalog | None:
    """The schema that the `-- schema:` lines of a fixture make."""
    made = "\n".join(schema_lines(text))
    if not made:
        return None
    replay = Replay()
    replay.run(SourceText("schema.sql", made))
    same(replay.unread, [], "statements of the schema that are not read")
    return replay.catalog()


def every_severity_is_shown(rule: Rule, fixtures: Path) -> None:
    """The bad fixtures show each severity of the rule."""
    shown = {
        each.severity
        for path in (fixtures / rule.code / "bad").glob("*.*")
        for each in expectations(path.read_text(encoding="utf-8-sig"))
        if each.code == rule.code
    }
    same(shown, {severity.value for severity in rule.severities}, "severities in bad fixtures")


def rule_has_fixtures(rule: Rule, fixtures: Path) -> None:
    """There are bad and good cases."""
    for kind in ("bad", "good"):
        found = list((fixtures / rule.code / kind).glob("*.*"))
        ensure(bool(found), f"there is no fixture in {rule.code}/{kind}")


def fixture_gives_its_expectations(path: Path) -> None:
    """What is found in a fixture is exactly what it expects."""
    text = path.read_bytes().decode("utf-8")
    own = path.parts[-3]
    expected = expectations(text)
    listed = {each.code for each in expected} | {own}
    found = [
        finding
        for finding in lint(text, "/".join(path.parts[-3:]))
        if finding.rule.code in listed or finding.severity >= Severity.WARNING
    ]
    same(
        [(each.rule.code, each.severity.value, place_of(each)) for each in found],
        [(each.code, each.severity, each.place) for each in expected],
        "the findings, which are these:\n" + "\n".join(map(expect_line, found)) + "\n",
    )
    for finding, expectation in zip(found, expected, strict=True):
        said = f"{finding.message}\n{finding.advice or ''}"
        missing = [word for word in expectation.words if word not in said]
        same(missing, [], f"words that are missing in: {said}")
        known = finding.severity in finding.rule.severities
        ensure(known, f"{finding.severity.value} is none of the severities of the rule")
        ensure(not finding.message.endswith("."), "a message has no full stop")


def fixture_is_well_formed(path: Path) -> None:
    """A fixture says what it shows, and a bad case and its near miss share a name."""
    text = path.read_text(encoding="utf-8-sig")
    code, kind = path.parts[-3:-1]
    is_said = re.match(r"(?:<\?php\n)?(?:--|#|//) ", text) is not None
    ensure(is_said, "the first line must say what the fixture shows")
    ensure(kind in ("bad", "good", "fixed"), f"{kind} is not bad, good or fixed")
    if kind == "fixed":
        bad = path.parents[1] / "bad" / path.name
        ensure(bad.is_file(), "there is no bad fixture of that name")
        return
    speaks = code in {each.code for each in expectations(text)}
    ensure(speaks == (kind == "bad"), f"a {kind} fixture: does it expect {code}? {speaks}")
    twin = path.parents[1] / ("good" if kind == "bad" else "bad") / path.name
    ensure(twin.is_file(), f"there is no {twin.parent.name}/{twin.name}")
