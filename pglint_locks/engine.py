"""The pipeline: files in, a `Run` out.

Every file gets a first look over its bytes.  Only those that hold lock words, a directive,
an advisory lock or the words of a claim without a lock are read further, by
`pglint_locks.linting`, which brings the parser in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pglint_locks.config import Settings
from pglint_locks.discovery import FoundFile
from pglint_locks.run import FileError, FileReport, Run
from pglint_locks.sources.decode import UnreadableTextError, decode
from pglint_locks.sql.claimshape import has_claim_shape
from pglint_locks.sql.lockwords import has_advisory_words, has_directive, has_lock_words
from pglint_locks.text import SourceText


def lint_files(files: Sequence[FoundFile], settings_for: Callable[[FoundFile], Settings]) -> Run:
    """Lint files, each with its own settings; one that fails costs itself alone."""
    errors: list[FileError] = []
    work: list[tuple[SourceText, Settings]] = []
    for file in files:
        try:
            source = _read(file)
            if source is not None:
                work.append((source, settings_for(file)))
        except OSError as error:
            errors.append(FileError(file.name, f"cannot be read: {error.strerror or error}"))
        except UnreadableTextError as error:
            errors.append(FileError(file.name, str(error)))
    return _lint(work, len(files) - len(errors), errors)


def lint_text(text: str, name: str, settings: Settings) -> Run:
    """Lint SQL text as if it were a file of that name."""
    data = text.encode()
    source = SourceText(name, text.removeprefix("\ufeff"))
    work = [(source, settings)] if _is_worth_reading(data) else []
    return _lint(work, 1, [])


def _read(file: FoundFile) -> SourceText | None:
    """A file's text, if it holds anything to look at.  Raises OSError, UnreadableTextError."""
    data = file.path.read_bytes()
    source = decode(file.name, data)
    return source if _is_worth_reading(data) else None


def _is_worth_reading(data: bytes) -> bool:
    looks = (has_lock_words, has_directive, has_advisory_words, has_claim_shape)
    return any(look(data) for look in looks)


def _lint(work: Sequence[tuple[SourceText, Settings]], files: int, errors: list[FileError]) -> Run:
    reports: list[FileReport] = []
    if work:
        from pglint_locks.linting import lint_sources

        reports, failures = lint_sources(work)
        errors += failures
    findings = (finding for report in reports for finding in report.findings)
    return Run(
        findings=tuple(sorted(findings, key=lambda finding: finding.sort_key)),
        files=files,
        statements=sum(report.statements for report in reports),
        clauses=sum(report.clauses for report in reports),
        not_analysed=tuple(item for report in reports for item in report.not_analysed),
        errors=tuple(errors),
    )
