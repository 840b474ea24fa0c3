"""A body's statements as one script, so that places in any of them are told by one unit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pglint_locks.sources.bodies.body import Body, BodyStatement, Filling, Role
from pglint_locks.sources.bodies.flow import Follows, Placed, follows, may_follow
from pglint_locks.sources.units import Escape, SqlUnit
from pglint_locks.sql.chunks import Chunk, Comment, Script
from pglint_locks.sql.split import split
from pglint_locks.text import Piece, SourceMap, Span

if TYPE_CHECKING:
    from pglint_locks.sources.orm.query import OrmStatement

_SEPARATOR = ";\n"
_WORD_BEFORE = re.compile(r"\w*\Z")
_WORD_BEHIND = re.compile(r"\w*")
_NAME = re.compile(r"[^\W\d]\w*")
_SHOWN = re.compile(r"[^\s{}]{1,40}")
_REACH = 100


class Facts(NamedTuple):
    """What a body's code says of one of its SQL statements.

    `targets` are the variables that take what it returns, or its cursor; `catches` the
    conditions (`unique_violation`) that are handled, should it raise them.  `cursor`:
    whether the cursor that it is the query of may scroll, and is ever opened.
    `fetches_one`: one row goes INTO variables, and no other one is asked for.  `is_open`:
    whole clauses may be put into it that do not show.  `call` is the ORM's that sends it;
    `escape` is how text is written where it stands: see `SqlUnit`.
    """

    targets: tuple[str, ...] = ()
    catches: frozenset[str] = frozenset()
    cursor: tuple[bool, bool] | None = None
    fetches_one: bool = False
    is_open: bool = False
    call: OrmStatement | None = None
    escape: Escape | None = None


@dataclass(frozen=True, slots=True)
class BodyScript:
    """The statements of a body, one behind the other in the text of `unit`.

    `script` has them as chunks (dynamic SQL may be several), and the comments in dynamic
    SQL; `origins` are the body's statement of each chunk; `settings` as in `Body`.
    """

    unit: SqlUnit
    script: Script
    origins: tuple[BodyStatement, ...]
    settings: Mapping[str, Sequence[Placed]] = field(default_factory=dict)

    def facts(self, index: int) -> Facts:
        """What is known of the statement of a chunk."""
        origin = self.origins[index]
        is_cursor = Role.CURSOR in (origin.role, origin.runs_as)
        targets = () if origin.target is None else tuple(origin.target.split(","))
        return Facts(
            targets=targets,
            catches=origin.catches,
            cursor=(bool(origin.scroll), origin.opened) if is_cursor else None,
            fetches_one=_fetches_one(origin),
            is_open=_is_open(origin),
            call=origin.call,
            escape=origin.unit.escape,
        )

    @property
    def spliced_names(self) -> dict[str, str]:
        """Names in dynamic SQL of which a part is put in: `jobs_{year}` of `'jobs_' || year`.

        What is too long to be shown is `…`, and from the second on has a number.
        """
        names: dict[str, str] = {}
        shown: Counter[str] = Counter()
        for origin in dict.fromkeys(self.origins):
            for gap in origin.gaps:
                if gap.filling not in (Filling.IDENTIFIER, Filling.LITERAL):
                    continue
                word = _word_around(origin.unit.text, gap.span)
                key = origin.unit.text[word.start : word.end].strip("'").lower()
                if key not in names:
                    name = _with_gaps(origin, word)
                    shown[name] += 1
                    names[key] = name if shown[name] == 1 else f"{name}{shown[name]}"
        return names

    def may_change(self, first: int, value: str, second: int) -> bool:
        """Whether a variable, its field or `$1` may be another one in a chunk than in an earlier.

        What takes the result of the earlier one itself does not count.  A parameter of
        dynamic SQL is one of that text alone.
        """
        one, other = self.origins[first], self.origins[second]
        if value.startswith("$"):
            return Role.DYNAMIC in (one.role, other.role) and one is not other
        return any(
            _is_between(one, setting, other)
            for name in self._variables_in(value, one)
            for setting in self.settings.get(name, ())
        )

    def _variables_in(self, value: str, origin: BodyStatement) -> set[str]:
        """The variables that a value is made of: it may be what is put into dynamic SQL."""
        text, shown = origin.unit.text, value.removeprefix("=")
        put_in = {
            gap.key
            for gap in origin.gaps
            if text[gap.span.start : gap.span.end].strip("'") == shown
        }
        if not put_in and shown == value:
            put_in = {value.partition(".")[0]}
        return {name for key in put_in for name in _NAME.findall(key)}

    def follows(self, first: int, second: int) -> Follows:
        """Whether one chunk runs after another, in the same transaction."""
        one, other = self.origins[first], self.origins[second]
        if one is other and first < second:
            return Follows.ALWAYS
        if one.handle and other.handle and one.handle.is_other_than(other.handle):
            return Follows.NEVER
        return follows(one, other)

    def later(self, index: int) -> tuple[int, ...]:
        """The chunks that may run after one, in the same transaction, in the order of the text.

        Only those near it in the text are looked at.
        """
        first = max(index - _REACH, 0) if self._may_repeat(index) else index + 1
        near = range(first, min(index + _REACH, len(self.origins)))
        return tuple(other for other in near if self.follows(index, other) is not Follows.NEVER)

    def earlier(self, index: int) -> tuple[int, ...]:
        """The chunks after which one may run: see `later`."""
        end = min(index + _REACH, len(self.origins)) if self._may_repeat(index) else index
        near = range(max(index - _REACH, 0), end)
        return tuple(other for other in near if self.follows(other, index) is not Follows.NEVER)

    def _may_repeat(self, index: int) -> bool:
        return any(arm.is_loop for arm in self.origins[index].branch)


def _word_around(text: str, span: Span) -> Span:
    before, behind = _WORD_BEFORE.search(text, 0, span.start), _WORD_BEHIND.match(text, span.end)
    return Span(
        span.start if before is None else before.start(),
        span.end if behind is None else behind.end(),
    )


def _with_gaps(origin: BodyStatement, word: Span) -> str:
    """A word of a statement with what is put into it as it is written."""
    text, at = origin.unit.text, word.start
    pieces: list[str] = []
    for gap in origin.gaps:
        if word.start <= gap.span.start and gap.span.end <= word.end:
            hole = f"{{{gap.shown}}}" if _SHOWN.fullmatch(gap.shown) else "…"
            pieces += (text[at : gap.span.start], hole)
            at = gap.span.end
    return "".join([*pieces, text[at : word.end]]).strip("'")


def _fetches_one(origin: BodyStatement) -> bool:
    if origin.call is not None:
        return origin.call.fetches_one
    return origin.target is not None and origin.role is origin.runs_as is Role.STATEMENT


def _is_open(origin: BodyStatement) -> bool:
    if origin.call is not None:
        return not origin.call.is_whole
    return any(gap.opens for gap in origin.gaps)


def _is_between(one: Placed, setting: Placed, other: Placed) -> bool:
    """Whether a variable may be set on the way from one statement to another."""
    if setting.order == one.order:
        return False
    if one.order < other.order and not one.order < setting.order < other.order:
        return False
    return may_follow(one, setting) and may_follow(setting, other)


def body_script(body: Body, unit: SqlUnit) -> BodyScript:
    """The script of the body that was read from `unit`."""
    texts: list[str] = []
    pieces: list[Piece] = []
    chunks: list[Chunk] = []
    comments: list[Comment] = []
    origins: list[BodyStatement] = []
    at = 0
    for statement in body.statements:
        text = statement.unit.text
        for piece in statement.unit.map.pieces:
            pieces.append(Piece(piece.unit.shifted(at), piece.file))
        if statement.role is Role.DYNAMIC:
            inner = split(text)
        else:
            inner = Script((Chunk(Span(0, len(text)), text),), ())
        for chunk in inner.chunks:
            chunks.append(Chunk(chunk.span.shifted(at), chunk.text, chunk.unterminated))
            origins.append(statement)
        comments += (Comment(note.span.shifted(at), note.text) for note in inner.comments)
        at += len(text)
        end = pieces[-1].file.end
        pieces.append(Piece(Span(at, at + len(_SEPARATOR)), Span(end, end)))
        at += len(_SEPARATOR)
        texts += (text, _SEPARATOR)
    if not pieces:
        pieces.append(Piece(Span(0, 0), unit.map.file_span(Span(0, 0))))
    whole = unit._replace(text="".join(texts), map=SourceMap(tuple(pieces)))
    script = Script(tuple(chunks), tuple(comments))
    return BodyScript(whole, script, tuple(origins), body.settings)
