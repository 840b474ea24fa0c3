"""Files of DDL and folders of migrations as a source of a catalogue."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pglint_locks.errors import UsageError
from pglint_locks.paths import has_wildcards, shown
from pglint_locks.schema.catalog import Catalog
from pglint_locks.schema.ddl.scripts import Replay
from pglint_locks.schema.migrations.code import is_other_code, replay_python
from pglint_locks.schema.migrations.order import in_order, leading_up
from pglint_locks.schema.models import is_whole_schema
from pglint_locks.schema.origins import Origin
from pglint_locks.sources.decode import UnreadableTextError, decode
from pglint_locks.sql.deepstack import call_with_deep_stack
from pglint_locks.text import SourceText

_SQL = (".sql", ".psql", ".pgsql", ".ddl")
_Stamp = tuple[str, int, int]


class Loaded(NamedTuple):
    """What files made: the catalogue, and the places of statements that were not understood."""

    catalog: Catalog
    unread: tuple[Origin, ...]


_MOST_REMEMBERED = 8
_loaded: dict[tuple[_Stamp, ...], Loaded] = {}


def load_catalog(paths: Sequence[str], cwd: Path) -> Loaded:
    """The catalogue that files of DDL make, replayed in the order in which tools run them.

    `paths` are files, directories of migrations, and patterns with wildcards.  What was loaded
    is remembered as long as the files stay what they were.

    Raises:
        UsageError: a path leads to no file, or a file cannot be read.
    """
    files = list(dict.fromkeys(file for path in paths for file in _matching(path, cwd)))
    key = tuple(_stamp(file, cwd) for file in files)
    if key not in _loaded:
        if len(_loaded) >= _MOST_REMEMBERED:
            _loaded.clear()
        _loaded[key] = call_with_deep_stack(lambda: _load(files, cwd))
    return _loaded[key]


def names_of_files(paths: Sequence[str], cwd: Path) -> frozenset[str]:
    """What the files that paths lead to are called.

    Raises:
        UsageError: a path leads to no file.
    """
    return frozenset(shown(Path(file), cwd) for path in paths for file in _matching(path, cwd))


def _load(files: Sequence[str], cwd: Path) -> Loaded:
    replay = Replay()
    python: list[SourceText] = []
    for file in files:
        source = _source(file, cwd)
        if file.endswith(".py"):
            python.append(source)
        elif is_whole_schema(file):
            replay.declare(source)
        elif is_other_code(file):
            replay.leave((source.text,))
        else:
            replay.run(SourceText(source.name, leading_up(source.text)))
    replay_python(replay, python)
    return Loaded(replay.catalog(), tuple(replay.unread))


def _source(file: str, cwd: Path) -> SourceText:
    name = shown(Path(file), cwd)
    try:
        return decode(name, Path(file).read_bytes())
    except OSError as error:
        raise UsageError(f"schema: {name} cannot be read: {error.strerror or error}") from None
    except UnreadableTextError as error:
        raise UsageError(f"schema: {name} {error}") from None


def _matching(path: str, cwd: Path) -> list[str]:
    """The files that a path leads to, in the order in which they run."""
    if has_wildcards(path):
        found = in_order(each for each in glob.glob(path, recursive=True) if os.path.isfile(each))
    elif os.path.isdir(path):
        found = in_order(_migrations_below(path))
    else:
        found = [path]
    if not found:
        raise UsageError(f"schema: no file of DDL is found in {shown(Path(path), cwd)}")
    return found


def _migrations_below(folder: str) -> Iterator[str]:
    """The files below a folder that may be migrations.

    Code that is not read is among them where its name begins with a number.
    """
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        for name in names:
            if name.lower().endswith((*_SQL, ".py")) or is_other_code(name):
                yield os.path.join(place, name)


def _stamp(file: str, cwd: Path) -> _Stamp:
    try:
        seen = os.stat(file)
    except OSError as error:
        name = shown(Path(file), cwd)
        raise UsageError(f"schema: {name} cannot be read: {error.strerror or error}") from None
    return file, seen.st_mtime_ns, seen.st_size
