"""The first look for claims that hold no lock words."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from pglint_locks.sql.claimshape import has_claim_shape

CLAIM = "UPDATE jobs SET a = 1 WHERE id = (SELECT id FROM jobs LIMIT 1)"


@pytest.mark.parametrize(
    "text",
    [
        CLAIM,
        CLAIM.lower(),
        f"SELECT 1;\n{CLAIM};\n",
        CLAIM.replace(" ", "\n"),
        CLAIM.replace("(SELECT", "(SELECT -- one; two;\n"),
        CLAIM.replace("(SELECT", "-- SELECT 1;\n(SELECT"),
        CLAIM.replace("(SELECT", "-- a; -- b; -- c\n(SELECT"),
        CLAIM.replace("LIMIT 1", "FETCH FIRST ROW ONLY"),
        "WITH c AS (SELECT id FROM jobs LIMIT 1) UPDATE jobs SET a = ';' FROM c",
        "MERGE INTO jobs USING (SELECT id FROM jobs LIMIT 1) c ON c.id = jobs.id"
        " WHEN MATCHED THEN UPDATE SET a = 1",
        f"\ufeff{CLAIM}",
        f"größe {CLAIM}",
    ],
)
def test_shapes_of_a_claim(text: str) -> None:
    assert has_claim_shape(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "UPDATE jobs SET a = 1 WHERE id = 1;\nSELECT id FROM jobs LIMIT 1;\n",
        "UPDATE jobs SET a = 1; -- done\nSELECT id FROM jobs LIMIT 1;\n",
        "SELECT updated_at, sets FROM jobs LIMIT 1",
        "UPDATE jobs SET a = (SELECT max(id) FROM jobs)",
        "UPDATE jobs SET credit_limit = (SELECT 1)",
    ],
)
def test_other_texts(text: str) -> None:
    assert not has_claim_shape(text.encode())


@pytest.mark.parametrize(
    "part", ["update limit set ", "; -- ", "update; -- limit\n", "--;\n", "set;\n", ";"]
)
def test_time_grows_with_the_length(part: str) -> None:
    start = time.process_time()
    has_claim_shape((part * 200_000 + "update limit").encode())
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "parses"),
    [("SELECT updated_at FROM jobs LIMIT 1;", False), (f"{CLAIM};", True)],
)
def test_the_parser_is_loaded_for_the_shape_alone(text: str, parses: bool) -> None:
    program = (
        "import sys; from pglint_locks.config import Settings;"
        "from pglint_locks.engine import lint_text;"
        f"lint_text({text!r}, 'a.sql', Settings());"
        "print('pglast' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == str(parses)
