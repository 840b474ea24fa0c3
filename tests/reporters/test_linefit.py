from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pglint_locks.reporters.cells import text_width
from pglint_locks.reporters.escape import escape
from pglint_locks.reporters.linefit import fit
from pglint_locks.text import Span


def marked(line: str, *marks: Span, room: int = 40) -> list[str]:
    """The fitted line, and under it the marks as a person sees them."""
    fitted = fit(line, marks, room)
    return [fitted.text, *(" " * at.start + "^" * (at.end - at.start) for at in fitted.marks)]


def at(line: str, words: str) -> Span:
    start = line.index(words)
    return Span(start, start + len(words))


def test_a_short_line_is_shown_as_it_is() -> None:
    line = "SELECT 1 FOR UPDATE"
    assert marked(line, at(line, "FOR UPDATE")) == [
        "SELECT 1 FOR UPDATE",
        "         ^^^^^^^^^^",
    ]


def test_tabs_become_spaces_up_to_the_next_stop() -> None:
    line = "\tSELECT\t1\tFOR UPDATE"
    assert marked(line, at(line, "1"), at(line, "FOR")) == [
        "    SELECT  1   FOR UPDATE",
        "            ^",
        "                ^^^",
    ]


def test_wide_and_combining_characters_count_as_cells() -> None:
    line = "'日本' 'e\u0301' '🎉' x"
    assert marked(line, at(line, "日本"), at(line, "e\u0301"), at(line, "x")) == [
        line,
        " ^^^^",
        "        ^",
        "                ^",
    ]


def test_a_mark_on_a_combining_character_stands_below_its_base() -> None:
    assert marked("ae\u0301", Span(2, 3)) == ["ae\u0301", " ^"]


def test_escaped_characters_are_as_wide_as_they_are_shown() -> None:
    line = "'\x1b[2J\u202e' FOR"
    assert marked(line, at(line, "\x1b"), at(line, "FOR")) == [
        r"'\x1b[2J\u202e' FOR",
        " ^^^^",
        "                ^^^",
    ]


def test_an_empty_mark_gets_one_cell_also_behind_the_line() -> None:
    assert marked("abc", Span(1, 1), Span(3, 3)) == ["abc", " ^", "   ^"]
    assert marked("", Span(0, 0)) == ["", "^"]


def test_a_long_line_is_cut_around_its_mark_at_blanks() -> None:
    line = "SELECT " + "some_column, " * 20 + "x FOR UPDATE " + "-- and so on " * 20
    assert marked(line, at(line, "FOR UPDATE")) == [
        "… x FOR UPDATE -- and so on …",
        "    ^^^^^^^^^^",
    ]


def test_a_long_line_without_blanks_is_cut_anywhere() -> None:
    line = "a" * 100 + "MARK" + "b" * 100
    assert marked(line, at(line, "MARK"), room=20) == [
        "…aaaaaaaMARKbbbbbbb…",
        "        ^^^^",
    ]


def test_a_line_without_a_mark_is_cut_at_its_end() -> None:
    assert marked("word " * 20, room=20) == ["word word word …"]


def test_marks_far_apart_keep_both_in_sight() -> None:
    line = "IN (" + "x " * 100 + "FOR UPDATE) " + "y " * 50
    assert marked(line, at(line, "IN"), at(line, "FOR UPDATE")) == [
        "IN (x x x … x x x x FOR UPDATE) y y y …",
        "^^",
        "                    ^^^^^^^^^^",
    ]


def test_a_mark_longer_than_the_room_keeps_its_ends() -> None:
    line = "SELECT 'begin" + "z" * 500 + "end' FROM t"
    mark = Span(7, 7 + 510)
    assert marked(line, mark) == [
        "… 'beginzzzzzzzzzzzz…zzzzzzzzzzzzzzend'…",
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]


def test_an_empty_mark_at_the_end_of_a_long_line_fits() -> None:
    text, caret = marked("z" * 500, Span(500, 500))
    assert text == "…" + "z" * 38
    assert caret == " " * 39 + "^"


def test_a_huge_line_is_not_measured_whole() -> None:
    line = "x " * 500_000 + "FOR UPDATE " + "日 " * 500_000
    for _ in range(50):
        text = fit(line, [at(line, "FOR UPDATE")], 74).text
    assert "FOR UPDATE" in text
    assert text_width(text) <= 74


_LINES = st.text(
    st.sampled_from("ab ,()'\t日e\u0301\u0308🎉\u26a0\ufe0f\x1b\u202e\u200d\x7f"), max_size=300
)


@settings(max_examples=400, deadline=None)
@given(_LINES, st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=3))
def test_whatever_stands_in_a_line_it_fits_and_the_marks_point_at_their_text(
    line: str, pairs: list[tuple[int, int]]
) -> None:
    marks = [
        Span(*sorted((min(first, len(line)), min(second, len(line))))) for first, second in pairs
    ]
    fitted = fit(line, marks, 74)
    assert text_width(fitted.text) <= 74
    assert escape(fitted.text) == fitted.text
    for mark, cells in zip(marks, fitted.marks, strict=True):
        assert cells.start < cells.end <= 74
        shown = escape(line[mark.start : mark.end].replace("\t", " ")).strip()
        under = _cells_of(fitted.text)[cells.start : cells.end]
        if shown and not shown.startswith(("\u0301", "\u0308", "\ufe0f")):
            assert "".join(under).lstrip()[:1] == shown[:1]


def _cells_of(text: str) -> list[str]:
    """What is drawn in each cell (a wide character in its first one)."""
    cells: list[str] = []
    for index in range(len(text)):
        grown = text_width(text[: index + 1]) - len(cells)
        cells += [text[index], *[""] * (grown - 1)] if grown > 0 else []
    return cells
