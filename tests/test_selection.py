"""Which rules run: `--select`, `--extend-select` and `--ignore`, and how they weigh."""

from __future__ import annotations

import pytest

from pglint_locks.errors import UsageError
from pglint_locks.findings import Rule, Severity, Subject
from pglint_locks.selection import check_selector, find_rule, matching, resolve


def _rule(code: str, name: str, opt_in: bool = False) -> Rule:
    subject = Subject.LINTER if code.startswith("PGL00") else Subject.CLAUSE
    return Rule(code, name, "", (Severity.WARNING,), subject, opt_in=opt_in)


RULES = (
    _rule("PGL001", "syntax-error"),
    _rule("PGL002", "unused-suppression"),
    _rule("PGL004", "unread-lock", opt_in=True),
    _rule("PGL101", "rescanned-locking-subquery"),
    _rule("PGL102", "offset-locks-skipped-rows"),
    _rule("PGL106", "split-claim", opt_in=True),
    _rule("PGL201", "lock-stops-at-with"),
)
LINTER = {"PGL001", "PGL002"}


@pytest.mark.parametrize(
    ("select", "extend", "ignore", "expected"),
    [
        pytest.param(None, [], [], {"PGL101", "PGL102", "PGL201"}, id="default-without-opt-in"),
        pytest.param(["PGL1"], [], [], {"PGL101", "PGL102"}, id="prefix-without-opt-in"),
        pytest.param(["PGL"], [], [], {"PGL101", "PGL102", "PGL201"}, id="shortest-prefix"),
        pytest.param(["pgl101"], [], [], {"PGL101"}, id="case-is-the-same"),
        pytest.param(["split-claim"], [], [], {"PGL106"}, id="opt-in-by-name"),
        pytest.param(["PGL106"], [], [], {"PGL106"}, id="opt-in-by-code"),
        pytest.param(["PGL10"], [], [], {"PGL101", "PGL102"}, id="longer-prefix-without-opt-in"),
        pytest.param([], [], [], set(), id="select-nothing"),
        pytest.param(
            None, ["PGL106"], [], {"PGL101", "PGL102", "PGL106", "PGL201"}, id="extend-adds"
        ),
        pytest.param(["PGL2"], ["PGL101"], [], {"PGL101", "PGL201"}, id="extend-a-selection"),
        pytest.param(None, [], ["PGL1"], {"PGL201"}, id="ignore-takes-away"),
        pytest.param(["PGL101"], [], ["PGL1"], {"PGL101"}, id="code-beats-prefix"),
        pytest.param(["PGL1"], [], ["PGL101"], {"PGL102"}, id="ignored-code-beats-prefix"),
        pytest.param(["PGL10"], [], ["PGL1"], {"PGL101", "PGL102"}, id="longer-prefix-wins"),
        pytest.param(["PGL1"], [], ["PGL1"], set(), id="ignore-wins-a-tie"),
        pytest.param(["PGL101"], [], ["rescanned-locking-subquery"], set(), id="name-ties-code"),
        pytest.param(["ALL"], [], ["PGL1"], {"PGL004", "PGL201"}, id="all-is-shortest"),
    ],
)
def test_what_runs(
    select: list[str] | None, extend: list[str], ignore: list[str], expected: set[str]
) -> None:
    assert resolve(RULES, select, extend, ignore) == expected | LINTER


def test_all_selects_opt_in_rules_too() -> None:
    assert resolve(RULES, ["ALL"]) == {rule.code for rule in RULES}


def test_linter_rules_stay_until_ignored() -> None:
    assert resolve(RULES, ["PGL101"], ignore=["PGL002"]) == {"PGL001", "PGL101"}
    assert resolve(RULES, ["PGL101"], ignore=["PGL0"]) == {"PGL101"}
    assert resolve(RULES, ["PGL101"], ignore=["ALL"]) == {"PGL101"}


def test_a_base_is_added_to_and_taken_from() -> None:
    base = frozenset({"PGL001", "PGL101", "PGL106"})
    assert resolve(RULES, None, ["PGL2"], ["PGL101"], base) == {"PGL001", "PGL106", "PGL201"}


def test_select_replaces_a_base_but_for_the_linter_rules() -> None:
    base = frozenset({"PGL001", "PGL101", "PGL106"})
    assert resolve(RULES, ["PGL2"], base=base) == {"PGL001", "PGL201"}


def test_matching_reaches_opt_in_rules_by_prefix() -> None:
    assert matching(RULES, ["PGL1"]) == {"PGL101", "PGL102", "PGL106"}


@pytest.mark.parametrize("name", ["PGL101", "pgl101", "rescanned-locking-subquery"])
def test_a_rule_is_found_by_code_and_name(name: str) -> None:
    assert find_rule(RULES, name).code == "PGL101"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("PGL1011", "PGL101"),
        ("PGL1O2", "PGL102"),
        ("rescaned-locking-subquery", "rescanned-locking-subquery"),
    ],
)
def test_an_unknown_rule_names_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UsageError, match=f"'{name}'; did you mean '{nearest}'"):
        find_rule(RULES, name)


def test_a_rule_near_to_none_points_to_the_list() -> None:
    with pytest.raises(UsageError, match="explain --all"):
        find_rule(RULES, "xyz")


@pytest.mark.parametrize("selector", ["PGL1", "PGL", "ALL", "all", "split-claim"])
def test_selectors_that_pick_something_pass(selector: str) -> None:
    check_selector(RULES, selector)


@pytest.mark.parametrize("selector", ["PGL9", "P", "1", "", "PGL1x", "ALLE"])
def test_selectors_that_pick_nothing_fail(selector: str) -> None:
    with pytest.raises(UsageError, match="no rule is called"):
        check_selector(RULES, selector)
