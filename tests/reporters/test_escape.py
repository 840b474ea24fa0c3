from __future__ import annotations

import sys
import unicodedata

import pytest

from pglint_locks.reporters.escape import escape


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x00\x07\x08", r"\x00\x07\x08"),
        ("a\tb\nc\rd", r"a\tb\nc\rd"),
        ("\x7f\x80\x9b", r"\x7f\x80\x9b"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\U000e0041"),
        ("\u2028\u2029", r"\u2028\u2029"),
    ],
)
def test_what_a_terminal_could_obey_is_shown(raw: str, shown: str) -> None:
    assert escape(raw) == shown


def test_ordinary_text_stays_as_it_is() -> None:
    text = "naïve 日本語 עברית 🎉 e\u0301 \u26a0\ufe0f C:\\temp\\x \xa0…"
    assert escape(text) == text


def test_no_control_or_format_character_comes_through() -> None:
    # The visible ones among the format characters are signs of Arabic, Syriac and their kin.
    visible = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and code < 0x10000:
            assert (escape(char) == char) == (char in visible), hex(code)
