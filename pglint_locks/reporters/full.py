"""`full`: for people; each finding with its source, the evidence and the repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pglint_locks.findings import Finding, Severity
from pglint_locks.reporters.cells import text_width, wrap
from pglint_locks.reporters.escape import escape
from pglint_locks.reporters.excerpt import Row, excerpt, last_row
from pglint_locks.reporters.options import RenderOptions
from pglint_locks.reporters.telling import marked_sources, notes
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.run import Run

# Source lines are cut to the terminal's width, but a narrower one than this would leave
# nothing to read; where there is no terminal, a line may take the second number of cells.
_LEAST_WIDTH = 80
_WIDTH_OF_FILES = 120
_LEAST_TEXT = 20
_HANGING = "    "

_SGR = {
    "place": "1",
    "message": "1",
    "gutter": "2",
    "note key": "36",
    "related": "36",
    Severity.ERROR.value: "1;31",
    Severity.WARNING.value: "1;33",
    Severity.NOTE.value: "1;34",
}


def render(run: Run, options: RenderOptions) -> str:
    """One block of lines for each finding of the run, an empty line between them.

    Evidence speaks for a rule, not for a place: the same words are said once in a report.
    """
    blocks: list[str] = []
    said: set[str] = set()
    for finding in run.findings:
        repeated = finding.evidence in said
        blocks.append(_block(finding._replace(evidence=None) if repeated else finding, options))
        said.add(finding.evidence or "")
    return "\n".join(blocks)


def _block(finding: Finding, options: RenderOptions) -> str:
    blocks = list(marked_sources(finding))
    digits = max(len(str(last_row(source, marks))) for source, marks in blocks)
    lines = _header(finding, options)
    room = max(options.width, _LEAST_WIDTH) if options.width else _WIDTH_OF_FILES
    for source, marks in blocks:
        if source is not finding.source:
            where = escape(_place(source, marks[0].span))
            lines.append(f"{_paint(' ' * digits + ' :::', 'gutter', options)} {where}")
        lines.append(_line(Row(""), digits, options))
        rows = excerpt(source, marks, room - digits - 4)
        lines += [_line(row, digits, options) for row in rows]
    for key, text in notes(finding):
        lines += _note(key, text, digits, options)
    return "".join(f"{line}\n" for line in lines)


def _place(source: SourceText, span: Span) -> str:
    at = source.position(span.start)
    return f"{source.name}:{at.row}:{at.column}"


def _header(finding: Finding, options: RenderOptions) -> list[str]:
    """`path:row:col: severity[CODE] message`, wrapped with hanging indentation."""
    place = escape(_place(finding.source, finding.span)) + ":"
    kind = f"{finding.severity.value}[{finding.rule.code}]"
    used = text_width(place) + text_width(kind) + 2
    first, *others = _wrapped(escape(finding.message), used, len(_HANGING), options)
    head = [_paint(place, "place", options), _paint(kind, finding.severity.value, options)]
    if first:
        head.append(_paint(first, "message", options))
    return [" ".join(head), *(_HANGING + _paint(line, "message", options) for line in others)]


def _note(key: str, text: str, digits: int, options: RenderOptions) -> list[str]:
    lead = f"{' ' * digits}  = "
    label = f"{key}: "
    hanging = len(lead) + len(label)
    first, *others = _wrapped(escape(text), hanging, hanging, options)
    head = _paint(lead, "gutter", options) + _paint(label, "note key", options) + first
    return [head.rstrip(), *(" " * hanging + line for line in others)]


def _wrapped(text: str, used: int, hanging: int, options: RenderOptions) -> list[str]:
    """The text broken at the terminal's width, with `used` cells taken in its first line."""
    if options.width <= 0:
        return [text]
    return wrap(text, options.width - used, max(options.width - hanging, _LEAST_TEXT))


def _line(row: Row, digits: int, options: RenderOptions) -> str:
    """A row of an excerpt behind its gutter, without blanks at its end."""
    out = _paint(f" {row.gutter:>{digits}} |", "gutter", options)
    column = -1
    for chunk in row.chunks:
        if chunk.text.strip():
            out += " " * (chunk.cell - column)
            text = chunk.text.rstrip()
            out += _paint(text, chunk.style, options)
            column = chunk.cell + text_width(text)
    return out


def _paint(text: str, style: str, options: RenderOptions) -> str:
    if not options.color or style not in _SGR:
        return text
    return f"\x1b[{_SGR[style]}m{text}\x1b[0m"
