"""Linting a text again after an edit: what the edit does not touch is remembered.

A script is cut into *sections* that tell one another nothing: between two of them no statement
and no transaction is open, nothing is set that matters, and a line begins.  What is found in
a script is what is found in its sections.  Where statements reach across (another database's
SQL, templates, queries with names, functions that are altered) all of it is one section.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import InitVar, dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

from pglint_locks.config import Settings
from pglint_locks.linting.definitions import views_defined
from pglint_locks.linting.ledger import Ledger
from pglint_locks.linting.meanings import (
    NO_OTHERS,
    Defines,
    Meanings,
    Others,
    Own,
    changed_names,
)
from pglint_locks.linting.parts import node_of
from pglint_locks.linting.worklist import FileLint
from pglint_locks.model.queries.known import Known
from pglint_locks.model.queries.views import tables_created
from pglint_locks.model.statements.timeline import Session
from pglint_locks.schema.ddl.scripts import may_matter
from pglint_locks.schema.migrations.order import leading_up
from pglint_locks.sources.dialect import is_foreign_sql
from pglint_locks.sources.kinds import kind_of
from pglint_locks.sources.scripts import may_name_query
from pglint_locks.sql.deepstack import call_with_deep_stack
from pglint_locks.sql.lockwords import has_view_words
from pglint_locks.sql.reading import allowance
from pglint_locks.sql.script import ParsedScript, may_be_joined
from pglint_locks.sql.split import Chunk, Script, split, split_off
from pglint_locks.sql.tags import has_tags
from pglint_locks.text import SourceText, Span

_LINE_END = re.compile(r"[ \t\f\v]*(?:--[^\r\n]*)?(?:\r\n|\r|\n|\Z)")
_ESCAPED = 'u&"'
_ROUTINES = frozenset({"function", "procedure", "routine"})


class Section(NamedTuple):
    """A part of a script, and what of relations is its `own`; `folded` is in lower case.

    `is_open`: what comes behind it says where it ends.  `is_bound`: other sections matter to
    it, or it to others, in another way than by the relations that it defines.
    """

    text: str
    is_open: bool = False
    is_bound: bool = False
    reread: int = 0
    own: Own = Own()
    folded: str = ""

    def says_any(self, words: Collection[str]) -> bool:
        """Whether one of some words may stand in it, be it in escapes."""
        if _ESCAPED in self.folded:
            return True
        inside = [word for word in words if word in self.folded]
        return any(re.search(rf"\b{re.escape(word)}\b", self.folded) for word in inside)


@dataclass(slots=True)
class Sections:
    """The sections of a file's text as it was last, and what came of each by its text."""

    settings: Settings
    others: InitVar[Others] = NO_OTHERS
    meanings: Meanings = field(init=False)
    _text: str = ""
    _sections: list[Section] = field(default_factory=list)
    _ledgers: dict[str, Ledger] = field(default_factory=dict)

    def __post_init__(self, others: Others) -> None:
        """Begin with what the other files of the run define."""
        self.meanings = Meanings(self.settings, others)

    def begin(self, name: str) -> None:
        """Learn what is known before a text is there, such as which views lock."""
        call_with_deep_stack(lambda: self.meanings.learn(SourceText(name, ""), Own()))

    def copy(self) -> Sections:
        """The same, to be tried with other texts."""
        copied = copy(self)
        copied.meanings = copy(self.meanings)
        return copied

    def ledger(self, source: SourceText, defines: Defines, with_fixes: bool) -> Ledger:
        """What comes of a text; what RUN rules say of it comes later.

        Without fixes it has the statements only where a comment may suppress something.
        """
        if not self._can_be_cut(source):
            self.meanings.learn_whole(source, defines)
            return self._lint(source)
        sections = self._cut(source)
        self._text, self._sections = source.text, sections
        was = self.meanings.known
        tables = self.meanings.wants(defines)
        self.meanings.learn(source, _all_of(sections, Defines(defines.views, tables)))
        if _are_bound(sections):
            self._ledgers = {}
            return self._lint(source)
        changed = changed_names(was, self.meanings.known)
        known, self._ledgers = self._ledgers if changed is not None else {}, {}
        whole, at = Ledger(source), 0
        suppresses = "pglint" in source.text.lower()
        for section in sections:
            part = self._ledgers.get(section.text) or known.get(section.text)
            if part and changed and part.has_subjects and section.says_any(changed):
                part = self._ledgers.get(section.text)
            if part is None:
                part = self._lint(SourceText(source.name, section.text))
            self._ledgers[section.text] = part
            if suppresses:
                whole.take_part(part, at, with_fixes)
            elif with_fixes or part.speaks:  # most do not, and there may be thousands
                whole.take_part(part, at, with_fixes, self.settings.enabled)
            at += len(section.text)
        return whole

    def parts(self, source: SourceText, place: Span) -> Iterator[tuple[int, SourceText]]:
        """The parts of a text, linted before, that a place touches, with where they begin."""
        if source.text != self._text or _are_bound(self._sections):
            yield 0, source
            return
        at = 0
        for section in self._sections:
            if place.touches(Span(at, at + len(section.text))):
                yield at, SourceText(source.name, section.text)
            at += len(section.text)

    @property
    def known(self) -> Known:
        """What the names of relations mean."""
        return self.meanings.known

    def _can_be_cut(self, source: SourceText) -> bool:
        return (
            kind_of(source.name).reader == "scripts"
            and not self.settings.assume_in_transaction
            and not has_tags(source.text)
        )

    def _lint(self, source: SourceText) -> Ledger:
        lint = FileLint(source, self.settings, self.known, self.meanings.models(source))
        lint.read()
        return lint.ledger

    # --- cutting ------------------------------------------------------------------

    def _cut(self, source: SourceText) -> list[Section]:
        """The sections of a text: those of before, where they are still the same."""
        old, text = self._text, source.text
        start, tail = _common(old, text)
        grown = len(text) - len(old)
        begins = [0, *accumulate(len(section.text) for section in self._sections)]
        kept: list[Section] = []
        for section, end in zip(self._sections, begins[1:], strict=True):
            if section.is_open or end > start:
                break
            kept.append(section)
        at = begins[len(kept)]
        while at < len(text):
            place = bisect_left(begins, at - grown)
            if at >= len(text) - tail and begins[place : place + 1] == [at - grown]:
                return kept + self._sections[place:]
            kept.append(self._next(source, at))
            at += len(kept[-1].text)
        return kept

    def _next(self, source: SourceText, start: int) -> Section:
        """The section that begins at an offset."""
        text, at, reread = source.text, start, 0
        chunks: list[Chunk] = []
        session = Session(chunks)
        while at < len(text):
            found = split_off(text, at)
            for chunk in found.chunks:
                chunks.append(chunk)
                session.step(len(chunks) - 1, chunk.first_words, lambda i: _tree(chunks[i]))
            at, reread = found.end, reread + found.reread
            if session.is_fresh and (end := _line_end(text, at)) is not None:
                at = end
                break
        script = split(text[start:at])
        # Alone it may be split otherwise; and what is joined by a stray quote may go on.
        shifted = [(chunk.span.shifted(start), chunk.text) for chunk in script.chunks]
        read = script.chunks
        if shifted != [chunk[:2] for chunk in chunks] or any(map(may_be_joined, chunks)):
            at = len(text)
            read = ParsedScript.of_text(text[start:]).chunks  # parted where they are joined
        section = self._section(source.name, text[start:at], read)
        is_open = at == len(text) or any(chunk.unterminated for chunk in chunks)
        return section._replace(is_open=is_open, reread=reread)

    def _section(self, name: str, text: str, chunks: Sequence[Chunk]) -> Section:
        has_views = has_view_words(text.encode())
        own = Own(
            tuple(views_defined(SourceText(name, text), self.settings)) if has_views else (),
            frozenset(tables_created(text)),
            tuple(chunk for chunk in chunks if may_matter(chunk)),
            leads_down=leading_up(text) != text,
        )
        return Section(
            text,
            is_bound=may_name_query(text)
            or is_foreign_sql(text, (chunk.text for chunk in chunks))
            or any(map(_matters_to_routines, chunks)),
            own=own,
            folded=text.lower(),
        )


def _are_bound(sections: Sequence[Section]) -> bool:
    length, reread = 0, 0
    for section in sections:
        if section.is_bound:
            return True
        length += len(section.text)
        reread += section.reread
    return reread > allowance(length)


def _all_of(sections: Sequence[Section], defines: Defines) -> Own:
    """What sections define, as far as the file does."""
    every = [section.own for section in sections]
    return Own(
        tuple([view for each in every for view in each.views]) if defines.views else (),
        frozenset().union(*[each.tables for each in every if each.tables]),
        tuple([chunk for each in every for chunk in each.ddl]) if defines.tables else (),
        leads_down=any(each.leads_down for each in every),
    )


def _tree(chunk: Chunk) -> Any:
    return node_of(ParsedScript(Script((chunk,), ())), 0)


def _line_end(text: str, at: int) -> int | None:
    """Where a line begins, behind a statement's end; None where more stands in its line."""
    if text[at - 1] in "\r\n":
        return at
    found = _LINE_END.match(text, at)
    return found.end() if found else None


def _matters_to_routines(chunk: Chunk) -> bool:
    """Whether a statement may say something of functions that others make."""
    words = chunk.first_words
    if "trigger" in words:
        return "referencing" in chunk.text.lower()
    return words[:1] == ("alter",) and not _ROUTINES.isdisjoint(words[1:2])


def _common(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts have in common at their starts, and then at their ends."""
    most = min(len(old), len(new))
    start = _longest(most, lambda length: old[:length] == new[:length])
    most -= start
    return start, _longest(most, lambda length: old.endswith(new[len(new) - length :]))


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The greatest length up to which something holds, at most so much."""
    low = 0
    while low < most:
        middle = (low + most + 1) // 2
        if holds(middle):
            low = middle
        else:
            most = middle - 1
    return low
