"""What statements of DDL make of a catalogue."""

from __future__ import annotations

import pytest

from pglint_locks.schema.catalog import Catalog, Relation, RelationKind
from pglint_locks.schema.ddl import Replay
from pglint_locks.schema.names import TableName
from pglint_locks.text import SourceText


def read(sql: str) -> Catalog:
    replay = Replay()
    replay.run(SourceText("schema.sql", sql))
    assert replay.unread == []
    return replay.catalog()


def table(sql: str, name: str = "jobs") -> Relation:
    found = read(sql).find(TableName(None, name))
    assert found is not None
    return found


def indexes(relation: Relation) -> list[str]:
    """The names of a table's indexes, each with its columns; unique ones are marked."""
    return [
        f"{each.name}({', '.join(key.column or f'({key.expression})' for key in each.keys)})"
        + ("!" if each.unique else "")
        + (f" where {each.predicate}" if each.predicate else "")
        for each in relation.indexes
    ]


def columns(relation: Relation) -> list[str]:
    return [f"{each.name} {each.type}{'!' if each.not_null else ''}" for each in relation.columns]


def test_columns_have_types_as_the_server_shows_them() -> None:
    made = table(
        "CREATE TABLE jobs (a int, b varchar(20) NOT NULL, c numeric(5), d timestamptz(3),"
        " e text[], f bigserial, g app.mood, h timestamp, i char(3), j double precision,"
        " k interval day)"
    )
    assert columns(made) == [
        "a integer",
        "b character varying(20)!",
        "c numeric(5,0)",
        "d timestamp(3) with time zone",
        "e text[]",
        "f bigint!",
        "g app.mood",
        "h timestamp without time zone",
        "i character(3)",
        "j double precision",
        "k interval day",
    ]


def test_keys_are_named_as_the_server_names_them() -> None:
    made = table(
        "CREATE TABLE jobs (id int UNIQUE PRIMARY KEY, email text UNIQUE, a int, b int,"
        " UNIQUE (a, b), UNIQUE (b, a) INCLUDE (email), CONSTRAINT own UNIQUE (b),"
        " EXCLUDE USING gist (a WITH =));"
        "CREATE UNIQUE INDEX ON jobs (lower(email), a) WHERE b > 1; CREATE INDEX ON jobs (a);"
        "CREATE INDEX ON jobs (a);"
    )
    assert indexes(made) == [
        "jobs_pkey(id)!",
        "jobs_email_key(email)!",
        "jobs_a_b_key(a, b)!",
        "jobs_b_a_email_key(b, a)!",
        "own(b)!",
        "jobs_a_excl(a)",
        "jobs_lower_a_idx((lower(email)), a)! where b > 1",
        "jobs_a_idx(a)",
        "jobs_a_idx1(a)",
    ]
    assert made.primary_key == ("id",)
    assert made.key_columns == {"id", "email", "a", "b"}


def test_foreign_keys_are_found_from_what_they_point_at() -> None:
    catalog = read(
        "CREATE TABLE jobs (id int PRIMARY KEY, parent int REFERENCES jobs);\n"
        "CREATE TABLE runs (job int REFERENCES jobs ON DELETE CASCADE, a int, b int);\n"
        "ALTER TABLE ONLY runs ADD CONSTRAINT own FOREIGN KEY (a) REFERENCES public.jobs (id);\n"
        "ALTER TABLE runs ADD FOREIGN KEY (b) REFERENCES jobs NOT ENFORCED;\n"
    )
    jobs = catalog.find(TableName(None, "jobs"))
    assert jobs is not None
    found = [
        (each.holder.name.name, each.key.name, each.key.columns, each.key.referenced_columns)
        for each in catalog.references_to(jobs)
    ]
    assert found == [
        ("jobs", "jobs_parent_fkey", ("parent",), ("id",)),
        ("runs", "runs_job_fkey", ("job",), ("id",)),
        ("runs", "own", ("a",), ("id",)),
    ]
    lines = [str(each.key.origin) for each in catalog.references_to(jobs)]
    assert lines == ["schema.sql:1", "schema.sql:2", "schema.sql:3"]
    assert catalog.knows_references_to(jobs)


def test_altered_columns() -> None:
    made = table(
        "CREATE TABLE jobs (id int PRIMARY KEY, a int, b int, c int UNIQUE);"
        "ALTER TABLE jobs ADD COLUMN d text NOT NULL, DROP COLUMN b, ALTER a TYPE bigint,"
        " ALTER a SET NOT NULL, DROP COLUMN c;"
        "ALTER TABLE jobs RENAME COLUMN id TO job_id;"
    )
    assert columns(made) == ["job_id integer!", "a bigint!", "d text!"]
    assert indexes(made) == ["jobs_pkey(job_id)!"]


@pytest.mark.parametrize(
    "made_as", ["CREATE TEMP TABLE jobs (id int)", "CREATE TABLE pg_temp.jobs ()"]
)
def test_a_sessions_own_table_is_left_out(made_as: str) -> None:
    assert read(made_as).relations == {}


@pytest.mark.parametrize(
    "statements",
    [
        "CREATE TABLE a (x int); CREATE TABLE b () INHERITS (a); CREATE TABLE c () INHERITS (a, b);"
        " ALTER TABLE a RENAME x TO y; DROP TABLE a CASCADE;",
        "CREATE TABLE a (x int); CREATE TABLE b () INHERITS (a); ALTER TABLE a INHERIT b;"
        " ALTER TABLE a INHERIT a; ALTER TABLE b INHERIT a; ALTER TABLE a ADD z int;"
        " ALTER TABLE b NO INHERIT a; DROP TABLE a, b;",
        "ALTER TABLE a ATTACH PARTITION a DEFAULT; ALTER TABLE a DETACH PARTITION a;"
        " ALTER INDEX i ATTACH PARTITION i; DROP TABLE a, a; DROP SCHEMA public CASCADE;",
    ],
)
def test_circles_and_what_goes_by_two_ways_do_no_harm(statements: str) -> None:
    assert read(statements).relations == {}


def test_partitions_hold_what_their_parent_has() -> None:
    catalog = read(
        "CREATE TABLE jobs (id int, at date, note text, PRIMARY KEY (id, at))"
        " PARTITION BY RANGE (at);"
        "CREATE TABLE jobs_1 PARTITION OF jobs FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');"
        "CREATE TABLE jobs_2 (id int NOT NULL, at date NOT NULL, note text);"
        "ALTER TABLE jobs ATTACH PARTITION jobs_2 DEFAULT;"
        "CREATE INDEX by_note ON jobs (note);"
    )
    assert catalog.find(TableName(None, "jobs")).kind is RelationKind.PARTITIONED_TABLE  # type: ignore[union-attr]
    for name in ("jobs_1", "jobs_2"):
        part = catalog.find(TableName(None, name))
        assert part is not None
        assert part.is_partition
        assert indexes(part) == [f"{name}_pkey(id, at)!", f"{name}_note_idx(note)"]
