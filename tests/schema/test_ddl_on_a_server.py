"""The catalogue that is read from DDL is the one of a server on which the DDL was run."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from servers import Server

from pglint_locks.schema.catalog import Catalog, RelationKind
from pglint_locks.schema.contradictions import differences
from pglint_locks.schema.files import load_catalog
from pglint_locks.schema.live import live_catalog

FEATURES = Path(__file__).with_name("features.sql")


def compared(ddl: Catalog, server: Catalog) -> dict[str, list[str]]:
    """The relations of which the two tell differently, and in what."""
    names = ddl.relations.keys() | server.relations.keys()
    found = {}
    for name in names:
        one, other = ddl.relations.get(name), server.relations.get(name)
        if one is None or other is None:
            found[str(name)] = ["only on the server" if one is None else "only in the DDL"]
        elif parts := differences(one, other):
            found[str(name)] = parts
    return found


class Both(NamedTuple):
    """The catalogue of the features, the server's, and the database there."""

    ddl: Catalog
    server: Catalog
    dsn: str


@pytest.fixture(scope="module")
def both(server: Server) -> Both:
    """The features, read and run."""
    name = server.new_database()
    done = server.psql(FEATURES.read_text(), "-v", "ON_ERROR_STOP=1", database=name)
    assert done.returncode == 0, done.stderr
    loaded = load_catalog([str(FEATURES)], FEATURES.parent)
    assert loaded.unread == ()
    return Both(loaded.catalog, live_catalog(server.dsn(name)), server.dsn(name))


def test_each_relation_is_the_servers(both: Both) -> None:
    assert compared(both.ddl, both.server) == {}
    assert {each.kind for each in both.server.relations.values()} == set(RelationKind)


def test_almost_all_of_it_is_known_whole(both: Both) -> None:
    in_part = {name.name for name, each in both.ddl.relations.items() if not each.is_whole}
    assert in_part == {"vwith", "vusing"}
    assert len(both.ddl.relations) > 50


def test_the_servers_own_dump_makes_the_same(both: Both, server: Server, tmp_path: Path) -> None:
    """It says in other words what made the tables: with ALTER TABLE, ATTACH and ON ONLY."""
    command = [str(server.bin / "pg_dump"), "--dbname", both.dsn, "--file", "-"]
    done = subprocess.run(command, capture_output=True, check=True, env=server.environment)
    (tmp_path / "dump.sql").write_bytes(done.stdout)
    loaded = load_catalog([str(tmp_path / "dump.sql")], tmp_path)
    assert loaded.unread == ()
    assert loaded.catalog.is_closed
    assert compared(loaded.catalog, both.server) == {}
