"""What was said of statements before, for an editor that asks again after each key.

A statement that stands alone is judged by its own words: no transaction, no setting and no
temporary table of the script matters to it.  Where it moves, what was said moves with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from pglint_locks.config import Settings
from pglint_locks.linting.judgement import Judgement
from pglint_locks.model.queries.views import Views
from pglint_locks.model.statements.timeline import Timeline
from pglint_locks.model.statements.transactions import Frame, Transaction
from pglint_locks.sql.chunks import Chunk

_ALONE = Transaction(Frame.AUTOCOMMIT, is_first=True)
_HAVE_BODIES = frozenset({"do", "function", "procedure"})


class Key(NamedTuple):
    """What a judgement rests on: the words, and the white space that their line begins with."""

    text: str
    indent: str


@dataclass(slots=True)
class Memory:
    """Judgements of the last run by what they rest on, each as of a unit's beginning.

    They hold for one file's settings, and as long as the views that are known stay the same.
    """

    _of: tuple[Settings, Views] | None = None
    _last: dict[Key, Judgement] = field(default_factory=dict)
    _now: dict[Key, Judgement] = field(default_factory=dict)

    def begin(self, settings: Settings, views: Views) -> None:
        """Begin a run: what the run before did not use is forgotten."""
        same = self._of is not None and self._of[0] == settings and self._of[1] == views
        self._last = self._now if same else {}
        self._now = {}
        self._of = (settings, views)

    def get(self, key: Key) -> Judgement | None:
        """What was said of such a statement."""
        known = self._now.get(key) or self._last.get(key)
        if known is not None:
            self._now[key] = known
        return known

    def keep(self, key: Key, judgement: Judgement) -> None:
        """Keep what is said of a statement."""
        self._now[key] = judgement


def stands_alone(chunk: Chunk, index: int, timeline: Timeline) -> bool:
    """Whether nothing else of its script matters to a statement."""
    words = chunk.first_words
    return (
        timeline.transactions.get(index) == _ALONE
        and index not in timeline.executions
        and _HAVE_BODIES.isdisjoint(words)
        and not chunk.unterminated
    )
