"""Texts to edit, and random edits of them, for tests that compare with a fresh check."""

from __future__ import annotations

from pathlib import Path
from random import Random

FIXTURES = Path(__file__).parent.parent / "fixtures"

PIECES = (
    *("'", '"', ";", "\n", "\r\n", "(", ")", "$$", "/*", "*/", "--", "\\", ":", " ", "x", "\t"),
    *("BEGIN;\n", "COMMIT;\n", "ROLLBACK;", "FOR UPDATE", " SKIP LOCKED", " LIMIT 1", "🐘", "é"),
    *("-- pglint: ignore\n", "-- pglint: ignore-file[PGL101]\n", "-- pglint: off\n"),
    *("-- pglint: on\n", " -- pglint: ignore[PGL402] why\n", "SET TRANSACTION READ ONLY;\n"),
    "SET default_transaction_isolation = 'serializable';\n",
    "CREATE TEMP TABLE jobs (id int);\n",
    "CREATE TABLE jobs (id int PRIMARY KEY, state text UNIQUE, account int);\n",
    "CREATE TABLE accounts (id int, owner int);\n",
    "CREATE TABLE parts (job int REFERENCES jobs, x int) PARTITION BY RANGE (x);\n",
    "CREATE UNIQUE INDEX ON accounts (id);\n",
    "ALTER TABLE jobs ADD FOREIGN KEY (account) REFERENCES accounts;\n",
    'ALTER TABLE "jobs" ADD UNIQUE (account, id);\n',
    "DROP TABLE jobs;\n",
    "-- +goose Down\n",
    "-- +goose Up\n",
    "DROP INDEX accounts_id_idx;\n",
    "CREATE VIEW jobs AS SELECT * FROM work FOR UPDATE;\n",
    "ALTER FUNCTION claim() STABLE;\n",
    "PREPARE p AS SELECT * FROM jobs FOR UPDATE;\n",
    "EXECUTE p;\n",
    "COPY jobs FROM STDIN;\n1\t'\n\\.\n",
    "\\if :x\n",
    "\\endif\n",
    "SELECT rownum FROM dual;\n",
    "-- name: ClaimJobs :many\n",
    "{{ x }}",
    "SELECT * FROM jobs ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED;\n",
)


def a_script(random: Random, statements: int) -> str:
    """A script of some fixtures, one behind the other."""
    files = sorted(FIXTURES.glob("PGL*/*/*.sql"))
    return "\n".join(
        random.choice(files).read_text(encoding="utf-8-sig") for _ in range(statements)
    )


def an_edit(random: Random, text: str) -> tuple[int, int, str]:
    """An edit: the range of the text that is replaced, and what by."""
    at = random.randrange(len(text) + 1)
    match random.randrange(8):
        case 0 | 1:
            return at, at, random.choice(PIECES)
        case 2:
            return at, min(at + 1, len(text)), ""
        case 3:
            return at, min(at + random.randrange(60), len(text)), ""
        case 4:
            start = random.randrange(len(text) + 1)
            return at, at, text[start : start + random.randrange(200)]
        case 5:  # a line goes
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at) + 1 or len(text)
            return start, end, ""
        case _:
            return at, at, random.choice("abcdefghijklmnopqrstuvwxyz_1 ")
