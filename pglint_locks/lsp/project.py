"""The other files of the workspace: what they tell of the relations that a document names.

They are taken as they are saved.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from pglint_locks.config import Configs, Settings
from pglint_locks.discovery import FoundFile, discover, excluded_by
from pglint_locks.engine import may_declare_tables, may_define_tables, may_define_views
from pglint_locks.errors import UsageError
from pglint_locks.linting import Others
from pglint_locks.linting.ledger import Ledger
from pglint_locks.linting.surveys import Run, Surveyed, noted, others_of, runs_of, surveyed
from pglint_locks.paths import shown
from pglint_locks.sources.decode import UnreadableTextError, decode
from pglint_locks.sources.kinds import Look, is_read_by_default, kind_of
from pglint_locks.sql.lockwords import has_lock_words, has_model_words
from pglint_locks.text import SourceText

_MOST_FILES = 20_000
_Stamp = tuple[int, int]


class Survey(NamedTuple):
    """What was found in the files of a workspace that may tell something."""

    files: Mapping[str, tuple[_Stamp, Surveyed | None]]
    runs: Mapping[object, Run]
    ledgers: Mapping[str, Ledger]

    @property
    def telling(self) -> list[Surveyed]:
        """The files that tell something."""
        return [each for _, each in self.files.values() if each is not None]

    def others(self, name: str) -> Others:
        """What is told to the file of a name."""
        return others_of(name, self.telling, self.runs.values(), self.ledgers)


NO_SURVEY = Survey({}, {}, {})


def survey(
    root: Path,
    configs: Configs,
    last: Survey,
    changed: Collection[Path] | None,
    is_wanted: Callable[[], bool],
) -> Survey:
    """Look at the files of a folder, or only at those that have changed.

    Those that are as they were are not read again.  The result is the last one itself where
    nothing is new, and when it is not wanted any more.
    """
    files = {} if changed is None else dict(last.files)
    for file in _found(root, configs, changed):
        if not is_wanted():
            return last
        files.pop(file.name, None)
        stamp = _stamp(file.path)
        if stamp is not None:
            before = last.files.get(file.name)
            if before is None or before[0] != stamp or _is_set_anew(before[1], file, configs):
                before = stamp, _surveyed(file, configs)
            files[file.name] = before
    if files == last.files:
        return last
    ordered = {name: files[name] for name in sorted(files)}
    made = runs_of((each for _, each in ordered.values() if each is not None), last.runs)
    read = Survey(ordered, made, {})
    everything = others_of("", read.telling, made.values(), {})
    return read._replace(ledgers=noted(read.telling, everything))


def _is_set_anew(before: Surveyed | None, file: FoundFile, configs: Configs) -> bool:
    """Whether other settings hold for a file than those that it was read with."""
    return before is not None and before.settings != _settings(file, configs)


def _settings(file: FoundFile, configs: Configs) -> Settings | None:
    try:
        return configs.above(file.path.parent).settings(file.path)
    except UsageError:  # told where that file is linted
        return None


def _found(root: Path, configs: Configs, changed: Collection[Path] | None) -> list[FoundFile]:
    if changed is None:
        return discover([str(root)], configs, root).files[:_MOST_FILES]
    return [
        FoundFile(path, shown(path, root))
        for path in changed
        if root in path.parents
        and is_read_by_default(path.name)
        and not excluded_by(path, configs, root)
    ]


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _surveyed(file: FoundFile, configs: Configs) -> Surveyed | None:
    """A file, if a cheap look finds something to tell in it."""
    try:
        data = file.path.read_bytes()
        locks = kind_of(file.name).look is Look.SQL and has_lock_words(data)
        views = may_define_views(file.name, data)
        declares = may_declare_tables(file.name, data)
        tables = declares or may_define_tables(file.name, data)
        models = file.name.endswith(".py") and has_model_words(data)
        if not (locks or views or tables or models):
            return None
        source = _text(file, data, lenient=declares or models)
    except (OSError, UnreadableTextError):  # told where that file is linted
        return None
    settings = _settings(file, configs)
    if settings is None:
        return None
    return surveyed(
        source,
        settings,
        makes_views=views,
        makes_tables=tables,
        has_models=models,
        locks=locks,
    )


def _text(file: FoundFile, data: bytes, *, lenient: bool) -> SourceText:
    if lenient:
        return SourceText(file.name, data.decode("utf-8", "replace"))
    return decode(file.name, data)
