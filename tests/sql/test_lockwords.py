"""The first look over bytes, and the same look over text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pglint_locks.sql.lockwords import has_directive, has_lock_words, lock_word_spans

FOUND = [
    *("for update", "FOR UPDATE", "For\tNo\nKey\r\nUpdate", "for share", "for\fkey\vshare"),
    *("FOR /* c */ UPDATE", "FOR/* /* nested */ */UPDATE", "FOR -- why\nUPDATE", "for--\r\nshare"),
    *("for /*1*/ no -- 2\n/*3*/ key/*4*/update", "for no key /**/ update", "for key--x\n  share"),
    *("for /* it's; for */ update", "for /*/ */ update", "for /***/ update", "for/**//**/share"),
]
NONE = [
    *("", "for", "for update_at", "for updates", "before update", "éfor update", "for updateé"),
    *(
        "forupdate",
        "for_update",
        "$for update",
        "for update$",
        "for\xa0update",
        "update for share_1",
    ),
    *("for no update", "for key update", "for no key share", "for nokey update", "for -- update"),
    *("for /* update", "for /* /* */ update", "for -- x\rno key -- update", "f or update"),
    *("for each row", "for i in 1..2 loop", "substring(a for 3)", "for (update)", "for 'update'"),
]


@pytest.mark.parametrize("text", FOUND)
def test_lock_words_are_seen(text: str) -> None:
    surrounded = f"SELECT 1 {text} of t"
    assert has_lock_words(surrounded.encode())
    [span] = lock_word_spans(surrounded)
    assert surrounded[span.start : span.end] == text


@pytest.mark.parametrize("text", NONE)
def test_other_words_are_not(text: str) -> None:
    assert not has_lock_words(text.encode())
    assert list(lock_word_spans(text)) == []


def test_each_is_counted_once_in_order() -> None:
    text = "a FOR SHARE OF b for /* for update */ update; 'for key share' -- for no key update"
    assert [text[span.start : span.end] for span in lock_word_spans(text)] == [
        "FOR SHARE",
        "for /* for update */ update",
        "for key share",
        "for no key update",
    ]


_PIECES = [
    *("for", "FOR", "update", "share", "no", "key", " ", "\n", "\r", "/*", "*/", "--", "é", "x"),
    *("for ", " update ", "/**/", "-- x\n", ";", "$", "/", "*", "-"),
]


def _plainly(text: str) -> list[tuple[int, int]]:
    """The same by the plainest means: comments at every FOR, read character by character."""
    found: list[tuple[int, int]] = []
    for start in range(len(text)):
        if found and start < found[-1][1]:
            continue
        if text[start : start + 3].lower() != "for" or _in_word(text[start - 1 : start]):
            continue
        if _in_word(text[start + 3 : start + 4]):
            continue
        at, words = start + 3, ""
        while words not in ("update", "share", "no key update", "key share"):
            at = _behind_gap(text, at)
            word = next((w for w in _WORDS if text[at : at + len(w)].lower() == w), "")
            at += len(word)
            words = f"{words} {word}".strip()
            if not word or _in_word(text[at : at + 1]) or not _BEGINNINGS & {words}:
                break
        else:
            found.append((start, at))
    return found


_WORDS = ("update", "share", "no", "key")
_BEGINNINGS = {"update", "share", "no", "no key", "no key update", "key", "key share"}


def _in_word(character: str) -> bool:
    return character != "" and (character.isalnum() or character in "_$" or character > "\x7f")


def _behind_gap(text: str, at: int) -> int:
    while at < len(text):
        if text[at] in " \t\n\r\f\v":
            at += 1
        elif text.startswith("--", at):
            while at < len(text) and text[at] not in "\r\n":
                at += 1
        elif text.startswith("/*", at):
            depth = 0
            while at < len(text):
                step = text[at : at + 2]
                depth += (step == "/*") - (step == "*/")
                at += 2 if step in ("/*", "*/") else 1
                if depth == 0:
                    break
        else:
            break
    return at


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_bytes_and_text_agree_with_a_plain_reading(text: str) -> None:
    spans = [(span.start, span.end) for span in lock_word_spans(text)]
    assert spans == _plainly(text)
    assert has_lock_words(text.encode()) == bool(spans)


@pytest.mark.parametrize(
    "data",
    [
        b"for " + b"/* " * 100_000,
        b"for /* " * 50_000,
        b"for /*for*/" * 50_000,
        b"for --\n" * 50_000,
        b"--for\n" * 50_000,
        b"for no /**/" * 50_000,
        b"for " + b" " * 500_000,
        b"for" * 100_000,
        b"for -- " * 50_000,
        b"for no key " * 50_000,
        b"*/for /*/" * 50_000,
    ],
)
def test_time_grows_with_the_length_alone(data: bytes) -> None:
    """Each takes well under a second; one that grew with the square would take minutes."""
    began = time.process_time()
    assert not has_lock_words(data)
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "text", ["-- pglint: ignore", "# PGLint :off", "/*pglint:ignore[PGL101]*/"]
)
def test_directives_are_seen(text: str) -> None:
    assert has_directive(text.encode())


@pytest.mark.parametrize("text", ["", "pglint", "pglint-locks: x", "pglin\nt:", "pglint\n:"])
def test_the_name_alone_is_no_directive(text: str) -> None:
    assert not has_directive(text.encode())
