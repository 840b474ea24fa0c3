"""The first look: whether a file can hold a locking clause or a directive at all.

Lock words are FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE and FOR KEY SHARE, in any case,
with white space and comments between the words.  They are looked for in the raw text, in
literals and comments too: what they are there is for the parser to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import AnyStr, Generic

from pglint_locks.text import Span


def _any_case(word: str) -> str:
    """A pattern without the IGNORECASE flag, with which the engine could not leap ahead."""
    return "".join(f"[{letter}{letter.upper()}]" for letter in word)


# All patterns are ASCII, so that bytes and text share them.
_FOR, _NO, _KEY, _UPDATE, _SHARE = map(_any_case, ("for", "no", "key", "update", "share"))
_SPACE = r"[ \t\n\r\f\v]"
_IN_WORD = r"[^\x00-#%-/:-@\[-^`{-\x7f]"  # ASCII letters, digits, _ and $; all beyond ASCII
_PLAIN = (
    rf"{_SPACE}+(?:{_UPDATE}|{_SHARE}|{_KEY}{_SPACE}+{_SHARE}"
    rf"|{_NO}{_SPACE}+{_KEY}{_SPACE}+{_UPDATE})(?!{_IN_WORD})"
)
_UP_TO_COMMENT = rf"(?:{_SPACE}+(?:{_NO}(?:{_SPACE}+{_KEY})?|{_KEY}))?(?={_SPACE}*(?:--|/\*))"
_WORD = rf"({_NO})|({_KEY})|({_UPDATE})|({_SHARE})"


class _FirstLook(Generic[AnyStr]):
    """The patterns, for bytes or for text; each is compiled when it is first needed."""

    def __init__(self, compiled: Callable[[str], re.Pattern[AnyStr]]) -> None:
        self._compiled: Callable[[str], re.Pattern[AnyStr]] = compiled

    @cached_property
    def start(self) -> re.Pattern[AnyStr]:
        return self._compiled(rf"{_FOR}(?<!{_IN_WORD}...)(?:({_PLAIN})|{_UP_TO_COMMENT})")

    @cached_property
    def gap(self) -> re.Pattern[AnyStr]:
        return self._compiled(rf"{_SPACE}*(?:(--)|(/\*))?")

    @cached_property
    def word(self) -> re.Pattern[AnyStr]:
        return self._compiled(rf"(?:{_WORD})(?!{_IN_WORD})")

    @cached_property
    def edge(self) -> re.Pattern[AnyStr]:
        return self._compiled(r"(/\*)|\*/")

    @cached_property
    def line(self) -> re.Pattern[AnyStr]:
        return self._compiled(r"[^\r\n]*")

    def spans(self, text: AnyStr) -> Iterator[tuple[int, int]]:
        """Where lock words stand: from FOR to the last word."""
        gaps = _Gaps(self, text)
        end = 0
        for found in self.start.finditer(text):
            start = found.start()
            if start < end:
                continue  # in a comment between the words of the last ones
            end = found.end() if found.lastindex else self._end(text, start + len("for"), gaps)
            if end > start:
                yield start, end

    def _end(self, text: AnyStr, at: int, gaps: _Gaps[AnyStr]) -> int:
        """The end of the words after FOR, read one by one across comments; 0 if they fail."""
        words = ""
        while word := self.word.match(text, gaps.end(at)):
            words += "NKUS"[(word.lastindex or 0) - 1]
            at = word.end()
            if words in ("U", "S", "NKU", "KS"):
                return at
            if words not in ("N", "NK", "K"):
                return 0
        return 0


class _Gaps(Generic[AnyStr]):
    """Ends of white space and comments.  What was walked once is not walked again."""

    def __init__(self, look: _FirstLook[AnyStr], text: AnyStr) -> None:
        self._look: _FirstLook[AnyStr] = look
        self._text: AnyStr = text
        self._known: dict[int, int] = {}  # where a comment begins: where its gap ends
        self._line = (0, -1)  # of a line: from a comment in it to its end
        self._blocks: dict[int, int] | None = None

    def end(self, at: int) -> int:
        walked: list[int] = []
        while (gap := self._look.gap.match(self._text, at)) and gap.lastindex:
            comment = gap.start(gap.lastindex)
            if comment in self._known:
                at = self._known[comment]
                break
            walked.append(comment)
            at = self._line_end(comment) if gap.lastindex == 1 else self._block_end(comment)
        else:
            at = gap.end() if gap else at
        self._known.update(dict.fromkeys(walked, at))
        return at

    def _line_end(self, comment: int) -> int:
        """The end of the comment's line, found once for all that stands in the line."""
        if not self._line[0] <= comment <= self._line[1]:
            line = self._look.line.match(self._text, comment)
            self._line = (comment, line.end() if line else comment)
        return self._line[1]

    def _block_end(self, comment: int) -> int:
        """Behind the block comment, or the end of the text.

        All of them are matched at once, as brackets are: nothing but white space, a word
        or another comment stands before the one asked for, so it is one of them.
        """
        if self._blocks is None:
            self._blocks, opened = {}, []
            for edge in self._look.edge.finditer(self._text):
                if edge.lastindex:
                    opened.append(edge.start())
                elif opened:
                    self._blocks[opened.pop()] = edge.end()
        return self._blocks.get(comment, len(self._text))


_BYTES = _FirstLook(lambda pattern: re.compile(pattern.encode()))
_TEXT = _FirstLook(lambda pattern: re.compile(pattern))
# In code, `for update in` and `for share, ok := range` are loops, and `\nFOR` is no word.
_LOOPS_ON = rb"(?![ \t]*(?:in\b|,|:?=|<-))"
# All of these are for lower case, and begin with a word that the engine can leap to.
_FOR_WORD, _GAP = rb"for(?:(?<!\w...)|(?<=\\[nrt]...))", rb"(?:\s|\\[nrt])"
_STRENGTH = rb"(?:(?:no%s+)?key%s+)?(?:update|share)(?!\w)" % (_GAP, _GAP)
_ESCAPED = _FOR_WORD + rb"%s+%s%s" % (_GAP, _STRENGTH, _LOOPS_ON)
# FOR at the end of a literal or before what is spliced in, and UPDATE or SHARE first in one.
_FOR_LAST = _FOR_WORD + (
    rb"%s*(?:no%s+)?(?:key%s+)?(?:[\"'`{%%]|\$\{|#\{|\\\()" % (_GAP, _GAP, _GAP)
)
# What may be put in behind FOR is known nowhere; or a literal ends within the word.
_FOR_HIDDEN = re.compile(
    rb"(?<!\w)FOR%s+(?:(?:NO%s+)?KEY%s+)?(?:[\"']?%s*\|\||[\"'`]%s*[+.]|[\"'`]%s*<>|\{|%%|\$|#\{|\\\()"
    rb"|(?<!\w)(?i:for%s+)(?:(?i:up|upd|upda|updat|sh|sha|shar))[\"']" % ((_GAP,) * 7)
)
_STRENGTH_FIRST = rb"[\"'`]%s*%s" % (_GAP, _STRENGTH)
_DIRECTIVE = re.compile(rb"pglint[ \t]*:")


def has_lock_words(data: bytes) -> bool:
    """Whether lock words stand anywhere in a file, as raw bytes in an ASCII-like encoding."""
    return next(_BYTES.spans(data), None) is not None


def has_folded_lock_words(data: bytes) -> bool:
    """Whether lock words stand in a file of code, or literals that would give some together."""
    if next(_in_code(data), None) is not None or _is_parted(data):
        return True
    return _FOR_HIDDEN.search(data) is not None


def has_joined_lock_words(data: bytes) -> bool:
    """Whether literals stand in SQL that may give lock words with what is put behind them."""
    return _FOR_HIDDEN.search(data) is not None or (b"||" in data and _is_parted(data))


def _is_parted(data: bytes) -> bool:
    """Whether a literal ends in FOR, and one begins with what goes on from there."""
    data = data.lower()
    return all(re.search(part, data) for part in (_FOR_LAST, _STRENGTH_FIRST))


_LOCK_CALL = re.compile(
    rb"select_for_update|with_for_update|[lL]ockForUpdate|sharedLock|lock_style|setLock"
    rb"|clause\.Locking|\bfor(?:_no_key)?_update\b|\bfor(?:_key)?_share\b"
    rb"|\bfor(?:NoKey)?Update\b|\bfor(?:Key)?Share\b|\.for\(|[.|> ]lock\b|\block:"
)


def has_lock_calls(data: bytes) -> bool:
    """Whether a call may stand in a file of code by which an ORM is asked for a lock."""
    return _LOCK_CALL.search(data) is not None


_MODEL = re.compile(
    rb"\bmodels\.(?:Model\b|\w+Field\(|ForeignKey\()|\b__tablename__\b|\bdb\.Model\b"
)


def has_model_words(data: bytes) -> bool:
    """Whether a file of Python may define the models of an ORM."""
    return _MODEL.search(data) is not None


def may_fold_to_lock_words(data: bytes) -> bool:
    """Whether a part of a file has lock words, or a part of such as other literals go on with."""
    if next(_in_code(data), None) is not None or _FOR_HIDDEN.search(data) is not None:
        return True
    data = data.lower()
    return any(re.search(part, data) for part in (_FOR_LAST, _STRENGTH_FIRST))


def code_lock_word_spans(text: str) -> Iterator[Span]:
    """The lock words in a text of code, but for those that begin a loop."""
    data = text.encode("utf-8", "replace")
    for start, end in sorted(_in_code(data)):
        first = len(data[:start].decode("utf-8", "replace"))
        yield Span(first, first + len(data[start:end].decode("utf-8", "replace")))


def _in_code(data: bytes) -> Iterator[tuple[int, int]]:
    """Lock words, as they stand and with escaped white space, that begin no loop."""
    seen = set()
    for start, end in _BYTES.spans(data):
        if re.compile(_LOOPS_ON).match(data, end):
            seen.add(start)
            yield start, end
    for found in re.finditer(_ESCAPED, data.lower()):
        if found.start() not in seen:
            yield found.span()


def has_advisory_words(data: bytes) -> bool:
    """Whether the name of a function that takes an advisory lock stands anywhere in a file."""
    data = data.lower()
    return b"advisory_lock" in data or b"advisory_xact_lock" in data


def has_view_words(data: bytes) -> bool:
    """Whether the words of a view's definition stand anywhere in a file."""
    data = data.lower()
    return b"create" in data and b"view" in data


def has_table_words(data: bytes) -> bool:
    """Whether the words of a table's or an index's definition stand anywhere in a file."""
    data = data.lower()
    return (b"create" in data or b"alter" in data) and (b"table" in data or b"index" in data)


def has_directive(data: bytes) -> bool:
    """Whether the marker of our own directives (`pglint:`, in any case) stands in a file."""
    data = data.lower()
    return b"pglint" in data and _DIRECTIVE.search(data) is not None


def lock_word_spans(text: str) -> Iterator[Span]:
    """The lock words in a text, in order, each from FOR to its last word.

    For text that the parser cannot read, or has not yet: a literal's inside, a function's
    body.  Lock words in comments count.
    """
    for start, end in _TEXT.spans(text):
        yield Span(start, end)
