"""What must hold of a rule, and of the page that explains it."""

from __future__ import annotations

import re

from pglint_locks.findings import Rule
from pglint_locks.pages import read_page
from pglint_locks.plugins import known_rules, plugin_errors
from pglint_locks.testing.fixtures import lint
from pglint_locks.testing.holds import ensure, same

HEADINGS = (
    "## What it flags",
    "## What happens",
    "## Why",
    "## Bad",
    "## Good",
    "## How to fix",
    "## When to ignore",
    "## References",
)
PROVED = "## Proved"

_BLOCK = re.compile(r"^```(sql|python|ruby|php)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SUFFIXES = {"sql": ".sql", "python": ".py", "ruby": ".rb", "php": ".php"}
_SEVERITIES = re.compile(r"^Severity: (.+)$", re.MULTILINE)


def is_loaded(rule: Rule) -> None:
    """The rule is one of those that runs know."""
    codes = {each.code for each in known_rules()}
    said = "".join(f"\n{line}" for line in plugin_errors())
    ensure(rule.code in codes, f"{rule.code} is not loaded: install its package{said}")


def page_has_its_parts(rule: Rule) -> None:
    """The page begins with code and name, tells the severities, and has all headings."""
    text = read_page(rule)
    same(text.splitlines()[0], f"# {rule.code} {rule.name}", "the page's first line")
    headings = re.findall(r"^## .*$", text, re.MULTILINE)
    same([each for each in headings if each != PROVED], list(HEADINGS), "the page's headings")
    said = _SEVERITIES.findall(text)
    ensure(len(said) == 1, "the page needs one line that begins with 'Severity: '")
    words = set(re.findall(r"\b(?:error|warning|note)\b", said[0]))
    same(words, {each.value for each in rule.severities}, "the page's severities")
    weights = [each.weight for each in rule.severities]
    same(weights, sorted(set(weights), reverse=True), "severities, heaviest first")
    for heading in ("## Bad", "## Good"):
        ensure(bool(code_examples(rule, heading)), f"there is no code below {heading}")


def bad_examples_are_found(rule: Rule) -> None:
    """The rule speaks of each bad example of its page."""
    for number, example in enumerate(code_examples(rule, "## Bad"), 1):
        ensure(_is_found(rule, *example), f"bad example {number} is not found")


def good_examples_are_silent(rule: Rule) -> None:
    """The rule is silent about each good example of its page."""
    for number, example in enumerate(code_examples(rule, "## Good"), 1):
        ensure(not _is_found(rule, *example), f"good example {number} is found")


def section(rule: Rule, heading: str) -> str:
    """What stands below one heading of a rule's page."""
    _, _, rest = read_page(rule).partition(f"\n{heading}\n")
    return re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def code_examples(rule: Rule, heading: str) -> list[tuple[str, str]]:
    """The fenced blocks below one heading of a rule's page, with the suffixes of their files."""
    found = _BLOCK.findall(section(rule, heading))
    return [(_SUFFIXES[language], text) for language, text in found]


def examples(rule: Rule, heading: str) -> list[str]:
    """The fenced SQL blocks below one heading of a rule's page."""
    return [text for suffix, text in code_examples(rule, heading) if suffix == ".sql"]


def _is_found(rule: Rule, suffix: str, code: str) -> bool:
    found = lint(code, f"page{suffix}", (rule.code,))
    return any(each.rule.code == rule.code for each in found)
