"""`gitlab`: a Code Quality report, which GitLab shows in merge requests."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pglint_locks.findings import Finding, Severity
from pglint_locks.fingerprints import digest, fingerprint
from pglint_locks.reporters.asciijson import document
from pglint_locks.reporters.filenames import decodable, path_in_repository
from pglint_locks.reporters.options import RenderOptions

if TYPE_CHECKING:
    from pglint_locks.run import Run

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(run: Run, options: RenderOptions) -> str:
    """One JSON array with an issue for each finding of the run."""
    seen: Counter[tuple[str, str]] = Counter()
    issues: list[dict[str, Any]] = []
    for finding in run.findings:
        path = decodable(path_in_repository(finding.source.name, options.cwd))
        key = (path, fingerprint(finding))
        issues.append(_issue(finding, path, digest("\0".join((*key, str(seen[key]))))))
        seen[key] += 1
    return document(issues)


def _issue(finding: Finding, path: str, unique: str) -> dict[str, Any]:
    """An issue; `unique` tells it from all others, for GitLab shows one of those that share it."""
    return {
        "description": finding.text,
        "check_name": f"{finding.rule.code} {finding.rule.name}",
        "fingerprint": unique,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": path,
            "lines": {
                "begin": finding.source.position(finding.span.start).row,
                "end": finding.source.position(finding.span.end).row,
            },
        },
    }
