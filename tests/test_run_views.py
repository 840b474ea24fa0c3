"""Views that one file of a run defines and another reads."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from test_run_rules import lint

from pglint_locks.run import Run

LOCKING = "SELECT id FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED"
CLAIMABLE = f"CREATE VIEW claimable AS {LOCKING};\n"
CLAIM = "UPDATE jobs SET status = 'running' WHERE id IN (SELECT id FROM claimable);\n"
EVERYTHING = "CREATE VIEW everything AS SELECT id FROM jobs UNION SELECT id FROM done;\n"
LOCK = "SELECT id FROM everything WHERE id = 7 FOR UPDATE;\n"


def found(run: Run, *but: str) -> list[tuple[str, str]]:
    """Files and codes of the findings; PGL204 speaks of the view, not of who reads it."""
    assert run.errors == ()
    return [
        (each.source.name, each.rule.code)
        for each in run.findings
        if each.rule.code not in ("PGL204", *but)
    ]


def test_a_file_without_lock_words_that_reads_a_locking_view_is_looked_at(tmp_path: Path) -> None:
    run = lint(tmp_path, {"app.sql": CLAIM, "other.sql": "SELECT 1;\n", "schema.sql": CLAIMABLE})
    assert found(run) == [("app.sql", "PGL101")]
    (finding,) = [each for each in run.findings if each.rule.code == "PGL101"]
    assert finding.source.text[finding.span.start : finding.span.end] == "IN"
    (other,) = finding.related
    assert other.source.name == "app.sql"  # a place in the view's own text is never shown
    assert other.source.text[other.span.start : other.span.end] == "claimable"
    assert (run.clauses, run.analysed) == (1, 1)


def test_a_file_without_lock_words_that_defines_a_view_is_read(tmp_path: Path) -> None:
    run = lint(tmp_path, {"app.sql": LOCK, "schema.sql": EVERYTHING})
    assert found(run) == [("app.sql", "PGL203")]
    assert run.statements == 1


def test_a_function_that_reads_a_locking_view_is_looked_into(tmp_path: Path) -> None:
    body = f"CREATE FUNCTION claim() RETURNS void LANGUAGE plpgsql AS $$ BEGIN {CLAIM} END $$;\n"
    run = lint(tmp_path, {"app.sql": body, "schema.sql": CLAIMABLE})
    assert found(run) == [("app.sql", "PGL101")]


def test_views_of_views_may_stand_in_several_files(tmp_path: Path) -> None:
    files = {
        "a.sql": CLAIM.replace("claimable", "work"),
        "b.sql": "CREATE VIEW app.work (id) AS SELECT key FROM queue;\n",
        "c.sql": "CREATE VIEW queue (key) AS SELECT id FROM claimable;\n",
        "d.sql": CLAIMABLE,
    }
    for order in itertools.permutations(files.items()):
        assert found(lint(tmp_path, dict(order))) == [("a.sql", "PGL101")]


@pytest.mark.parametrize(
    "other",
    [
        "CREATE OR REPLACE VIEW claimable AS SELECT id FROM jobs WHERE status = 'ready' LIMIT 10;",
        "CREATE VIEW app.claimable AS VALUES (1);",
        "CREATE MATERIALIZED VIEW claimable AS SELECT id FROM jobs;",
        'CREATE UNLOGGED TABLE IF NOT EXISTS app . "claimable" (id int);',
    ],
)
def test_what_is_defined_twice_and_not_alike_is_unknown(tmp_path: Path, other: str) -> None:
    files = {"a.sql": CLAIM, "b.sql": CLAIMABLE, "c.sql": f"{other}\n"}
    for order in itertools.permutations(files.items()):
        assert found(lint(tmp_path, dict(order))) == []


def test_what_is_defined_twice_alike_is_known(tmp_path: Path) -> None:
    again = f"-- once more\ncreate or replace view claimable as\n  {LOCKING.lower()};\n"
    run = lint(tmp_path, {"a.sql": CLAIM, "b.sql": CLAIMABLE, "c.sql": again})
    assert found(run) == [("a.sql", "PGL101")]


@pytest.mark.parametrize(
    "script",
    [
        "CREATE VIEW one AS SELECT * FROM two; CREATE VIEW two AS SELECT * FROM one;",
        "CREATE VIEW one AS SELECT * FROM one FOR UPDATE;",
        "CREATE VIEW v0 AS SELECT 1 FROM t FOR UPDATE;"
        + "".join(f"CREATE VIEW v{n + 1} AS SELECT 1 FROM v{n} AS a, v{n} AS b;" for n in range(40))
        + "CREATE VIEW one AS SELECT * FROM v40;",
        "CREATE VIEW v0 AS SELECT 1 FROM t FOR UPDATE;"
        + "".join(f"CREATE VIEW v{n + 1} AS SELECT 1 FROM v{n};" for n in range(3000))
        + "CREATE VIEW one AS SELECT * FROM v3000;",
    ],
    ids=["circle", "itself", "doubling", "chain"],
)
def test_views_without_end_are_unknown(tmp_path: Path, script: str) -> None:
    run = lint(tmp_path, {"a.sql": "SELECT * FROM one WHERE id = 7 FOR UPDATE;\n", "b.sql": script})
    assert [each for each in found(run) if each[0] == "a.sql"] == []


def test_another_databases_view_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "mysql").mkdir()
    run = lint(tmp_path, {"a.sql": LOCK, "mysql/b.sql": EVERYTHING})
    assert found(run) == []


def test_views_alone_do_not_bring_the_parser_in(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(EVERYTHING)
    script = (
        "import sys; from pathlib import Path\n"
        "from pglint_locks.config import Settings\n"
        "from pglint_locks.discovery import FoundFile\n"
        "from pglint_locks.engine import lint_files\n"
        "lint_files([FoundFile(Path('a.sql'), 'a.sql')], lambda _: Settings())\n"
        "sys.exit('pglast' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False)
    assert done.returncode == 0
