"""The pipeline: files in, a `Run` out.

Every file gets a first look over its bytes.  Only those that hold lock words, a directive,
an advisory lock or the words of a claim without a lock are read further, by
`pglint_locks.linting`, which brings the parser in.  Where any file locks, those that define
views are read too, before all, and then those that name a view which locks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pglint_locks.config import Settings
from pglint_locks.discovery import FoundFile
from pglint_locks.run import FileError, FileReport, Run
from pglint_locks.sources.decode import UnreadableTextError, decode
from pglint_locks.sources.kinds import Look, kind_of
from pglint_locks.sql.claimshape import has_claim_in_code, has_claim_shape
from pglint_locks.sql.lockwords import (
    has_advisory_words,
    has_directive,
    has_folded_lock_words,
    has_lock_words,
    has_view_words,
)
from pglint_locks.text import SourceText

if TYPE_CHECKING:
    from pglint_locks.model.views import Views

_Work = tuple[SourceText, Settings]


def lint_files(files: Sequence[FoundFile], settings_for: Callable[[FoundFile], Settings]) -> Run:
    """Lint files, each with its own settings; one that fails costs itself alone."""
    errors: list[FileError] = []
    work: list[_Work] = []
    others: list[FoundFile] = []
    locks, defining = False, set[str]()
    for file in files:
        data, source = _read(file, errors)
        if source is None:
            continue
        locks = locks or has_lock_words(data)
        if _may_define_views(file.name, data):
            defining.add(file.name)
        if _is_worth_reading(file.name, data):
            work.append((source, settings_for(file)))
        else:
            others.append(file)
    read = len(files) - len(errors)
    if not (locks and defining):
        return _lint(work, read, errors)
    from pglint_locks.linting import gather_views
    from pglint_locks.model.views import tables_created

    defined = [(source, settings) for source, settings in work if source.name in defining]
    for file in others:
        if file.name in defining and (source := _read(file, errors)[1]) is not None:
            defined.append((source, settings_for(file)))
    views = gather_views(defined)
    tables = set[str]().union(*(tables_created(source.text) for source, _ in work))
    for file in others:
        source = _read(file, errors)[1]
        if source is not None:
            tables |= tables_created(source.text)
            if views.may_lock(source.text):
                work.append((source, settings_for(file)))
    return _lint(work, read, errors, views.beside_tables(tables))


def lint_text(text: str, name: str, settings: Settings) -> Run:
    """Lint SQL text as if it were a file of that name."""
    data = text.encode()
    if not _is_worth_reading(name, data):
        return _lint([], 1, [])
    work = [(SourceText(name, text.removeprefix("\ufeff")), settings)]
    if not (has_lock_words(data) and _may_define_views(name, data)):
        return _lint(work, 1, [])
    from pglint_locks.linting import gather_views
    from pglint_locks.model.views import tables_created

    return _lint(work, 1, [], gather_views(work).beside_tables(tables_created(text)))


def _read(file: FoundFile, errors: list[FileError]) -> tuple[bytes, SourceText | None]:
    """A file's bytes and text; what keeps it from being read is an error of its own.

    Code has a text only where it is worth reading: in what encoding the rest is written is
    nobody's business here.
    """
    try:
        data = file.path.read_bytes()
        if kind_of(file.name).look is not Look.SQL and not _is_worth_reading(file.name, data):
            return data, None
        return data, decode(file.name, data)
    except OSError as error:
        errors.append(FileError(file.name, f"cannot be read: {error.strerror or error}"))
    except UnreadableTextError as error:
        errors.append(FileError(file.name, str(error)))
    return b"", None


def _is_worth_reading(name: str, data: bytes) -> bool:
    looks = [has_directive, has_advisory_words]
    if kind_of(name).look is Look.FOLDED:
        looks += [has_folded_lock_words, has_claim_in_code]
    else:
        looks += [has_lock_words, has_claim_shape]
    return any(look(data) for look in looks)


def _may_define_views(name: str, data: bytes) -> bool:
    return kind_of(name).look is Look.SQL and has_view_words(data)


def _lint(
    work: Sequence[_Work], files: int, errors: list[FileError], views: Views | None = None
) -> Run:
    reports: list[FileReport] = []
    if work:
        from pglint_locks.linting import lint_sources

        reports, failures = lint_sources(work, views)
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
