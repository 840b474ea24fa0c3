"""Comments that silence findings, and what is to say of those that silence none.

A directive at the end of a line covers the findings whose primary span touches that
line.  Alone in its line it covers the statement that follows it; inside a statement,
where none begins behind it, the next line with code.  `ignore-file` covers the file, and
`off` all up to an `on`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pglint_locks.directive_fixes import CommentText, renaming, without, without_items
from pglint_locks.directives import (
    UNKNOWN,
    UNUSED,
    Directive,
    Item,
    Mistake,
    Verb,
    directives,
)
from pglint_locks.findings import SAFE, Edit, Finding, Fix, Origin, Rule, Subject, SuppressedFinding
from pglint_locks.fingerprints import digest
from pglint_locks.text import SourceText, Span

ItemKey = tuple[int, str]  # the offset of a directive, and the text of one of its items

_CODE = re.compile(r"\S")
_CLOSES_COMMENT = re.compile(r"(?:\*/|-->|--%>|%>|#\}|\}\})\Z")
_NEXT_DIRECTIVE = re.compile(r"\bpglint[ \t]{0,9}:", re.IGNORECASE)
_AROUND_REASON = " \t\r:;,&/#-\u2013\u2014"


@dataclass(frozen=True, slots=True)
class Suppression:
    """A directive in its comment, and the file range that it covers.

    None where that is nothing, and for `off` and `on`, whose regions differ by rule.
    """

    directive: Directive
    comment: CommentText
    covers: Span | None = None


@dataclass(frozen=True, slots=True)
class Suppressions:
    """The directives of one file, what is wrong with others, and the rules they speak of."""

    source: SourceText
    rules: tuple[Rule, ...]
    suppressions: tuple[Suppression, ...] = ()
    mistakes: tuple[tuple[Mistake, CommentText], ...] = ()


def read(
    source: SourceText,
    comments: Sequence[CommentText],
    statements: Sequence[Span],
    rules: Sequence[Rule],
) -> Suppressions:
    """Find the directives in a file's comments and what each of them covers.

    `comments` and `statements` count in file offsets; they may come in any order.
    `statements` are all of the file, whether or not they lock anything, without comments
    before and behind them; those inside others (of a function's body) may stand beside
    them.  `rules` are all that exist, among them those that judge suppressions.
    """
    if not any("pglint" in comment.text.lower() for comment in comments):
        return Suppressions(source, tuple(rules))
    layout = _Layout(source, comments, statements)
    found: list[Suppression] = []
    mistakes: list[tuple[Mistake, CommentText]] = []
    for index, comment in enumerate(layout.comments):
        alone = layout.is_alone(index)
        for each in directives(comment.text, comment.span.start, rules, alone):
            if isinstance(each, Mistake):
                mistakes.append((each, comment))
            elif each.verb is Verb.IGNORE:
                found.append(Suppression(each, comment, layout.target(index, alone)))
            elif each.verb is Verb.IGNORE_FILE:
                found.append(Suppression(each, comment, Span(0, len(source.text) + 1)))
            else:
                found.append(Suppression(each, comment))
    return Suppressions(source, tuple(rules), tuple(found), tuple(mistakes))


def apply(
    findings: Iterable[Finding],
    suppressions: Suppressions,
    enabled: frozenset[str],
    unread: Sequence[Span] = (),
) -> list[Finding]:
    """The findings of one file that are not suppressed, and those about suppressions.

    `enabled` holds the codes of the rules of this run: a suppression of others is not
    called unused, and the rules about suppressions speak only if they are in it.
    `unread` are the file ranges of locking clauses that were not analysed: nobody knows
    whether what covers them would suppress something.  The result is sorted.
    """
    judge = _Judge(suppressions, enabled, unread)
    kept = judge.unsuppressed(findings)
    kept += judge.unsuppressed(judge.unknown())
    kept += judge.unsuppressed(judge.unused())
    return sorted(kept, key=lambda finding: finding.sort_key)


def suppressed(
    findings: Iterable[Finding], suppressions: Suppressions, enabled: frozenset[str]
) -> list[SuppressedFinding]:
    """The findings of one file that are suppressed, each with the reason that stands there.

    Only those of rules that are enabled; in the order of every report.
    """
    judge = _Judge(suppressions, enabled, ())
    found = [
        SuppressedFinding(finding, judge.reason(finding))
        for finding in findings
        if finding.rule.code in enabled and not judge.unsuppressed([finding])
    ]
    return sorted(found, key=lambda each: each.finding.sort_key)


class _Layout:
    """Where code, comments and statements of a file stand."""

    def __init__(
        self, source: SourceText, comments: Sequence[CommentText], statements: Sequence[Span]
    ) -> None:
        self.source = source
        self.comments = sorted(comments, key=lambda comment: comment.span)
        self._statements = sorted(statements, key=lambda span: (span.start, -span.end))
        # How far the statements reach that start no later than the one of the same index.
        self._reach = list(accumulate((span.end for span in self._statements), max))
        # For each comment, the nearest code (neither white space nor comment): where it
        # ends before the comment, and where it starts behind it.
        self._code_before: list[int] = []
        self._code_after: list[int] = []
        self._find_code()

    def _find_code(self) -> None:
        text = self.source.text
        spans = [comment.span for comment in self.comments]
        before, at = 0, 0
        for span in spans:
            code = text[at : span.start].rstrip()
            before = at + len(code) if code else before
            self._code_before.append(before)
            at = span.end
        after, at = len(text), len(text)
        for span in reversed(spans):
            first = _CODE.search(text, span.end, at)
            after = first.start() if first else after
            self._code_after.append(after)
            at = span.start
        self._code_after.reverse()

    def is_alone(self, index: int) -> bool:
        """Whether the lines of a comment hold nothing but comments."""
        first, last = self._rows(self.comments[index].span)
        return (
            self._code_before[index] <= self.source.line_span(first).start
            and self._code_after[index] >= self.source.line_span(last).end
        )

    def target(self, index: int, alone: bool) -> Span | None:
        """What `ignore` in a comment covers."""
        comment = self.comments[index].span
        if not alone:
            return self._lines(comment)
        place = bisect_left(self._statements, comment.end, key=lambda span: span.start)
        following = self._statements[place] if place < len(self._statements) else None
        code = self._code_after[index]
        if following and following.start <= code:
            return following
        if place and self._reach[place - 1] > comment.end:  # inside a statement
            return self._lines(Span(code, code))
        return following

    def _rows(self, span: Span) -> tuple[int, int]:
        last = max(span.end - 1, span.start)
        return self.source.position(span.start).row, self.source.position(last).row

    def _lines(self, span: Span) -> Span:
        """The whole lines that a range touches, with the end of the last one."""
        first, last = self._rows(span)
        if last == self.source.row_count:
            end = len(self.source.text) + 1
        else:
            end = self.source.line_span(last + 1).start
        return Span(self.source.line_span(first).start, end)


class _Ranges:
    """File ranges, each with the suppression's item that covers it, to be asked often."""

    def __init__(self, ranges: Iterable[tuple[Span, ItemKey]]) -> None:
        self._ranges = sorted(ranges)
        self._starts = [span.start for span, _ in self._ranges]
        # How far the ranges reach that start no later than the one of the same index.
        self._reach = list(accumulate((span.end for span, _ in self._ranges), max))

    def touched(self, span: Span) -> Iterator[ItemKey]:
        """The items whose range shares a character with this one."""
        index = bisect_right(self._starts, span.end)
        while index > 0 and self._reach[index - 1] > span.start:
            index -= 1
            if span.touches(self._ranges[index][0]):
                yield self._ranges[index][1]


class _Judge:
    """Drops the findings that a file's suppressions cover, and keeps count of their use."""

    def __init__(
        self, suppressions: Suppressions, enabled: frozenset[str], unread: Sequence[Span]
    ) -> None:
        self._file = suppressions
        self._enabled = enabled
        self._used: set[ItemKey] = set()
        # The offset of each `on` that ends regions, and those of the `off`s that begin them.
        self._ended_by: dict[int, set[int]] = defaultdict(set)
        ranges: dict[str, list[tuple[Span, ItemKey]]] = defaultdict(list)
        for code, span, key in self._covered():
            ranges[code].append((span, key))
        self._ranges = {code: _Ranges(spans) for code, spans in ranges.items()}
        for span in unread:
            for covered in self._ranges.values():
                self._used.update(covered.touched(span))

    def _covered(self) -> Iterator[tuple[str, Span, ItemKey]]:
        """What each item of each suppression covers, for each rule that it names."""
        behind = len(self._file.source.text) + 1
        next_on: dict[str, int] = {}
        for each in reversed(self._file.suppressions):
            start = each.directive.span.start
            for item in each.directive.items:
                if each.directive.verb is Verb.ON:
                    next_on |= dict.fromkeys(item.codes, start)
                for code in item.codes:
                    covers = each.covers
                    if each.directive.verb is Verb.OFF:
                        covers = Span(start, next_on.get(code, behind))
                        self._ended_by[covers.end].add(start)
                    if covers:
                        yield code, covers, (start, item.text)

    def unsuppressed(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that no directive covers; each that covers one counts as used."""
        kept: list[Finding] = []
        for finding in findings:
            ranges = self._ranges.get(finding.rule.code)
            items = set(ranges.touched(finding.span)) if ranges else set()
            self._used |= items
            if not items:
                kept.append(finding)
        return kept

    def reason(self, finding: Finding) -> str:
        """The first reason that stands behind a directive that covers a finding."""
        ranges = self._ranges.get(finding.rule.code)
        starts = {start for start, _ in ranges.touched(finding.span)} if ranges else set()
        covering = (each for each in self._file.suppressions if each.directive.span.start in starts)
        return next(filter(None, map(_reason, covering)), "")

    def unknown(self) -> list[Finding]:
        """A finding for each mistake in the file's directives."""
        return [
            finding
            for mistake, comment in self._file.mistakes
            for finding in self._finding(
                UNKNOWN,
                mistake.span,
                mistake.message,
                mistake.label,
                mistake.advice,
                renaming(self._file.source, comment, mistake),
            )
        ]

    def unused(self) -> list[Finding]:
        """A finding for each directive of which an item did nothing, so far."""
        return [
            finding
            for each in self._file.suppressions
            if (idle := [item for item in each.directive.items if self._is_idle(each, item)])
            for finding in self._unused(each, idle)
        ]

    def _is_idle(self, each: Suppression, item: Item) -> bool:
        """Whether an item did nothing although it could have been told that it did."""
        if each.directive.verb is Verb.ON:
            return each.directive.span.start not in self._ended_by
        if (each.directive.span.start, item.text) in self._used or UNUSED in item.codes:
            return False
        rules = [rule for rule in self._file.rules if rule.code in item.codes]
        # A prefix covers rules that nobody expects to run; if others are off, it may be theirs.
        expected = [
            rule for rule in rules if not rule.opt_in and rule.subject is not Subject.LINTER
        ]
        return all(rule.code in self._enabled for rule in expected or rules)

    def _unused(self, each: Suppression, idle: Sequence[Item]) -> list[Finding]:
        directive = each.directive
        names = _listed([item.text for item in idle if item.text])
        if len(idle) < len(directive.items):
            verb = "suppresses" if len(idle) == 1 else "suppress"
            message = f"{names} in this suppression {verb} nothing"
            advice = f"take {names} out of the brackets"
        elif directive.verb is Verb.ON:
            message, advice = "this 'on' ends no 'off' above it", "remove it"
        else:
            whose = f" of {names}" if names else ""
            message, advice = f"this suppression{whose} suppresses nothing", "remove it"
            if directive.verb is Verb.IGNORE and each.covers is None:
                message += ": no statement follows it"
        fix = self._removal(each, [item.text for item in idle])
        return self._finding(UNUSED, directive.span, message, "does nothing", advice, fix)

    def _removal(self, each: Suppression, idle: Sequence[str]) -> Fix | None:
        """The fix that takes the idle items of a directive out, or all of it."""
        source = self._file.source
        edit = without_items(source, each.comment, each.directive, idle)
        if edit is not None:
            return Fix(SAFE, "take it out of the brackets", (edit,))
        if len(idle) < len(each.directive.items):
            return None
        edits = [self._without(each), *map(self._without, self._only_ends(each))]
        whole = tuple(sorted(edit for edit in edits if edit is not None))
        return Fix(SAFE, "remove it", whole) if len(whole) == len(edits) else None

    def _only_ends(self, each: Suppression) -> list[Suppression]:
        """The `on`s that end nothing but the regions of one `off`."""
        start = {each.directive.span.start}
        ends = [on for on, offs in self._ended_by.items() if offs == start]
        return [
            other
            for other in self._file.suppressions
            if other.directive.verb is Verb.ON and other.directive.span.start in ends
        ]

    def _without(self, each: Suppression) -> Edit | None:
        others = [
            other.directive
            for other in self._file.suppressions
            if other.comment is each.comment and other.directive != each.directive
        ]
        return without(self._file.source, each.comment, each.directive, others)

    def _finding(
        self,
        code: str,
        span: Span,
        message: str,
        label: str,
        advice: str,
        fix: Fix | None = None,
    ) -> list[Finding]:
        """A finding of a rule about suppressions, if that rule runs."""
        return [
            Finding(
                rule=rule,
                severity=rule.severities[0],
                source=self._file.source,
                span=span,
                message=message,
                origin=Origin(span, digest(self._file.source.text[span.start : span.end])),
                advice=advice,
                label=label,
                fix=fix,
            )
            for rule in self._file.rules
            if rule.code == code and code in self._enabled
        ]


def _reason(suppression: Suppression) -> str:
    """What stands behind a directive in its line, up to the comment's end or another one."""
    span, comment = suppression.directive.span, suppression.comment
    line = comment.text[span.end - comment.span.start :].partition("\n")[0].rstrip()
    words = _NEXT_DIRECTIVE.split(_CLOSES_COMMENT.sub("", line), maxsplit=1)[0]
    return words.strip(_AROUND_REASON)


def _listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
