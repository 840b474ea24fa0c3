"""Names that CREATE EXTENSION substitutes: what takes their place is as long, and parses."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.sql.extensionnames import without_extension_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM @extschema@.t", "SELECT * FROM _extschema_.t"),
        ("GRANT a TO @extowner@", "GRANT a TO _extowner_"),
        ("SELECT @extschema:my-ext$1@.f()", "SELECT _extschema_my_ext_1_.f()"),
        ("SELECT @x, a @> b, @@c@ext", "SELECT @x, a @> b, @@c@ext"),
    ],
)
def test_replaced(text: str, expected: str) -> None:
    assert without_extension_names(text) == expected
    assert len(expected) == len(text)


def test_functions_of_extension_scripts_are_read() -> None:
    run = lint_text(
        "CREATE FUNCTION @extschema@.f(a @extschema@.t) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
        "PERFORM 1 FROM @extschema@.jobs WHERE a = 1 OFFSET 5 FOR UPDATE; END $$;",
        "x--1.0.sql",
        Settings(),
    )
    assert [(each.rule.code, each.unit) for each in run.findings if each.rule.code == "PGL102"] == [
        ("PGL102", "function @extschema@.f(@extschema@.t)")
    ]
    assert (run.clauses, run.analysed) == (1, 1)
