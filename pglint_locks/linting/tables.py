"""What the DDL of a script makes of relations, kept from one edit of the script to the next.

The statements are parted so that those which speak of one table are together; of each part is
remembered what came of it.  Where that cannot be told apart, all of them are one part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pglint_locks.schema.catalog import Catalog
from pglint_locks.schema.ddl.draft import Draft
from pglint_locks.schema.ddl.linted import catalog_of_linted
from pglint_locks.schema.ddl.scripts import Replay
from pglint_locks.schema.origins import Origin, Trust
from pglint_locks.sql.chunks import Chunk

_WORD = re.compile(r"\w+")
_SIMPLE = {
    ("create", "table"),
    ("create", "unlogged"),
    ("create", "index"),
    ("create", "unique"),
    ("alter", "table"),
    ("drop", "table"),
}
# What statements of these kinds make or change, and a few words more, which does no harm.
_MADE = re.compile(
    r"\b(?:table|index|on(?!\s+(?:delete|update)\b)|to|only)\s+(?:concurrently\s+)?"
    r"(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?(?:\w+\s*\.\s*)?(\w+)"
)
_COMMENT = re.compile(r"--[^\r\n]*|/\*.*?\*/", re.DOTALL)
# Where more may be meant than is named: quoted names, and indexes by the names that they are given.
_UNTOLD = re.compile(r"\"|\bdrop\s+constraint\b|\busing\s+index\b")


class Part(NamedTuple):
    """Statements that go together, as the relations that they make."""

    draft: Draft
    catalog: Catalog


@dataclass(slots=True)
class Tables:
    """The parts of a script's DDL as it was last, by the texts of their statements."""

    _parts: dict[tuple[str, ...], Part] = field(default_factory=dict)
    _names: dict[str, tuple[frozenset[str], frozenset[str]] | None] = field(default_factory=dict)
    _spoken: list[frozenset[str]] = field(default_factory=list)
    _groups: list[list[int]] = field(default_factory=list)

    def parts(self, name: str, chunks: Sequence[Chunk]) -> list[Part]:
        """What statements of a file make that may change a schema, in their order."""
        known, self._parts = self._parts, {}
        for together in self._together(chunks):
            texts = tuple(chunk.text for chunk in together)
            self._parts[texts] = known.get(texts) or _replayed(name, together)
        return list(self._parts.values())

    def _together(self, chunks: Sequence[Chunk]) -> list[list[Chunk]]:
        """The statements, those together that speak of the same."""
        known, self._names = self._names, {}
        for chunk in chunks:
            text = chunk.text
            self._names[text] = known[text] if text in known else _names(chunk)
        said = [self._names[chunk.text] for chunk in chunks]
        if any(each is None for each in said):
            return [list(chunks)]
        made = frozenset().union(*(each[0] for each in said if each is not None))
        spoken = [made & each[1] for each in said if each is not None]
        if spoken != self._spoken:
            self._spoken, self._groups = spoken, _grouped(spoken)
        return [[chunks[index] for index in group] for group in self._groups]


def _grouped(spoken: Sequence[frozenset[str]]) -> list[list[int]]:
    """The indexes of sets of words, those together that share some, be it by way of others."""
    leader: dict[str, str] = {}

    def first(word: str) -> str:
        while leader.setdefault(word, word) != word:
            word = leader[word]
        return word

    for words in spoken:
        for word in words:
            leader[first(word)] = first(min(words))
    groups: dict[str, list[int]] = {}
    for index, words in enumerate(spoken):
        groups.setdefault(first(min(words, default="")), []).append(index)
    return list(groups.values())


def _names(chunk: Chunk) -> tuple[frozenset[str], frozenset[str]] | None:
    """The names that a statement makes or changes, and its words; None where more may be meant."""
    folded = chunk.text.lower()
    if chunk.first_words[:2] not in _SIMPLE or _UNTOLD.search(folded):
        return None
    made = _MADE.findall(folded) + _MADE.findall(_COMMENT.sub(" ", folded))
    return frozenset(made), frozenset(_WORD.findall(folded))


def _replayed(name: str, chunks: Sequence[Chunk]) -> Part:
    replay = Replay(Trust.LINTED_FILE)
    replay.replay(chunks, lambda _: Origin(Trust.LINTED_FILE, name))
    return part_of(replay.draft)


def part_of(draft: Draft) -> Part:
    """What a draft comes to where no other speaks of the same."""
    return Part(draft, catalog_of_linted([draft]))
