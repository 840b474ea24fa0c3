"""Random edits of scripts: what the editor is told equals what a fresh check says."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from script_edits import a_script, an_edit

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Finding
from pglint_locks.lsp.linter import Linter


def told(findings: tuple[Finding, ...]) -> list[tuple[Any, ...]]:
    return [
        (
            each.rule.code,
            each.severity,
            each.span,
            each.message,
            each.advice,
            each.unit,
            each.origin,
            [(place.span, place.message) for place in each.related],
        )
        for each in findings
    ]


@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_edits_one_after_the_other(seed: int) -> None:
    random = Random(seed)
    text = a_script(random, 12)
    linter = Linter("a.sql", Settings())
    seen = 0
    for _ in range(100):
        start, end, new = an_edit(random, text)
        changed = text[:start] + new + text[end:]
        findings = linter.report(changed).findings
        assert told(findings) == told(lint_text(changed, "a.sql", Settings()).findings)
        seen += len(findings)
        if random.random() < 0.6:
            text = changed
    assert seen > 100
