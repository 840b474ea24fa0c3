"""The findings that a project lives with: a file that lists them, and what that leaves out.

A finding is known by its rule, its table and the fingerprint of its statement, so it stays
known in a file that is edited around it or renamed.  Files are listed to say where it was,
and in how many places: a further place is a new finding.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pglint_locks.errors import UsageError
from pglint_locks.findings import Finding, Rule

VERSION = 1


class Key(NamedTuple):
    """What findings that are alike have in common: a code, a table and a statement's print."""

    code: str
    table: str | None
    statement: str


class Gone(NamedTuple):
    """Findings that a baseline lists for a file and that are there no more."""

    key: Key
    filename: str
    times: int


Baseline = Mapping[Key, Counter[str]]
"""How many findings of each kind each file had.  File names are relative to the baseline's."""

NameOf = Callable[[Finding], str]
"""A finding's file as the baseline names it."""


def key_of(finding: Finding) -> Key:
    """What a finding is known by."""
    return Key(finding.rule.code, finding.table, finding.origin.fingerprint)


def made_of(findings: Iterable[Finding], name_of: NameOf) -> Baseline:
    """The baseline that lists findings."""
    baseline: defaultdict[Key, Counter[str]] = defaultdict(Counter)
    for finding in findings:
        baseline[key_of(finding)][name_of(finding)] += 1
    return baseline


def unknown_of(
    findings: Iterable[Finding],
    baseline: Baseline,
    name_of: NameOf,
    may_have_lost: Callable[[str], bool],
) -> list[Finding]:
    """The findings that a baseline does not list.

    What it lists for one file is known in another too, if that is where it may have come from.
    """
    at_home = {key: Counter(files) for key, files in baseline.items()}
    left: list[Finding] = []
    for finding in findings:
        files = at_home.get(key_of(finding))
        if files and files[name_of(finding)] > 0:
            files[name_of(finding)] -= 1
        else:
            left.append(finding)
    anywhere = {
        key: sum(count for name, count in files.items() if may_have_lost(name))
        for key, files in at_home.items()
    }
    unknown: list[Finding] = []
    for finding in left:
        if anywhere.get(key_of(finding), 0) > 0:
            anywhere[key_of(finding)] -= 1
        else:
            unknown.append(finding)
    return unknown


def gone_from(
    baseline: Baseline,
    findings: Iterable[Finding],
    name_of: NameOf,
    was_looked_for: Callable[[Key, str], bool],
) -> list[Gone]:
    """What a baseline lists that is no more among findings, in order of files and codes.

    `was_looked_for` tells whether this run would have found such a one in such a file.
    """
    found = made_of(findings, name_of)
    gone: list[Gone] = []
    for key, listed in baseline.items():
        here = found.get(key, Counter())
        missing = listed - here
        moved = (here - listed).total()  # to another file: those count for the missing ones
        for name in sorted(missing):
            stays = min(moved, missing[name])
            moved -= stays
            if missing[name] > stays and was_looked_for(key, name):
                gone.append(Gone(key, name, missing[name] - stays))
    return sorted(gone, key=lambda each: (each.filename, each.key.code, each.key))


def rendered(baseline: Baseline) -> str:
    """The text of a baseline's file: JSON, a line for what is alike, in a fixed order."""
    entries = sorted(
        (min(files), key.code, key.table or "", key.statement, key, files)
        for key, files in baseline.items()
    )
    lines = ",\n    ".join(
        json.dumps({**key._asdict(), "files": dict(sorted(files.items()))})
        for *_, key, files in entries
    )
    inner = f"\n    {lines}\n  " if lines else ""
    return f'{{\n  "version": {VERSION},\n  "findings": [{inner}]\n}}\n'


def parsed(text: str, name: str, rules: Sequence[Rule]) -> Baseline:
    """The baseline that a file's text holds; codes that were renamed are today's.

    Raises:
        UsageError: it is none, or one of a newer version; `name` is the file's.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{name}: is no baseline: {error}; {_ANEW}") from None
    version = document.get("version") if isinstance(document, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise UsageError(f"{name}: is no baseline: it has no version; {_ANEW}")
    if version > VERSION:
        raise UsageError(
            f"{name}: was written by a newer pglint-locks (version {version} of baselines, "
            f"this one reads {VERSION}): update pglint-locks, or {_ANEW}"
        )
    today = {former: rule.code for rule in rules for former in rule.formerly}
    baseline: defaultdict[Key, Counter[str]] = defaultdict(Counter)
    try:
        for entry in document["findings"]:
            key, files = _entry(entry)
            baseline[key._replace(code=today.get(key.code, key.code))] += files
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"{name}: is a damaged baseline; {_ANEW}") from None
    return baseline


_ANEW = "write it anew with --write-baseline"


def _entry(entry: Any) -> tuple[Key, Counter[str]]:
    """One entry of a file.  Raises `KeyError`, `TypeError` or `ValueError` where it is none."""
    key = Key(entry["code"], entry["table"], entry["statement"])
    files = Counter[str]({**entry["files"]})
    words = [key.code, key.table or "", key.statement, *files]
    if not all(isinstance(word, str) for word in words):
        raise TypeError
    if not all(type(count) is int and count > 0 for count in files.values()):
        raise ValueError
    return key, files
