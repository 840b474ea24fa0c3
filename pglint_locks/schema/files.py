"""Files of DDL and folders of migrations as a source of a catalogue."""

from __future__ import annotations

import glob
import os
import re
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
from pglint_locks.sql.split import split
from pglint_locks.text import SourceText

_SQL = (".sql", ".psql", ".pgsql", ".ddl")
_INCLUDE = re.compile(
    r"""^\\(?:ir?|include(?:_relative)?)[ \t]+(?P<quote>'?)(?P<file>[^\s']+)(?P=quote)[ \t]*$""",
    re.MULTILINE,
)
_Stamp = tuple[int, int]


class Loaded(NamedTuple):
    """What files made: the catalogue, and the places of statements that were not understood.

    `stamps` tell whether the files are still what they were.
    """

    catalog: Catalog
    unread: tuple[Origin, ...]
    files: tuple[str, ...]
    stamps: dict[str, _Stamp]


_loaded: dict[tuple[str, ...], Loaded] = {}


def load_catalog(paths: Sequence[str], cwd: Path) -> Loaded:
    """The catalogue that files of DDL make, replayed in the order in which tools run them.

    `paths` are files, directories of migrations, and patterns with wildcards.  What was loaded
    is remembered as long as the files stay what they were.

    Raises:
        UsageError: a path leads to no file, or a file cannot be read.
    """
    files = tuple(dict.fromkeys(file for path in paths for file in _matching(path, cwd)))
    key = (str(cwd), *paths)
    kept = _loaded.get(key)
    if kept is not None and kept.files == files and _are_still(kept.stamps):
        return kept
    loading = _Loading(cwd)
    call_with_deep_stack(lambda: loading.run(files))
    replay = loading.replay
    loaded = Loaded(replay.catalog(), tuple(replay.unread), files, loading.stamps)
    _loaded[key] = loaded
    return loaded


def _are_still(stamps: dict[str, _Stamp]) -> bool:
    try:
        return all(_stamp(file) == stamp for file, stamp in stamps.items())
    except OSError:
        return False


def _stamp(file: str) -> _Stamp:
    seen = os.stat(file)
    return seen.st_mtime_ns, seen.st_size


def names_of_files(paths: Sequence[str], cwd: Path) -> frozenset[str]:
    """What the files that paths lead to are called.

    Raises:
        UsageError: a path leads to no file.
    """
    return frozenset(shown(Path(file), cwd) for path in paths for file in _matching(path, cwd))


class _Loading:
    """The files of one schema while they are replayed; `stamps` are of all that were read."""

    def __init__(self, cwd: Path) -> None:
        self.replay = Replay()
        self.stamps: dict[str, _Stamp] = {}
        self._cwd = cwd
        self._including: list[str] = []

    def run(self, files: Sequence[str]) -> None:
        """Replay files, one after the other; migrations in Python have an order of their own."""
        python: list[SourceText] = []
        for file in files:
            if file.endswith(".py"):
                python.append(self._source(file))
            elif is_whole_schema(file):
                self.replay.declare(self._source(file))
            elif is_other_code(file):
                self.replay.leave((self._source(file).text,))
            else:
                self.replay.begin()
                self._script(file)
        replay_python(self.replay, python)

    def _script(self, file: str) -> None:
        """Replay a script, with the scripts that it includes where it does."""
        source = self._source(file)
        text, at = leading_up(source.text), 0
        self._including.append(os.path.realpath(file))
        for line in _INCLUDE.finditer(text) if "\\i" in text else ():
            self._part(source, text, at, line.start())
            self._include(file, line["file"])
            at = line.end()
        self._part(source, text, at, len(text))
        self._including.pop()

    def _part(self, source: SourceText, text: str, start: int, end: int) -> None:
        chunks = split(text[start:end]).chunks
        self.replay.replay(chunks, lambda at: self.replay.origin(source, start + at))

    def _include(self, file: str, included: str) -> None:
        """Replay an included script: where it is not found, something is not known."""
        for folder in (os.path.dirname(file), str(self._cwd)):
            found = os.path.join(folder, included)
            if os.path.isfile(found):
                if os.path.realpath(found) not in self._including:
                    self._script(found)
                return
        self.replay.leave(())

    def _source(self, file: str) -> SourceText:
        name = shown(Path(file), self._cwd)
        try:
            self.stamps[file] = _stamp(file)
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
