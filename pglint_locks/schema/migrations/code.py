"""Migrations that are code: those of Alembic and Django are read, others only looked at."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from pglint_locks.schema.ddl.scripts import Replay
from pglint_locks.schema.migrations import alembic, django
from pglint_locks.schema.migrations.django.state import Models
from pglint_locks.schema.migrations.pycode import parsed
from pglint_locks.schema.migrations.steps import Step
from pglint_locks.text import SourceText

_NUMBERED_CODE = re.compile(
    r"[vV]?\d+[\w.-]*\.(?:go|[cm]?[jt]s|rb|exs?|php|java|kts?|cs|scala|rs|sh)"
)
_Key = TypeVar("_Key")
_Module = tuple[SourceText, ast.Module]


def is_other_code(file: str) -> bool:
    """Whether a file among migrations is one in a language that is not read."""
    name = os.path.basename(file)
    return _NUMBERED_CODE.fullmatch(name) is not None and not name.endswith(".d.ts")


def replay_python(replay: Replay, sources: Sequence[SourceText]) -> None:
    """Replay migrations in Python, in the order that they say; other modules are passed over."""
    modules = [
        (source, module)
        for source in sources
        if _may_migrate(source.text) and (module := parsed(source.text)) is not None
    ]
    _replay_alembic(replay, modules)
    _replay_django(replay, modules)


def _may_migrate(text: str) -> bool:
    return "down_revision" in text or "Migration" in text


def _replay_alembic(replay: Replay, modules: Iterable[_Module]) -> None:
    known: dict[str, _Module] = {}
    before: dict[str, tuple[str, ...]] = {}
    for source, module in modules:
        revision = alembic.revision_of(module)
        if revision is not None:
            known[revision.name] = source, module
            before[revision.name] = revision.before
    for source, module in _ordered(known, before):
        _take(replay, source, alembic.steps(module))


def _replay_django(replay: Replay, modules: Iterable[_Module]) -> None:
    known = {
        _app_and_name(source.name): (source, module)
        for source, module in modules
        if django.operations_of(module) is not None
    }
    before = {key: django.dependencies_of(module) for key, (_, module) in known.items()}
    models = Models()
    for source, module in _ordered(known, before):
        operations = django.operations_of(module) or ()
        app, _ = _app_and_name(source.name)
        _take(replay, source, django.steps(operations, app, models))


def _app_and_name(file: str) -> tuple[str, str]:
    """The app and the name of a Django migration, by where it stands."""
    *folders, name = file.split("/")
    above = [folder for folder in folders if folder != "migrations"]
    return (above[-1] if above else ""), name.removesuffix(".py")


def _ordered(
    known: Mapping[_Key, _Module], before: Mapping[_Key, Iterable[_Key]]
) -> Iterator[_Module]:
    """What runs before others comes before them; otherwise the order is that of file names."""
    done: set[_Key] = set()
    for key in sorted(known, key=lambda each: known[each][0].name):
        stack = [(key, False)]
        while stack:
            each, is_ready = stack.pop()
            if is_ready:
                yield known[each]
            elif each in known and each not in done:
                done.add(each)
                stack.append((each, True))
                stack += [(other, False) for other in before.get(each, ())]


def _take(replay: Replay, source: SourceText, steps: Iterable[Step]) -> None:
    for step in steps:
        at = replay.origin(source, 0)._replace(line=step.line)
        if step.sql is not None:
            replay.run_sql(step.sql, at)
        elif step.drop is not None:
            replay.drop(step.drop.kind, step.drop.table, step.drop.columns)
        else:
            replay.leave(step.names)
