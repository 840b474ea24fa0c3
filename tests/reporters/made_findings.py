"""Small ways to make findings, and what every reporter's test renders with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pglint_locks.findings import Finding, Origin, Related, Rule, Severity, Subject
from pglint_locks.reporters import RenderOptions, render
from pglint_locks.run import Run
from pglint_locks.text import SourceText, Span

RULE = Rule(
    "PGL101",
    "rescanned-locking-subquery",
    "a bounded locking sub-SELECT that may run again for each row",
    (Severity.ERROR, Severity.NOTE),
    Subject.CLAUSE,
)

CLAIM = """\
-- take ten jobs
UPDATE jobs SET status = 'running'
 WHERE status = 'ready'
   AND id IN (SELECT id FROM jobs
               WHERE status = 'ready'
               LIMIT 10 FOR UPDATE SKIP LOCKED)
"""


def span_of(text: str, words: str) -> Span:
    """Where the words stand for the first time; they must stand there."""
    start = text.index(words)
    return Span(start, start + len(words))


def make_finding(text: str, words: str | Span, **changes: Any) -> Finding:
    """A finding of PGL101 at `words` of a file; `related` is (message, words) pairs."""
    source = SourceText(changes.pop("name", "claim.sql"), text)
    related = tuple(
        Related(message, source, span_of(text, at)) for message, at in changes.pop("related", ())
    )
    fields: dict[str, Any] = {
        "rule": RULE,
        "severity": Severity.ERROR,
        "source": source,
        "span": words if isinstance(words, Span) else span_of(text, words),
        "message": "LIMIT 10 does not bound this UPDATE of jobs",
        "origin": Origin(Span(0, len(text)), "9ae5"),
        "related": related,
    }
    return Finding(**{**fields, **changes})


def claim_finding(**changes: Any) -> Finding:
    """The finding that the design shows, with everything that a finding can say but a fix."""
    return make_finding(
        CLAIM,
        "IN",
        **{
            "message": "LIMIT 10 does not bound this UPDATE of jobs: the planner may run the "
            "locking sub-SELECT once for each row",
            "advice": "write id = ANY(ARRAY(SELECT id … LIMIT 10 FOR UPDATE SKIP LOCKED))",
            "label": "may be run again for each row of jobs",
            "evidence": "300 rows updated for LIMIT 10, default settings, PostgreSQL 18.6",
            "table": "jobs",
            "related": [("each run takes 10 more", "FOR UPDATE SKIP LOCKED")],
            **changes,
        },
    )


def report(
    format: str,
    findings: Sequence[Finding],
    color: bool = False,
    width: int = 0,
    threshold: Severity = Severity.NOTE,
    cwd: Path = Path("/nowhere"),
) -> str:
    """The findings rendered as if a run had made them."""
    options = RenderOptions(color=color, width=width, threshold=threshold, cwd=cwd)
    run = Run(tuple(findings), files=1, statements=1, clauses=1, not_analysed=(), errors=())
    return render(run, format, options)
