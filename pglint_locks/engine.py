"""The pipeline: files in, a `Run` out.

Every file gets a first look over its bytes.  Only those that hold lock words, a directive,
an advisory lock or the words of a claim without a lock are read further, by
`pglint_locks.linting`, which brings the parser in.  Where any file locks, those that define
views are read too, before all, and then those that name a view which locks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pglint_locks.config import Settings
from pglint_locks.discovery import FoundFile
from pglint_locks.findings import Finding
from pglint_locks.paths import working_directory
from pglint_locks.run import FileError, FileReport, Run
from pglint_locks.sources.decode import UnreadableTextError, decode, is_wide
from pglint_locks.sources.kinds import Look, kind_of
from pglint_locks.sql.claimshape import has_claim_in_code, has_claim_shape
from pglint_locks.sql.lockwords import (
    has_advisory_words,
    has_directive,
    has_folded_lock_words,
    has_joined_lock_words,
    has_lock_calls,
    has_lock_words,
    has_model_words,
    has_table_words,
    has_view_words,
)
from pglint_locks.text import BYTE_ORDER_MARK, SourceText

if TYPE_CHECKING:
    from pglint_locks.fixes import Fixed
    from pglint_locks.linting import KnownFor, Schemas
    from pglint_locks.schema.catalog import Catalog
    from pglint_locks.schema.origins import Origin
    from pglint_locks.schema.planner import Planned
    from pglint_locks.sources.orm.models import Models
    from pglint_locks.suppressing import Suppressed

_Work = tuple[SourceText, Settings]
Reported = Callable[[Sequence[Finding]], Sequence[Finding]]
"""Which of all findings are reported, in their order."""


# By the ends of names that `schema.models` has a reader for.
_DECLARING = {
    "schema.rb": (b"create_table",),
    ".prisma": (b"model ",),
    ".ex": (b"schema ", b"schema("),
    ".py": (b"models.Model", b"(Model)", b"__tablename__", b"Table("),
}


class _Gathered(NamedTuple):
    """The files worth reading further, with what all files and the schema define."""

    work: list[_Work]
    files: int
    errors: list[FileError]
    schemas: Schemas | None = None
    models: Models | None = None

    @property
    def known_for(self) -> KnownFor | None:
        """What is known of relations in a file with some settings."""
        return self.schemas.known if self.schemas is not None else None

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Servers may be asked for plans here, and are left in the end."""
        try:
            yield
        finally:
            if self.schemas is not None:
                self.schemas.close()


_AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})


def lint_files(
    files: Sequence[FoundFile],
    settings_for: Callable[[FoundFile], Settings],
    changed: Mapping[str, str] = _AS_THEY_ARE,
) -> Run:
    """Lint files, each with its own settings; one that fails costs itself alone.

    `changed` has the texts of those, by name, that are taken to hold another than they do.
    """
    return _lint(_gather(files, settings_for, changed))


def lint_text(
    text: str,
    name: str,
    settings: Settings,
    catalog: Catalog | None = None,
    planner: Planned | None = None,
) -> Run:
    """Lint SQL text as if it were a file of that name.

    `catalog` is its database's schema, and a `planner` has the plans of its statements.
    """
    return _lint(_gather_text(text, name, settings, catalog, planner))


def known_tables(
    files: Sequence[FoundFile], settings_for: Callable[[FoundFile], Settings], settings: Settings
) -> tuple[Catalog, Sequence[Origin]]:
    """What is known of tables under some settings, be it from files that are linted.

    And the places of schema files that are not understood.
    """
    from pglint_locks.linting import Schemas, gather_tables

    sources: list[_Work] = []
    in_schema = _in_schemas([settings])
    for file in files if settings.schema_from_sources else ():
        data, source = _read(file, [], _AS_THEY_ARE)
        is_source = file.name not in in_schema and may_define_tables(file.name, data)
        if source is not None and is_source:
            sources.append((source, settings_for(file)))
    schemas = Schemas(working_directory(), linted=gather_tables(sources))
    return schemas.known(settings).catalog, tuple(schemas.unread)


def fix_files(
    files: Sequence[FoundFile],
    settings_for: Callable[[FoundFile], Settings],
    changed: Mapping[str, str] = _AS_THEY_ARE,
    *,
    unsafe: bool,
    reported: Reported = list,
) -> tuple[Run, dict[str, tuple[str, Fixed]]]:
    """What `lint_files` gives, and the texts that files have now and would have with fixes.

    They are by name.  Those without a fix, and those that cannot be linted, are left out.
    Byte order marks are part of the texts.  What is not `reported` is not fixed.
    """
    gathered = _gather(files, settings_for, changed)
    with gathered.asking():
        reports = _reports(gathered)
        return _run(gathered, reports), _fix(gathered, reports, unsafe, reported)


def fix_text(
    text: str, name: str, settings: Settings, *, unsafe: bool, reported: Reported = list
) -> Fixed:
    """SQL text with its fixes, as if it were a file of that name."""
    from pglint_locks.fixes import Fixed

    gathered = _gather_text(text, name, settings)
    with gathered.asking():
        fixed = _fix(gathered, _reports(gathered), unsafe, reported)
    return fixed[name][1] if fixed else Fixed(text)


def suppress_files(
    files: Sequence[FoundFile],
    settings_for: Callable[[FoundFile], Settings],
    findings: Sequence[Finding],
    reason: str,
) -> dict[str, tuple[str, Suppressed]]:
    """The texts that files had and would have with comments that suppress findings of them.

    They are by name, with their byte order marks.
    """
    from pglint_locks.suppressing import suppress

    sources = {finding.source.name: finding.source for finding in findings}
    texts = {name: source.mark + source.text for name, source in sources.items()}
    gathered = _gather(files, settings_for, texts)
    found: dict[str, tuple[str, Suppressed]] = {}
    for source, settings in gathered.work:
        own = [finding for finding in findings if finding.source.name == source.name]
        if own:
            lint = partial(_report_of, source.name, settings, gathered)
            with gathered.asking():
                done = suppress(source, own, reason, lint)
            mark = sources[source.name].mark
            found[source.name] = (texts[source.name], done._replace(text=mark + done.text))
    return found


def _gather(
    files: Sequence[FoundFile],
    settings_for: Callable[[FoundFile], Settings],
    changed: Mapping[str, str],
) -> _Gathered:
    errors: list[FileError] = []
    work: list[_Work] = []
    others: list[FoundFile] = []
    locks, defining = False, _Defining(set(), set())
    of_models: dict[str, str] = {}
    declaring: list[FoundFile] = []
    for file in files:
        data, source = _read(file, errors, changed)
        if file.name.endswith(".py") and has_model_words(data):
            of_models[file.name] = data.decode("utf-8", "replace")
        if may_declare_tables(file.name, data):
            declaring.append(file)
        if source is None:
            continue
        locks = locks or has_lock_words(data)
        defining.look(file.name, data)
        if is_worth_reading(file.name, data):
            work.append((source, settings_for(file)))
        else:
            others.append(file)
    read = len(files) - len(errors)
    models = _models(work, of_models)
    has_schema = any(settings.has_schema for _, settings in work)
    views = defining.views if locks else set()
    tables = defining.tables if any(settings.schema_from_sources for _, settings in work) else set()
    if not any(settings.schema_from_sources for _, settings in work):
        declaring = []
    if not (work and (views or tables or declaring or has_schema)):
        return _Gathered(work, read, errors, models=models)
    sources = list(work)
    for file in others:
        if views or has_schema or file.name in tables:
            source = _read(file, errors, changed)[1]
            sources += [(source, settings_for(file))] if source is not None else []
    in_schema = _in_schemas(settings for _, settings in work)
    declared = [
        (_text_of(file, changed), settings_for(file))
        for file in declaring
        if file.name not in in_schema
    ]
    texts = [source.text for source, _ in work]
    schemas = _schemas(sources, views, tables - in_schema, texts, declared)
    for source, settings in sources[len(work) :]:
        if schemas.known(settings).views.may_lock(source.text):
            work.append((source, settings))
    return _Gathered(work, read, errors, schemas, models)


class _Defining(NamedTuple):
    """The names of files that may define views and tables."""

    views: set[str]
    tables: set[str]

    def look(self, name: str, data: bytes) -> None:
        """Note a file for what its bytes may define."""
        if may_define_views(name, data):
            self.views.add(name)
        if may_define_tables(name, data):
            self.tables.add(name)


def _text_of(file: FoundFile, changed: Mapping[str, str]) -> SourceText:
    """The text of a file that was read before, whatever its encoding."""
    if file.name in changed:
        return SourceText(file.name, changed[file.name])
    return SourceText(file.name, file.path.read_bytes().decode("utf-8", "replace"))


def _in_schemas(every: Iterable[Settings]) -> set[str]:
    """The names of schema files: what they tell counts as that alone."""
    names = set[str]()
    for schema in {settings.schema for settings in every}:
        if schema:
            from pglint_locks.schema.files import names_of_files

            names |= names_of_files(schema, working_directory())
    return names


def _schemas(
    sources: Sequence[_Work],
    views: set[str],
    tables: set[str],
    texts: Sequence[str],
    declared: Sequence[_Work] = (),
) -> Schemas:
    """What the names of relations mean in a run over these sources."""
    from pglint_locks.linting import Schemas, gather_tables, gather_views
    from pglint_locks.model.queries.views import tables_created

    return Schemas(
        working_directory(),
        gather_views([(source, own) for source, own in sources if source.name in views]),
        frozenset(name for source, _ in sources for name in tables_created(source.text)),
        gather_tables(
            [*((source, own) for source, own in sources if source.name in tables), *declared], texts
        ),
        texts,
    )


def _models(work: Iterable[_Work], defining: Mapping[str, str]) -> Models | None:
    """The models that files of Python use which ask an ORM for a lock; `defining` as there."""
    using = [
        source.text
        for source, _ in work
        if source.name.endswith(".py") and has_lock_calls(source.text.encode())
    ]
    if not using or not defining:
        return None
    from pglint_locks.linting import models_defined

    return models_defined(using, defining)


def _gather_text(
    text: str,
    name: str,
    settings: Settings,
    catalog: Catalog | None = None,
    planner: Planned | None = None,
) -> _Gathered:
    data = text.encode()
    if not is_worth_reading(name, data):
        return _Gathered([], 1, [])
    body = text.removeprefix(BYTE_ORDER_MARK)
    work = [(SourceText(name, body, text.removesuffix(body)), settings)]
    defining = _Defining(set(), set())
    defining.look(name, data)
    views = defining.views if has_lock_words(data) else set()
    tables = defining.tables if settings.schema_from_sources else set()
    if not (views or tables or settings.has_schema or catalog or planner):
        return _Gathered(work, 1, [])
    schemas = _schemas(work, views, tables, [body])
    schemas.given, schemas.planner = catalog, planner
    return _Gathered(work, 1, [], schemas)


def _read(
    file: FoundFile, errors: list[FileError], changed: Mapping[str, str]
) -> tuple[bytes, SourceText | None]:
    """A file's bytes and text; what keeps it from being read is an error of its own.

    Code has a text only where it is worth reading, be it in UTF-16: in what encoding the rest
    is written is nobody's business here.
    """
    if file.name in changed:
        text = changed[file.name]
        return text.encode(), SourceText(file.name, text.removeprefix(BYTE_ORDER_MARK))
    try:
        data = file.path.read_bytes()
        if kind_of(file.name).look is not Look.SQL:
            narrow = data.replace(b"\0", b"") if is_wide(data) else data
            if not is_worth_reading(file.name, narrow):
                return data, None
        return data, decode(file.name, data)
    except OSError as error:
        errors.append(FileError(file.name, f"cannot be read: {error.strerror or error}"))
    except UnreadableTextError as error:
        errors.append(FileError(file.name, str(error)))
    return b"", None


def is_worth_reading(name: str, data: bytes) -> bool:
    """Whether a file may hold anything that rules or suppressions speak of: a cheap look."""
    looks = [has_directive, has_advisory_words]
    if kind_of(name).look is Look.FOLDED:
        looks += [has_folded_lock_words, has_claim_in_code, has_lock_calls]
    else:
        looks += [has_lock_words, has_claim_shape, has_joined_lock_words]
    return any(look(data) for look in looks)


def may_declare_tables(name: str, data: bytes) -> bool:
    """Whether a file may declare tables in another language than SQL: a cheap look."""
    ending = next((each for each in _DECLARING if name.endswith(each)), None)
    return ending is not None and any(word in data for word in _DECLARING[ending])


def may_define_views(name: str, data: bytes) -> bool:
    """Whether a file may define views: a cheap look."""
    return kind_of(name).look is Look.SQL and has_view_words(data)


def may_define_tables(name: str, data: bytes) -> bool:
    """Whether a file may define tables, indexes or foreign keys: a cheap look."""
    return kind_of(name).look is Look.SQL and has_table_words(data)


def _lint(gathered: _Gathered) -> Run:
    with gathered.asking():
        return _run(gathered, _reports(gathered))


def _reports(gathered: _Gathered) -> list[FileReport]:
    """What linting gives of each file; errors are added to those of the files."""
    if not gathered.work:
        return []
    from pglint_locks.linting import lint_sources

    reports, failures = lint_sources(gathered.work, gathered.known_for, gathered.models)
    gathered.errors.extend(failures)
    return reports


def _run(gathered: _Gathered, reports: Iterable[FileReport]) -> Run:
    reports = list(_borne_out(gathered, reports))
    return Run(
        findings=tuple(_sorted(reports)),
        files=gathered.files,
        statements=sum(report.statements for report in reports),
        clauses=sum(report.clauses for report in reports),
        not_analysed=tuple(item for report in reports for item in report.not_analysed),
        errors=(*gathered.errors, *(each for report in reports for each in report.failures)),
        clauses_by_kind=_by_kind(reports),
        suppressed=tuple(each for report in reports for each in report.suppressed),
        in_part=sum(report.in_part for report in reports),
        schema_unread=tuple(gathered.schemas.unread) if gathered.schemas is not None else (),
        remarks=tuple(gathered.schemas.remarks) if gathered.schemas is not None else (),
        planned=sum(report.planned for report in reports),
        unplanned=tuple(line for report in reports for line in report.unplanned),
    )


def _sorted(reports: Iterable[FileReport]) -> list[Finding]:
    """The findings of all files, in the order of every report."""
    findings = (finding for report in reports for finding in report.findings)
    return sorted(findings, key=lambda finding: finding.sort_key)


def _fix(
    gathered: _Gathered, reports: Iterable[FileReport], unsafe: bool, reported: Reported
) -> dict[str, tuple[str, Fixed]]:
    findings = _sorted(reports)
    wanted = reported(findings)
    fixable = {finding.source.name for finding in wanted if finding.fix}
    left_out = set(map(id, findings)).difference(map(id, wanted))
    spared: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if id(finding) in left_out:
            spared[finding.source.name].append(finding)
    found: dict[str, tuple[str, Fixed]] = {}
    for source, settings in gathered.work:
        if source.name in fixable:
            from pglint_locks import fixes

            lint = partial(_report_of, source.name, settings, gathered)
            fixed = fixes.fix_text(source.text, lint, unsafe=unsafe, spared=spared[source.name])
            whole = fixed._replace(text=source.mark + fixed.text)
            found[source.name] = (source.mark + source.text, whole)
    return found


def _borne_out(gathered: _Gathered, reports: Iterable[FileReport]) -> Iterator[FileReport]:
    """The reports of files without the fixes that would not be kept."""
    settings_of = {source.name: settings for source, settings in gathered.work}
    for report in reports:
        source = next((found.source for found in report.findings if found.fix), None)
        if source is not None:
            from pglint_locks.fixes import borne_out

            lint = partial(_report_of, source.name, settings_of[source.name], gathered)
            report = borne_out(source.text, report, lint)
        yield report


def _report_of(name: str, settings: Settings, known: _Gathered, text: str) -> FileReport | None:
    """What linting a text gives as that of one file; None where it fails."""
    from pglint_locks.linting import lint_sources

    work = [(SourceText(name, text), settings)]
    reports, errors = lint_sources(work, known.known_for, known.models)
    return None if errors else reports[0]


def _by_kind(reports: Iterable[FileReport]) -> Counter[str]:
    """How many locking clauses were seen in files of each kind."""
    counts = Counter[str]()
    for report in reports:
        counts[report.kind] += report.clauses
    return +counts
