"""What fixes make of the fixtures: `fixtures/CODE/fixed/NAME.sql` is `bad/NAME.sql` repaired.

The first line of a repaired fixture says `-- safe:` or `-- unsafe:`, with which fixes it came
about: those of its own rule, and no others.  Its last lines are what is found in it then.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_fixtures import FIXTURES, expectations, name_of

from pglint_locks import engine, fixes
from pglint_locks.config import Settings
from pglint_locks.fixes import Fixed, apply_edits
from pglint_locks.linting import lint_sources
from pglint_locks.rules import RULES
from pglint_locks.run import FileReport
from pglint_locks.selection import resolve
from pglint_locks.text import SourceText

_TRAILER = re.compile(r"^-- (?:expect|select|note): .*\r?\n?", re.MULTILINE)
_SAFETY = re.compile(r"\A(\ufeff?-- )(safe|unsafe): ")
BAD = sorted(FIXTURES.glob("PGL*/bad/*.sql"))


def text_of(path: Path) -> str:
    """A fixture without the lines that say what is found in it."""
    return _TRAILER.sub("", path.read_bytes().decode("utf-8"))


def lint(name: str, own: str, text: str) -> FileReport | None:
    """What is found in a text; only the rule `own` has its fixes."""
    reports, errors = lint_sources([(SourceText(name, text), Settings(enabled=resolve(RULES)))])
    assert errors == []
    findings = (
        finding if finding.rule.code == own else finding._replace(fix=None)
        for finding in reports[0].findings
    )
    return reports[0]._replace(findings=tuple(findings))


def fixed(path: Path, text: str, *, unsafe: bool) -> Fixed:
    """A text with the fixes of the rule that a fixture is of."""
    own = path.parts[-3]
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    done = fixes.fix_text(
        text.removeprefix(mark), lambda changed: lint(path.name, own, changed), unsafe=unsafe
    )
    return done._replace(text=mark + done.text)


def repaired(path: Path) -> Path:
    """Where the repaired form of a bad fixture stands, if it has one."""
    return path.parents[1] / "fixed" / path.name


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_fixture_is_repaired_as_its_snapshot_says(path: Path) -> None:
    text, snapshot = text_of(path), repaired(path)
    is_safe = True
    expected = text
    if snapshot.exists():
        said = _SAFETY.match(text_of(snapshot))
        assert said is not None, "the first line says whether the fixes are safe"
        is_safe = said[2] == "safe"
        expected = _SAFETY.sub(r"\1", text_of(snapshot))
        assert expected != text
    done = fixed(path, text, unsafe=snapshot.exists() and not is_safe)
    assert done.text == expected, f"fixed/{path.name} should be this:\n{done.text}"
    if not snapshot.exists():
        assert fixed(path, text, unsafe=True).text == text, "there is an unsafe fix"
    elif not is_safe:
        assert fixed(path, text, unsafe=False).text != expected


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("PGL*/fixed/*.sql")), ids=name_of)
def test_repaired_fixture_has_fewer_findings(path: Path) -> None:
    bad = path.parents[1] / "bad" / path.name
    own = path.parts[-3]
    before = [each.code for each in expectations(bad.read_bytes().decode())]
    after = [each.code for each in expectations(path.read_bytes().decode())]
    assert after.count(own) < before.count(own)
    for code in set(after):
        assert after.count(code) <= before.count(code)


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_all_fixes_at_once(path: Path) -> None:
    """What every rule may repair: a second time changes nothing, no comment but ours is lost."""
    text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    done = engine.fix_text(text, path.name, Settings(), unsafe=True)
    again = engine.fix_text(done.text, path.name, Settings(), unsafe=True)
    assert again.text == done.text
    assert not again.fixed
    assert comments(done.text) == comments(text)


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_an_offered_fix_does_what_it_says(path: Path) -> None:
    """Each fix that is offered, alone: its finding is gone, and nothing outside has changed."""
    text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    run = engine.lint_text(text, path.name, Settings())
    for finding in run.findings:
        if finding.fix is None:
            continue
        changed = apply_edits(text, finding.fix.edits)
        behind = len(text) - finding.fix.edits[-1].span.end
        assert changed[: finding.fix.edits[0].span.start] == text[: finding.fix.edits[0].span.start]
        assert behind == 0 or changed[-behind:] == text[-behind:]
        after = engine.lint_text(changed, path.name, Settings())
        assert len(after.findings) < len(run.findings), finding.fix.message
        assert after.statements == run.statements


def comments(text: str) -> list[str]:
    """The comments of a text, but for directives."""
    found = re.findall(r"/\*.*?\*/|--[^\r\n]*", text, re.DOTALL)
    return sorted(each for each in found if "pglint:" not in each)


REFUSED = "SELECT j.id FROM jobs AS j LEFT JOIN users AS u ON u.id = j.user_id FOR UPDATE;\n"
KEPT = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 1 FOR UPDATE);\n"


@pytest.mark.parametrize("text", [(KEPT + REFUSED) * 200, REFUSED * 200 + KEPT * 200])
def test_many_fixes_take_few_looks(text: str) -> None:
    """Each look at a file of many statements takes long."""
    looks: list[str] = []

    def look(changed: str) -> FileReport:
        looks.append(changed)
        reports, _ = lint_sources([(SourceText("many.sql", changed), Settings())])
        return reports[0]

    done = fixes.fix_text(text, look, unsafe=False)
    assert len(done.fixed) == 200
    assert {each.reason for each in done.refused} == {"it would bring PGL402"}
    assert len(done.refused) == 200
    assert len(looks) < 12
    report = look(text)
    del looks[:]
    offered = [each.fix for each in fixes.borne_out(text, report, look).findings]
    assert sum(each is not None for each in offered) == 200
    assert len(looks) < 6
