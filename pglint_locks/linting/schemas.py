"""What the names of relations mean in the files of a run, by the schema that is set for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pglint_locks.config import Settings
from pglint_locks.linting.parts import is_foreign
from pglint_locks.model.queries.known import Known
from pglint_locks.model.queries.views import View, known_views
from pglint_locks.schema.catalog import Catalog, Relation, RelationKind, merged
from pglint_locks.schema.contradictions import contradictions
from pglint_locks.schema.ddl.draft import Draft
from pglint_locks.schema.ddl.scripts import Replay
from pglint_locks.schema.given import given_schema
from pglint_locks.schema.migrations.order import folder_of_migration, in_order, leading_up
from pglint_locks.schema.models import declares_tables
from pglint_locks.schema.origins import Origin, Trust
from pglint_locks.schema.planner import Planned, Planner
from pglint_locks.sources.content import read_content
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.lockwords import has_lock_words
from pglint_locks.sql.parse import Parsed, parse
from pglint_locks.sql.script import ParsedScript
from pglint_locks.text import SourceText, Span

_WORD = re.compile(r"\w+")
_NAME = r'(?:"[^"\n]+"|[\w$]+)'
_TABLES = re.compile(
    rf"\b(?:table|on|references|of)\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?"
    rf'(?:{_NAME}\s*\.\s*)*"?([\w$]+)',
    re.IGNORECASE,
)


@dataclass(slots=True)
class Schemas:
    """What is known in a run: `views` and `linted` are what its own files define.

    `tables` are the names of tables that they create, and `texts` what is linted.  `given` is a
    catalogue beside those of the settings, and `planner` gives plans where these name no
    server.  `unread` are the places of schema files that are not understood, in order;
    `remarks` tell of sources that contradict one another.
    """

    cwd: Path
    views: Sequence[View] = ()
    tables: frozenset[str] = frozenset()
    linted: Catalog = field(default_factory=Catalog)
    texts: Sequence[str] = ()
    given: Catalog | None = None
    planner: Planned | None = None
    unread: dict[Origin, None] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    _planners: dict[str, Planner] = field(default_factory=dict)
    _known: dict[tuple[object, ...], Known] = field(default_factory=dict)

    def known(self, settings: Settings) -> Known:
        """What is known for a file with these settings."""
        key = (
            settings.schema,
            settings.schema_from_sources,
            settings.database_url,
            settings.explain,
        )
        if key not in self._known:
            self._known[key] = self._of(settings)
        return self._known[key]

    def _of(self, settings: Settings) -> Known:
        sources = [self.linted] if settings.schema_from_sources else []
        url = settings.database_url.reveal() if settings.database_url is not None else None
        told = given_schema(settings.schema, url, self.cwd)
        self.unread.update(dict.fromkeys(told.unread))
        self.remarks.update(dict.fromkeys(contradictions(told.catalogs)))
        sources += told.catalogs
        if self.given is not None:
            sources.append(self.given)
        planner = self.planner
        if url is not None and settings.explain:
            planner = self._planners.setdefault(url, Planner(url))
        known = known_of(sources, self.views, self.tables, self.texts)
        return known._replace(planner=planner)

    def close(self) -> None:
        """Leave the servers that were asked for plans; who asks again finds them."""
        for planner in self._planners.values():
            planner.close()


def known_of(
    catalogs: Iterable[Catalog],
    views: Iterable[View],
    tables: Iterable[str],
    texts: Iterable[str],
) -> Known:
    """What is known by catalogues and the views and tables of a run, to speak of some texts."""
    catalog = merged(catalogs)
    told = views_named(catalog, texts)
    return Known(known_views([*views, *told]).beside_tables(set(tables)), catalog)


def drafted(files: Sequence[tuple[SourceText, Settings]]) -> Draft:
    """What files make of relations, as if these ran alone, one after the other."""
    replay = Replay(Trust.LINTED_FILE)
    for source, settings in files:
        if declares_tables(source.name):
            replay.declare(source)
            continue
        for unit in read_content(source).scripts:
            script = ParsedScript.of_text(leading_up(unit.text))
            if not is_foreign(source.name, unit.text, script, settings):
                replay.replay(script.chunks, partial(_origin, replay, unit))
    return replay.draft


def runs(
    work: Sequence[tuple[SourceText, Settings]],
) -> Iterator[Sequence[tuple[SourceText, Settings]]]:
    """The files that run one after the other: the migrations of a folder; others run alone."""
    folders: dict[str, dict[str, tuple[SourceText, Settings]]] = {}
    for source, settings in work:
        key = None if declares_tables(source.name) else folder_of_migration(source.name)
        if key is None:
            yield [(source, settings)]
        else:
            folders.setdefault(key, {})[source.name] = source, settings
    for files in folders.values():
        yield [files[name] for name in in_order(files)]


def may_tell(source: SourceText, words: Set[str]) -> bool:
    """Whether a file may make, alter or refer to a table that is named by one of some words."""
    names = _TABLES.findall(source.text)
    return declares_tables(source.name) or any(name.lower() in words for name in names)


def words_of(texts: Iterable[str]) -> set[str]:
    """The words of texts, in lower case: among them are the names of all that they name."""
    return {word.lower() for text in texts for word in _WORD.findall(text)}


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
    words = words_of(texts)
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
