"""Tells in words how a run went: its last line, `--statistics` and `--coverage`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pglint_locks.findings import Finding
    from pglint_locks.run import Run
    from pglint_locks.schema.origins import Origin

# How reasons end that can be counted; of the others ("too large") there is no plural.
_NOUNS = ("error", "statement", "template", "dialect", "database", "text")


def last_line(run: Run) -> str:
    """What was looked at, in one line: `Checked 3 files, 12 statements: …`."""
    clauses = f"{_count(run.clauses, 'locking clause')}, {run.analysed} analysed"
    if run.not_analysed:
        reasons = ", ".join(_count_reason(count, reason) for reason, count in _by_reason(run))
        clauses += f", {len(run.not_analysed)} not ({reasons})"
    return f"Checked {_count(run.files, 'file')}, {_count(run.statements, 'statement')}: {clauses}."


def schema_unread(places: Sequence[Origin], verbose: bool) -> list[str]:
    """What is said of statements of the schema that are not understood."""
    if not places:
        return []
    if verbose:
        return [f"{place}: this statement of the schema is not understood" for place in places]
    what = f"{_count(len(places), 'statement')} of the schema not understood"
    return [f"{what}, the first at {places[0]}" if len(places) > 1 else f"{what}: {places[0]}"]


def plans(run: Run) -> str:
    """How many statements the server was asked to plan, and how many of these it did."""
    asked = _count(run.planned + len(run.unplanned), "statement")
    more = "; -v tells of the others" if run.unplanned else ""
    return f"The server planned {run.planned} of {asked} that {_lock(run)}{more}."


def _lock(run: Run) -> str:
    return "locks" if run.planned + len(run.unplanned) == 1 else "lock"


def statistics(findings: Sequence[Finding]) -> str:
    """A table of how often each rule spoke, at which severity."""
    counts = Counter((found.rule.code, found.rule.name, found.severity) for found in findings)
    rows = [
        (str(count), code, severity.value, name)
        for (code, name, severity), count in sorted(
            counts.items(), key=lambda item: (item[0][0], -item[0][2].weight)
        )
    ]
    total = _count(len(findings), "finding")
    return _table(rows) + f"{total} of {_count(len({row[1] for row in rows}), 'rule')}\n"


def coverage(run: Run) -> str:
    """A table of the locking clauses: analysed, and not, with the reason and the places.

    Where some stand in files of another kind than SQL, how many of each kind.
    """
    rows = [
        ("locking clauses seen", str(run.clauses)),
        ("analysed", str(run.analysed)),
        ("not analysed", str(len(run.not_analysed))),
    ]
    if run.in_part:
        rows.insert(2, ("  calls known in part", str(run.in_part)))
    lines = _table(rows)
    for reason, count in _by_reason(run):
        lines += f"  {_count_reason(count, reason)}\n"
        for missed in run.not_analysed:
            if missed.reason == reason:
                place = missed.source.position(missed.span.start)
                lines += f"    {missed.source.name}:{place.row}:{place.column}\n"
    return lines + _kinds(run)


def _kinds(run: Run) -> str:
    from pglint_locks.sources.kinds import SQL, kind_of

    missed = Counter(kind_of(item.source.name).name for item in run.not_analysed)
    if set(run.clauses_by_kind) <= {SQL.name}:
        return ""
    return _table(
        [
            (f"in {kind}", str(seen), "seen,", str(seen - missed[kind]), "analysed")
            for kind, seen in sorted(run.clauses_by_kind.items())
        ]
    )


def _by_reason(run: Run) -> list[tuple[str, int]]:
    """The reasons, the commonest first."""
    return sorted(run.reasons.items(), key=lambda item: (-item[1], item[0]))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _count_reason(number: int, reason: str) -> str:
    return _count(number, reason) if reason.endswith(_NOUNS) else f"{number} {reason}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Rows with their columns one below the other: numbers to the right, words to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(
            cell.rjust(width) if cell.isdigit() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        + "\n"
        for row in rows
    )
