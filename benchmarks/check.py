"""Times whole `pglint-locks check` processes on generated trees of SQL files.

    python benchmarks/check.py [RUNS]

Prints the median, minimum and maximum wall time of each case.  The first case is the
start-up: it is to stay under twice the time of importing the parser and click.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

CLAIM = """UPDATE jobs SET status = 'running', attempts = attempts + 1
 WHERE id IN (SELECT id FROM jobs WHERE status = 'ready' AND run_at <= now()
               ORDER BY priority DESC, id LIMIT 10 FOR UPDATE SKIP LOCKED)
RETURNING id, payload;
"""
MIGRATION = """CREATE TABLE t{n} (
    id bigserial PRIMARY KEY, name text NOT NULL, created_at timestamptz DEFAULT now()
);
CREATE INDEX t{n}_name ON t{n} (name);
INSERT INTO t{n} (name) VALUES ('a;b'), ('it''s'), ($$x;y$$);
COMMENT ON TABLE t{n} IS 'made for update {n}';
"""


def one_statement(root: Path) -> None:
    """One file with one claim."""
    (root / "claim.sql").write_text(CLAIM)


def small_migrations(root: Path) -> None:
    """2,000 files, about 1 MB; every tenth holds a lock."""
    for n in range(2_000):
        body = MIGRATION.format(n=n) * 2 + (CLAIM if n % 10 == 0 else "")
        (root / f"{n:04}.sql").write_text(body.replace("for update", "anew"))


def no_locks(root: Path) -> None:
    """2,000 files without a lock word: the parser stays unloaded."""
    for n in range(2_000):
        (root / f"{n:04}.sql").write_text(MIGRATION.format(n=n).replace("for update", "anew"))


def one_big_file(root: Path) -> None:
    """One script of 6,000 statements, a third of them claims."""
    (root / "big.sql").write_text((CLAIM + MIGRATION.format(n=1)) * 1_200)


def main(runs: int) -> None:
    """Run every case and print a line for each."""
    bare = [sys.executable, "-c", "import pglast, click"]
    print(_row("bare: import pglast, click", list(_times(bare, Path.cwd(), runs))))
    cases: list[Callable[[Path], None]] = [one_statement, small_migrations, no_locks, one_big_file]
    for case in cases:
        root = Path(tempfile.mkdtemp())
        try:
            case(root)
            command = [sys.executable, "-m", "pglint_locks", "check", "--isolated", "-q", "."]
            print(_row(case.__name__, list(_times(command, root, runs))))
        finally:
            shutil.rmtree(root)


def _times(command: list[str], folder: Path, runs: int) -> Iterator[float]:
    for run in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if run:  # the first one warms up
            yield time.perf_counter() - start


def _row(name: str, times: list[float]) -> str:
    return f"{name:30} {statistics.median(times):7.3f} s   ({min(times):.3f} to {max(times):.3f})"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
