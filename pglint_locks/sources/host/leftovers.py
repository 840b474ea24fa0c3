"""Lock words in a host file that came into no statement, for all that they look like SQL.

Nothing that a person sees is passed over in silence: it is counted, with the reason.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from pglint_locks.sources.bodies.fragments import fragment_spans, lock_words
from pglint_locks.sources.bodies.templates import Hole, HoleKind, Template, shown
from pglint_locks.sources.host.language import Language
from pglint_locks.sources.host.sqltext import is_sql, looks_written, may_matter
from pglint_locks.sources.host.strings import literal
from pglint_locks.sources.host.tree import Node
from pglint_locks.sources.units import NotAnalysed
from pglint_locks.sql.lockwords import code_lock_word_spans
from pglint_locks.text import SourceText, Span

TOO_MANY = "too many parts"
TORN = "code that does not parse"
_VERB = re.compile(r"\b(?:select|update|delete)\b", re.IGNORECASE)
_NEAR = 600


def in_literals(
    source: SourceText, language: Language, literals: Iterable[Node], spoken: Sequence[Span]
) -> Iterator[NotAnalysed]:
    """Locks in literals, each read by itself, but for those that are `spoken` to people."""
    aside = _Ranges(spoken)
    for node in literals:
        written = (node.aside or node).text
        if may_matter(written) and node.span.start not in aside:
            text, places = shown(literal(source.text, node, language, _hidden))
            spans = lock_words(text) if is_sql(text) and looks_written(text) else ()
            for span in spans or fragment_spans(text):
                yield NotAnalysed(TOO_MANY, source, places.file_span(span))


def _hidden(hole: Node) -> Template:
    return (Hole(HoleKind.FREE, hole.span, hole.text),)


def in_torn_code(
    source: SourceText, language: Language, root: Node, spoken: Sequence[Span]
) -> Iterator[NotAnalysed]:
    """Locks in code that the host's grammar cannot read: a quote that is not closed, say."""
    torn: list[Span] = []
    whole: list[Span] = list(spoken)
    for node in root.below():
        if node.kind == "ERROR":
            torn.append(node.span)
        elif node.kind in language.strings or "comment" in node.kind:
            whole.append((node.aside or node).span)
    if not torn:
        return
    broken, read = _Ranges(torn), _Ranges(whole)
    for span in code_lock_word_spans(source.text):
        if span.start in broken and span.start not in read:
            before = source.text[max(span.start - _NEAR, 0) : span.start]
            if _VERB.search(before):
                yield NotAnalysed(TORN, source, span)


class _Ranges:
    """Whether an offset stands in one of many ranges."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __contains__(self, offset: int) -> bool:
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self._ends[index]
