"""Files that are SQL from end to end, and those of queries with names (sqlc, AyeSQL, yesql)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.sources.content import FileContent
from pglint_locks.sources.units import SqlUnit
from pglint_locks.text import SourceText, Span

_NAME = re.compile(
    r"^[ \t]*(?:--[ \t]*(?:name[ \t]*:|:name[ \t]|BLOCK[ \t])|/\*[ \t]*TEMPLATE[ \t]*:)[ \t]*"
    r"(?P<name>[\w./-]+)[!?^$*<]*[ \t]*(?:\*/)?(?P<rest>[^\r\n]*)",
    re.MULTILINE,
)
_COMMAND = re.compile(r":[\w*?!]")


def read(source: SourceText) -> FileContent:
    """The file as one script; where it names its queries, each as one of its own."""
    whole = SqlUnit.whole_file(source)
    text = source.text
    if not any(word in text for word in ("name", "BLOCK", "TEMPLATE")):
        return FileContent(scripts=(whole,))
    starts = list(_named_queries(text))
    if not starts:
        return FileContent(scripts=(whole,))
    ends = [*(name.start() for name in starts[1:]), len(text)]
    named = (
        whole.part(Span(name.start(), end))._replace(label=f"query {name['name']}")
        for name, end in zip(starts, ends, strict=True)
    )
    return FileContent(scripts=(whole.part(Span(0, starts[0].start())), *named))


def may_name_query(text: str) -> bool:
    """Whether a comment of a text may name the query behind it."""
    return _NAME.search(text) is not None


def _named_queries(text: str) -> Iterator[re.Match[str]]:
    """The comments that name the query behind them.

    A comment that happens to read so inside of a statement is none: there a parenthesis is
    open, or the line before goes on.
    """
    at = depth = 0
    for name in _NAME.finditer(text):
        depth += text.count("(", at, name.start()) - text.count(")", at, name.start())
        at = name.start()
        if _COMMAND.match(name["rest"]) or (
            depth == 0 and not name["rest"].strip() and _is_between(text, at)
        ):
            yield name
            depth = 0


def _is_between(text: str, at: int) -> bool:
    """Whether a statement may end before the line at `at`: a blank line, or a semicolon."""
    before = text[max(at - 400, 0) : at]
    lines = before.split("\n")[:-1]
    if not lines or not lines[-1].strip():
        return True
    while lines and lines[-1].lstrip().startswith("--"):
        lines.pop()
    return not lines or not lines[-1].strip() or lines[-1].rstrip().endswith(";")
