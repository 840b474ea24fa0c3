"""What stands on the rules' pages: their examples, and what a live server proved."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Rule
from pglint_locks.rules import RULES
from pglint_locks.selection import resolve
from pglint_locks.testing.fixtures import schema_of
from pglint_locks.testing.pages import PROVED, examples, section

PAGES = Path(__file__).parent.parent / "rules"

_PROOF = re.compile(
    r"- PostgreSQL (\d+\.\d+(?:, \d+\.\d+)*): (.+) \(`(tests/proofs/\w+\.py::test_\w+)`\)"
)


@dataclass(frozen=True)
class Proof:
    """One entry below `## Proved`: what was seen, on which servers, by which test."""

    versions: tuple[str, ...]
    seen: str
    test: str

    def __str__(self) -> str:
        return textwrap.fill(
            f"- PostgreSQL {', '.join(self.versions)}: {self.seen} (`{self.test}`)",
            width=110,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def rule_of(code: str) -> Rule:
    """The rule of a code."""
    return next(rule for rule in RULES if rule.code == code)


def has_proofs(rule: Rule) -> bool:
    """Whether a rule says what happens to rows: neither about the linter itself nor a refusal."""
    return not rule.code.startswith(("PGL0", "PGL7"))


def page(rule: Rule) -> str:
    """The text of a rule's page."""
    return (PAGES / rule.page).read_text(encoding="utf-8")


def bad(code: str) -> list[str]:
    """The bad examples of a rule's page."""
    return examples(rule_of(code), "## Bad")


def good(code: str) -> list[str]:
    """The good examples of a rule's page."""
    return examples(rule_of(code), "## Good")


def writes_page(test: str) -> bool:
    """Whether there is a proof of that name, and it tells its page what it saw."""
    file, _, name = test.partition("::")
    path = PAGES.parent / file
    return path.is_file() and bool(
        re.search(rf"^def {name}\([^)]*\bproved:", path.read_text("utf-8"), re.MULTILINE)
    )


def proofs(rule: Rule) -> list[Proof]:
    """The entries below `## Proved`; fails on one that is not well formed."""
    found: list[Proof] = []
    for item in re.split(r"^(?=- )", section(rule, PROVED), flags=re.MULTILINE):
        if item.strip():
            match = _PROOF.fullmatch(" ".join(item.split()))
            assert match is not None, f"not a proof's entry: {item}"
            found.append(Proof(tuple(match[1].split(", ")), match[2], match[3]))
    return found


def write_proofs(rule: Rule, entries: Iterable[Proof]) -> None:
    """Replace what stands below `## Proved`, the page's last section."""
    text, _, _ = page(rule).partition(f"\n{PROVED}\n")
    lines = "\n".join(map(str, entries))
    (PAGES / rule.page).write_text(f"{text}\n{PROVED}\n\n{lines}\n", encoding="utf-8")


def advice(code: str, sql: str) -> str:
    """What a rule's findings in some SQL advise; nothing where it is silent."""
    settings = Settings(enabled=resolve(RULES, None, (code,)))
    found = lint_text(sql, "proof.sql", settings, schema_of(sql)).findings
    return "\n".join(each.advice or "" for each in found if each.rule.code == code)
