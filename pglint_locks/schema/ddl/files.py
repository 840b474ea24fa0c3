"""Files of DDL as a source of a catalogue."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pglint_locks.errors import UsageError
from pglint_locks.paths import has_wildcards, shown
from pglint_locks.schema.catalog import Catalog
from pglint_locks.schema.ddl.scripts import Replay
from pglint_locks.sources.decode import UnreadableTextError, decode
from pglint_locks.text import SourceText

_ENDINGS = (".sql", ".psql", ".pgsql", ".ddl")
_Stamp = tuple[str, int, int]
_loaded: dict[tuple[_Stamp, ...], Catalog] = {}


def load_catalog(paths: Sequence[str], cwd: Path) -> Catalog:
    """The catalogue that files of DDL make, replayed in order; `paths` may have wildcards.

    What was loaded before is remembered as long as the files stay what they were.

    Raises:
        UsageError: a path leads to no file, or a file cannot be read.
    """
    files = list(_files(paths, cwd))
    key = tuple(_stamp(file, cwd) for file in files)
    if key not in _loaded:
        _loaded.clear()
        _loaded[key] = _load(files, cwd)
    return _loaded[key]


def _load(files: Sequence[Path], cwd: Path) -> Catalog:
    replay = Replay()
    for file in files:
        replay.run(_source(file, cwd))
    return replay.catalog()


def _source(file: Path, cwd: Path) -> SourceText:
    name = shown(file, cwd)
    try:
        return decode(name, file.read_bytes())
    except OSError as error:
        raise UsageError(f"schema: {name} cannot be read: {error.strerror or error}") from None
    except UnreadableTextError as error:
        raise UsageError(f"schema: {name} {error}") from None


def _files(paths: Sequence[str], cwd: Path) -> Iterator[Path]:
    seen: set[str] = set()
    for path in paths:
        for found in _matching(path, cwd):
            real = os.path.realpath(found)
            if real not in seen:
                seen.add(real)
                yield Path(found)


def _matching(path: str, cwd: Path) -> list[str]:
    """The files that a path leads to, in the order of the numbers in their names."""
    if has_wildcards(path):
        found = [each for each in glob.glob(path, recursive=True) if os.path.isfile(each)]
    elif os.path.isdir(path):
        found = [
            each
            for each in glob.glob(os.path.join(glob.escape(path), "**", "*"), recursive=True)
            if each.lower().endswith(_ENDINGS) and os.path.isfile(each)
        ]
    else:
        found = [path]
    if not found:
        raise UsageError(f"schema: no file of DDL is found in {shown(Path(path), cwd)}")
    return sorted(found, key=_natural)


def _natural(path: str) -> list[tuple[bool, int, str]]:
    """Sorts numbers in names by their value: `2_a` before `10_b`."""
    parts = re.split(r"(\d+)", path)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def _stamp(file: Path, cwd: Path) -> _Stamp:
    try:
        seen = os.stat(file)
    except OSError as error:
        name = shown(file, cwd)
        raise UsageError(f"schema: {name} cannot be read: {error.strerror or error}") from None
    return str(file), seen.st_mtime_ns, seen.st_size
