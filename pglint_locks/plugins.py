"""Rules of other packages, which they announce by the entry point group `pglint_locks.rules`.

An entry point names a `Rule`, or a sequence of them.  They are loaded when the rules are
first asked for beyond the catalogue: a run over files without locks never gets there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pglint_locks.findings import Rule, Severity, Subject
from pglint_locks.rules import RULES

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "pglint_locks.rules"

_CODE = re.compile(r"(?!PGL)[A-Z]{2,10}\d{2,4}")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")


class _Plugins(NamedTuple):
    """What all plug-ins gave, and a line for each that is broken."""

    rules: tuple[Rule, ...] = ()
    errors: tuple[str, ...] = ()


class _BrokenRuleError(Exception):
    """What an entry point leads to cannot be used as a rule."""


def known_rules() -> tuple[Rule, ...]:
    """Every rule: those of the catalogue, then those of plug-ins, by package and code."""
    return (*RULES, *_loaded().rules)


def plugin_errors() -> tuple[str, ...]:
    """A line for each plug-in that was to be loaded and is broken: its name and what to do."""
    return _loaded().errors if _loaded.cache_info().currsize else ()


def forget_plugins() -> None:
    """Have plug-ins loaded anew when they are asked for next."""
    _loaded.cache_clear()


@contextmanager
def sparing(rule: Rule, failures: dict[str, str]) -> Iterator[None]:
    """What a rule does here; one of a plug-in that fails loses no more than its own findings.

    Why it failed is noted in `failures`, once for each code.
    """
    try:
        yield
    except Exception as error:
        if not rule.plugin:
            raise
        failures.setdefault(
            rule.code,
            f"{rule.code} of {rule.plugin} failed: {type(error).__name__}: {error}; "
            f"tell its author, or leave it out with --ignore {rule.code}",
        )


@cache
def _loaded() -> _Plugins:
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda point: (_package(point), point.name))
    rules: list[Rule] = []
    errors: list[str] = []
    for point in dict.fromkeys(found):
        package = _package(point)
        try:
            for rule in _rules_of(point):
                _check(rule, [*RULES, *rules])
                rules.append(rule._replace(plugin=package))
        # A plug-in may do anything while it is imported; it must not take the run with it.
        except (Exception, SystemExit) as error:
            errors.append(_told(point, error))
    return _Plugins(tuple(rules), tuple(errors))


def _package(point: EntryPoint) -> str:
    """The package that an entry point belongs to, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def _told(point: EntryPoint, error: BaseException) -> str:
    what = str(error) if isinstance(error, _BrokenRuleError) else f"{type(error).__name__}: {error}"
    remedy = f"or run pip uninstall {point.dist.name}" if point.dist else "or take it away"
    return (
        f"the rules plug-in '{point.name}' of {_package(point)} ({point.value}) cannot be used: "
        f"{' '.join(what.split())}; repair it, {remedy}"
    )


def _rules_of(point: EntryPoint) -> Iterator[Rule]:
    """The rules that an entry point leads to."""
    loaded: Any = point.load()
    if isinstance(loaded, Rule):
        loaded = (loaded,)
    if isinstance(loaded, str) or not isinstance(loaded, Iterable):
        raise _BrokenRuleError(f"it is a {type(loaded).__name__}, not a Rule")
    for rule in loaded:
        if not isinstance(rule, Rule):
            raise _BrokenRuleError(f"it holds a {type(rule).__name__}, which is no Rule")
        yield rule


def _check(rule: Rule, known: Iterable[Rule]) -> None:
    """Make sure that a rule can stand among the others."""
    if not (isinstance(rule.code, str) and _CODE.fullmatch(rule.code)):
        raise _BrokenRuleError(
            f"{rule.code!r} is no code for it: take letters of your own (not PGL) and digits"
        )
    if not (isinstance(rule.name, str) and _NAME.fullmatch(rule.name)):
        raise _BrokenRuleError(f"{rule.code}: the name {rule.name!r} is not words-with-hyphens")
    for other in known:
        shared = {rule.code, rule.name, *rule.formerly} & {other.code, other.name, *other.formerly}
        if shared:
            whose = f"of {other.plugin}" if other.plugin else "of pglint-locks"
            raise _BrokenRuleError(f"{rule.code}: a rule {whose} is called {min(shared)} already")
    if not rule.severities or not all(isinstance(each, Severity) for each in rule.severities):
        raise _BrokenRuleError(f"{rule.code}: severities must hold a Severity")
    if rule.subject not in (Subject.CLAUSE, Subject.STATEMENT, Subject.RUN):
        raise _BrokenRuleError(f"{rule.code}: subject must be CLAUSE, STATEMENT or RUN")
    if not callable(rule.visit) or (rule.subject is Subject.RUN and not callable(rule.gather)):
        wanted = "visit and gather" if rule.subject is Subject.RUN else "visit"
        raise _BrokenRuleError(f"{rule.code}: it needs {wanted}")
