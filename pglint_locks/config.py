"""Settings: what the command line, the environment and configuration files add up to.

Each of these is a *layer*; a later one goes before an earlier one, key by key.  The rule
selection adds up instead: see `Config.enabled`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pglint_locks.configfile import FILE_NAMES, TABLE, read_config_file
from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.findings import Severity
from pglint_locks.kinds import Hidden
from pglint_locks.options import (
    BY_KEY,
    OPTIONS,
    OTHER_DATABASES,
    VARIABLE_PREFIX,
    checked,
    parsed,
)
from pglint_locks.paths import absolute, below, has_wildcards, shown
from pglint_locks.patterns import Level, PatternSet
from pglint_locks.plugins import known_rules
from pglint_locks.selection import called_formerly, closest, matching, resolve

COMMAND_LINE = "command line"
ENVIRONMENT = "environment"
DEFAULT = "default"
PATTERN_KEYS = ("include", "exclude", "extend-exclude", "assume-in-transaction")
SELECTION_KEYS = ("select", "extend-select", "ignore")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the engine wants to know, for one file.

    `enabled` holds the codes that the selection and per-file ignores leave.  `severity`
    has the severities that replace a rule's own; None switches the rule off.  `schema` are
    absolute paths, be it with wildcards.
    """

    enabled: frozenset[str] = field(default_factory=lambda: resolve(known_rules()))
    severity: Mapping[str, Severity | None] = field(default_factory=dict)
    severity_threshold: Severity = Severity.NOTE
    fail_on: Severity | None = Severity.WARNING
    queue_tables: tuple[str, ...] = ()
    isolation_level: str | None = None
    assume_in_transaction: bool = False
    strict_no_key: bool = False
    schema: tuple[str, ...] = ()
    schema_from_sources: bool = True
    database_url: Hidden | None = None
    explain: bool = False
    dialect_paths: tuple[str, ...] = OTHER_DATABASES
    file_timeout: float | None = None

    @property
    def has_schema(self) -> bool:
        """Whether a schema is set beside what linted files define."""
        return bool(self.schema) or self.database_url is not None

    def runs(self, code: str) -> bool:
        """Whether a rule runs: it is enabled and not switched off by its severity."""
        return code in self.enabled and self.severity.get(code, Severity.NOTE) is not None


class Layer(NamedTuple):
    """The values that one place sets; `root` is what relative paths in it start from."""

    origin: str
    root: Path
    values: Mapping[str, Any]


class Config:
    """The layers that hold for one configuration file (or for none), weakest first.

    `root` is what patterns are relative to: the file's directory, or without a file
    the working directory.
    """

    def __init__(self, layers: Sequence[Layer], root: Path, cwd: Path) -> None:
        self.layers = tuple(layers)
        self.root = root
        self.cwd = cwd
        self._pattern_sets: dict[tuple[str, ...], PatternSet] = {}

    def __getitem__(self, key: str) -> Any:
        """The value of a key: the strongest layer's, or the default."""
        layer = self._setter(key)
        return layer.values[key] if layer else BY_KEY[key].default

    def origin(self, key: str) -> str:
        """Where the value of a key comes from."""
        if key in SELECTION_KEYS:
            origins = [layer.origin for layer in self._selecting if key in layer.values]
            return " and ".join(origins) or DEFAULT
        layer = self._setter(key)
        return layer.origin if layer else DEFAULT

    def file(self, key: str) -> Path | None:
        """The value of a key that holds a path, from the directory it is relative to."""
        layer = self._setter(key)
        return layer.root / layer.values[key] if layer else None

    def files(self, key: str) -> tuple[str, ...]:
        """The values of a key that holds paths, from the directory they are relative to."""
        layer = self._setter(key)
        return (
            tuple(str(absolute(Path(each), layer.root)) for each in layer.values[key])
            if (layer)
            else ()
        )

    def selectors(self, key: str) -> tuple[str, ...] | None:
        """What `select`, `extend-select` or `ignore` add up to; None where unset."""
        lists = [layer.values[key] for layer in self._selecting if key in layer.values]
        return tuple(item for items in lists for item in items) if lists else None

    @cached_property
    def enabled(self) -> frozenset[str]:
        """The codes that run, before per-file ignores.

        Layer by layer: one with `select` starts anew, the others add and take away.  So
        the command line's `--select PGL101` goes before a file's `ignore`.
        """
        codes: frozenset[str] | None = None
        for layer in self.layers:
            select, extend, ignore = (layer.values.get(key) for key in SELECTION_KEYS)
            codes = resolve(known_rules(), select, extend or (), ignore or (), base=codes)
        return resolve(known_rules()) if codes is None else codes

    def settings(self, file: Path) -> Settings:
        """The settings for one file, given by its absolute path."""
        path = self._seen(file)
        ignored = [
            selector
            for pattern, selectors in self["per-file-ignores"].items()
            if self._pattern_set("per-file-ignores", (pattern,)).covers(path)
            for selector in selectors
        ]
        assumed = self.covers("assume-in-transaction", file)
        if not ignored and not assumed:
            return self._common
        return self._make(self.enabled - matching(known_rules(), ignored), assumed)

    def covers(self, key: str, path: Path, is_directory: bool = False) -> bool:
        """Whether a key's gitignore patterns match a path or a directory above it."""
        return self._pattern_set(key, self[key]).covers(self._seen(path), is_directory)

    def levels(self, keys: Sequence[str], folder: Path) -> tuple[Level, ...]:
        """The gitignore patterns of keys, as seen from a directory; unset keys are left out."""
        prefix = f"{seen}/" if (seen := self._seen(folder)) else ""
        return tuple(Level(self._pattern_set(key, self[key]), prefix) for key in keys if self[key])

    def compile_patterns(self) -> None:
        """Compile all patterns now, so that a faulty one is told before a file is read.

        Raises:
            UsageError: a pattern is faulty.
        """
        for key in PATTERN_KEYS:
            self._pattern_set(key, self[key])
        for pattern in self["per-file-ignores"]:
            self._pattern_set("per-file-ignores", (pattern,))

    def check_schema(self) -> None:
        """Make sure that the files of the schema exist, before a file is read.

        Raises:
            UsageError: one does not, and its name has no wildcards.
        """
        for path in self.files("schema"):
            if not (has_wildcards(path) or os.path.exists(path)):
                name = shown(Path(path), self.cwd)
                raise UsageError(f"{self.origin('schema')}: schema: there is no {name}")

    def _pattern_set(self, key: str, patterns: tuple[str, ...]) -> PatternSet:
        """A key's gitignore patterns, compiled once."""
        if patterns not in self._pattern_sets:
            self._pattern_sets[patterns] = PatternSet(patterns, f"{self.origin(key)}: {key}")
        return self._pattern_sets[patterns]

    def _seen(self, path: Path) -> str:
        """An absolute path as patterns see it: what of it is below `root`.

        What stands outside (`--config` from elsewhere) is seen from the working
        directory, and where it is not below that either, by its name alone.
        """
        for base in (self.root, self.cwd):
            if (parts := below(path, base)) is not None:
                return "/".join(parts)
        return path.name

    @cached_property
    def _common(self) -> Settings:
        return self._make(self.enabled, assume_in_transaction=False)

    @cached_property
    def _severities(self) -> dict[str, Severity | None]:
        """The severity that is set for each code: the longest selector's."""
        table: Mapping[str, Severity | None] = self["severity"]
        closests = ((rule.code, closest(rule, table)) for rule in known_rules())
        return {code: table[selector] for code, selector in closests if selector}

    @property
    def outdated(self) -> Iterator[str]:
        """A line for each code and name in it that is called otherwise today."""
        for layer in self.layers:
            for key, words in _selectors_of(layer.values):
                for word in words:
                    for rule in known_rules():
                        if called_formerly(rule, word):
                            today = rule.code if word[:1].isupper() else rule.name
                            yield f"{layer.origin}: {key}: {word} is called {today} today"

    def _make(self, enabled: frozenset[str], assume_in_transaction: bool) -> Settings:
        return Settings(
            enabled=enabled,
            severity=self._severities,
            severity_threshold=self["severity-threshold"],
            fail_on=self["fail-on"],
            queue_tables=self["queue-tables"],
            isolation_level=self["isolation-level"],
            assume_in_transaction=assume_in_transaction,
            strict_no_key=self["strict-no-key"],
            schema=self.files("schema"),
            schema_from_sources=self["schema-from-sources"],
            database_url=self["database-url"],
            explain=self["explain"],
            dialect_paths=self["dialect-paths"],
            file_timeout=self["file-timeout"],
        )

    def _setter(self, key: str) -> Layer | None:
        return next((layer for layer in reversed(self.layers) if key in layer.values), None)

    @property
    def _selecting(self) -> tuple[Layer, ...]:
        """The layers whose selection counts: from the last one on that has `select`."""
        starts = [n for n, layer in enumerate(self.layers) if "select" in layer.values]
        return self.layers[starts[-1] if starts else 0 :]


class Configs:
    """Finds the configuration that holds in each directory: the nearest file's above it.

    `over` are the layers of the environment and the command line.  `forced`
    (`--config`) holds everywhere; with `isolated` no file does.
    """

    def __init__(
        self,
        cwd: Path,
        over: Sequence[Layer] = (),
        forced: Path | None = None,
        isolated: bool = False,
    ) -> None:
        self._cwd = cwd
        self._over = tuple(over)
        self._by_directory: dict[Path, Config | UsageError] = {}
        self._everywhere: Config | None = None
        if forced:
            self._everywhere = self._read(absolute(forced, cwd))
            if self._everywhere is None:
                raise UsageError(f"{shown(forced, cwd)}: has no table [tool.{TABLE}]")
        elif isolated:
            self._everywhere = self.without_file

    @cached_property
    def without_file(self) -> Config:
        """The configuration where there is no file."""
        return Config(self._over, self._cwd, self._cwd)

    def above(self, directory: Path) -> Config:
        """The configuration for what stands in a directory (an absolute path).

        Raises:
            UsageError: the configuration file that holds here is broken.  It is the same
                object for every directory, so that it is told once.
        """
        if self._everywhere:
            return self._everywhere
        missing = []
        folder = directory
        while folder not in self._by_directory:
            missing.append(folder)
            folder = folder.parent
            if folder == missing[-1]:
                break
        for folder in reversed(missing):
            self._by_directory[folder] = self._find(folder)
        found = self._by_directory[directory]
        if isinstance(found, UsageError):
            raise found
        return found

    @property
    def outdated(self) -> list[str]:
        """What the configurations that were found so far call by a former name, a line each."""
        found = [self._everywhere, self.without_file, *self._by_directory.values()]
        lines = (line for each in found if isinstance(each, Config) for line in each.outdated)
        return list(dict.fromkeys(lines))

    def _find(self, directory: Path) -> Config | UsageError:
        try:
            for name in FILE_NAMES:
                path = directory / name
                if os.path.lexists(path) and (config := self._read(path)):
                    return config
        except UsageError as error:
            return error
        if directory.parent == directory:
            return self.without_file
        return self._by_directory[directory.parent]

    def _read(self, path: Path) -> Config | None:
        name = shown(path, self._cwd)
        values = read_config_file(path, name)
        if values is None:
            return None
        config = Config((Layer(name, path.parent, values), *self._over), path.parent, self._cwd)
        config.compile_patterns()
        config.check_schema()
        return config


def _selectors_of(values: Mapping[str, Any]) -> Iterator[tuple[str, Iterable[str]]]:
    """The keys of a layer that select rules, with the selectors that are written there."""
    for key in SELECTION_KEYS:
        yield key, values.get(key) or ()
    yield "severity", values.get("severity") or ()
    for selectors in values.get("per-file-ignores", {}).values():
        yield "per-file-ignores", selectors


def environment_layer(environ: Mapping[str, str], cwd: Path) -> Layer:
    """The layer of the `PGLINT_LOCKS_…` variables; an empty one is an unset one.

    Raises:
        UsageError: a variable names no option or one that only files can set, or its
            value is not of the option's kind.
    """
    by_variable = {option.variable: option for option in OPTIONS}
    known = [option.variable for option in OPTIONS if option.on_command_line]
    values: dict[str, object] = {}
    for name in sorted(environ):
        if not name.startswith(VARIABLE_PREFIX) or not environ[name]:
            continue
        option = by_variable.get(name)
        if option is None:
            hint = did_you_mean(name, known, VARIABLE_PREFIX)
            raise UsageError(f"{name} names no option{hint or '; unset it'}")
        if not option.on_command_line:
            raise UsageError(f"{name}: {option.key} can only be set in a configuration file")
        values[option.key] = checked(option, parsed(option, environ[name], name), name)
    return Layer(ENVIRONMENT, cwd, values)


def command_line_layer(given: Mapping[str, object], cwd: Path) -> Layer:
    """The layer of the command line: `given` has what options were given, by key.

    A value is True for a flag, else text, or several texts where an option repeats.

    Raises:
        UsageError: a value is not of its option's kind.
    """
    values = {}
    for key, value in given.items():
        option, place = BY_KEY[key], f"--{key}"
        if isinstance(value, str):
            value = parsed(option, value, place)
        elif isinstance(value, tuple):
            value = [item for text in value for item in _items(parsed(option, text, place))]
        values[key] = checked(option, value, place)
    if "unsafe-fixes" in values and "diff" not in values:  # to ask for them is to want them
        values["fix"] = True
    return Layer(COMMAND_LINE, cwd, values)


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
