"""What the names of relations mean in a text that is edited, from one edit to the next."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pglint_locks.config import Settings
from pglint_locks.linting.definitions import models_defined, views_defined
from pglint_locks.linting.ledger import Ledger
from pglint_locks.linting.schemas import drafted, known_of
from pglint_locks.linting.tables import Part, Tables, part_of
from pglint_locks.model.queries.known import NOTHING_KNOWN, Known
from pglint_locks.model.queries.views import View, tables_created
from pglint_locks.paths import working_directory
from pglint_locks.schema.catalog import Catalog, Relation
from pglint_locks.schema.ddl.draft import Draft
from pglint_locks.schema.ddl.linted import catalog_of_linted
from pglint_locks.schema.given import Given, given_schema
from pglint_locks.schema.names import TableName
from pglint_locks.sources.orm.models import Models, files_needed
from pglint_locks.sql.chunks import Chunk
from pglint_locks.sql.lockwords import has_lock_calls, has_model_words
from pglint_locks.text import SourceText


class Others(NamedTuple):
    """What the other files of the run define: views, names of tables, and what DDL made.

    `run` are the files of which this is one, if their DDL runs one after the other; `ledgers`
    have what rules over the whole run note of files, by name, and `models` the texts of those
    that may define an ORM's.
    """

    views: tuple[View, ...] = ()
    tables: frozenset[str] = frozenset()
    drafts: tuple[Draft, ...] = ()
    run: tuple[tuple[SourceText, Settings], ...] = ()
    ledgers: Mapping[str, Ledger] = MappingProxyType({})
    models: Mapping[str, str] = MappingProxyType({})


NO_OTHERS = Others()


class Defines(NamedTuple):
    """What a text may define, by a cheap look at its bytes."""

    views: bool = False
    tables: bool = False


class Own(NamedTuple):
    """What a text defines itself; `ddl` are its statements that may change a schema.

    `draft` is what came of them, if that is known.  `leads_down`: some of it undoes the rest.
    """

    views: tuple[View, ...] = ()
    tables: frozenset[str] = frozenset()
    ddl: tuple[Chunk, ...] = ()
    draft: Draft | None = None
    leads_down: bool = False


@dataclass(slots=True)
class Meanings:
    """What is known for a text with some settings: what it defines, the others, the schema.

    The schema is read once.  No server is asked for plans: that is not for every key.
    """

    settings: Settings
    others: Others = NO_OTHERS
    cwd: Path = field(default_factory=working_directory)
    known: Known = NOTHING_KNOWN
    _last: tuple[object, ...] = ()
    _tables: Tables = field(default_factory=Tables)
    _of_others: Catalog | None = None
    _given: Given | None = None
    _models: tuple[object, Models] | None = None

    def learn(self, source: SourceText, own: Own) -> None:
        """Take over what a text defines now."""
        if own.ddl and (self.others.run or own.leads_down):
            own = own._replace(draft=self._drafted(source))
        given = self._schema()
        names_views = any(
            relation.view_query is not None
            for catalog in given.catalogs
            for relation in catalog.relations.values()
        )
        now = (
            *(own.views, own.tables, own.draft, source.text if names_views else None),
            tuple(chunk.text for chunk in own.ddl),
        )
        if now == self._last:
            return
        self._last = now
        views = [*self.others.views, *own.views]
        parts = self._tables.parts(source.name, own.ddl) if own.draft is None else []
        linted = self._linted([part_of(own.draft)] if own.draft is not None else parts)
        if not (views or linted.relations or linted.ambiguous or given.catalogs):
            self.known = NOTHING_KNOWN
            return
        tables = own.tables | self.others.tables
        self.known = known_of([linted, *given.catalogs], views, tables, [source.text])

    def learn_whole(self, source: SourceText, defines: Defines) -> None:
        """Take over what a text defines now that is not cut into sections."""
        views = views_defined(source, self.settings) if defines.views else ()
        draft = self._drafted(source) if self.wants(defines) else None
        own = Own(tuple(views), frozenset(tables_created(source.text)), (), draft)
        self.learn(source, own)

    def models(self, source: SourceText) -> Models | None:
        """The models of ORMs that a text uses, be they its own or those of other files."""
        data = source.text.encode("utf-8", "surrogatepass")
        if not (source.name.endswith(".py") and has_lock_calls(data)):
            return None
        defining = dict(self.others.models)
        if has_model_words(data):
            defining[source.name] = source.text
        rests_on = (tuple(files_needed([source.text], defining)), defining.get(source.name))
        if self._models is None or self._models[0] != rests_on:
            self._models = rests_on, models_defined([source.text], defining)
        return self._models[1]

    def wants(self, defines: Defines) -> bool:
        """Whether the tables of a text are to be known."""
        return defines.tables and self.settings.schema_from_sources

    def _drafted(self, source: SourceText) -> Draft:
        """What comes of a text's DDL, in its place among the files that it runs with."""
        own = (source, self.settings)
        run = [own if other.name == source.name else (other, its) for other, its in self.others.run]
        return drafted(run or [own])

    def _schema(self) -> Given:
        if self._given is None:
            url = self.settings.database_url
            told = None if url is None else url.reveal()
            self._given = given_schema(self.settings.schema, told, self.cwd)
        return self._given

    def _linted(self, parts: Sequence[Part]) -> Catalog:
        """What the files of the run make of relations."""
        if self._of_others is None:
            wanted = self.settings.schema_from_sources
            self._of_others = catalog_of_linted(self.others.drafts if wanted else ())
        catalogs = [self._of_others, *(part.catalog for part in parts)]
        if len(catalogs) == 1:
            return catalogs[0]
        relations: dict[TableName, Relation] = {}
        unclear: set[TableName] = set()
        for each in catalogs:
            names = each.relations.keys() | each.ambiguous
            if not names.isdisjoint(relations) or not names.isdisjoint(unclear):
                drafts = [*self.others.drafts, *(part.draft for part in parts)]
                return catalog_of_linted(drafts)
            relations.update(each.relations)
            unclear |= each.ambiguous
        return Catalog(relations, ambiguous=frozenset(unclear))


def changed_names(old: Known, new: Known) -> Collection[str] | None:
    """The names, in lower case, whose meaning is another one; None where it may be any.

    A relation's meaning is also what refers to it.
    """
    if old is new:
        return ()
    before, after = old.catalog, new.catalog
    if old.views != new.views or (before.search_path, before.is_closed) != (
        after.search_path,
        after.is_closed,
    ):
        return None
    changed = {each.name for each in before.ambiguous ^ after.ambiguous}
    relations = before.relations.keys() | after.relations.keys()
    for name in relations:
        was, now = before.relations.get(name), after.relations.get(name)
        if was is not now and was != now:
            changed.add(name.name)
            changed.update(_referred(relation for relation in (was, now) if relation))
    if changed and new.views != NOTHING_KNOWN.views:
        return None
    every = [*before.relations.values(), *after.relations.values()]
    while fresh := {
        each.name.name
        for each in every
        if each.name.name not in changed and any(parent.name in changed for parent in each.parents)
    }:
        changed |= fresh
    folded = {name.lower() for name in changed}
    return folded if all(re.fullmatch(r"\w+", name) for name in folded) else None


def _referred(relations: Iterable[Relation]) -> set[str]:
    return {key.referenced.name for each in relations for key in each.foreign_keys}
