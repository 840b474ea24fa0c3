"""The model against the server, query for query: what is refused, how, and what is locked.

PGLINT_PROOF_QUERIES=50000 PGLINT_PROOF_SEED=7 pytest -s tests/proofs/test_differential.py
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

from conftest import Server
from differential import Bench, Disagreement
from draws import Draws

QUERIES = int(os.environ.get("PGLINT_PROOF_QUERIES", "6000"))
SEED = int(os.environ.get("PGLINT_PROOF_SEED", "1"))

KNOWN = (Path(__file__).parent / "known_differences.md").read_text(encoding="utf-8")

# What the model cannot know is so rare that more would be a fault of its own.
_MOST_KNOWN = QUERIES // 500
_MOST_SHOWN = 10


def test_model_and_server_say_the_same(server: Server) -> None:
    bench = Bench(server, SEED, views=40)
    found: dict[str, list[tuple[Draws, Disagreement]]] = {}
    began = time.monotonic()
    try:
        for number in range(QUERIES):
            draws = Draws(f"{SEED} {number}")
            different = bench.disagreement(draws)
            if different is not None:
                found.setdefault(different.kind, []).append((draws, different))
        rate = QUERIES / (time.monotonic() - began)
        each = [one for alike in found.values() for _, one in alike]
        known = Counter(one.explanation for one in each if one.explanation is not None)
        unknown = len(each) - known.total()
        told = f"{QUERIES} queries, {rate:.0f} a second: {unknown} not known, known {dict(known)}"
        print(told)
        if unknown or known.total() > _MOST_KNOWN:
            told += "".join(
                f"\n\n{len(alike)} of {kind}\n{bench.shrunk(min(alike, key=_length)[0])}"
                for kind, alike in list(found.items())[:_MOST_SHOWN]
            )
    finally:
        bench.close()
    assert unknown == 0, told
    assert known.total() <= _MOST_KNOWN, told
    assert [name for name in known if f"| {name} |" not in KNOWN] == []
    assert bench.asides < QUERIES / 50  # nearly all were compared


def _length(found: tuple[Draws, Disagreement]) -> int:
    return len(found[0].taken)
