"""Findings inside a definition carry the name of what is defined."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text


@pytest.mark.parametrize(
    ("definition", "unit"),
    [
        ("CREATE VIEW app.v AS", "view app.v"),
        ('CREATE OR REPLACE TEMP VIEW "My V" AS', "view My V"),
        ("CREATE MATERIALIZED VIEW m AS", "materialized view m"),
        ("CREATE RULE r AS ON INSERT TO app.t DO ALSO", "rule r on app.t"),
        ("CREATE TABLE x AS", None),
        ("", None),
    ],
)
def test_unit_of_a_finding(definition: str, unit: str | None) -> None:
    sql = f"{definition} SELECT a, count(*) FROM t GROUP BY a FOR UPDATE;"
    (finding,) = lint_text(sql, "views.sql", Settings()).findings
    assert (finding.rule.code, finding.unit) == ("PGL701", unit)
