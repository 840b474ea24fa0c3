"""What a rule says, and what the run makes of it.

A rule's visitor yields a `Hazard`: places as unit offsets, words, a severity.  The
engine places it in its file and it becomes a `Finding`, which reporters print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from pglint_locks.text import Position, SourceText, Span

PROJECT_URL = "https://github.com/pglint-locks/pglint-locks"
PAGES_URL = f"{PROJECT_URL}/blob/main/rules"


class Severity(Enum):
    """How much a finding weighs, from lightest to heaviest; compares by weight."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def weight(self) -> int:
        """0 for a note, 1 for a warning, 2 for an error."""
        return _WEIGHTS[self]

    @property
    def lighter(self) -> Severity:
        """One step less, as far as there is one."""
        return Severity.WARNING if self is Severity.ERROR else Severity.NOTE

    def __ge__(self, other: Severity) -> bool:
        return self.weight >= other.weight

    def __lt__(self, other: Severity) -> bool:
        return self.weight < other.weight


_WEIGHTS = {severity: weight for weight, severity in enumerate(Severity)}


class Subject(Enum):
    """What a rule's visitor is called with; `LINTER` rules have no visitor."""

    CLAUSE = "locking clause"
    STATEMENT = "statement"
    RUN = "run"
    LINTER = "linter"


class Place(NamedTuple):
    """A second place that a finding speaks of, as a unit range, with what to say there."""

    span: Span
    message: str


SAFE, UNSAFE = "safe", "unsafe"


class Edit(NamedTuple):
    """Replace the range `span` by `content`: offsets of the unit in a hazard, else of the file."""

    span: Span
    content: str


class Fix(NamedTuple):
    """A repair: the edits do not overlap; `message` says in a few words what they do.

    `applicability` is "safe" where the statement's meaning stays but for the hazard, else
    "unsafe": a person should look.
    """

    applicability: str
    message: str
    edits: tuple[Edit, ...]

    @property
    def is_safe(self) -> bool:
        """Whether `--fix` alone applies it."""
        return self.applicability == SAFE

    def shifted(self, by: int) -> Fix:
        """The same repair of what stands `by` code points further on."""
        edits = tuple(Edit(edit.span.shifted(by), edit.content) for edit in self.edits)
        return self._replace(edits=edits)


class Hazard(NamedTuple):
    """What a visitor found: `span` and `places` are unit ranges.

    `message` is one sentence without a full stop: what happens, to which table.
    `advice` says what to write instead (also without a full stop).  `label` is the
    short text under the marked source.  `evidence` is what was seen on a live server.
    `fix` has its edits as unit ranges.
    `by_reader`: of a clause in a view, what the statement that reads the view makes of it.
    """

    span: Span
    severity: Severity
    message: str
    advice: str | None = None
    label: str = ""
    evidence: str | None = None
    table: str | None = None
    places: tuple[Place, ...] = ()
    sqlstate: str | None = None
    by_reader: bool = False
    fix: Fix | None = None


class Note(NamedTuple):
    """What a RUN rule wants to remember of a statement: `span` is a unit range.

    `fact` is small and frozen: it may travel from one process to another.
    """

    span: Span
    fact: Any


class Origin(NamedTuple):
    """The statement that a finding speaks of, as a range of file offsets.

    `fingerprint` stays the same when it is moved, laid out anew or given other constants.
    """

    span: Span
    fingerprint: str

    def shifted(self, by: int) -> Origin:
        """The same statement, `by` code points further on."""
        return Origin(self.span.shifted(by), self.fingerprint)


class FiledNote(NamedTuple):
    """A note in its file: `span` is a range of file offsets; `unit`, `origin` as in `Finding`."""

    filename: str
    span: Span
    unit: str | None
    origin: Origin
    fact: Any

    @property
    def sort_key(self) -> tuple[str, int, int]:
        """File, then position: RUN rules see notes in this order, however files were read."""
        return (self.filename, self.span.start, self.span.end)

    def shifted(self, by: int) -> FiledNote:
        """The same note, `by` code points further on."""
        return self._replace(span=self.span.shifted(by), origin=self.origin.shifted(by))


class RunHazard(NamedTuple):
    """What a RUN rule's visitor found: a hazard at a note, and the other notes it is about.

    The hazard's own `span` and `places` are not used: places are `others`, each with what
    to say there.
    """

    at: FiledNote
    hazard: Hazard
    others: tuple[tuple[FiledNote, str], ...] = ()


class Rule(NamedTuple):
    """A rule's metadata and visitor.  `severities` lists what it can say, heaviest first.

    What rests on other statements of a host language's function weighs one step less.

    A RUN rule has two: `gather` is called with each locking clause and yields notes,
    `visit` once, with the notes of all files in order; it yields `RunHazard`s.
    `about_others`: it speaks of what other sessions do, so not of temporary tables.
    `about_missing`: it speaks of what a statement lacks, so not where that may be put in.
    `formerly`: codes and names that it had before, which still stand for it.

    Of a rule from another package: `pages` is the folder that its page stands in, `pages_url`
    where that folder is on the web; `plugin` is the package, known once it is loaded.
    """

    code: str
    name: str
    summary: str
    severities: tuple[Severity, ...]
    subject: Subject
    visit: Callable[[Any], Iterator[Any]] | None = None
    opt_in: bool = False
    about_others: bool = False
    about_missing: bool = False
    gather: Callable[[Any], Iterator[Note]] | None = None
    formerly: tuple[str, ...] = ()
    pages: Path | None = None
    pages_url: str = PAGES_URL
    plugin: str = ""

    @property
    def page(self) -> str:
        """File name of the rule's page, below `rules/` or `pages`."""
        return f"{self.code}-{self.name}.md"

    @property
    def url(self) -> str:
        """Where the page can be read on the web."""
        return f"{self.pages_url}/{self.page}"


class Related(NamedTuple):
    """A second place of a finding, as a range of file offsets in `source`."""

    message: str
    source: SourceText
    span: Span


class Finding(NamedTuple):
    """A hazard in its file: `span` is a range of file offsets in `source`.

    `origin` is the statement; of what stands in none it is the place itself.
    `unit` names the function, view or query that holds the statement; None at the
    top level of a file.
    """

    rule: Rule
    severity: Severity
    source: SourceText
    span: Span
    message: str
    origin: Origin
    advice: str | None = None
    label: str = ""
    evidence: str | None = None
    table: str | None = None
    unit: str | None = None
    sqlstate: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None

    @property
    def code(self) -> str:
        """The code of its rule."""
        return self.rule.code

    @property
    def filename(self) -> str:
        """The file's name as reports show it."""
        return self.source.name

    @property
    def location(self) -> Position:
        """Row and column of its first character."""
        return self.source.position(self.span.start)

    @property
    def end_location(self) -> Position:
        """Row and column behind its last character."""
        return self.source.position(self.span.end)

    def shifted(self, by: int, source: SourceText, with_fix: bool) -> Finding:
        """The same finding in a text in which all of it stands `by` code points further on."""
        return self._replace(
            source=source,
            span=self.span.shifted(by),
            origin=self.origin.shifted(by),
            related=tuple(
                [Related(each.message, source, each.span.shifted(by)) for each in self.related]
            ),
            fix=self.fix.shifted(by) if with_fix and self.fix is not None else None,
        )

    @property
    def text(self) -> str:
        """Message and advice in one line: what one-line formats print."""
        return f"{self.message}; {self.advice}" if self.advice else self.message

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """File, then position, then code: the order of every report."""
        return (self.source.name, self.span.start, self.span.end, self.rule.code)


class SuppressedFinding(NamedTuple):
    """A finding that a comment suppresses, and the reason that stands there, if any."""

    finding: Finding
    reason: str = ""
