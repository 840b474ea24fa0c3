"""Which files make a catalogue, and when they are read again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pglint_locks.errors import UsageError
from pglint_locks.schema.files import load_catalog
from pglint_locks.schema.names import TableName


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_sql", ".sql")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def tables(folder: Path, *paths: str) -> list[str]:
    loaded = load_catalog([str(folder / path) for path in paths], folder)
    return sorted(str(name) for name in loaded.catalog.relations)


def test_files_are_replayed_in_the_order_given(tmp_path: Path) -> None:
    write(tmp_path, b_sql="CREATE TABLE b ();", a_sql="ALTER TABLE b RENAME TO c;")
    assert tables(tmp_path, "b.sql", "a.sql") == ["public.c"]
    assert tables(tmp_path, "*.sql") == ["public.b"]


def test_each_file_is_a_session_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, a_sql="SET search_path TO app; CREATE TABLE t ();", b_sql="CREATE TABLE t ();")
    assert tables(tmp_path, "*.sql") == ["app.t", "public.t"]


def test_included_scripts_are_run_where_they_are_included(tmp_path: Path) -> None:
    all_of_it = "CREATE TABLE a ();\n\\ir parts/b.sql\n\\i 'c.sql'\nDROP TABLE b;\n"
    write(tmp_path, db__all_sql=all_of_it, db__parts__b_sql="CREATE TABLE b ();\n\\i ../all.sql\n")
    (tmp_path / "c.sql").write_text("CREATE TABLE c ();")
    assert tables(tmp_path, "db/all.sql") == ["public.a", "public.c"]
    (tmp_path / "c.sql").write_text("CREATE TABLE other ();")
    assert tables(tmp_path, "db/all.sql") == ["public.a", "public.other"]


def test_a_script_that_is_not_there_may_have_made_anything(tmp_path: Path) -> None:
    write(tmp_path, a_sql="CREATE TABLE a ();\n\\i gone.sql\n")
    assert not load_catalog([str(tmp_path / "a.sql")], tmp_path).catalog.is_closed


def test_places_are_those_of_the_files(tmp_path: Path) -> None:
    write(tmp_path, a_sql="\n\\i b.sql\n\nCREATE TABLE a ();\n", b_sql="\nCREATE TABLE b ();")
    catalog = load_catalog([str(tmp_path / "a.sql")], tmp_path).catalog
    places = {name.name: str(each.origin) for name, each in catalog.relations.items()}
    assert places == {"a": "a.sql:4", "b": "b.sql:2"}


def test_code_among_migrations_leaves_what_it_names_in_part_unknown(tmp_path: Path) -> None:
    write(tmp_path, db__1_a_sql="CREATE TABLE jobs (); CREATE TABLE runs ();")
    (tmp_path / "db" / "2_b.go").write_text('db.Exec("ALTER TABLE jobs ADD UNIQUE (" + c + ")")')
    (tmp_path / "db" / "main.go").write_text("runs")
    catalog = load_catalog([str(tmp_path / "db")], tmp_path).catalog
    whole = {name.name for name, each in catalog.relations.items() if each.is_whole}
    assert whole == {"runs"}
    assert not catalog.is_closed


def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    write(tmp_path, a_sql="CREATE TABLE a ();")
    path = tmp_path / "a.sql"
    first = load_catalog([str(path)], tmp_path)
    assert load_catalog([str(path)], tmp_path) is first
    path.write_text("CREATE TABLE b ();")
    os.utime(path, ns=(1, 1))
    assert load_catalog([str(path)], tmp_path).catalog.find(TableName(None, "b")) is not None
    (tmp_path / "b.sql").write_text("CREATE TABLE c ();")
    assert tables(tmp_path, "*.sql") == ["public.b", "public.c"]


@pytest.mark.parametrize(
    ("path", "data", "message"),
    [
        ("gone.sql", None, "schema: gone.sql cannot be read: No such file or directory"),
        ("none/*.sql", None, "schema: no file of DDL is found in none/*.sql"),
        ("a.sql", b"CREATE TABLE caf\xe9 ();", "schema: a.sql is not UTF-8"),
        ("a.sql", "CREATE".encode("utf-16"), "schema: a.sql is UTF-16"),
    ],
)
def test_what_cannot_be_read_is_told(
    tmp_path: Path, path: str, data: bytes | None, message: str
) -> None:
    if data is not None:
        (tmp_path / path).write_bytes(data)
    with pytest.raises(UsageError) as caught:
        load_catalog([str(tmp_path / path)], tmp_path)
    assert str(caught.value).startswith(message)
