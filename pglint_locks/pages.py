"""Where the rules' pages are: inside an installed package, or beside a source tree's."""

from __future__ import annotations

from pathlib import Path

from pglint_locks.errors import UsageError
from pglint_locks.findings import Rule

_PACKAGE = Path(__file__).parent
_FOLDERS = (_PACKAGE / "pages", _PACKAGE.parent / "rules")


def read_page(rule: Rule) -> str:
    """The Markdown text of a rule's page.

    Raises:
        UsageError: this installation lacks the page.
    """
    for folder in (rule.pages,) if rule.pages else _FOLDERS:
        try:
            return (folder / rule.page).read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
    raise UsageError(f"the page of {rule.code} is missing from this installation; see {rule.url}")
