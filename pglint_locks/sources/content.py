"""What SQL a file holds, whatever kind of file it is."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from pglint_locks.sources.bodies.body import Body
from pglint_locks.sources.kinds import kind_of
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.chunks import Comment
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.sources.orm.models import Models


class HostBody(NamedTuple):
    """The SQL that one function of a host language runs.

    `unit` is the host function's text (its label names it); `body` are the statements.
    They may be constants of the file or of another function: `functions` are all that the
    file has, the inner ones behind those around them.
    """

    unit: SqlUnit
    body: Body
    functions: tuple[tuple[Span, str | None], ...] = ()

    def label_at(self, place: Span) -> str | None:
        """The name of the function in which a place of the file stands."""
        labels = [name for span, name in self.functions if span.start <= place.start < span.end]
        return labels[-1] if labels else None


class FileContent(NamedTuple):
    """What SQL a file holds.

    `scripts` are texts as psql would run them; `bodies` are statements that host code
    runs.  `comments` are the host's own (file offsets), and `statements` the file ranges
    of the host's statements that hold SQL: a suppression may stand in or above either.
    `not_analysed` are locking clauses that were seen and could not be read.
    """

    scripts: tuple[SqlUnit, ...] = ()
    bodies: tuple[HostBody, ...] = ()
    comments: tuple[Comment, ...] = ()
    statements: tuple[Span, ...] = ()
    not_analysed: tuple[NotAnalysed, ...] = ()


def content_within(content: FileContent, outer: SqlUnit) -> FileContent:
    """What a text holds that is itself a part of a file: every place leads to that file."""

    def moved(unit: SqlUnit) -> SqlUnit:
        return unit._replace(source=outer.source, map=outer.map.composed(unit.map))

    def placed(span: Span) -> Span:
        return outer.map.file_span(span)

    return FileContent(
        scripts=tuple(map(moved, content.scripts)),
        bodies=tuple(
            HostBody(
                moved(host.unit),
                replace(
                    host.body,
                    statements=tuple(
                        replace(each, unit=moved(each.unit)) for each in host.body.statements
                    ),
                ),
                tuple((placed(span), label) for span, label in host.functions),
            )
            for host in content.bodies
        ),
        comments=tuple(Comment(placed(each.span), each.text) for each in content.comments),
        statements=tuple(map(placed, content.statements)),
        not_analysed=tuple(
            each._replace(source=outer.source, span=placed(each.span))
            for each in content.not_analysed
        ),
    )


def read_content(source: SourceText, models: Models | None = None) -> FileContent:
    """What SQL a file holds, read by the reader of its kind.

    `models` are those of ORMs that other files define.
    """
    kind = kind_of(source.name)
    reader = import_module(f"pglint_locks.sources.{kind.reader}")
    is_code = kind.reader == "host" and models
    content: FileContent = reader.read(source, models) if is_code else reader.read(source)
    return content
