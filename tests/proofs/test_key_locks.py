"""The lock that an UPDATE takes on generated tables, said by the schema and by a live server."""

from __future__ import annotations

import random

from proofs.harness import Lab

from pglint_locks.schema.indexes import Index, IndexKey, lock_of_update

SCHEMA = ""
COLUMNS = ("a", "b", "c", "d", "e")
TABLES, UPDATES = 60, 8
_MODES = {"No Key Update": "NO KEY UPDATE", "Update": "UPDATE"}


def some_index(draw: random.Random) -> tuple[Index, str]:
    """An index of any kind, and how it is made on the table `t`."""
    columns: list[str | None] = list(draw.sample(COLUMNS, draw.randint(1, 2)))
    written = [str(column) for column in columns]
    unique = draw.random() < 0.7
    if draw.random() < 0.2:
        columns[0], written[0] = None, f"({written[0]} + 0)"
    others = [column for column in COLUMNS if column not in columns]
    included = tuple(draw.sample(others, 1)) if draw.random() < 0.3 else ()
    predicate = f"{draw.choice(COLUMNS)} > -1" if draw.random() < 0.2 else None
    keys = tuple(IndexKey(column) for column in columns)
    index = Index(keys, unique, included, predicate)
    if unique and None not in columns and predicate is None and draw.random() < 0.3:
        kind = f"ALTER TABLE t ADD UNIQUE ({', '.join(written)})"
        include = f" INCLUDE ({included[0]})" if included else ""
        return index, f"{kind}{include} DEFERRABLE INITIALLY DEFERRED"
    made = f"CREATE {'UNIQUE ' if unique else ''}INDEX ON t ({', '.join(written)})"
    made += f" INCLUDE ({included[0]})" if included else ""
    if unique and draw.random() < 0.2:
        made += " NULLS NOT DISTINCT"
    return index, made + (f" WHERE {predicate}" if predicate else "")


def test_the_lock_of_an_update_is_the_one_said(lab: Lab) -> None:
    draw = random.Random(301)
    seen: dict[str, int] = dict.fromkeys(_MODES.values(), 0)
    for _ in range(TABLES):
        indexes = [some_index(draw) for _ in range(draw.randint(0, 4))]
        setup = lab.session()
        setup.run("DROP TABLE IF EXISTS t; CREATE TABLE t (a int, b int, c int, d int, e int)")
        for _, made in indexes:
            setup.run(made)
        setup.run("INSERT INTO t VALUES (1, 1, 1, 1, 1), (2, 2, 2, 2, 2)")
        for _ in range(UPDATES):
            set_to = {
                column: draw.choice(("100", column))
                for column in draw.sample(COLUMNS, draw.randint(1, 3))
            }
            changed = [column for column, value in set_to.items() if value != column]
            said = lock_of_update(changed, [index for index, _ in indexes])
            setting = ", ".join(f"{column} = {value}" for column, value in set_to.items())
            writer = lab.session(begin=True)
            writer.run(f"UPDATE t SET {setting} WHERE a = 1")
            [(modes,)] = lab.observed.run("SELECT modes FROM pgrowlocks('t')")
            writer.run("ROLLBACK")
            [mode] = modes
            assert _MODES[mode] == said, (indexes, setting)
            seen[said] += 1
        lab.end_sessions()
    assert min(seen.values()) > TABLES
