"""Statements of the host that put more text behind what a name holds: `sb.append("…")`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pglint_locks.sources.host.calls import Call, bare, call_at
from pglint_locks.sources.host.language import INTO_FIRST, Does, Language, does_of
from pglint_locks.sources.host.scopes import Setting
from pglint_locks.sources.host.tree import Node

_BEHIND = frozenset({Does.CONCAT, Does.CONCAT_BRACES, Does.BIND})
_WRITES = re.compile(r"print|println|write|write_?line|puts?", re.IGNORECASE)
_WRITERS = re.compile(
    r"w|\w*writer|[ps]w|\w*buf|\w*buffer|\w*io|\w*sql|\w*script|\w*query|\w*stream", re.I
)
_READS = r"\s*\.\s*(?:getvalue|toString|ToString|String|string)\b"


class Append(NamedTuple):
    """What is put behind the text of a name.

    `settings` are what the name is set to by it; `given` the expressions whose text that
    is, `chain` the calls that the one at hand is called on.
    """

    name: str
    settings: tuple[Setting, ...]
    given: tuple[Node, ...]
    chain: tuple[Node, ...] = ()


def append_at(node: Node, call: Call, language: Language) -> Append | None:
    """What a call puts behind a name's text; None if it does no such thing."""
    does = does_of(call.name, language)
    if does in INTO_FIRST:
        return _into_first(node, call, language)
    if does in (Does.ADD, Does.EXTEND):
        return _of_elements(call, does, language)
    if does in _BEHIND:
        return _behind(node, call, language)
    return _written(node, call, language)


def ends_line(name: str) -> bool:
    """Whether a function puts a line end behind what it is given."""
    return name.lower().endswith(("line", "ln"))


def is_written(call: Call, language: Language) -> bool:
    """Whether a call writes to something that is no terminal: `writer.println("…")`."""
    receiver = call.receiver
    return (
        receiver is not None
        and receiver.kind in language.names
        and _WRITES.fullmatch(call.name) is not None
        and (_WRITERS.fullmatch(_name(receiver)) or _is_read(_name(receiver), receiver.whole))
        is not None
    )


@lru_cache(maxsize=256)
def _is_read(name: str, text: str) -> re.Match[str] | None:
    """Where the text of a writer is asked for."""
    return re.search(rf"\b{re.escape(name)}{_READS}", text)


def built(node: Node) -> list[Node]:
    """The statements of the function that `buildString` is given."""
    body = next((each for each in node.below() if each.kind == "statements"), None)
    return body.operands if body is not None else []


def _name(node: Node) -> str:
    return node.text.lstrip("$")


def _behind(node: Node, call: Call, language: Language) -> Append | None:
    receiver = call.receiver
    given = list(call.arguments)
    chain: list[Node] = []
    while receiver is not None and (inner := call_at(receiver.whole, receiver, language)):
        chain.append(receiver)
        given += inner.arguments
        receiver = inner.receiver
    if receiver is None or receiver.kind not in language.names:
        return None
    if not call.arguments and not ends_line(call.name):
        return None
    setting = Setting(node, adds=True, whole=True)
    return Append(_name(receiver), (setting,), tuple(given), tuple(chain))


def _of_elements(call: Call, does: Does, language: Language) -> Append | None:
    """One more element of a list, or several, each set for itself."""
    receiver = call.receiver
    if receiver is None or receiver.kind not in language.names:
        return None
    elements = tuple(bare(each) for each in call.arguments)
    if does is Does.EXTEND:
        lists = [each for each in elements if each.kind in language.lists]
        elements = tuple(element for each in lists for element in each.operands)
    settings = tuple(Setting(each, adds=True, element=True) for each in elements)
    return Append(_name(receiver), settings, elements) if settings else None


def _into_first(node: Node, call: Call, language: Language) -> Append | None:
    """`fmt.Fprintf(&b, "…", x)`, `write!(s, "…", x)`."""
    place = first_name(call, language)
    if place is None:
        return None
    setting = Setting(node, adds=True, whole=True)
    return Append(_name(place), (setting,), call.arguments)


def first_name(call: Call, language: Language) -> Node | None:
    """The name among the first arguments, past the signs of a reference."""
    for argument in call.arguments[:2]:
        inner = [each for each in argument.below() if each.kind in language.names]
        if inner:
            return inner[0] if argument.kind not in language.strings else None
    return None


def _written(node: Node, call: Call, language: Language) -> Append | None:
    """What is written to a writer whose text is read again somewhere."""
    if not is_written(call, language) or not call.arguments or call.receiver is None:
        return None
    name = _name(call.receiver)
    if _is_read(name, node.whole) is None:
        return None
    first = bare(call.arguments[0])
    setting = Setting(first, adds=True, line=ends_line(call.name))
    return Append(name, (setting,), (first,))
