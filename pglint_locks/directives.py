"""Reads the `pglint:` directives in one comment, in whatever language it stands.

A directive begins its comment, or a line of a block comment; further ones may follow in
the same line.  `pglint:` further on in a sentence is prose, and so is what stands in
code that is commented out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from pglint_locks.errors import did_you_mean
from pglint_locks.findings import Rule
from pglint_locks.selection import ALL, called_formerly, matching
from pglint_locks.text import Span

UNUSED = "PGL002"
UNKNOWN = "PGL003"
# What judges suppressions is itself suppressed by naming it only: otherwise a comment
# that suppresses all would hide that it does nothing.
_JUDGES = frozenset({UNUSED, UNKNOWN})


class Verb(Enum):
    """What a directive asks for."""

    IGNORE = "ignore"
    IGNORE_FILE = "ignore-file"
    OFF = "off"
    ON = "on"


@dataclass(frozen=True, slots=True)
class Item:
    """A word in a directive's brackets, and the codes of the rules it stands for.

    Without brackets a directive has one item of empty `text`.
    """

    text: str
    codes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive as file offsets: from `pglint` to the bracket or word that ends it."""

    verb: Verb
    span: Span
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something in a directive that means nothing, and what may have been meant.

    Where it means what is called otherwise today, `becomes` is that.
    """

    span: Span
    message: str
    label: str
    advice: str
    becomes: str | None = None


_MARKER = re.compile(r"(?<!\w)(?<!\w-)pglint[ \t]*:[ \t]*", re.IGNORECASE)
_WORD = re.compile(r"[a-z][\w-]*", re.IGNORECASE)
_BRACKETS = re.compile(r"[ \t]*\[([^\]]*)\]")
_OPEN_BRACKET = re.compile(r"[ \t]*\[[^\r\n]*")
_CODE = re.compile(r"PGL\d+", re.IGNORECASE)
_FIRST_OF_REASON = re.compile(r"[ \t:=(]*([\w-]+)")
_BRACKETS_OF_REASON = re.compile(r"[ \t]+[\w-]+[ \t]*\[([^\],]*)")
_COMMENT_SIGN = r"(?:--+|/\*+!?|//+!?|#+|<!--|\{#-?|\{\{-?\s*/\*|\{\{!(?:--)?|<%#|\.\.(?=\s)|%+|;+)"
_LEADS_COMMENT = re.compile(rf"\s*{_COMMENT_SIGN}?\s*")
_LEADS_LINE = re.compile(r"[\s*]*")
AFTER_SIGN = re.compile(rf"\s{_COMMENT_SIGN}\s*\Z")
_AROUND_ITEM = "* \t\r\n\f\v"  # a list may go on in the next line of a block comment
_LONGEST_SHOWN = 60
_BETWEEN = re.compile(r"[\s,;&]*")


def directives(
    text: str, start: int, rules: Sequence[Rule], alone: bool
) -> Iterator[Directive | Mistake]:
    """The directives of a comment and what is wrong with them, in order.

    `text` is the comment with its signs, `start` its file offset; `alone` tells that
    no code stands in the comment's lines.
    """
    end: int | None = None
    for marker in _MARKER.finditer(text):
        if end is not None and marker.start() < end:
            continue
        if not _is_directive(text, marker, end, alone):
            continue
        found = list(_directive(text, marker, rules))
        end = max([marker.end(), *(each.span.end for each in found)])
        for each in found:
            yield _shifted(each, start)


def _is_directive(text: str, marker: re.Match[str], before: int | None, alone: bool) -> bool:
    """Whether a marker opens a directive; `before` is where the last directive ended."""
    line = max(text.rfind("\n", 0, marker.start()), text.rfind("\r", 0, marker.start())) + 1
    # A sign has few characters; all of a long line would make this slow.
    after_sign = AFTER_SIGN.search(text, max(line, marker.start() - 16), marker.start())
    if before is not None and before > line:
        if after_sign or _BETWEEN.fullmatch(text, before, marker.start()):
            return True
        word = _WORD.match(text, marker.end())
        return word is not None and _BRACKETS.match(text, word.end()) is not None
    leading = _LEADS_LINE if line else _LEADS_COMMENT
    if leading.fullmatch(text, line, marker.start()):
        return True
    # Behind another tool's directive.  Alone in its line it may be commented-out code.
    return not alone and after_sign is not None


def _directive(
    text: str, marker: re.Match[str], rules: Sequence[Rule]
) -> Iterator[Directive | Mistake]:
    """What one marker opens, as offsets into the comment."""
    word = _WORD.match(text, marker.end())
    verb = next((verb for verb in Verb if word and word[0].lower() == verb.value), None)
    if word is None or verb is None:
        yield _no_directive(text, marker, word)
        return
    start, end = marker.start(), word.end()
    brackets = _BRACKETS.match(text, end)
    if brackets:
        whole = Span(start, brackets.end())
        read = list(_bracketed(brackets, rules))
        items = tuple(each for each in read if isinstance(each, Item))
        yield from (each for each in read if isinstance(each, Mistake))
        if items:
            yield Directive(verb, whole, items)
        elif not read:  # white space and commas
            yield _empty_brackets(verb, whole)
    elif (stray := _stray_codes(text, end, rules)) is not None:
        yield _no_brackets(verb, Span(start, stray))
    else:
        codes = frozenset(rule.code for rule in rules) - _JUDGES
        yield Directive(verb, Span(start, end), (Item("", codes),))


def _bracketed(brackets: re.Match[str], rules: Sequence[Rule]) -> Iterator[Item | Mistake]:
    """What stands between the commas of the brackets."""
    for piece in re.finditer(r"[^,]+", brackets[1]):
        word = piece[0].strip(_AROUND_ITEM)
        at = brackets.start(1) + piece.start() + piece[0].find(word)
        codes = matching(rules, [word])
        former = next((rule for rule in rules if called_formerly(rule, word)), None)
        if former is not None:
            yield _renamed(word, Span(at, at + len(word)), former)
        if codes:
            yield Item(word, codes if _is_exact(word) else codes - _JUDGES)
        elif word:
            yield _no_rule(word, Span(at, at + len(word)), rules)


def _stray_codes(text: str, at: int, rules: Sequence[Rule]) -> int | None:
    """Where codes end that stand behind a word without (closed) brackets of their own.

    Taken for a reason, they would have the directive suppress every rule.
    """
    if broken := _OPEN_BRACKET.match(text, at):
        return len(text[: broken.end()].rstrip())
    first = _FIRST_OF_REASON.match(text, at)
    inside = _BRACKETS_OF_REASON.match(text, at)
    for found in (first, inside):
        if found and (_CODE.fullmatch(found[1]) or matching(rules, [found[1].strip()])):
            return found.end() if found[1].upper() != ALL else None
    return None


def _is_exact(item: str) -> bool:
    """Whether an item names few rules on purpose, unlike `ALL` and the bare `PGL`."""
    return item.upper() not in (ALL, "PGL")


def _no_directive(text: str, marker: re.Match[str], word: re.Match[str] | None) -> Mistake:
    end = word.end() if word else len(text[: marker.end()].rstrip())
    near = did_you_mean(_short(word[0]) if word else "", [verb.value for verb in Verb])
    return Mistake(
        Span(marker.start(), end),
        f"'{_short(text[marker.start() : end])}' is no directive, so it does nothing",
        "not understood",
        near.removeprefix("; ") or "write ignore[CODE], ignore-file[CODE], off or on",
    )


def _empty_brackets(verb: Verb, span: Span) -> Mistake:
    return Mistake(
        span,
        "the brackets of this directive are empty, so it does nothing",
        "names no rule",
        f"write {verb.value}[CODE], or {verb.value} without brackets for every rule",
    )


def _no_brackets(verb: Verb, span: Span) -> Mistake:
    return Mistake(
        span,
        "the codes of this directive do not stand in brackets, so it does nothing",
        "not understood",
        f"write {verb.value}[CODE], several codes with commas",
    )


def _no_rule(item: str, span: Span, rules: Sequence[Rule]) -> Mistake:
    words = item.split()
    shown = _short(" ".join(words))
    near = did_you_mean(shown, [word for rule in rules for word in (rule.code, rule.name)])
    advice = near.removeprefix("; ") or "pglint-locks explain --all lists the rules"
    if len(words) > 1 and all(matching(rules, [word]) for word in words):
        advice = f"write {', '.join(words)} with commas between"
    message = f"'{shown}' names no rule, so it suppresses nothing"
    return Mistake(span, message, "no such rule", advice)


def _renamed(word: str, span: Span, rule: Rule) -> Mistake:
    today = rule.code if word[-1:].isdigit() else rule.name
    message = f"{word} is called {today} today"
    return Mistake(span, message, "its former name", f"write {today}", today)


def _short(words: str) -> str:
    """The words as a message may quote them."""
    return words if len(words) <= _LONGEST_SHOWN else f"{words[: _LONGEST_SHOWN - 1]}…"


def _shifted(found: Directive | Mistake, by: int) -> Directive | Mistake:
    if isinstance(found, Directive):
        return Directive(found.verb, found.span.shifted(by), found.items)
    return replace(found, span=found.span.shifted(by))
