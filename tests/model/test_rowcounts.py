"""Whether a clause can lock more than one row of its first table."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.locks.rowcounts import locks_many_rows
from pglint_locks.model.queries.query import Query, RangeItem
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.parse import Parsed, parse


@pytest.mark.parametrize(
    ("sql", "many"),
    [
        ("SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE", False),
        ("SELECT 1 FROM jobs WHERE $1 = job_id FOR UPDATE", False),
        ("SELECT 1 FROM jobs WHERE id = @id FOR UPDATE", False),
        ("SELECT 1 FROM jobs WHERE id = @id::bigint FOR UPDATE", False),
        ("SELECT 1 FROM jobs WHERE (queue, id) = ('mail', 7) FOR UPDATE", False),
        ("SELECT 1 FROM jobs WHERE id = (SELECT max(id) FROM jobs) FOR UPDATE", False),
        ("SELECT 1 FROM jobs WHERE id = (SELECT j.id FROM jobs j WHERE j.next = jobs.id) "
         "FOR UPDATE", True),
        ("SELECT 1 FROM jobs WHERE id IN (SELECT id FROM users LIMIT 1) FOR UPDATE", False),
        ("SELECT 1 FROM jobs WHERE id IN (SELECT id FROM users LIMIT 2) FOR UPDATE", True),
        ("SELECT 1 FROM jobs WHERE id NOT IN (SELECT id FROM users LIMIT 1) FOR UPDATE", True),
        ("SELECT 1 FROM jobs WHERE id = id FOR UPDATE", True),
        ("SELECT 1 FROM jobs WHERE id = 1 OR id = 2 FOR UPDATE", True),
        ("SELECT 1 FROM jobs WHERE NOT id = 1 FOR UPDATE", True),
        ("SELECT 1 FROM jobs WHERE id = ANY($1) FOR UPDATE", True),
        ("SELECT 1 FROM jobs WHERE id IN (1, 2) FOR UPDATE", True),
        ("SELECT 1 FROM jobs WHERE user_id = 1 FOR UPDATE", True),
        ("SELECT 1 FROM jobs LIMIT 1 FOR UPDATE", False),
        ("SELECT 1 FROM jobs LIMIT 1 OFFSET 5 FOR UPDATE", True),
        ("SELECT 1 FROM jobs LIMIT $1 FOR UPDATE", True),
        ("SELECT 1 FROM (SELECT * FROM jobs) s WHERE s.id = 7 FOR UPDATE", False),
        ("SELECT 1 FROM (SELECT * FROM jobs LIMIT 5) s WHERE s.id = 7 FOR UPDATE", True),
        ("SELECT 1 FROM jobs j JOIN users u ON j.id = u.job_id WHERE u.id = 7 FOR UPDATE", False),
        ("SELECT 1 FROM jobs j JOIN users u ON j.id = u.job_id WHERE u.age = 7 FOR UPDATE", True),
        ("SELECT 1 FROM jobs j LEFT JOIN users u ON j.id = u.job_id AND u.id = 7 FOR UPDATE OF j",
         True),
        ("SELECT 1 FROM jobs JOIN (VALUES (1)) v (id) ON v.id = jobs.id FOR UPDATE", False),
        ("SELECT 1 FROM jobs JOIN (VALUES (1), (2)) v (id) ON v.id = jobs.id FOR UPDATE", True),
        ("SELECT 1 FROM jobs JOIN (SELECT min(id) AS id FROM jobs) m ON m.id = jobs.id "
         "FOR UPDATE OF jobs", False),
        ("WITH c AS (SELECT id FROM jobs LIMIT 1) "
         "SELECT 1 FROM jobs JOIN c USING (id) FOR UPDATE OF jobs", False),
    ],
)  # fmt: skip
def test_how_many_rows(sql: str, many: bool) -> None:
    parsed = parse(sql)
    assert isinstance(parsed, Parsed)
    clause = locking_clauses(Statement(parsed, 0))[-1]
    assert locks_many_rows(clause.marks[0]) is many


def test_a_chain_of_tables_costs_no_more_than_its_length_squared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each table's key equals the next one's, and any two tables may be asked about."""
    resolved = 0
    resolve = Query.resolve

    def counting(self: Query, parts: tuple[str, ...]) -> RangeItem | None:
        nonlocal resolved
        resolved += 1
        return resolve(self, parts)

    def effort(tables: int) -> int:
        nonlocal resolved
        names = [f"t{index}" for index in range(tables)]
        pairs = [f"{one}.id = {other}.id" for one in names[:4] for other in names if one < other]
        chain = [f"{one}.id = {other}.id" for one, other in pairwise(names)]
        sql = f"SELECT 1 FROM {', '.join(names)} WHERE {' AND '.join(pairs + chain)} FOR UPDATE"
        parsed = parse(sql)
        assert isinstance(parsed, Parsed)
        (clause,) = locking_clauses(Statement(parsed, 0))
        resolved = 0
        assert all(locks_many_rows(mark) for mark in clause.marks)
        return resolved

    monkeypatch.setattr(Query, "resolve", counting)
    assert 0 < effort(80) < 3 * effort(40)
