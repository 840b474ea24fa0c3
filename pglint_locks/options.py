"""Every option and configuration key: its kind of value, its default, its help.

One table serves the command line (`--fail-on`), the environment
(`PGLINT_LOCKS_FAIL_ON`) and configuration files (`fail-on`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Flag, auto

from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.findings import Severity
from pglint_locks.rules import RULES
from pglint_locks.selection import check_selector, find_rule

NEVER = "never"
OFF = "off"
SEVERITIES = tuple(severity.value for severity in Severity)
FORMATS = ("full", "concise", "json", "jsonl", "github")
FORMATS_TO_COME = ("gitlab", "sarif", "junit", "rdjson", "checkstyle", "html")
ISOLATION_LEVELS = ("read uncommitted", "read committed", "repeatable read", "serializable")
OTHER_DATABASES = ("mysql", "mariadb", "oracle", "sqlite", "mssql", "sqlserver")

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


class WrongValueError(ValueError):
    """A value is not of the kind that its option wants; the message says what is wanted."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What values an option takes.

    `check` turns a value as TOML gives it into the value that the program uses;
    `parse` turns text (of the command line, of the environment) into a TOML value.
    Both raise `WrongValueError`, or `UsageError` where a name can be suggested.
    """

    check: Callable[[object], object]
    parse: Callable[[str], object] = str
    repeatable: bool = False
    metavar: str | None = None


class Where(Flag):
    """The places that an option can be set in."""

    COMMAND_LINE = auto()
    FILE = auto()
    BOTH = COMMAND_LINE | FILE


@dataclass(frozen=True, slots=True)
class Option:
    """An option: `key` is its name in files, and after `--` on the command line.

    `built` is False for what is known but does not work yet: setting it is an error.
    `topic` is the heading that it stands under in `--help`.
    """

    key: str
    kind: Kind
    default: object
    help: str
    where: Where = Where.BOTH
    built: bool = True
    short: str | None = None
    topic: str = "Settings"

    @property
    def variable(self) -> str:
        """The name of its environment variable."""
        return "PGLINT_LOCKS_" + self.key.upper().replace("-", "_")


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


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise WrongValueError("must be a list of strings")
    return tuple(value)


def _parse_texts(text: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if not any(items):
        raise WrongValueError("must name at least one")
    return [item for item in items if item]


def _choice(
    choices: Sequence[str], to_come: Sequence[str] = (), metavar: str | None = None
) -> Kind:
    def check(value: object) -> str:
        if not isinstance(value, str):
            raise WrongValueError(f"must be one of {', '.join(choices)}")
        if value in to_come:
            raise UsageError(f"'{value}' is not built yet; use one of {', '.join(choices)}")
        if value not in choices:
            hint = did_you_mean(value, choices) or f"; use one of {', '.join(choices)}"
            raise UsageError(f"'{value}' is not known{hint}")
        return value

    return Kind(check, metavar=metavar)


def _severity(value: object) -> Severity:
    return Severity(_choice(SEVERITIES).check(value))


def _fail_on(value: object) -> Severity | None:
    word = _choice((*SEVERITIES, NEVER)).check(value)
    return None if word == NEVER else Severity(word)


def _isolation_level(value: object) -> str:
    word = value.lower().replace("-", " ") if isinstance(value, str) else value
    return str(_choice(ISOLATION_LEVELS).check(word))


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
        check_selector(RULES, selector)
    return selectors


def _rule_severities(value: object) -> dict[str, Severity | None]:
    """A table from rules to severities, as codes to severities; None is `off`."""
    if not isinstance(value, dict):
        raise WrongValueError('must be a table such as { PGL301 = "warning" }')
    return {find_rule(RULES, name).code: _one_severity(name, word) for name, word in value.items()}


def _one_severity(name: str, word: object) -> Severity | None:
    choices = (*SEVERITIES, OFF)
    if not isinstance(word, str) or word not in choices:
        hint = did_you_mean(word, choices) if isinstance(word, str) else ""
        wanted = ", ".join(choices)
        raise UsageError(f"{name} must be one of {wanted}, not {_as_toml(word)}{hint}")
    return None if word == OFF else Severity(word)


def _per_file_ignores(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise WrongValueError('must be a table such as { "legacy/*.sql" = ["PGL301"] }')
    try:
        return {pattern: _selectors(selectors) for pattern, selectors in value.items()}
    except WrongValueError as error:
        raise WrongValueError(f"each value {error}") from None


FLAG = Kind(_flag, _parse_flag)
TEXT = Kind(_text)
TEXTS = Kind(_texts, _parse_texts, repeatable=True)
SELECTORS = Kind(_selectors, _parse_texts, repeatable=True, metavar="CODES")
PATH = Kind(_text, metavar="PATH")
PATHS = Kind(_texts, _parse_texts, repeatable=True, metavar="PATH")
COUNT = Kind(_count, _parse_count, metavar="N")

DEFAULT_EXCLUDES = (
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    ".venv",
    "venv",
    "__pycache__",
    ".tox",
    ".nox",
)

_REPORTED = "What is reported"
_PRINTED = "How it is printed"
_RUN = "How it runs"
_TO_COME = "Known, but not built yet"


def _option(
    key: str, kind: Kind, default: object, topic: str, help: str, short: str = ""
) -> Option:
    built = topic != _TO_COME
    return Option(key, kind, default, help, Where.BOTH, built, short or None, topic)


def _file_key(key: str, kind: Kind, default: object, help: str, built: bool = True) -> Option:
    return Option(key, kind, default, help, Where.FILE, built)


OPTIONS: tuple[Option, ...] = (
    _option(
        "select",
        SELECTORS,
        None,
        _REPORTED,
        "Run these rules and no others: codes, prefixes of codes (PGL1), names, or ALL.",
    ),
    _option("extend-select", SELECTORS, (), _REPORTED, "Run these rules too."),
    _option("ignore", SELECTORS, (), _REPORTED, "Do not run these rules."),
    _option(
        "severity-threshold",
        Kind(_severity, metavar="SEVERITY"),
        Severity.NOTE,
        _REPORTED,
        "Show findings from note, warning or error on.  [default: note]",
    ),
    _option(
        "fail-on",
        Kind(_fail_on, metavar="SEVERITY"),
        Severity.WARNING,
        _REPORTED,
        "End with status 1 if a finding, shown or not, is a note, warning or error or worse; "
        "or never.  [default: warning]",
    ),
    _option(
        "output-format",
        _choice(FORMATS, FORMATS_TO_COME, metavar="FORMAT"),
        "full",
        _PRINTED,
        f"One of {', '.join(FORMATS)}.  [default: full]",
    ),
    _option("output-file", PATH, None, _PRINTED, "Write findings here, not to standard output."),
    _option("statistics", FLAG, False, _PRINTED, "Count the findings of each rule."),
    _option(
        "coverage",
        FLAG,
        False,
        _PRINTED,
        "List the locking clauses that were not analysed, and why.",
    ),
    _option("quiet", FLAG, False, _PRINTED, "Print findings and errors only.", short="q"),
    _option("verbose", FLAG, False, _PRINTED, "Name each file that is read.", short="v"),
    _option(
        "color",
        _choice(("auto", "always", "never"), metavar="WHEN"),
        "auto",
        _PRINTED,
        "auto, always or never.  [default: auto]",
    ),
    Option(
        "stdin-filename",
        Kind(_text, metavar="NAME"),
        None,
        "What standard input (-) is called.",
        where=Where.COMMAND_LINE,
        topic=_RUN,
    ),
    Option(
        "config",
        PATH,
        None,
        "Use this configuration file and no other.",
        where=Where.COMMAND_LINE,
        topic=_RUN,
    ),
    Option(
        "isolated", FLAG, False, "Use no configuration file.", where=Where.COMMAND_LINE, topic=_RUN
    ),
    _option("jobs", COUNT, None, _RUN, "Accepted; has no effect yet."),
    _option("no-cache", FLAG, False, _RUN, "Accepted; has no effect yet."),
    _option("fix", FLAG, False, _TO_COME, "Apply safe fixes."),
    _option("unsafe-fixes", FLAG, False, _TO_COME, "Apply unsafe fixes too."),
    _option("diff", FLAG, False, _TO_COME, "Print what fixes would change."),
    _option("schema", PATHS, (), _TO_COME, "Read table definitions from these files."),
    _option(
        "database-url",
        Kind(_text, metavar="URL"),
        None,
        _TO_COME,
        "Read table definitions from this server.",
    ),
    _option("baseline", PATH, None, _TO_COME, "Leave out the findings that are listed here."),
    _option("write-baseline", PATH, None, _TO_COME, "List the findings here."),
    _option(
        "since",
        Kind(_text, metavar="REV"),
        None,
        _TO_COME,
        "Only findings on lines changed since this git revision.",
    ),
    _file_key("include", TEXTS, (), "More files to look for in directories."),
    _file_key("exclude", TEXTS, DEFAULT_EXCLUDES, "What to leave out."),
    _file_key("extend-exclude", TEXTS, (), "What else to leave out."),
    _file_key("respect-gitignore", FLAG, True, "Leave out what git ignores."),
    _file_key("per-file-ignores", Kind(_per_file_ignores), {}, "Rules that do not run there."),
    _file_key("severity", Kind(_rule_severities), {}, "Severities of rules."),
    _file_key("queue-tables", TEXTS, (), "Tables that are queues."),
    _file_key(
        "isolation-level",
        Kind(_isolation_level),
        None,
        "The isolation level of transactions that do not say.",
    ),
    _file_key("assume-in-transaction", TEXTS, (), "Files that run inside one transaction."),
    _file_key(
        "strict-no-key", FLAG, False, "Ask for NO KEY UPDATE where no later write is seen too."
    ),
    _file_key(
        "dialect-paths", TEXTS, OTHER_DATABASES, "Parts of paths that name another database."
    ),
    _file_key(
        "schema-from-sources",
        FLAG,
        False,
        "Read table definitions from the linted files.",
        built=False,
    ),
    _file_key("file-timeout", Kind(_seconds), None, "Seconds that one file may take."),
)

BY_KEY = {option.key: option for option in OPTIONS}


def checked(option: Option, value: object, place: str) -> object:
    """The value that an option gets from a TOML value.

    `place` says where the value stands, and begins the error message.

    Raises:
        UsageError: the value is not of the option's kind, or the option is not built.
    """
    try:
        result = option.kind.check(value)
    except WrongValueError as error:
        raise UsageError(f"{place}: {error}, not {_as_toml(value)}") from None
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    if not option.built and result:
        raise UsageError(f"{place} is not built yet; leave it out")
    return result


def parsed(option: Option, text: str, place: str) -> object:
    """The TOML value that a text of the command line or the environment stands for.

    Raises:
        UsageError: the text cannot be read as a value of the option's kind.
    """
    try:
        return option.kind.parse(text)
    except WrongValueError as error:
        raise UsageError(f"{place}: {error}, not '{text}'") from None


def _as_toml(value: object) -> str:
    """A value as a person would write it in a configuration file, or its kind if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"[{', '.join(_as_toml(item) for item in value)}]"
    return repr(value)
