"""What the engine says of a document, again and again while somebody edits it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pglint_locks import fixes, suppressing
from pglint_locks.config import Settings
from pglint_locks.engine import (
    is_worth_reading,
    may_declare_tables,
    may_define_tables,
    may_define_views,
)
from pglint_locks.findings import Finding
from pglint_locks.linting import NO_OTHERS, Defines, Others, Sections, Seen, clauses_at, lint_again
from pglint_locks.run import FileReport
from pglint_locks.sql.lockwords import has_lock_words
from pglint_locks.text import SourceText, Span


class Linter:
    """Lints a document's text, and remembers what an edit does not touch.

    `others` is what other files define.
    """

    def __init__(self, name: str, settings: Settings, others: Others = NO_OTHERS) -> None:
        self.name = name
        self.settings = settings
        self._sections = Sections(settings, others)
        self._sections.begin(name)

    def report(self, text: str, *, with_fixes: bool = False) -> FileReport:
        """What is found in a text; fixes, if wanted, need not bear out."""
        return _report(SourceText(self.name, text), self._sections, with_fixes)

    def repaired(self, text: str, findings: Sequence[Finding], report: FileReport) -> list[Finding]:
        """The findings, of a text's report, whose fixes bear out."""
        fixable = [finding for finding in findings if finding.fix]
        return fixes.kept(text, report, self._try, fixable)

    def fixed(self, text: str, spared: Sequence[Finding] = ()) -> str:
        """A text with its safe fixes, but for those of the findings that are spared."""
        return fixes.fix_text(text, self._try, unsafe=False, spared=spared).text

    def suppressed(self, text: str, finding: Finding, reason: str) -> str | None:
        """A text with a comment that suppresses a finding; None where none would."""
        source = SourceText(self.name, text)
        done = suppressing.suppress(source, [finding], reason, self._try)
        return done.text if done.done else None

    def suppresses(self, text: str, comment: str, at: int, code: str) -> bool:
        """Whether a comment, put into a text, suppresses all that a rule finds and no more."""
        report = self._try(f"{text[:at]}{comment}{text[at:]}")
        if report is None:
            return False
        before = Counter(each.rule.code for each in self.report(text).findings)
        del before[code]
        return Counter(each.rule.code for each in report.findings) == before

    def clauses(self, text: str, place: Span) -> list[Seen]:
        """The locking clauses that a place of a text, linted before, touches."""
        source = SourceText(self.name, text)
        data = text.encode("utf-8", "surrogatepass")
        is_read = _is_read(source, data, self._sections)
        return clauses_at(source, place, self._sections) if is_read else []

    def _try(self, text: str) -> FileReport | None:
        """What would be found in a text that is much like the document's; None on failure."""
        try:
            return _report(SourceText(self.name, text), self._sections.copy(), True)
        except Exception:
            return None


def _report(source: SourceText, sections: Sections, with_fixes: bool) -> FileReport:
    data = source.text.encode("utf-8", "surrogatepass")
    if not _is_read(source, data, sections):
        return FileReport()
    defines = Defines(
        has_lock_words(data) and may_define_views(source.name, data),
        may_define_tables(source.name, data) or may_declare_tables(source.name, data),
    )
    report = lint_again(source, sections, defines, with_fixes)
    ordered = sorted(report.findings, key=lambda finding: finding.sort_key)
    return report._replace(findings=tuple(ordered))


def _is_read(source: SourceText, data: bytes, sections: Sections) -> bool:
    return is_worth_reading(source.name, data) or sections.known.views.may_lock(source.text)
