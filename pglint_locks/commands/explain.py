"""`pglint-locks explain`: a rule's page, or the catalogue."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from pglint_locks.commands.streams import (
    complain_of_plugins,
    prepare,
    show,
    terminal_width,
    wants_color,
)
from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.findings import Rule
from pglint_locks.pages import read_page
from pglint_locks.plugins import known_rules
from pglint_locks.selection import find_rule, listed_by

_FORMATS = ("text", "json")


def explain(name: str | None, everything: bool, output_format: str) -> int:
    """Print one rule's page, or list all rules or those of a prefix; returns the exit status.

    It is 0, or 2 where a plug-in with rules is broken: the rest is printed all the same.

    Raises:
        UsageError: no rule, or not exactly one thing, is asked for.
    """
    prepare()
    if output_format not in _FORMATS:
        hint = did_you_mean(output_format, _FORMATS) or "; use text or json"
        raise UsageError(f"--output-format: '{output_format}' is not known{hint}")
    if everything == (name is not None):
        raise UsageError("name one rule, such as PGL101, or give --all to list them")
    rules = known_rules()
    status = complain_of_plugins()
    listed = rules if name is None else listed_by(rules, name)
    if name is None or listed:
        show(_catalogue_json(listed) if output_format == "json" else _catalogue(listed))
    else:
        rule = find_rule(rules, name)
        show(_page_json(rule) if output_format == "json" else _page(rule))
    return status


def _page(rule: Rule) -> str:
    """The page as it stands, or on a terminal set for reading there."""
    text = read_page(rule)
    width = terminal_width(sys.stdout)
    color = wants_color("auto", sys.stdout, os.environ)
    if not width and not color:
        return text
    from pglint_locks.commands.markdown import render

    return render(text, width or 80, color)


def _page_json(rule: Rule) -> str:
    return _as_json({**_metadata(rule), "page": read_page(rule)})


def _catalogue(rules: Sequence[Rule]) -> str:
    """A line for each rule: code, name, severities, and what it finds."""
    widest = max(len(rule.name) for rule in rules)
    return "".join(
        f"{rule.code}  {rule.name:{widest}}  {_severities(rule)}\n        {rule.summary}\n"
        for rule in rules
    )


def _severities(rule: Rule) -> str:
    words = ", ".join(severity.value for severity in rule.severities)
    return f"{words} (opt-in)" if rule.opt_in else words


def _catalogue_json(rules: Sequence[Rule]) -> str:
    return _as_json([_metadata(rule) for rule in rules])


def _metadata(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "severities": [severity.value for severity in rule.severities],
        "opt_in": rule.opt_in,
        "url": rule.url,
    }


def _as_json(value: object) -> str:
    import json

    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
