"""Places in UTF-8, UTF-16 and UTF-32, in the server and in the module that counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsp_client import Client, place
from lsprotocol import types

from pglint_locks.lsp.documents import Document, path_of
from pglint_locks.lsp.positions import Places
from pglint_locks.text import Span

BEFORE = "/* é\u0301🐘\t漢 */ "
CLAIM = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 3 FOR UPDATE);"
WIDTHS = {"utf-8": 19, "utf-16": 13, "utf-32": 12}
ENCODINGS = pytest.mark.parametrize("encoding", list(WIDTHS))


@ENCODINGS
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_in_the_server(client: Client, encoding: str, end: str, mark: str) -> None:
    result = client.begin({"general": {"positionEncodings": [encoding]}})
    assert result["capabilities"]["positionEncoding"] == encoding
    client.open(f"{mark}-- \u2028\x0b\x0c\x85 no line ends{end}{BEFORE}{CLAIM}{end}")
    [found] = [each for each in client.published() if each["code"] == "PGL101"]
    width = WIDTHS[encoding]
    assert found["range"] == place(1, width + 26, width + 28)
    # A character behind wide ones in the same line is replaced.
    client.change(2, {"range": place(1, width + 56, width + 57), "text": "4"})
    [found] = [each for each in client.published(version=2) if each["code"] == "PGL101"]
    assert found["message"].startswith("LIMIT 4 ")


@ENCODINGS
def test_a_byte_order_mark_counts_where_it_stands(client: Client, encoding: str) -> None:
    client.begin({"general": {"positionEncodings": [encoding]}})
    client.open(f"\ufeff{CLAIM}\n")
    [found] = [each for each in client.published() if each["code"] == "PGL101"]
    width = 3 if encoding == "utf-8" else 1
    assert found["range"] == place(0, width + 26, width + 28)


def test_what_is_spoken_where_nothing_is_offered(client: Client) -> None:
    assert client.begin()["capabilities"]["positionEncoding"] == "utf-16"
    client.open(f"{BEFORE}{CLAIM}\n")
    [found] = [each for each in client.published() if each["code"] == "PGL101"]
    assert found["range"] == place(0, 13 + 26, 13 + 28)


def test_of_several_the_first_that_is_known(client: Client) -> None:
    offered = {"general": {"positionEncodings": ["utf-7", "utf-32", "utf-8"]}}
    assert client.begin(offered)["capabilities"]["positionEncoding"] == "utf-32"


TEXTS = st.text(st.sampled_from("ab\t\n\r é\u0301🐘漢\u2028\x0b\ufeff"), max_size=40)


def units(text: str, encoding: str) -> int:
    """How many units a text has, by Python's own encoders."""
    return len(text.encode(f"{encoding}-le" if encoding != "utf-8" else encoding)) // (
        int(encoding[4:]) // 8
    )


@given(TEXTS, st.sampled_from(list(WIDTHS)), st.data())
def test_a_place_and_back(text: str, encoding: str, data: st.DataObject) -> None:
    places = Places(text, encoding)
    offset = data.draw(st.integers(0, len(text)))
    position = places.position(offset)
    before = text[:offset]
    if not before.endswith("\r") or not text[offset:].startswith("\n"):
        lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert position == types.Position(len(lines) - 1, units(lines[-1], encoding))
        assert places.offset(position) == offset


@given(TEXTS, st.sampled_from(list(WIDTHS)), st.integers(0, 50), st.integers(0, 200))
def test_any_place_is_one_in_the_text(text: str, encoding: str, line: int, unit: int) -> None:
    places = Places(text, encoding)
    offset = places.offset(types.Position(line, unit))
    assert 0 <= offset <= len(text)
    assert places.offset(places.position(offset)) == offset


@given(TEXTS, TEXTS, st.sampled_from(list(WIDTHS)), st.data())
def test_an_edit(text: str, new: str, encoding: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    document = Document("file:///a.sql", path_of("file:///a.sql"), "sql", 1, text, encoding)
    inside = [at for at in (start, end) if text[at - 1 : at] == "\r" and text[at : at + 1] == "\n"]
    if not inside:  # no client can name a place between CR and LF
        change = types.TextDocumentContentChangePartial(document.range(Span(start, end)), new)
        lead = document.lead
        if lead <= start:
            change.range = document.range(Span(start - lead, end - lead))
            assert document.changed(2, [change]).text == text[:start] + new + text[end:]


@pytest.mark.parametrize(
    ("uri", "language", "end"),
    [
        ("file:///project/a%20b/c.sql", "sql", "/project/a b/c.sql"),
        ("file:///project/%C3%A9.py", "python", "/project/é.py"),
        ("untitled:Untitled-1", "python", "/Untitled-1.py"),
        ("untitled:Untitled-1", "postgres", "/Untitled-1.sql"),
        ("git:/project/a.sql?ref=HEAD", "sql", "/a.sql"),
        ("untitled:", "sql", "/untitled.sql"),
    ],
)
def test_the_file_of_a_document(uri: str, language: str, end: str) -> None:
    assert path_of(uri, language).as_posix().endswith(end)
