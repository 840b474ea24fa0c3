"""The kinds of values that options take: how they are checked and read from text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.findings import Severity
from pglint_locks.plugins import known_rules, plugin_errors
from pglint_locks.rules import RULES
from pglint_locks.selection import check_selector

NEVER = "never"
OFF = "off"
SEVERITIES = tuple(severity.value for severity in Severity)
ISOLATION_LEVELS = ("read uncommitted", "read committed", "repeatable read", "serializable")

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


class WrongValueError(ValueError):
    """A value is not of the kind that its option wants; the message says what is wanted."""


class Hidden:
    """A text that may hold a password: it shows nowhere unless asked for."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for who is to use it; not for messages."""
        return self._text

    def __repr__(self) -> str:
        return "Hidden(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hidden) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


class Kind(NamedTuple):
    """What values an option takes.

    `check` turns a value as TOML gives it into the value that the program uses;
    `parse` turns text (of the command line, of the environment) into a TOML value.
    Both raise `WrongValueError`, or `UsageError` where a name can be suggested.
    """

    check: Callable[[object], object]
    parse: Callable[[str], object] = str
    repeatable: bool = False
    metavar: str = "TEXT"


def choice(choices: Sequence[str], metavar: str) -> Kind:
    """One of some words."""

    def check(value: object) -> str:
        return _chosen(value, choices)

    return Kind(check, metavar=metavar)


def as_toml(value: object) -> str:
    """A value as a person would write it in a configuration file, or its kind if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"[{', '.join(as_toml(item) for item in value)}]"
    return repr(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongValueError("must be true or false")
    return value


def _parse_flag(text: str) -> bool:
    if text.lower() not in _TRUE + _FALSE:
        raise WrongValueError("must be true or false (or 1 or 0)")
    return text.lower() in _TRUE


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise WrongValueError("must be a non-empty string")
    return value


def _hidden(value: object) -> Hidden:
    return Hidden(_text(value))


def _reason(value: object) -> str:
    reason = " ".join(value.split()) if isinstance(value, str) else ""
    if not re.search(r"\w", reason) or not reason.isprintable() or "pglint" in reason.lower():
        raise WrongValueError("must say why in one line, without 'pglint'")
    return reason


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise WrongValueError("must be a list of strings")
    return tuple(value)


def _parse_texts(text: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if not any(items):
        raise WrongValueError("must name at least one")
    return [item for item in items if item]


def _chosen(value: object, choices: Sequence[str]) -> str:
    if not isinstance(value, str):
        raise WrongValueError(f"must be one of {', '.join(choices)}")
    if value not in choices:
        hint = did_you_mean(value, choices) or f"; use one of {', '.join(choices)}"
        raise UsageError(f"'{value}' is not known{hint}")
    return value


def _severity(value: object) -> Severity:
    return Severity(_chosen(value, SEVERITIES))


def _fail_on(value: object) -> Severity | None:
    word = _chosen(value, (*SEVERITIES, NEVER))
    return None if word == NEVER else Severity(word)


def _isolation_level(value: object) -> str:
    word = value.lower().replace("-", " ") if isinstance(value, str) else value
    return _chosen(word, ISOLATION_LEVELS)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise WrongValueError("must be a whole number of 1 or more")
    return value


def _parse_count(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise WrongValueError("must be a whole number of 1 or more") from None


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise WrongValueError("must be a number of seconds above 0")
    return float(value)


def _selectors(value: object) -> tuple[str, ...]:
    selectors = _texts(value)
    for selector in selectors:
        _check_selector(selector)
    return selectors


def _check_selector(selector: str) -> None:
    """Make sure that a selector picks a rule: plug-ins are loaded where no other is called so.

    Raises:
        UsageError: it picks none.
    """
    try:
        check_selector(RULES, selector)
    except UsageError:
        try:
            check_selector(known_rules(), selector)
        except UsageError as error:
            hints = "".join(f"; {line}" for line in plugin_errors())
            raise UsageError(f"{error}{hints}") from None


def _select(value: object) -> tuple[str, ...]:
    selectors = _selectors(value)
    if not selectors:  # it would switch off every rule, and the run would look clean
        raise WrongValueError("must name at least one")
    return selectors


def _rule_severities(value: object) -> dict[str, Severity | None]:
    """A table from selectors to severities; None is `off`."""
    if not isinstance(value, dict):
        raise WrongValueError('must be a table such as { PGL301 = "warning" }')
    for name in value:
        _check_selector(name)
    return {name: _one_severity(name, word) for name, word in value.items()}


def _one_severity(name: str, word: object) -> Severity | None:
    choices = (*SEVERITIES, OFF)
    if not isinstance(word, str) or word not in choices:
        hint = did_you_mean(word, choices) if isinstance(word, str) else ""
        wanted = ", ".join(choices)
        raise UsageError(f"{name} must be one of {wanted}, not {as_toml(word)}{hint}")
    return None if word == OFF else Severity(word)


def _per_file_ignores(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise WrongValueError('must be a table such as { "legacy/*.sql" = ["PGL301"] }')
    try:
        return {pattern: _selectors(selectors) for pattern, selectors in value.items()}
    except WrongValueError as error:
        raise WrongValueError(f"each value {error}") from None


FLAG = Kind(_flag, _parse_flag)
TEXTS = Kind(_texts, _parse_texts, repeatable=True)
SELECTORS = Kind(_selectors, _parse_texts, repeatable=True, metavar="CODES")
SELECT = SELECTORS._replace(check=_select)
PATH = Kind(_text, metavar="PATH")
PATHS = Kind(_texts, _parse_texts, repeatable=True, metavar="PATH")
NAME = Kind(_text, metavar="NAME")
URL = Kind(_hidden, metavar="URL")
REASON = Kind(_reason, metavar="REASON")
REVISION = Kind(_text, metavar="REV")
COUNT = Kind(_count, _parse_count, metavar="N")
SECONDS = Kind(_seconds)
SEVERITY = Kind(_severity, metavar="SEVERITY")
SEVERITY_OR_NEVER = Kind(_fail_on, metavar="SEVERITY")
ISOLATION_LEVEL = Kind(_isolation_level)
RULE_SEVERITIES = Kind(_rule_severities)
PER_FILE_IGNORES = Kind(_per_file_ignores)
