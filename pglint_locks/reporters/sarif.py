"""`sarif`: the Static Analysis Results Interchange Format 2.1.0, for code-scanning services.

The sections that comments name are those of the OASIS standard.  Columns count UTF-16 code
units.  Suppressed findings are in it, each with its suppression.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_from_bytes

from pglint_locks import __version__
from pglint_locks.errors import UsageError
from pglint_locks.findings import PROJECT_URL, Edit, Finding, Fix, Related, Rule, Severity
from pglint_locks.fingerprints import fingerprint
from pglint_locks.pages import read_page
from pglint_locks.paths import absolute
from pglint_locks.reporters.asciijson import document
from pglint_locks.reporters.filenames import STDIN_NAME, path_in_repository
from pglint_locks.reporters.options import RenderOptions
from pglint_locks.sources.units import NotAnalysed
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.run import Run

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"

# The words of code-scanning services for how much a rule weighs.
_PROBLEM = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "recommendation",
}


def render(run: Run, options: RenderOptions) -> str:
    """One SARIF log with one run: results in the order of the findings, then suppressed ones."""
    found = [(finding, None) for finding in run.findings]
    silenced = [(each.finding, each) for each in run.suppressed]
    rules = _rules(finding for finding, _ in [*found, *silenced])
    log = _Log(options.cwd, [rule.code for rule in rules])
    results = [log.result(finding, []) for finding, _ in found]
    for each in run.suppressed:
        reason = {"justification": each.reason} if each.reason else {}
        results.append(log.result(each.finding, [{"kind": "inSource", **reason}]))
    return document(
        {
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": _driver(rules)},
                    "invocations": [log.invocation(run.not_analysed, options.errors)],
                    "originalUriBaseIds": {ROOT: {"description": {"text": _ROOT_IS}}},
                    "columnKind": "utf16CodeUnits",
                    "newlineSequences": ["\r\n", "\n", "\r"],
                    "results": results,
                }
            ],
        }
    )


_ROOT_IS = "The root of the repository, or where there is none the directory of the run."


def _rules(findings: Iterable[Finding]) -> list[Rule]:
    """The rules of findings, by their codes."""
    by_code = {finding.rule.code: finding.rule for finding in findings}
    return [by_code[code] for code in sorted(by_code)]


def _driver(rules: Sequence[Rule]) -> dict[str, Any]:
    return {
        "name": "pglint-locks",
        "version": __version__,
        "informationUri": PROJECT_URL,
        "rules": [_descriptor(rule) for rule in rules],
    }


def _descriptor(rule: Rule) -> dict[str, Any]:
    heaviest = rule.severities[0]
    summary = _message(f"{rule.summary[:1].upper()}{rule.summary[1:]}.")
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": summary,
        "fullDescription": summary,
        "help": _help(rule),
        "helpUri": rule.url,
        "defaultConfiguration": {"enabled": not rule.opt_in, "level": heaviest.value},
        "properties": {
            "tags": ["postgresql", "locking"],
            "problem.severity": _PROBLEM[heaviest],
        },
    }


def _help(rule: Rule) -> dict[str, str]:
    text = f"{rule.summary}; see {rule.url}"
    try:
        return {"text": _braced(text), "markdown": _braced(read_page(rule))}
    except UsageError:  # an installation without pages
        return {"text": _braced(text)}


def _message(text: str) -> dict[str, str]:
    return {"text": _braced(text)}


def _braced(text: str) -> str:
    """Text in which no brace is a placeholder (3.11.5)."""
    return text.replace("{", "{{").replace("}", "}}")


class _Log:
    """Writes findings and places of a run: `cwd` is what file names are relative to."""

    def __init__(self, cwd: Path, codes: Sequence[str]) -> None:
        self._cwd = cwd
        self._index = {code: index for index, code in enumerate(codes)}
        self._artifacts: dict[str, dict[str, str]] = {}

    def result(self, finding: Finding, suppressions: list[dict[str, str]]) -> dict[str, Any]:
        """A finding.  All results have `suppressions`, or none has (3.27.23)."""
        location = self._location(finding.source, finding.span)
        if finding.unit:
            location["logicalLocations"] = [{"fullyQualifiedName": finding.unit}]
        properties = {
            "table": finding.table,
            "sqlstate": finding.sqlstate,
            "evidence": finding.evidence,
        }
        result: dict[str, Any] = {
            "ruleId": finding.rule.code,
            "ruleIndex": self._index[finding.rule.code],
            "level": finding.severity.value,
            "message": _message(finding.text),
            "locations": [location],
            "partialFingerprints": {"ruleTableStatement/v1": fingerprint(finding)},
            "suppressions": suppressions,
            "properties": {key: value for key, value in properties.items() if value},
        }
        if finding.related:
            result["relatedLocations"] = [
                self._related(number, each) for number, each in enumerate(finding.related, 1)
            ]
        if finding.fix:
            result["fixes"] = [self._fix(finding.source, finding.fix)]
        return result

    def invocation(
        self, not_analysed: Sequence[NotAnalysed], errors: Sequence[str]
    ) -> dict[str, Any]:
        """How the run went: what was not read, and what failed."""
        unread = [
            {
                "level": "warning",
                "message": _message(f"a locking clause was not analysed: {each.reason}"),
                "locations": [self._location(each.source, each.span)],
            }
            for each in not_analysed
        ]
        failed = [{"level": "error", "message": _message(error)} for error in errors]
        return {
            "executionSuccessful": not errors,
            "toolExecutionNotifications": [*failed, *unread],
        }

    def _related(self, number: int, related: Related) -> dict[str, Any]:
        return {
            "id": number,
            "message": _message(related.message),
            **self._location(related.source, related.span),
        }

    def _fix(self, source: SourceText, fix: Fix) -> dict[str, Any]:
        change = {
            "artifactLocation": self._artifact(source.name),
            "replacements": [_replacement(source, edit) for edit in fix.edits],
        }
        return {
            "description": _message(f"{fix.message} ({fix.applicability})"),
            "artifactChanges": [change],
        }

    def _location(self, source: SourceText, span: Span) -> dict[str, Any]:
        region = _region(source, span)
        if text := source.text[span.start : span.end]:
            region["snippet"] = {"text": text}
        physical = {"artifactLocation": self._artifact(source.name), "region": region}
        return {"physicalLocation": physical}

    def _artifact(self, name: str) -> dict[str, str]:
        if name not in self._artifacts:
            self._artifacts[name] = _artifact(name, self._cwd)
        return self._artifacts[name]


def _artifact(name: str, cwd: Path) -> dict[str, str]:
    """Where a file is: below the root of the repository, or an absolute URI."""
    if name == STDIN_NAME:
        return {"uri": _quoted(name)}
    path = path_in_repository(name, cwd)
    if Path(path).is_absolute() or path.startswith("../"):
        return {"uri": absolute(Path(name), cwd).as_uri()}
    return {"uri": _quoted(path), "uriBaseId": ROOT}


def _quoted(path: str) -> str:
    return quote_from_bytes(path.encode("utf-8", "surrogateescape"))


def _region(source: SourceText, span: Span) -> dict[str, Any]:
    """The place of a range; the end column is that of the character behind it (3.30.8)."""
    start, end = source.utf16_position(span.start), source.utf16_position(span.end)
    return {
        "startLine": start.row,
        "startColumn": start.column,
        "endLine": end.row,
        "endColumn": end.column,
    }


def _replacement(source: SourceText, edit: Edit) -> dict[str, Any]:
    return {
        "deletedRegion": _region(source, edit.span),
        "insertedContent": {"text": edit.content},
    }
