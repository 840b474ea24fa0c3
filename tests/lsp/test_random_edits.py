"""After any edit the diagnostics are those of a fresh check of the same text."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from lsp_client import Client
from script_edits import a_script, an_edit

from pglint_locks import lint_text
from pglint_locks.config import Settings
from pglint_locks.findings import Finding, Severity
from pglint_locks.linting.sections import Sections
from pglint_locks.lsp.linter import Linter
from pglint_locks.text import SourceText, Span

SCRIPTS, EDITS = 10, 100
_SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.NOTE: 3}


def expected(text: str) -> list[tuple[Any, ...]]:
    """What a fresh check says, and where: lines and code points from 0."""
    source = SourceText("a.sql", text)

    def at(span: Span) -> list[int]:
        places = (source.position(span.start), source.position(span.end))
        return [number - 1 for place in places for number in place]

    return [
        (
            finding.rule.code,
            _SEVERITIES[finding.severity],
            finding.text.replace("; ", "\n"),
            at(finding.span),
            [(place.message, at(place.span)) for place in finding.related],
        )
        for finding in lint_text(text, "a.sql")
    ]


def received(diagnostics: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    def at(place: dict[str, Any]) -> list[int]:
        return [place[side][unit] for side in ("start", "end") for unit in ("line", "character")]

    return [
        (
            each["code"],
            each["severity"],
            each["message"].replace("; ", "\n"),
            at(each["range"]),
            [
                (other["message"], at(other["location"]["range"]))
                for other in each.get("relatedInformation", ())
            ],
        )
        for each in diagnostics
    ]


@pytest.mark.parametrize("seed", range(SCRIPTS))
def test_in_the_server(connect: Callable[..., Client], seed: int) -> None:
    random = Random(seed)
    text = a_script(random, 5)
    client = connect()
    client.begin({"general": {"positionEncodings": ["utf-32"]}})
    client.open(text)
    for version in range(2, EDITS + 2):
        start, end, new = an_edit(random, text)
        source = SourceText("a.sql", text)
        first, last = source.position(start), source.position(end)
        place = {
            "start": {"line": first.row - 1, "character": first.column - 1},
            "end": {"line": last.row - 1, "character": last.column - 1},
        }
        if source.offset(first) != start or text[start - 1 : start + 1] == "\r\n":
            continue
        before, text = text, text[:start] + new + text[end:]
        client.change(version, {"range": place, "text": new})
        assert received(client.published(version)) == expected(text), (seed, version, new)
        if random.random() < 0.4:  # most edits break something for good: take some back
            client.change(version, {"text": before})
            text = before
            client.published(version)


def facts(findings: tuple[Finding, ...] | list[Finding]) -> list[tuple[Any, ...]]:
    return [
        each._replace(source=None, fix=None, related=None)  # type: ignore[arg-type]
        + tuple((place.message, place.span) for place in each.related)
        for each in findings
    ]


def test_in_sections() -> None:
    """The same without the server, in larger scripts, and with all that a finding says."""
    found = sections = 0
    for seed in range(100, 104):
        random = Random(seed)
        text = a_script(random, 12)
        linter = Linter("a.sql", Settings())
        for _ in range(50):
            before = text
            start, end, new = an_edit(random, text)
            text = text[:start] + new + text[end:]
            report = linter.report(text)
            assert facts(report.findings) == facts(lint_text(text, "a.sql")), (seed, new)
            found += len(report.findings)
            sections += len(linter._sections._sections)
            if random.random() < 0.5:
                text = before
    assert found > 1_000
    assert sections > 2_000, "most scripts are cut into sections"


def test_what_an_edit_does_not_touch_is_not_linted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"SELECT id FROM t{n} WHERE id = 1 FOR UPDATE;\n" for n in range(50))
    linter = Linter("a.sql", Settings())
    linter.report(text)
    linted: list[str] = []
    lint = Sections._lint

    def note(self: Sections, source: SourceText) -> Any:
        linted.append(source.text)
        return lint(self, source)

    monkeypatch.setattr(Sections, "_lint", note)
    linter.report(text.replace("FROM t20 ", "FROM t2x "))
    assert linted == ["SELECT id FROM t2x WHERE id = 1 FOR UPDATE;\n"]
    linted.clear()
    linter.report(text.replace("FROM t20 ", "FROM t2x ").replace("FROM t30 ", "FROM 't3 "))
    assert len(linted) == 1


def test_what_the_schema_says_reaches_those_that_speak_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table that another line makes: what is said of others stays what it was."""
    text = "CREATE TABLE t1 (no int PRIMARY KEY);\n" + "".join(
        f"SELECT no FROM t{n} WHERE no = 1 FOR UPDATE;\n" for n in range(1, 13)
    )
    linter = Linter("a.sql", Settings())
    linter.report(text)
    linted: list[str] = []
    lint = Sections._lint

    def note(self: Sections, source: SourceText) -> Any:
        linted.append(source.text)
        return lint(self, source)

    monkeypatch.setattr(Sections, "_lint", note)
    before = len(linter.report(text).findings)
    assert not linted
    changed = text.replace("no int", "n int")
    after = linter.report(changed).findings
    assert linted == [changed.splitlines(keepends=True)[0], text.splitlines(keepends=True)[1]]
    assert len(after) == before + 1
    assert facts(after) == facts(lint_text(changed, "a.sql"))
