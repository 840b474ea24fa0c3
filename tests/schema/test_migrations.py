"""Which files of migrations are replayed, in which order, and which parts of them."""

from __future__ import annotations

import pytest

from pglint_locks.schema.migrations.order import in_order, leading_up


@pytest.mark.parametrize(
    "ordered",
    [
        ["1_a.sql", "2_b.sql", "10_c.sql"],
        ["20200101_a.sql", "20210101_b.sql", "structure.sql"],
        ["V1__a.sql", "V1_2__b.sql", "V1.10__c.sql", "V2__d.sql", "R__a.sql", "R__views.sql"],
        ["000001_a.up.sql", "000002_b.up.sql"],
        ["1_a/migration.sql", "2_b/migration.sql", "10_c/migration.sql"],
        ["1_a/up.sql", "2_b/up.sql"],
    ],
)
def test_files_are_in_the_order_of_their_numbers(ordered: list[str]) -> None:
    assert in_order(reversed(ordered)) == ordered
    assert in_order(sorted(ordered, key=len)) == ordered


@pytest.mark.parametrize(
    ("up", "down"),
    [
        ("1_a.up.sql", "1_a.down.sql"),
        ("1_a/up.sql", "1_a/down.sql"),
        ("V1__a.sql", "U1__a.sql"),
        ("1-a-up.sql", "1-a-down.sql"),
        ("1_a.do.sql", "1_a.undo.sql"),
        ("B3__all.sql", "V2__a.sql"),
        ("B3__all.sql", "V3__a.sql"),
    ],
)
def test_what_undoes_a_migration_or_is_in_a_baseline_is_left_out(up: str, down: str) -> None:
    assert in_order([up, down]) == [up]


def test_a_name_that_only_sounds_like_it_is_kept() -> None:
    assert in_order(["2_add_drop.sql", "U__x.sql", "3_price_rollback.sql"]) == [
        "2_add_drop.sql",
        "3_price_rollback.sql",
        "U__x.sql",
    ]


@pytest.mark.parametrize(
    ("up", "down"),
    [
        ("-- migrate:up", "-- migrate:down transaction:false"),
        ("-- +goose Up", "-- +goose Down"),
        ("-- +goose up", "-- +goose down"),
        ("-- +migrate Up", "-- +migrate Down notransaction"),
        ("-- Up Migration", "-- Down Migration"),
        ("# --- !Ups", "# --- !Downs"),
        ("-- up", "---- create above / drop below ----"),
        ("-- made by hand", "--//@UNDO"),
    ],
)
def test_a_file_leads_up_to_the_tools_mark(up: str, down: str) -> None:
    text = f"{up}\nCREATE TABLE jobs ();\n{down}\nDROP TABLE jobs;\n"
    read = leading_up(text)
    assert len(read) == len(text)
    assert read.startswith(f"{up}\nCREATE TABLE jobs ();\n")
    assert read[len(f"{up}\nCREATE TABLE jobs ();\n") :].split() == []
    assert read.count("\n") == 4


def test_what_leads_up_may_stand_behind_what_leads_down() -> None:
    read = leading_up("-- migrate:down\nDROP TABLE a;\n-- migrate:up\nCREATE TABLE a ();\n")
    assert "DROP" not in read
    assert "CREATE TABLE a" in read
