"""Second places of findings: in the file, wherever the statement that they are told of stands."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from pglint_locks import lint_text
from pglint_locks.findings import Finding

LOCK = "SELECT 1 FROM jobs WHERE id = 1 FOR UPDATE"
DO = f"DO $$ BEGIN PERFORM 1; {LOCK.replace('SELECT', 'PERFORM')}; END $$;\n"
FUNCTION = f"CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ {LOCK} $$;\n"
LEAD = "-- é 😀\n\n"
SCRIPTS = sorted(
    path
    for folder in (Path(__file__).parent / "fixtures").glob("PGL*")
    for path in folder.glob("bad/*.sql")
)


def related(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """What is said at second places, and the words there."""
    return [
        (place.message, place.source.text[place.span.start : place.span.end])
        for finding in findings
        for place in finding.related
    ]


@pytest.mark.parametrize("setting", ["READ ONLY", "ISOLATION LEVEL SERIALIZABLE"])
def test_what_a_transaction_says_is_told_in_no_other_text(setting: str) -> None:
    """A block of code has offsets of its own: those of the script mean nothing there."""
    begin = f"-- {'x' * 200}\nBEGIN {setting}"
    text = f"{begin};\n{DO}{FUNCTION}{LOCK};\nCOMMIT;\n"
    code, words = ("PGL705", setting) if setting == "READ ONLY" else ("PGL601", "SERIALIZABLE")
    found = [each for each in lint_text(text, "a.sql") if each.code == code]
    assert [each.location.row for each in found] == [3, 5]
    assert set(related(found)) == {(f"{words} from here on", f"BEGIN {setting}")}


def test_places_go_with_the_text() -> None:
    """All places are counted from the file's start, be it of a script or of a body in it."""
    places = 0
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8-sig")
        found, moved = (
            lint_text(each, "a.sql", select=["ALL"], ignore=["PGL002", "PGL003"])
            for each in (text, LEAD + text)
        )
        by = len(LEAD)
        assert [each.span.shifted(by) for each in found] == [each.span for each in moved], path
        assert related(found) == related(moved), path
        places += len(related(found))
    assert places > 100
