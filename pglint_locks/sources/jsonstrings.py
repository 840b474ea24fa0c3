"""The strings in JSON text: under which key each stands, and what it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.sources.assembly import Assembly
from pglint_locks.text import Span

_TOKEN = re.compile(
    r"""[\s,]+ | (?P<string>"(?:[^"\\\r\n]|\\.)*") | (?P<open>[{\[]) | (?P<close>[}\]])
    | (?P<colon>:) | (?P<scalar>-?[\w.+]+)""",
    re.VERBOSE,
)
_COLON = re.compile(r"\s*:")
_ESCAPE = re.compile(
    r"\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u(?P<code>[0-9a-fA-F]{4})|\\(?P<other>.)"
)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class JsonString(NamedTuple):
    """A string value: where it stands with its quotes, and the keys that lead to it.

    The elements of an array are led to by their numbers.
    """

    span: Span
    path: tuple[str | int, ...]


class BrokenJsonError(Exception):
    """The text is no JSON from the offset `at` on."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


_MAX_DEPTH = 100


def strings(text: str) -> Iterator[JsonString]:
    """The string values of a JSON text in order; raises `BrokenJsonError` where it is none."""
    path: list[str | int] = []
    closings: list[str] = []
    key: str | None = None
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise BrokenJsonError(at)
        in_object = bool(closings) and closings[-1] == "}"
        if token["string"]:
            if in_object and key is None:
                key = token["string"][1:-1]
                at = _behind_colon(text, token.end())
                path[-1] = key
                continue
            yield JsonString(Span(*token.span("string")), tuple(path))
        elif token["open"]:
            closings.append("}" if token["open"] == "{" else "]")
            path.append("" if token["open"] == "{" else 0)
            key = None
            if len(closings) > _MAX_DEPTH:
                raise BrokenJsonError(at)
            at = token.end()
            continue
        elif token["close"]:
            if not closings or closings.pop() != token["close"]:
                raise BrokenJsonError(at)
            path.pop()
            key = None
        elif token["colon"]:
            raise BrokenJsonError(at)
        if (token.lastgroup is not None) and path:
            if isinstance(path[-1], int):
                path[-1] += 1
            key = None
        at = token.end()
    if closings:
        raise BrokenJsonError(at)


def _behind_colon(text: str, at: int) -> int:
    colon = _COLON.match(text, at)
    if colon is None:
        raise BrokenJsonError(at)
    return colon.end()


def put_value(assembly: Assembly, text: str, span: Span) -> None:
    """Put the value of the string at a place into a unit."""
    at, end = span.start + 1, span.end - 1
    for escape in _ESCAPE.finditer(text, at, end):
        assembly.copy(Span(at, escape.start()))
        assembly.put(_meaning(escape), Span(*escape.span()))
        at = escape.end()
    assembly.copy(Span(at, end))


def _meaning(escape: re.Match[str]) -> str:
    if escape["high"]:
        high, low = int(escape["high"], 16), int(escape["low"], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if escape["code"]:
        code = int(escape["code"], 16)
        return chr(code) if code and not 0xD800 <= code < 0xE000 else "\ufffd"
    return _CONTROLS.get(escape["other"], escape["other"])
