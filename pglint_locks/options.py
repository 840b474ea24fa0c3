"""Every option and configuration key: its kind of value, its default, its help.

One table serves the command line (`--fail-on`), the environment
(`PGLINT_LOCKS_FAIL_ON`) and configuration files (`fail-on`).
"""

from __future__ import annotations

from typing import NamedTuple

from pglint_locks import kinds
from pglint_locks.errors import UsageError
from pglint_locks.findings import Severity
from pglint_locks.kinds import FLAG, PATH, PATHS, SELECTORS, TEXTS, Kind, WrongValueError

FORMATS = (
    *("full", "concise", "json", "jsonl", "github", "gitlab", "sarif", "junit", "rdjson"),
    *("checkstyle", "html"),
)
OTHER_DATABASES = ("mysql", "mariadb", "oracle", "sqlite", "mssql", "sqlserver")
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

VARIABLE_PREFIX = "PGLINT_LOCKS_"

_REPORTED = "What is reported"
_FIXED = "What is fixed"
_PRINTED = "How it is printed"
_RUN = "How it runs"
_KNOWN = "What is known of tables"
_TO_COME = "Known, but not built yet"
_KEY = ""


class Option(NamedTuple):
    """An option: `key` is its name in files, and after `--` on the command line.

    `topic` is the heading that it stands under in `--help`; empty for what files alone
    can set.  `built` is False for what is known but does not work yet: to set it is an
    error.
    """

    key: str
    kind: Kind
    default: object
    topic: str
    help: str
    short: str = ""
    in_files: bool = True
    built: bool = True

    @property
    def on_command_line(self) -> bool:
        """Whether the command line and the environment can set it."""
        return self.topic != _KEY

    @property
    def variable(self) -> str:
        """The name of its environment variable."""
        return VARIABLE_PREFIX + self.key.upper().replace("-", "_")


def _to_come(key: str, kind: Kind, help: str, topic: str = _TO_COME) -> Option:
    default = False if kind is FLAG else () if kind.repeatable else None
    return Option(key, kind, default, topic, help, built=False)


OPTIONS: tuple[Option, ...] = (
    Option(
        "select",
        kinds.SELECT,
        None,
        _REPORTED,
        "Run these rules and no others: codes, prefixes of codes (PGL1), names, or ALL.",
    ),
    Option("extend-select", SELECTORS, (), _REPORTED, "Run these rules too."),
    Option("ignore", SELECTORS, (), _REPORTED, "Do not run these rules."),
    Option(
        "severity-threshold",
        kinds.SEVERITY,
        Severity.NOTE,
        _REPORTED,
        "Show findings from note, warning or error on.  [default: note]",
    ),
    Option(
        "fail-on",
        kinds.SEVERITY_OR_NEVER,
        Severity.WARNING,
        _REPORTED,
        "End with status 1 for findings, shown or not, from note, warning or error on; or never."
        "  [default: warning]",
    ),
    Option(
        "since",
        kinds.REVISION,
        None,
        _REPORTED,
        "Only findings in statements of which a line changed since this git revision was left,"
        " committed or not.",
    ),
    Option(
        "staged", FLAG, False, _REPORTED, "Only findings in statements of which a line is staged."
    ),
    Option("baseline", PATH, None, _REPORTED, "Leave out the findings that this file lists."),
    Option("write-baseline", PATH, None, _REPORTED, "Write that file: list all findings here."),
    Option(
        "baseline-strict",
        FLAG,
        False,
        _REPORTED,
        "End with status 1, too, where the baseline lists findings that are gone.",
    ),
    Option("fix", FLAG, False, _FIXED, "Apply safe fixes to the files."),
    Option("unsafe-fixes", FLAG, False, _FIXED, "Apply unsafe fixes too."),
    Option(
        "add-suppressions",
        kinds.REASON,
        None,
        _FIXED,
        "Write comments with this reason that suppress what is found.",
        in_files=False,
    ),
    Option("diff", FLAG, False, _FIXED, "Print what fixes would change, and change nothing."),
    Option(
        "output-format",
        kinds.choice(FORMATS, "FORMAT"),
        "full",
        _PRINTED,
        f"One of {', '.join(FORMATS)}.  [default: full]",
    ),
    Option("output-file", PATH, None, _PRINTED, "Write findings here, not to standard output."),
    Option("statistics", FLAG, False, _PRINTED, "Count the findings of each rule."),
    Option("coverage", FLAG, False, _PRINTED, "List the locking clauses that were not analysed."),
    Option("quiet", FLAG, False, _PRINTED, "Print findings and errors only.", short="q"),
    Option(
        "verbose",
        FLAG,
        False,
        _PRINTED,
        "Name each file that is read, links that are not, and fixes that are not applied.",
        short="v",
    ),
    Option(
        "color",
        kinds.choice(("auto", "always", "never"), "WHEN"),
        "auto",
        _PRINTED,
        "auto, always or never.  [default: auto]",
    ),
    Option(
        "stdin-filename",
        kinds.NAME,
        None,
        _RUN,
        "What standard input (-) is called.",
        in_files=False,
    ),
    Option("config", PATH, None, _RUN, "Use this configuration file alone.", in_files=False),
    Option("isolated", FLAG, False, _RUN, "Use no configuration file.", in_files=False),
    Option("jobs", kinds.COUNT, None, _RUN, "Accepted; has no effect yet."),
    Option("no-cache", FLAG, False, _RUN, "Accepted; has no effect yet."),
    Option(
        "schema",
        PATHS,
        (),
        _KNOWN,
        "Read what tables are from these files of DDL and folders of migrations.",
    ),
    Option(
        "database-url",
        kinds.URL,
        None,
        _KNOWN,
        "Read what tables are from this server's catalogues (postgresql://…); better set as"
        " PGLINT_LOCKS_DATABASE_URL.",
        in_files=False,
    ),
    Option(
        "explain",
        FLAG,
        False,
        _KNOWN,
        "Ask the server of --database-url for the plan of each statement that locks; none is run.",
        in_files=False,
    ),
    Option("include", TEXTS, (), _KEY, "More files to look for in directories."),
    Option("exclude", TEXTS, DEFAULT_EXCLUDES, _KEY, "What to leave out."),
    Option("extend-exclude", TEXTS, (), _KEY, "What else to leave out."),
    Option("respect-gitignore", FLAG, True, _KEY, "Leave out what git ignores."),
    Option("per-file-ignores", kinds.PER_FILE_IGNORES, {}, _KEY, "Rules that do not run there."),
    Option("severity", kinds.RULE_SEVERITIES, {}, _KEY, "Severities of rules."),
    Option("queue-tables", TEXTS, (), _KEY, "Tables that are queues."),
    Option(
        "isolation-level",
        kinds.ISOLATION_LEVEL,
        None,
        _KEY,
        "The isolation level of transactions that do not say.",
    ),
    Option("assume-in-transaction", TEXTS, (), _KEY, "Files that run inside one transaction."),
    Option(
        "strict-no-key",
        FLAG,
        False,
        _KEY,
        "Ask for NO KEY UPDATE where no write is seen, too.",
    ),
    Option(
        "dialect-paths",
        TEXTS,
        OTHER_DATABASES,
        _KEY,
        "Parts of paths that name another database.",
    ),
    Option("schema-from-sources", FLAG, True, _KEY, "Read what tables are from linted files, too."),
    _to_come("file-timeout", kinds.SECONDS, "Seconds that one file may take.", _KEY),
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
        raise UsageError(f"{place}: {error}, not {kinds.as_toml(value)}") from None
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
