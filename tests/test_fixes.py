"""How fixes are applied together; those of each fixture: see `pglint_locks.testing`."""

from __future__ import annotations

import pytest

from pglint_locks import fixes
from pglint_locks.config import Settings
from pglint_locks.linting import lint_sources
from pglint_locks.run import FileReport
from pglint_locks.text import SourceText

REFUSED = "SELECT j.id FROM jobs AS j LEFT JOIN users AS u ON u.id = j.user_id FOR UPDATE;\n"
KEPT = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 1 FOR UPDATE);\n"


@pytest.mark.parametrize("text", [(KEPT + REFUSED) * 200, REFUSED * 200 + KEPT * 200])
def test_many_fixes_take_few_looks(text: str) -> None:
    """Each look at a file of many statements takes long."""
    looks: list[str] = []

    def look(changed: str) -> FileReport:
        looks.append(changed)
        reports, _ = lint_sources([(SourceText("many.sql", changed), Settings())])
        return reports[0]

    done = fixes.fix_text(text, look, unsafe=False)
    assert len(done.fixed) == 200
    assert {each.reason for each in done.refused} == {"it would bring PGL402"}
    assert len(done.refused) == 200
    assert len(looks) < 12
    report = look(text)
    del looks[:]
    offered = [each.fix for each in fixes.borne_out(text, report, look).findings]
    assert sum(each is not None for each in offered) == 200
    assert len(looks) < 6
