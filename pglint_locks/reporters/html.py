"""`html`: one page that stands by itself, without scripts, for people who have no terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape as quoted
from itertools import groupby
from typing import TYPE_CHECKING

from pglint_locks import __version__
from pglint_locks.findings import Finding, Severity
from pglint_locks.reporters.cells import text_width
from pglint_locks.reporters.escape import escape
from pglint_locks.reporters.excerpt import Row, excerpt, last_row
from pglint_locks.reporters.options import RenderOptions
from pglint_locks.reporters.telling import marked_sources, notes
from pglint_locks.reporters.xml_text import in_ascii

if TYPE_CHECKING:
    from pglint_locks.run import Run

_ROOM = 120
_STYLE = """
:root { color-scheme: light dark; --error: #c62828; --warning: #b26a00; --note: #1565c0;
  --related: #00707a; --dim: #767676; }
@media (prefers-color-scheme: dark) { :root { --error: #ff7b72; --warning: #e3b341;
  --note: #79c0ff; --related: #56d4dd; --dim: #8b949e; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto;
  padding: 0 1rem; }
h3 { font-size: 1rem; margin: 2rem 0 0; }
pre { overflow-x: auto; line-height: 1.35; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0; }
dt, .gutter, .place { color: var(--dim); }
dd { margin: 0; }
td, th { padding: 0 1rem 0 0; text-align: left; }
.error { color: var(--error); font-weight: bold; }
.warning { color: var(--warning); font-weight: bold; }
.note { color: var(--note); font-weight: bold; }
.related { color: var(--related); }
"""


def render(run: Run, options: RenderOptions) -> str:
    """A summary, a table of the rules, and each finding with its source, file by file."""
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        # Nothing is loaded and nothing runs, whatever a linted file may hold.
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>pglint-locks</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        "<h1>pglint-locks</h1>",
        f"<p>{_summary(run)}</p>",
        *_errors(options.errors),
        *_table(run.findings),
    ]
    for name, findings in groupby(run.findings, key=lambda finding: finding.source.name):
        lines += [f"<h2>{_text(name)}</h2>"]
        for finding in findings:
            lines += _finding(finding)
    foot = f"<footer><p>pglint-locks {__version__}</p></footer>"
    return in_ascii("\n".join([*lines, foot, "</body>", "</html>\n"]))


def _text(text: str) -> str:
    return quoted(escape(text))


def _summary(run: Run) -> str:
    counts = Counter(finding.severity for finding in run.findings)
    said = ", ".join(
        f"{counts[each]} {each.value}{'s' if counts[each] != 1 else ''}"
        for each in reversed(Severity)
        if counts[each]
    )
    return (
        f"{said or 'No findings'}. Files: {run.files}; locking clauses: {run.clauses}, "
        f"of which {run.analysed} analysed."
    )


def _errors(errors: Iterable[str]) -> Iterator[str]:
    for error in errors:
        yield f'<p><span class="error">error</span>: {_text(error)}</p>'


def _table(findings: Iterable[Finding]) -> Iterator[str]:
    """How often each rule speaks."""
    counts = Counter(finding.rule for finding in findings)
    if not counts:
        return
    yield "<table>"
    yield "<tr><th>rule</th><th>name</th><th>findings</th></tr>"
    for rule in sorted(counts, key=lambda rule: rule.code):
        link = f'<a href="{_text(rule.url)}">{_text(rule.code)}</a>'
        yield f"<tr><td>{link}</td><td>{_text(rule.name)}</td><td>{counts[rule]}</td></tr>"
    yield "</table>"


def _finding(finding: Finding) -> Iterator[str]:
    at = finding.source.position(finding.span.start)
    severity, code = finding.severity.value, finding.rule.code
    yield "<article>"
    yield (
        f'<h3><span class="place">{at.row}:{at.column}</span> '
        f'<span class="{severity}">{severity}[{_text(code)}]</span> {_text(finding.message)}</h3>'
    )
    yield f"<pre>{''.join(_source(finding))}</pre>"
    yield "<dl>"
    for key, text in notes(finding):
        yield f"<dt>{_text(key)}</dt><dd>{_text(text)}</dd>"
    yield f'<dt>page</dt><dd><a href="{_text(finding.rule.url)}">{_text(finding.rule.url)}</a></dd>'
    yield "</dl>"
    yield "</article>"


def _source(finding: Finding) -> Iterator[str]:
    """The marked rows of the finding's file, and of others that it speaks of."""
    blocks = list(marked_sources(finding))
    digits = max(len(str(last_row(source, marks))) for source, marks in blocks)
    for source, marks in blocks:
        if source is not finding.source:
            at = source.position(marks[0].span.start)
            where = f"{source.name}:{at.row}:{at.column}"
            yield f'<span class="place">{" " * digits} ::: {_text(where)}</span>\n'
        for row in excerpt(source, marks, _ROOM):
            yield _row(row, digits) + "\n"


def _row(row: Row, digits: int) -> str:
    out = f'<span class="gutter">{quoted(f"{row.gutter:>{digits}}")} |</span> '
    column = 0
    for chunk in row.chunks:
        text = chunk.text.rstrip()
        if text:
            out += " " * (chunk.cell - column)
            out += f'<span class="{chunk.style}">{quoted(text)}</span>'
            column = chunk.cell + text_width(text)
    return out.rstrip()
