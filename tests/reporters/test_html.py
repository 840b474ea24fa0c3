from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from made_findings import claim_finding, make_finding, report

from pglint_locks.findings import Severity
from pglint_locks.reporters import RenderOptions, render
from pglint_locks.run import Run

_VOID = {"meta"}


class Reader(HTMLParser):
    """Collects a page's text and tags, and makes sure that each tag is closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []
        self.links: list[str | None] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for key, value in attrs if key in ("href", "src")]
        assert not [key for key, _ in attrs if key.startswith("on")]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_finding_with_its_source() -> None:
    finding = claim_finding()
    page = Reader(report("html", [finding]))
    assert f"4:11 error[PGL101] {finding.message}" in page.text
    assert "4 |    AND id IN (SELECT id FROM jobs\n" in page.text
    assert "  |           ^^ may be run again for each row of jobs\n" in page.text
    assert "300 rows updated for LIMIT 10" in page.text
    assert "1 error. Files: 1" in page.text
    assert set(page.links) == {finding.rule.url}


def test_the_source_is_lined_up_with_its_marks() -> None:
    page = Reader(report("html", [make_finding("SELECT 1 FOR UPDATE", "FOR UPDATE", label="x")]))
    rows = page.text.partition("1 | SELECT 1 FOR UPDATE\n")
    assert rows[2].startswith("  |          ^^^^^^^^^^ x\n")


def test_nothing_of_a_linted_file_is_markup() -> None:
    bad = "<script>alert(1)</script>\"'&<b>\x1b"
    finding = make_finding(bad, bad, name=f"{bad}.sql", message=bad, advice=bad, label=bad)
    page = Reader(report("html", [finding]))
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert page.text.count("<script>alert(1)</script>") >= 4
    assert "\x1b" not in page.text


def test_no_findings_and_errors_are_told() -> None:
    options = RenderOptions(False, 0, Severity.NOTE, Path("/nowhere"), ("a.sql: <binary>",))
    page = Reader(render(Run((), 2, 3, 1, (), ()), "html", options))
    assert "No findings. Files: 2; locking clauses: 1, of which 1 analysed." in page.text
    assert "error: a.sql: <binary>" in page.text
