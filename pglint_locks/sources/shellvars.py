"""Variables of a shell script that hold SQL, and what becomes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.bodies.fragments import lock_words
from pglint_locks.sources.dialect import FOREIGN
from pglint_locks.sources.host.sqltext import is_sql, looks_written
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.text import Span

SUBSTITUTED = "${command}"
"""What stands in a text for a command whose output is put in."""

_SETS = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<adds>\+?)=")
_ALONE = re.compile(r"\s*\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})\s*;?\s*")
_OF_OTHERS = re.compile(r"(?:\S*/)?(?:mysql|mariadb|sqlite|sqlplus|sqlcmd|isql)\w*\Z")
_ELSEWHERE = "SQL text run elsewhere"


class Variables:
    """What is held at a place of the script, which is read from its first line on."""

    def __init__(self) -> None:
        self._held: dict[str, SqlUnit] = {}
        self._texts: list[tuple[SqlUnit, str]] = []
        self._ran: set[int] = set()

    def set(self, word: SqlUnit, printed: list[SqlUnit]) -> str | None:
        """Take down `NAME=…`, and give the name; `printed` are texts that commands put out."""
        found = _SETS.match(word.text)
        if found is None:
            return None
        value = word.part(Span(found.end(), len(word.text)))
        if value.text == SUBSTITUTED and printed:
            value = printed.pop()
        if found["adds"] and found["name"] in self._held:
            whole = Assembly(word.source)
            whole.add(self._held[found["name"]])
            whole.add(value)
            value = whole.unit()
        self.hold(found["name"], value)
        return found["name"]

    def hold(self, name: str, value: SqlUnit) -> None:
        """A variable holds a text from here on."""
        self._held[name] = value
        self._texts.append((value, _ELSEWHERE))

    def pass_on(self, command: str, words: Iterable[SqlUnit]) -> None:
        """A command that is not psql is given texts; a function of the script's own, maybe."""
        reason = FOREIGN if _OF_OTHERS.match(command) else _ELSEWHERE
        self._texts += ((word, reason) for word in words)

    def run(self, unit: SqlUnit) -> Iterator[SqlUnit]:
        """What psql runs of a text: the text, or what the variable holds that it is."""
        alone = _ALONE.fullmatch(unit.text)
        held = self._held.get(alone["name"] or alone["braced"]) if alone else None
        ran = unit if held is None else held
        self._ran.update(piece.file.start for piece in ran.map.pieces)
        yield ran

    def not_analysed(self) -> Iterator[NotAnalysed]:
        """The locks in texts that no psql of the script is seen to run."""
        for unit, reason in self._texts:
            if self._ran.intersection(piece.file.start for piece in unit.map.pieces):
                continue
            if is_sql(unit.text) and looks_written(unit.text):
                for span in lock_words(unit.text):
                    yield NotAnalysed(reason, unit.source, unit.map.file_span(span))
