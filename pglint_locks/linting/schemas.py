"""What the names of relations mean in the files of a run, by the schema that is set for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pglint_locks.config import Settings
from pglint_locks.linting.parts import is_foreign
from pglint_locks.model.queries.known import Known
from pglint_locks.model.queries.views import View, known_views
from pglint_locks.schema.catalog import Catalog, Relation, RelationKind, merged
from pglint_locks.schema.ddl.draft import Draft
from pglint_locks.schema.ddl.scripts import Replay
from pglint_locks.schema.files import load_catalog
from pglint_locks.schema.models import declares_tables
from pglint_locks.schema.origins import Origin, Trust
from pglint_locks.sources.content import read_content
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.lockwords import has_lock_words
from pglint_locks.sql.parse import Parsed, parse
from pglint_locks.sql.script import ParsedScript
from pglint_locks.text import SourceText, Span

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Schemas:
    """What is known in a run: `views` and `linted` are what its own files define.

    `tables` are the names of tables that they create, and `texts` what is linted.  `given` is a
    catalogue beside those of the settings.
    """

    cwd: Path
    views: Sequence[View] = ()
    tables: frozenset[str] = frozenset()
    linted: Catalog = field(default_factory=Catalog)
    texts: Sequence[str] = ()
    given: Catalog | None = None
    _known: dict[tuple[object, ...], Known] = field(default_factory=dict)

    def known(self, settings: Settings) -> Known:
        """What is known for a file with these settings."""
        key = (settings.schema, settings.schema_from_sources)
        if key not in self._known:
            self._known[key] = self._of(settings)
        return self._known[key]

    def _of(self, settings: Settings) -> Known:
        sources = [self.linted] if settings.schema_from_sources else []
        if settings.schema:
            sources.append(load_catalog(settings.schema, self.cwd).catalog)
        if self.given is not None:
            sources.append(self.given)
        catalog = merged(sources)
        told = views_named(catalog, self.texts)
        return Known(known_views([*self.views, *told]).beside_tables(set(self.tables)), catalog)


def drafted(source: SourceText, settings: Settings) -> Draft:
    """What a file makes of relations, as if it ran alone."""
    replay = Replay(Trust.LINTED_FILE)
    if declares_tables(source.name):
        replay.declare(source)
        return replay.draft
    for unit in read_content(source).scripts:
        script = ParsedScript.of_text(unit.text)
        if not is_foreign(source.name, unit.text, script, settings):
            replay.replay(script.chunks, partial(_origin, replay, unit))
    return replay.draft


def _origin(replay: Replay, unit: SqlUnit, offset: int) -> Origin:
    return replay.origin(unit.source, unit.map.file_span(Span(offset, offset)).start)


def views_named(catalog: Catalog, texts: Iterable[str]) -> list[View]:
    """The views of a schema that lock or that texts name, and the views that those are made of."""
    views = [
        relation
        for relation in catalog.relations.values()
        if relation.view_query is not None and relation.origin.trust is not Trust.LINTED_FILE
    ]
    locking = [view for view in views if has_lock_words((view.view_query or "").encode())]
    if not views:
        return []
    words = {word.lower() for text in texts for word in _WORD.findall(text)}
    found: list[Relation] = []
    while fresh := [view for view in views if view in locking or view.name.name.lower() in words]:
        found += fresh
        views = [view for view in views if view not in fresh]
        words |= {word.lower() for view in fresh for word in _WORD.findall(view.view_query or "")}
    return list(_made(found))


def _made(relations: Iterable[Relation]) -> Iterator[View]:
    for relation in relations:
        parsed = parse(relation.view_query or "")
        if isinstance(parsed, Parsed):
            names = tuple(column.name for column in relation.columns)
            is_materialized = relation.kind is RelationKind.MATERIALIZED_VIEW
            yield View(relation.name, parsed.node, names or None, is_materialized, {})
