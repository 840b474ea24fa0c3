"""Which rules run: codes, prefixes of codes and names, as a person writes them.

A *selector* is a rule's whole code (`PGL101`), a prefix of codes (`PGL1`), a rule's name
(`rescanned-locking-subquery`) or `ALL`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.findings import Rule, Subject

ALL = "ALL"

_LETTERS = re.compile(r"[A-Z]+")
_NO_MATCH = 0
# A name says as much as a whole code; ALL is shorter than the shortest prefix, `PGL`.
_WHOLE = 100
_ALL = 1


def find_rule(rules: Iterable[Rule], text: str) -> Rule:
    """The rule with this whole code or name (upper and lower case are the same).

    Raises:
        UsageError: no rule is called so; the nearest code or name is offered.
    """
    known = list(rules)
    for rule in known:
        if text.lower() in (rule.code.lower(), rule.name) or called_formerly(rule, text):
            return rule
    names = [word for rule in known for word in (rule.code, rule.name)]
    hint = did_you_mean(text, names) or "; `pglint-locks explain --all` lists the rules"
    raise UsageError(f"no rule is called '{text}'{hint}")


def called_formerly(rule: Rule, word: str) -> bool:
    """Whether a word is a code or name that the rule had before."""
    return any(word.lower() == former.lower() for former in rule.formerly)


def check_selector(rules: Iterable[Rule], selector: str) -> None:
    """Make sure that a selector picks at least one rule.

    Raises:
        UsageError: it picks none; the nearest code or name is offered.
    """
    known = list(rules)
    if not any(_specificity(rule, selector) for rule in known):
        find_rule(known, selector)


def resolve(
    rules: Sequence[Rule],
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    base: frozenset[str] | None = None,
) -> frozenset[str]:
    """The codes of the rules that run.

    `select` replaces what runs otherwise (`base`, or without one every rule that is not
    opt-in), `extend_select` adds to it, `ignore` takes away.  Where several speak of
    one rule, the longer selector wins, and `ignore` wins a tie.  Opt-in rules are
    picked by their whole code or name, or by `ALL`.  The linter's own rules (unreadable
    SQL, faulty suppressions) are on whatever `select` says, until ignored.
    """
    picking = [*(select or ()), *extend_select]
    return frozenset(
        rule.code
        for rule in rules
        if _runs(rule, picking, ignore, fallback=_runs_anyway(rule, select, base))
    )


def matching(rules: Sequence[Rule], selectors: Iterable[str]) -> frozenset[str]:
    """The codes of all rules that any of the selectors names, opt-in rules too."""
    wanted = list(selectors)
    return frozenset(rule.code for rule in rules if _longest(rule, wanted))


def closest(rule: Rule, selectors: Iterable[str]) -> str | None:
    """The selector that names a rule most closely, the last of several; None without one."""
    chosen, most = None, 1
    for selector in selectors:
        if (found := _specificity(rule, selector)) >= most:
            chosen, most = selector, found
    return chosen


def listed_by(rules: Iterable[Rule], prefix: str) -> tuple[Rule, ...]:
    """The rules that a prefix of codes or `ALL` stands for; none for a whole code or name."""
    return tuple(rule for rule in rules if _NO_MATCH < _specificity(rule, prefix) < _WHOLE)


def _runs_anyway(rule: Rule, select: Sequence[str] | None, base: frozenset[str] | None) -> bool:
    """Whether a rule runs when no selector speaks of it."""
    if select is not None and rule.subject is not Subject.LINTER:
        return False
    return not rule.opt_in if base is None else rule.code in base


def _runs(rule: Rule, picking: Sequence[str], ignore: Sequence[str], fallback: bool) -> bool:
    picked = max((_pick(rule, selector) for selector in picking), default=_NO_MATCH)
    ignored = _longest(rule, ignore)
    if picked == ignored == _NO_MATCH:
        return fallback
    return picked > ignored


def _pick(rule: Rule, selector: str) -> int:
    """How strongly a selector picks a rule: a prefix does not reach opt-in rules."""
    found = _specificity(rule, selector)
    return _NO_MATCH if rule.opt_in and found not in (_WHOLE, _ALL) else found


def _longest(rule: Rule, selectors: Sequence[str]) -> int:
    return max((_specificity(rule, selector) for selector in selectors), default=_NO_MATCH)


def _specificity(rule: Rule, selector: str) -> int:
    """How closely a selector names a rule; 0 where it does not."""
    if selector.upper() == ALL:
        return _ALL
    if selector.lower() in (rule.code.lower(), rule.name) or called_formerly(rule, selector):
        return _WHOLE
    letters = _LETTERS.match(rule.code)
    if letters and rule.code.startswith(selector.upper()) and selector[letters.end() - 1 :]:
        return len(selector)
    return _NO_MATCH
