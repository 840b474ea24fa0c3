"""The schema that settings name: files of DDL, snapshots and a server."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pglint_locks.errors import UsageError
from pglint_locks.paths import has_wildcards, shown
from pglint_locks.schema.catalog import Catalog
from pglint_locks.schema.files import load_catalog
from pglint_locks.schema.live import live_catalog
from pglint_locks.schema.origins import Origin
from pglint_locks.schema.snapshot import read_snapshot

_SNAPSHOT = ".json"


class Given(NamedTuple):
    """The catalogues of the sources, the least trusted first.

    `unread` are the places of statements of DDL that were not understood.
    """

    catalogs: tuple[Catalog, ...]
    unread: tuple[Origin, ...] = ()


def given_schema(paths: Sequence[str], url: str | None, cwd: Path) -> Given:
    """A catalogue of all DDL, one of each snapshot, and that of a server.

    Raises:
        UsageError: a source is not there, or cannot be read.
    """
    catalogs: list[Catalog] = []
    unread: tuple[Origin, ...] = ()
    ddl = [path for path in paths if not _is_snapshot(path)]
    if ddl:
        loaded = load_catalog(ddl, cwd)
        catalogs.append(loaded.catalog)
        unread = loaded.unread
    for path in filter(_is_snapshot, paths):
        for file in sorted(glob.glob(path, recursive=True)) if has_wildcards(path) else [path]:
            catalogs.append(_snapshot(Path(file), cwd))
    if url is not None:
        catalogs.append(live_catalog(url))
    return Given(tuple(catalogs), unread)


def _is_snapshot(path: str) -> bool:
    return path.lower().endswith(_SNAPSHOT)


def _snapshot(file: Path, cwd: Path) -> Catalog:
    name = shown(file, cwd)
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"schema: {name} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"schema: {name} is not UTF-8") from None
    return read_snapshot(text, name)
