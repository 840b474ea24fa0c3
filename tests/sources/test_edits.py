"""From edits in a unit to edits in the file, through the literal that holds the unit."""

from __future__ import annotations

import pytest

from pglint_locks.findings import SAFE, Edit, Fix
from pglint_locks.sources.edits import placed
from pglint_locks.sources.literals import literal_unit
from pglint_locks.sources.units import Escape, SqlUnit, in_any_literal
from pglint_locks.text import SourceText, Span


def _in_literal(literal: str, old: str, new: str) -> str | None:
    """A file that holds nothing but a literal, once `old` in its value has become `new`."""
    whole = SqlUnit.whole_file(SourceText("a.sql", literal))
    unit = literal_unit(whole, Span(0, len(literal)))
    start = unit.text.index(old)
    return _placed(unit, Span(start, start + len(old)), new)


def _placed(unit: SqlUnit, span: Span, content: str) -> str | None:
    found = placed(Fix(SAFE, "", (Edit(span, content),)), unit)
    if found is None:
        return None
    (edit,) = found.edits
    text = unit.source.text
    return text[: edit.span.start] + edit.content + text[edit.span.end :]


@pytest.mark.parametrize(
    ("literal", "old", "new", "expected"),
    [
        ("'a b'", "b", "c 'd' \\", r"'a c ''d'' \'"),
        ("E'a b'", "b", "c 'd' \\", r"E'a c ''d'' \\'"),
        ("e'a\\n b'", "b", "c", "e'a\\n c'"),
        ("U&'a b'", "b", "'\\", r"U&'a ''\\'"),
        ("N'a b'", "b", "'", "N'a '''"),
        ("$$a b$$", "b", "c 'd' \\", "$$a c 'd' \\$$"),
        ("$x$a b$x$", "b", "$$", "$x$a $$$x$"),
        # What it replaces is written as it is here.
        ("'a ''b'' c'", "'b'", "'d'", "'a ''d'' c'"),
        # These cannot be written, or what stands there is not what would be written.
        ("$$a b$$", "b", "$$", None),
        ("$x$a b$x$", "b", "$x$", None),
        (r"E'a \'b'", "'b", "c", None),
        ("E'a\\nb'", "\n", "c", None),
        ("'a'\n'b'", "ab", "c", None),
    ],
)
def test_literals(literal: str, old: str, new: str, expected: str | None) -> None:
    assert _in_literal(literal, old, new) == expected


def test_a_literal_in_a_literal() -> None:
    whole = SqlUnit.whole_file(SourceText("a.sql", "'x ''a b'' y'"))
    body = literal_unit(whole, Span(0, len(whole.text)))
    inner = literal_unit(body, Span(2, 7))
    assert inner.text == "a b"
    assert _placed(inner, Span(2, 3), "'") == "'x ''a '''''' y'"


@pytest.mark.parametrize(
    ("escape", "content", "expected"),
    [
        (None, "x", None),
        (in_any_literal, "NO KEY UPDATE OF j", "select NO KEY UPDATE OF j"),
        (in_any_literal, "'x'", None),
        (in_any_literal, "a % b", None),
        (in_any_literal, "two\nlines", None),
    ],
)
def test_where_little_is_known(escape: Escape | None, content: str, expected: str | None) -> None:
    unit = SqlUnit.whole_file(SourceText("a.sql", "select one"))._replace(escape=escape)
    assert _placed(unit, Span(7, 10), content) == expected


@pytest.mark.parametrize(
    ("content", "edit"),
    [
        ("one two", Edit(Span(10, 10), " two")),
        ("no one", Edit(Span(7, 7), "no ")),
        ("two", Edit(Span(7, 10), "two")),
        ("", Edit(Span(7, 10), "")),
    ],
)
def test_an_edit_has_only_what_changes(content: str, edit: Edit) -> None:
    unit = SqlUnit.whole_file(SourceText("a.sql", "select one"))
    found = placed(Fix(SAFE, "", (Edit(Span(7, 10), content),)), unit)
    assert found is not None
    assert found.edits == (edit,)
