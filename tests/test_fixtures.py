"""That rules, pages and fixtures belong together: see `pglint_locks.testing`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rulepages import PAGES, has_proofs, page, proofs, writes_page

from pglint_locks.commands.markdown import render
from pglint_locks.findings import Rule
from pglint_locks.rules import RULES
from pglint_locks.testing import Case, cases
from pglint_locks.testing.pages import HEADINGS, PROVED

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize("case", cases(RULES, FIXTURES), ids=str)
def test_rule(case: Case) -> None:
    case.check()


def test_no_fixture_without_a_rule() -> None:
    folders = {path.name for path in FIXTURES.glob("PGL*")}
    assert folders == {rule.code for rule in RULES}


def test_pages_are_those_of_the_rules() -> None:
    assert {path.name for path in PAGES.glob("*.md")} == {rule.page for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_ends_with_what_was_proved(rule: Rule) -> None:
    headings = [*HEADINGS, PROVED] if has_proofs(rule) else list(HEADINGS)
    assert re.findall(r"^## .*$", page(rule), re.MULTILINE) == headings


@pytest.mark.parametrize("rule", [*filter(has_proofs, RULES)], ids=lambda rule: rule.code)
def test_page_names_proofs_that_exist(rule: Rule) -> None:
    assert proofs(rule)
    assert [proof.test for proof in proofs(rule) if not writes_page(proof.test)] == []
    shown = render("\n".join(map(str, proofs(rule))), 80, color=False)
    assert max(map(len, shown.splitlines())) <= 80
