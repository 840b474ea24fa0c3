"""What must hold of fixes: bad fixtures are repaired as their snapshots say."""

from __future__ import annotations

import re
from pathlib import Path

from pglint_locks import engine, fixes
from pglint_locks.config import Settings
from pglint_locks.fixes import Fixed, apply_edits
from pglint_locks.linting import lint_sources
from pglint_locks.model.queries.known import Known
from pglint_locks.plugins import known_rules
from pglint_locks.run import FileReport
from pglint_locks.schema.catalog import Catalog
from pglint_locks.selection import resolve
from pglint_locks.testing.fixtures import expectations, schema_of
from pglint_locks.testing.holds import ensure, same
from pglint_locks.testing.plans import planner_of
from pglint_locks.text import SourceText

_TRAILER = re.compile(r"^-- (?:expect|select|note): .*\r?\n?", re.MULTILINE)
_SAFETY = re.compile(r"\A(\ufeff?-- )(safe|unsafe): ")
_COMMENT = re.compile(r"/\*.*?\*/|--[^\r\n]*", re.DOTALL)


def text_of(path: Path) -> str:
    """A fixture without the lines that say what is found in it."""
    return _TRAILER.sub("", path.read_bytes().decode("utf-8"))


def fixed(path: Path, text: str, *, unsafe: bool) -> Fixed:
    """A text with the fixes of the rule that a fixture is of."""
    own = path.parts[-3]
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    done = fixes.fix_text(
        text.removeprefix(mark), lambda changed: lint_own(path.name, own, changed), unsafe=unsafe
    )
    return done._replace(text=mark + done.text)


def lint_own(name: str, own: str, text: str) -> FileReport | None:
    """What is found in a text; only the rule `own` has its fixes."""
    settings = Settings(enabled=resolve(known_rules()))
    known = Known(catalog=schema_of(text) or Catalog(), planner=planner_of(text))
    reports, errors = lint_sources([(SourceText(name, text), settings)], lambda _: known)
    same([each.message for each in errors], [], "errors")
    findings = (
        finding if finding.rule.code == own else finding._replace(fix=None)
        for finding in reports[0].findings
    )
    return reports[0]._replace(findings=tuple(findings))


def repaired(path: Path) -> Path:
    """Where the repaired form of a bad fixture stands, if it has one."""
    return path.parents[1] / "fixed" / path.name


def fixture_is_repaired_as_its_snapshot(path: Path) -> None:
    """The fixes of the rule give what stands in `fixed/`; without one there are none."""
    text, snapshot = text_of(path), repaired(path)
    is_safe, expected = True, text
    if snapshot.exists():
        said = _SAFETY.match(text_of(snapshot))
        ensure(said is not None, "the first line must say whether the fixes are safe")
        is_safe = said is not None and said[2] == "safe"
        expected = _SAFETY.sub(r"\1", text_of(snapshot))
        ensure(expected != text, "the snapshot is the bad fixture itself")
    done = fixed(path, text, unsafe=snapshot.exists() and not is_safe)
    ensure(done.text == expected, f"fixed/{path.name} should be this:\n{done.text}")
    if not snapshot.exists():
        ensure(fixed(path, text, unsafe=True).text == text, "there is an unsafe fix")
    elif not is_safe:
        ensure(fixed(path, text, unsafe=False).text != expected, "the fix is safe")


def repaired_fixture_has_fewer_findings(path: Path) -> None:
    """In a repaired fixture the rule says less, and no rule says more."""
    bad, own = path.parents[1] / "bad" / path.name, path.parts[-3]
    before = [each.code for each in expectations(bad.read_bytes().decode())]
    after = [each.code for each in expectations(path.read_bytes().decode())]
    ensure(after.count(own) < before.count(own), f"{own} is still found as often")
    for code in set(after):
        ensure(after.count(code) <= before.count(code), f"the fix brings {code}")


def fixing_twice_changes_nothing(path: Path) -> None:
    """With what every rule may repair, a second time nothing is left; no comment is lost."""
    text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    done = engine.fix_text(text, path.name, Settings(), unsafe=True)
    again = engine.fix_text(done.text, path.name, Settings(), unsafe=True)
    same(again.text, done.text, "the text after a second time")
    ensure(not again.fixed, "a second time fixes something")
    same(_comments(done.text), _comments(text), "comments")


def _comments(text: str) -> list[str]:
    """The comments of a text, but for directives."""
    return sorted(each for each in _COMMENT.findall(text) if "pglint:" not in each)


def offered_fixes_do_what_they_say(path: Path) -> None:
    """Each fix, made alone by its edits: its finding is gone, nothing outside them has changed."""
    text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    run = engine.lint_text(text, path.name, Settings(), schema_of(text))
    for finding in run.findings:
        if finding.fix is None:
            continue
        changed = apply_edits(text, finding.fix.edits)
        first, last = finding.fix.edits[0].span.start, finding.fix.edits[-1].span.end
        same(changed[:first], text[:first], "what stands before the fix")
        same(changed[len(changed) - len(text) + last :], text[last:], "what stands behind it")
        after = engine.lint_text(changed, path.name, Settings(), schema_of(changed))
        ensure(len(after.findings) < len(run.findings), f"nothing is gone: {finding.fix.message}")
        same(after.statements, run.statements, "statements")
