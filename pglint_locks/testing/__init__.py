"""What every rule must pass: its fixtures, the page that explains it, and its fixes.

The rules of this package are tested with it, and so are those of others, under pytest:

    @pytest.mark.parametrize("case", cases(RULES, Path("tests/fixtures")), ids=str)
    def test_rule(case):
        case.check()

Fixtures are `CODE/bad/name.sql`, its near miss `CODE/good/name.sql` and, where the rule has a
fix, `CODE/fixed/name.sql`; or host code, where the rule is about that.  Their last lines say
what is found in them:
`-- expect: ACM101 warning 4:8-4:10 "words of the message"`: the range is half open, the words
stand in message or advice.  It lists every finding of warning or above, those of other rules
too, and every finding of its own rule.  `-- select: PGL106` among them switches opt-in rules
on.  `-- schema:` lines hold the DDL of its tables, `-- plan:` lines the plan of its statement, as
EXPLAIN prints it.  The first line of a repaired fixture says `-- safe:` or `-- unsafe:`, with
which fixes it came about: those of its own rule, and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pglint_locks.findings import Rule
from pglint_locks.testing import fixtures, pages, repairs

__all__ = ["Case", "cases"]


class Case(NamedTuple):
    """One thing that must hold: `check` raises AssertionError where it does not."""

    name: str
    check: Callable[[], None]

    def __str__(self) -> str:
        return self.name


def cases(rules: Sequence[Rule], folder: Path) -> list[Case]:
    """All that must hold of rules whose fixtures stand below a folder."""
    found: list[Case] = []
    for rule in rules:
        found += [Case(f"{rule.code} {words}", partial(check, rule)) for words, check in _OF_RULES]
        found += [
            Case(f"{rule.code} {words}", partial(check, rule, folder))
            for words, check in _OF_FIXTURES
        ]
        for path in sorted((folder / rule.code).glob("*/*.*")):
            name = f"{rule.code}/{path.parent.name}/{path.name}"
            found += [Case(f"{name} {words}", partial(check, path)) for words, check in _OF_FILES]
            more = {"bad": _OF_BAD_FILES, "fixed": _OF_FIXED_FILES}.get(path.parent.name, ())
            found += [Case(f"{name} {words}", partial(check, path)) for words, check in more]
    return found


_OF_RULES: tuple[tuple[str, Callable[[Rule], None]], ...] = (
    ("is loaded", pages.is_loaded),
    ("page has its parts", pages.page_has_its_parts),
    ("bad examples are found", pages.bad_examples_are_found),
    ("good examples are silent", pages.good_examples_are_silent),
)
_OF_FIXTURES: tuple[tuple[str, Callable[[Rule, Path], None]], ...] = (
    ("has fixtures", fixtures.rule_has_fixtures),
    ("shows every severity", fixtures.every_severity_is_shown),
)
_OF_FILES: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("gives its expectations", fixtures.fixture_gives_its_expectations),
    ("is well formed", fixtures.fixture_is_well_formed),
)
_OF_BAD_FILES: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("is repaired as its snapshot", repairs.fixture_is_repaired_as_its_snapshot),
    ("offered fixes do what they say", repairs.offered_fixes_do_what_they_say),
    ("fixing twice changes nothing", repairs.fixing_twice_changes_nothing),
)
_OF_FIXED_FILES: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("has fewer findings", repairs.repaired_fixture_has_fewer_findings),
)
