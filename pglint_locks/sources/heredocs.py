"""Here-documents of shell scripts: where they end, and what they say."""

from __future__ import annotations

import re
from typing import NamedTuple

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.shellvars import SUBSTITUTED
from pglint_locks.text import Span

_IN_HEREDOC = re.compile(r"\\(?P<escaped>[\\$`]|\r?\n)|(?P<open>\$\(|`)")
_CLOSING = re.compile(r"^(?P<tabs>\t*)(?P<tag>[A-Za-z_]\w*)\r?$", re.MULTILINE)
_NESTED = re.compile(r"""[()`]|'[^']*'|\\.""", re.DOTALL)


class Heredoc(NamedTuple):
    """A here-document that begins behind its line; `into` is the variable that takes it."""

    tag: str
    strips_tabs: bool
    is_quoted: bool
    into: str | None = None


def closings(text: str) -> dict[str, list[int]]:
    """Where lines begin that may close a here-document, by what they hold.

    With a tab in front where tabs before it do not count.
    """
    found: dict[str, list[int]] = {}
    for line in _CLOSING.finditer(text):
        if not line["tabs"]:
            found.setdefault(line["tag"], []).append(line.start())
        found.setdefault("\t" + line["tag"], []).append(line.start())
    return found


def put_heredoc(assembly: Assembly, text: str, span: Span, is_quoted: bool) -> None:
    """Go on with a here-document's text; a quoted one is taken as it stands."""
    at = span.start
    for found in () if is_quoted else _IN_HEREDOC.finditer(text, span.start, span.end):
        if found.start() < at:
            continue
        assembly.copy(Span(at, found.start()))
        at = found.end()
        if found["escaped"]:
            assembly.put(found["escaped"].strip("\r\n"), Span(*found.span()))
        else:
            at = min(behind_substitution(text, found.start()), span.end)
            assembly.put(SUBSTITUTED, Span(found.start(), at))
    assembly.copy(Span(at, span.end))


def behind_substitution(text: str, at: int) -> int:
    """Where the `$(…)` or the backquoted command at `at` ends; behind its sign if it does not."""
    if text[at] == "`":
        end = text.find("`", at + 1)
        return end + 1 if end >= 0 else at + 1
    depth = 0
    for found in _NESTED.finditer(text, at + 1, at + 10_000):
        if found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth -= 1
            if depth == 0:
                return found.end()
    return at + 2
