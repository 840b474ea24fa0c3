"""What files of a run tell the others, gathered file by file for whoever lints one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pglint_locks.config import Settings
from pglint_locks.linting.definitions import views_defined
from pglint_locks.linting.ledger import Ledger
from pglint_locks.linting.meanings import Meanings, Others, Own
from pglint_locks.linting.schemas import drafted, runs
from pglint_locks.linting.worklist import FileLint
from pglint_locks.model.queries.known import Known
from pglint_locks.model.queries.views import View, tables_created
from pglint_locks.schema.ddl.draft import Draft
from pglint_locks.sql.deepstack import call_with_deep_stack
from pglint_locks.text import SourceText


class Surveyed(NamedTuple):
    """A file that may tell others something: views, tables, models, or in which order it locks."""

    source: SourceText
    settings: Settings
    views: tuple[View, ...]
    tables: frozenset[str]
    makes_tables: bool
    has_models: bool
    locks: bool


def surveyed(
    source: SourceText,
    settings: Settings,
    *,
    makes_views: bool,
    makes_tables: bool,
    has_models: bool,
    locks: bool,
) -> Surveyed:
    """Look at a file of which a cheap look has told what may be in it."""
    views: Sequence[View] = ()
    if makes_views:
        views = call_with_deep_stack(lambda: _safely_defined(source, settings))
    tables = frozenset(tables_created(source.text))
    return Surveyed(source, settings, tuple(views), tables, makes_tables, has_models, locks)


def _safely_defined(source: SourceText, settings: Settings) -> list[View]:
    try:
        return views_defined(source, settings)
    except Exception:  # told when that file is linted
        return []


class Run(NamedTuple):
    """Files whose DDL runs one after the other, and what comes of it."""

    files: tuple[tuple[SourceText, Settings], ...]
    draft: Draft


def runs_of(files: Iterable[Surveyed], known: Mapping[object, Run]) -> dict[object, Run]:
    """The runs that make tables, by what they are made of; those that are known stay."""
    makers = [(each.source, each.settings) for each in files if each.makes_tables]
    made: dict[object, Run] = {}
    for run in runs(makers):
        key = tuple((source.name, source.text) for source, _ in run)
        try:
            made[key] = known.get(key) or Run(
                tuple(run), call_with_deep_stack(partial(drafted, run))
            )
        except Exception:  # told when that file is linted
            continue
    return made


def others_of(
    name: str, files: Sequence[Surveyed], made: Iterable[Run], ledgers: Mapping[str, Ledger]
) -> Others:
    """What is told to the file of a name; it runs among the migrations of its folder."""
    told = [each for each in files if each.source.name != name]
    own = [run for run in made if any(source.name == name for source, _ in run.files)]
    return Others(
        views=tuple(view for each in told for view in each.views),
        tables=frozenset().union(*(each.tables for each in told)),
        drafts=tuple(run.draft for run in made if run not in own),
        run=own[0].files if own and len(own[0].files) > 1 else (),
        models={each.source.name: each.source.text for each in told if each.has_models},
        ledgers={other: ledger for other, ledger in ledgers.items() if other != name},
    )


def noted(files: Sequence[Surveyed], others: Others) -> dict[str, Ledger]:
    """What rules over the whole run note of each file that locks."""
    ledgers: dict[str, Ledger] = {}
    known: dict[object, Known] = {}
    everything = SourceText("", "\n".join(each.source.text for each in files if each.locks))
    for each in files:
        if not each.locks:
            continue
        settings = each.settings
        key = (settings.schema, settings.schema_from_sources, settings.database_url)
        try:
            if key not in known:
                meanings = Meanings(settings, others)
                call_with_deep_stack(partial(meanings.learn, everything, Own()))
                known[key] = meanings.known
            lint = FileLint(each.source, settings, known[key])
            call_with_deep_stack(lint.read)
        except Exception:  # told when that file is linted
            continue
        if lint.ledger.notes:
            ledgers[each.source.name] = Ledger(each.source, notes=lint.ledger.notes)
    return ledgers
