from __future__ import annotations

import pytest

from pglint_locks.reporters.cells import text_width, wrap


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", 0),
        ("abc", 3),
        ("日本", 4),
        ("\uff46\uff55\uff4c\uff4c", 8),
        ("ﾊﾝｶｸ", 4),
        ("e\u0301a\u0308", 2),
        ("🎉", 2),
        ("\u26a0", 1),
        ("\u26a0\ufe0f", 2),
        ("🎉\ufe0f", 2),
        ("\u1112\u1161\u11ab", 2),
        ("é", 1),
        ("…", 1),
    ],
)
def test_width_in_cells(text: str, cells: int) -> None:
    assert text_width(text) == cells


def test_wrap_breaks_at_spaces_and_counts_cells() -> None:
    assert wrap("one two three", 7, 5) == ["one two", "three"]
    assert wrap("日本 語", 5, 9) == ["日本", "語"]


def test_wrap_leaves_the_first_line_empty_when_nothing_fits_it() -> None:
    assert wrap("three four", 3, 10) == ["", "three four"]
    assert wrap("three", -5, 10) == ["", "three"]


def test_wrap_never_breaks_a_word_nor_loses_a_space() -> None:
    assert wrap("unbreakable_name of  a table", 5, 12) == ["", "unbreakable_name", "of  a table"]
    assert wrap("", 10, 10) == [""]
