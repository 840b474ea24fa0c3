"""Sets the Markdown of the rules' pages for a terminal.

Only what the pages use: headings, paragraphs, lists, quotes, tables, fenced code, links and
emphasis.  Code and tables keep their lines.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*\Z")
_ITEM = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+|\s*>\s?)(.*)")
_TABLE = re.compile(r"\s*\|")
_LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]*)\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\w)([^*]+)(?<=\w)\*(?![\w*])")
_BOLD, _CODE, _PLAIN = "\x1b[1m", "\x1b[36m", "\x1b[0m"


def render(text: str, width: int, color: bool) -> str:
    """The page in lines of at most `width` characters, code and tables excepted.

    With `color`, headings are bold and code blocks coloured.
    """
    lines: list[str] = []
    for block in _blocks(text):
        lines += [*_block(block, width, color), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _blocks(text: str) -> Iterator[list[str]]:
    """Runs of lines that belong together: paragraphs, list items, tables, code with its fences."""
    block: list[str] = []
    fence = None
    for line in text.splitlines():
        found = _FENCE.match(line)
        if fence:
            block.append(line)
            if found and found[1] == fence:
                yield block
                block, fence = [], None
        elif found:
            if block:
                yield block
            block, fence = [line], found[1]
        elif not line.strip():
            if block:
                yield block
            block = []
        elif block and (_HEADING.match(line) or _HEADING.match(block[0])):
            yield block
            block = [line]
        else:
            block.append(line)
    if block:
        yield block


def _block(block: list[str], width: int, color: bool) -> list[str]:
    first = block[0]
    if _FENCE.match(first):
        code = [f"    {line}".rstrip() for line in block[1:] if not _FENCE.match(line)]
        return [f"{_CODE}{line}{_PLAIN}" if color and line else line for line in code]
    heading = _HEADING.match(first)
    if heading:
        title = _inline(heading[1])
        return [f"{_BOLD}{title}{_PLAIN}" if color else title]
    if _TABLE.match(first):
        return [_inline(line) for line in block]
    return [line for item in _items(block) for line in _wrapped(item, width)]


def _items(block: list[str]) -> Iterator[tuple[str, str]]:
    """Each list item (or the one paragraph) as its mark and its joined text."""
    mark, words = "", [block[0]]
    for number, line in enumerate(block):
        found = _ITEM.fullmatch(line)
        if found:
            if number:
                yield mark, " ".join(words)
            mark, words = found[1], [found[2]]
        elif number:
            words.append(line.strip())
    yield mark, " ".join(words)


def _wrapped(item: tuple[str, str], width: int) -> list[str]:
    mark, text = item
    return textwrap.wrap(
        _inline(text),
        max(width, len(mark) + 20),
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _inline(text: str) -> str:
    """Links as `words (address)`, emphasis without its stars; code keeps its backquotes."""
    parts = re.split(r"(`+[^`]*`+)", text)
    return "".join(part if part.startswith("`") else _plain(part) for part in parts)


def _plain(text: str) -> str:
    return _EMPHASIS.sub(r"\1", _STRONG.sub(r"\2", _LINK.sub(_link, text)))


def _link(found: re.Match[str]) -> str:
    words, address = found[1], found[2]
    is_web = address.startswith("http")
    return f"{words} ({address})" if is_web and words != address else words
