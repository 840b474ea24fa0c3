"""Configuration: which file holds where, what it may say, and what goes before it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pglint_locks.config import (
    Config,
    Configs,
    Layer,
    command_line_layer,
    environment_layer,
)
from pglint_locks.errors import UsageError
from pglint_locks.findings import Severity, Subject
from pglint_locks.options import OPTIONS, Option
from pglint_locks.rules import RULES


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _in(folder: Path, text: str, name: str = ".pglint-locks.toml") -> Config:
    _write(folder / name, text)
    return Configs(folder).above(folder)


def _error(folder: Path, text: str, name: str = ".pglint-locks.toml") -> str:
    with pytest.raises(UsageError) as caught:
        _in(folder, text, name)
    return str(caught.value)


# Which file holds


def test_without_a_file_defaults_hold(tmp_path: Path) -> None:
    config = Configs(tmp_path).above(tmp_path)
    assert config["fail-on"] is Severity.WARNING
    assert config.origin("fail-on") == "default"
    assert config.settings(tmp_path / "a.sql").severity_threshold is Severity.NOTE


def test_the_nearest_file_above_holds(tmp_path: Path) -> None:
    _write(tmp_path / "pyproject.toml", '[tool.pglint-locks]\nfail-on = "error"\n')
    _write(tmp_path / "db" / "pglint-locks.toml", 'fail-on = "never"\n')
    configs = Configs(tmp_path)
    assert configs.above(tmp_path / "app" / "deep")["fail-on"] is Severity.ERROR
    below = configs.above(tmp_path / "db" / "migrations")
    assert below["fail-on"] is None
    assert below.origin("fail-on") == "db/pglint-locks.toml"


def test_names_go_in_order_within_a_directory(tmp_path: Path) -> None:
    _write(tmp_path / "pyproject.toml", "[tool.pglint-locks]\njobs = 3\n")
    assert Configs(tmp_path).above(tmp_path)["jobs"] == 3
    _write(tmp_path / "pglint-locks.toml", "jobs = 2\n")
    assert Configs(tmp_path).above(tmp_path)["jobs"] == 2
    _write(tmp_path / ".pglint-locks.toml", "jobs = 1\n")
    assert Configs(tmp_path).above(tmp_path)["jobs"] == 1


def test_a_pyproject_without_our_table_does_not_count(tmp_path: Path) -> None:
    _write(tmp_path / "pglint-locks.toml", "jobs = 7\n")
    _write(tmp_path / "a" / "pyproject.toml", '[project]\nname = "pglint-locks-user"\n')
    _write(tmp_path / "b" / "pyproject.toml", "this is no TOML and none of our business")
    configs = Configs(tmp_path)
    assert configs.above(tmp_path / "a")["jobs"] == 7
    assert configs.above(tmp_path / "b")["jobs"] == 7


def test_a_forced_file_holds_everywhere(tmp_path: Path) -> None:
    _write(tmp_path / "db" / "pglint-locks.toml", "jobs = 2\n")
    forced = _write(tmp_path / "ci" / "strict.toml", "jobs = 9\n")
    assert Configs(tmp_path, forced=forced).above(tmp_path / "db")["jobs"] == 9


def test_a_forced_pyproject_needs_our_table(tmp_path: Path) -> None:
    forced = _write(tmp_path / "pyproject.toml", "[project]\n")
    with pytest.raises(UsageError, match=r"pyproject.toml: has no table \[tool.pglint-locks\]"):
        Configs(tmp_path, forced=forced)


def test_a_forced_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere.toml: cannot be read: No such file"):
        Configs(tmp_path, forced=Path("nowhere.toml"))


def test_isolated_reads_no_file(tmp_path: Path) -> None:
    _write(tmp_path / "pglint-locks.toml", "broken")
    assert Configs(tmp_path, isolated=True).above(tmp_path)["jobs"] is None


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert _in(tmp_path, "\ufeffjobs = 4\n")["jobs"] == 4


# What a file may say


def test_each_key_takes_a_value_of_its_kind(tmp_path: Path) -> None:
    config = _in(
        tmp_path,
        """
        select = ["PGL1", "lock-stops-at-with"]
        extend-select = ["PGL401"]
        ignore = ["PGL102"]
        severity-threshold = "warning"
        fail-on = "never"
        output-format = "json"
        output-file = "out/findings.json"
        statistics = true
        coverage = true
        quiet = true
        verbose = false
        color = "never"
        jobs = 2
        no-cache = true
        include = ["*.sql.in"]
        exclude = ["vendor"]
        extend-exclude = ["/db/dump/*.sql"]
        respect-gitignore = false
        per-file-ignores = { "legacy/" = ["PGL301", "random-order-lock"] }
        severity = { PGL301 = "warning", random-order-lock = "off" }
        queue-tables = ["jobs", "app.outbox"]
        isolation-level = "Repeatable-Read"
        assume-in-transaction = ["migrations/"]
        strict-no-key = true
        dialect-paths = []
        """,
    )
    ones = {rule.code for rule in RULES if rule.code.startswith("PGL1") and not rule.opt_in}
    own = {rule.code for rule in RULES if rule.subject is Subject.LINTER and not rule.opt_in}
    assert config.enabled == own | (ones - {"PGL102"}) | {"PGL201", "PGL401"}
    assert config.file("output-file") == tmp_path / "out" / "findings.json"
    settings = config.settings(tmp_path / "legacy" / "a.sql")
    assert settings.enabled == config.enabled - {"PGL401"}
    assert settings.severity == {"PGL301": Severity.WARNING, "PGL401": None}
    assert settings.severity_threshold is Severity.WARNING
    assert settings.fail_on is None
    assert settings.queue_tables == ("jobs", "app.outbox")
    assert settings.isolation_level == "repeatable read"
    assert not settings.assume_in_transaction
    assert config.settings(tmp_path / "migrations" / "1.sql").assume_in_transaction
    assert settings.strict_no_key
    assert settings.dialect_paths == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("jobs = true", "jobs: must be a whole number of 1 or more, not true"),
        ("jobs = 0", "jobs: must be a whole number of 1 or more, not 0"),
        ('statistics = "yes"', "statistics: must be true or false, not 'yes'"),
        ('select = "PGL101"', "select: must be a list of strings, not 'PGL101'"),
        ("ignore = [1]", "ignore: must be a list of strings, not [1]"),
        ('ignore = [""]', "ignore: must be a list of strings, not ['']"),
        ("exclude = {}", "exclude: must be a list of strings, not a table"),
        ("output-file = 1", "output-file: must be a non-empty string, not 1"),
        ('fail-on = "warn"', "fail-on: 'warn' is not known; did you mean 'warning'?"),
        ("fail-on = 1", "fail-on: must be one of note, warning, error, never, not 1"),
        ('output-format = "yaml"', "output-format: 'yaml' is not known; use one of full, "),
        ("file-timeout = 0", "file-timeout: must be a number of seconds above 0, not 0"),
        ("file-timeout = nan", "file-timeout: must be a number of seconds above 0, not nan"),
        ("severity = []", "severity: must be a table such as { PGL301 ="),
        (
            'severity.PGL301 = "warnign"',
            "severity: PGL301 must be one of note, warning, error, off, not 'warnign'; "
            "did you mean 'warning'?",
        ),
        ('severity.PGL31 = "off"', "severity: no rule is called 'PGL31'; did you mean 'PGL301'?"),
        ('severity.PGL9 = "off"', "severity: no rule is called 'PGL9'"),
        ("select = []", "select: must name at least one, not []"),
        ('ignore = ["PGL7011"]', "ignore: no rule is called 'PGL7011'; did you mean 'PGL701'?"),
        ('per-file-ignores."a/*" = "x"', "per-file-ignores: each value must be a list of strings"),
        ('per-file-ignores."a/*" = ["PGL9"]', "per-file-ignores: no rule is called 'PGL9'"),
        ('isolation-level = "snapshot"', "isolation-level: 'snapshot' is not known"),
        ("fial-on = 1", "fial-on is no known key; did you mean 'fail-on'?"),
        ("xyzzy = 1", "xyzzy is no known key"),
        ("isolated = true", "isolated can only be set on the command line, or as PGLINT_"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_key(tmp_path: Path, line: str, message: str) -> None:
    assert _error(tmp_path, line).startswith(f".pglint-locks.toml: {message}")
    told = _error(tmp_path / "p", f"[tool.pglint-locks]\n{line}", "pyproject.toml")
    assert f"p/pyproject.toml: tool.pglint-locks.{message}" in f"p/{told}"


def test_severities_go_by_prefix_too_and_the_longer_one_wins(tmp_path: Path) -> None:
    config = _in(
        tmp_path,
        'severity = { PGL102 = "error", PGL1 = "note", ALL = "warning", PGL201 = "off" }\n',
    )
    severity = config.settings(tmp_path / "a.sql").severity
    assert set(severity) == {rule.code for rule in RULES}
    assert severity["PGL101"] is Severity.NOTE
    assert severity["PGL102"] is Severity.ERROR
    assert severity["PGL201"] is None
    assert severity["PGL301"] is Severity.WARNING


@pytest.mark.parametrize("name", [".pglint-locks.toml", "pglint-locks.toml", "pyproject.toml"])
def test_a_directory_or_pipe_named_like_a_configuration_is_an_error(
    tmp_path: Path, name: str
) -> None:
    for make, kind in ((Path.mkdir, "a directory"), (os.mkfifo, "a pipe")):
        folder = tmp_path / kind
        folder.mkdir()
        make(folder / name)
        with pytest.raises(UsageError) as caught:
            Configs(tmp_path).above(folder)
        assert str(caught.value).endswith(f"{name}: is {kind}, no configuration file; rename it")


def test_a_configuration_that_is_a_link_to_nowhere_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pglint-locks.toml").symlink_to("gone.toml")
    with pytest.raises(UsageError, match=r"^pglint-locks.toml: cannot be read: No such file"):
        Configs(tmp_path).above(tmp_path)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("file-timeout = 2.5", "file-timeout"),
    ],
)
def test_what_is_not_built_yet_says_so(tmp_path: Path, line: str, key: str) -> None:
    assert f".pglint-locks.toml: {key} is not built yet" in _error(tmp_path, line)


def test_the_schema_is_relative_to_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "schema.sql").touch()
    config = _in(tmp_path, 'schema = ["schema.sql", "db/*.sql"]\n')
    settings = config.settings(tmp_path / "app" / "a.sql")
    assert settings.schema == (str(tmp_path / "schema.sql"), str(tmp_path / "db" / "*.sql"))


def test_a_schema_that_is_not_there_is_told_by_its_name(tmp_path: Path) -> None:
    assert _error(tmp_path, 'schema = ["db/schema.sql"]').endswith(
        "pglint-locks.toml: schema: there is no db/schema.sql"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("jobs = 1\nfail-on : 2\n", "2:9"),
        ("jobs = 1\n[severity\n", "2:10"),
        ("jobs = 1\njobs = 2", "2:9"),
        ("a = [1,\n", "2:1"),
        ('a = """x\n\n', "3:1"),
    ],
)
def test_broken_toml_names_file_line_and_column(tmp_path: Path, text: str, place: str) -> None:
    assert _error(tmp_path, text).startswith(f".pglint-locks.toml:{place}: is no valid TOML: ")


def test_a_configuration_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "pglint-locks.toml").write_bytes(b'jobs = 1\nexclude = ["\xe9"]\n')
    with pytest.raises(UsageError, match=r"^pglint-locks.toml:2: is not UTF-8$"):
        Configs(tmp_path).above(tmp_path)


def test_our_table_must_be_one(tmp_path: Path) -> None:
    assert "tool.pglint-locks must be a table" in _error(
        tmp_path, "tool.pglint-locks = 1\n", "pyproject.toml"
    )


def test_a_broken_file_is_one_error_for_all_below_it(tmp_path: Path) -> None:
    _write(tmp_path / "pglint-locks.toml", "broken")
    (tmp_path / "a" / "b").mkdir(parents=True)
    configs = Configs(tmp_path)
    caught = []
    for folder in (tmp_path / "a" / "b", tmp_path, tmp_path / "a"):
        with pytest.raises(UsageError) as error:
            configs.above(folder)
        caught.append(error.value)
    assert caught[0] is caught[1] is caught[2]


def test_a_faulty_pattern_is_told_with_file_and_key(tmp_path: Path) -> None:
    for key in ("include", "exclude", "extend-exclude", "assume-in-transaction"):
        message = f".pglint-locks.toml: {key}: '!' is no gitignore pattern"
        assert _error(tmp_path, f'{key} = ["!"]') == message
    message = ".pglint-locks.toml: per-file-ignores: '!' is no gitignore pattern"
    assert _error(tmp_path, 'per-file-ignores."!" = ["PGL1"]') == message


# Patterns


@pytest.mark.parametrize(
    ("pattern", "file", "matches"),
    [
        ("vendor", "vendor/a.sql", True),
        ("vendor", "db/vendor/x/a.sql", True),
        ("vendor/", "vendor", False),
        ("/vendor", "db/vendor/a.sql", False),
        ("db/*.sql", "db/a.sql", True),
        ("db/*.sql", "db/x/a.sql", False),
        ("db/**/a.sql", "db/x/y/a.sql", True),
        ("*.gen.sql", "x/a.gen.sql", True),
        ("a.sql", "aXsql", False),
    ],
)
def test_patterns_are_gits_and_relative_to_their_file(
    tmp_path: Path, pattern: str, file: str, matches: bool
) -> None:
    config = _in(tmp_path / "project", f'exclude = ["{pattern}"]')
    assert config.covers("exclude", tmp_path / "project" / file) is matches


def test_patterns_of_a_forced_file_from_elsewhere(tmp_path: Path) -> None:
    forced = _write(tmp_path / "ci" / "strict.toml", 'exclude = ["vendor", "/db/gen"]')
    cwd = tmp_path / "vendor" / "project"
    config = Configs(cwd, forced=forced).above(cwd)
    assert not config.covers("exclude", cwd / "a.sql")
    assert config.covers("exclude", cwd / "vendor" / "a.sql")
    assert config.covers("exclude", cwd / "db" / "gen" / "a.sql")
    assert not config.covers("exclude", tmp_path / "vendor" / "other.sql")


# What goes before what


def test_command_line_over_environment_over_file(tmp_path: Path) -> None:
    _write(
        tmp_path / "pglint-locks.toml",
        'fail-on = "note"\ncolor = "never"\nseverity-threshold = "error"\n',
    )
    environment = environment_layer(
        {"PGLINT_LOCKS_FAIL_ON": "error", "PGLINT_LOCKS_COLOR": "always", "HOME": "/"}, tmp_path
    )
    command_line = command_line_layer({"fail-on": "never"}, tmp_path)
    config = Configs(tmp_path, (environment, command_line)).above(tmp_path)
    assert (config["fail-on"], config.origin("fail-on")) == (None, "command line")
    assert (config["color"], config.origin("color")) == ("always", "environment")
    assert config["severity-threshold"] is Severity.ERROR
    assert config.origin("severity-threshold") == "pglint-locks.toml"


def _layered(*layers: dict[str, tuple[str, ...]]) -> Config:
    root = Path("/")
    return Config([Layer(str(n), root, values) for n, values in enumerate(layers)], root, root)


def test_ignores_and_extensions_of_several_places_add_up() -> None:
    config = _layered({"ignore": ("PGL301",)}, {"ignore": ("PGL401",)})
    assert config.enabled == _layered({"ignore": ("PGL301", "PGL401")}).enabled
    assert config.selectors("ignore") == ("PGL301", "PGL401")
    assert config.origin("ignore") == "0 and 1"


def test_a_later_select_starts_anew() -> None:
    config = _layered(
        {"select": ("PGL1",), "extend-select": ("PGL2",), "ignore": ("PGL101",)},
        {"select": ("PGL101", "PGL301")},
    )
    assert config.enabled == {"PGL001", "PGL002", "PGL003", "PGL101", "PGL301"}
    assert config.origin("select") == "1"
    assert config.selectors("ignore") is None
    assert config.origin("ignore") == "default"


def test_a_later_place_goes_before_a_longer_code() -> None:
    config = _layered({"select": ("PGL101", "PGL201")}, {"ignore": ("PGL1",)})
    assert config.enabled == {"PGL001", "PGL002", "PGL003", "PGL201"}


# The environment


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("SELECT", "PGL1, lock-stops-at-with", "select", ("PGL1", "lock-stops-at-with")),
        ("STATISTICS", "1", "statistics", True),
        ("STATISTICS", "False", "statistics", False),
        ("JOBS", "4", "jobs", 4),
        ("SEVERITY_THRESHOLD", "error", "severity-threshold", Severity.ERROR),
        ("OUTPUT_FORMAT", "github", "output-format", "github"),
        ("NO_CACHE", "true", "no-cache", True),
    ],
)
def test_every_option_can_come_from_the_environment(
    tmp_path: Path, name: str, text: str, key: str, value: object
) -> None:
    layer = environment_layer({f"PGLINT_LOCKS_{name}": text}, tmp_path)
    assert dict(layer.values) == {key: value}


def test_an_empty_variable_is_an_unset_one(tmp_path: Path) -> None:
    layer = environment_layer({"PGLINT_LOCKS_SELECT": ""}, tmp_path)
    assert not layer.values


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("STATISTICS", "maybe", "PGLINT_LOCKS_STATISTICS: must be true or false"),
        ("JOBS", "many", "PGLINT_LOCKS_JOBS: must be a whole number of 1 or more, not 'many'"),
        ("SELECT", "PGL7011", "PGLINT_LOCKS_SELECT: no rule is called 'PGL7011'"),
        ("SELECT", " , ", "PGLINT_LOCKS_SELECT: must name at least one"),
        ("FILE_TIMEOUT", "2", "PGLINT_LOCKS_FILE_TIMEOUT: file-timeout can only be set"),
    ],
)
def test_a_wrong_variable_is_told_by_name(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        environment_layer({f"PGLINT_LOCKS_{name}": text}, tmp_path)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SELCT", "PGLINT_LOCKS_SELCT names no option; did you mean 'PGLINT_LOCKS_SELECT'?"),
        ("XYZZY", "PGLINT_LOCKS_XYZZY names no option; unset it"),
        (
            "QUEUE_TABLES",
            "PGLINT_LOCKS_QUEUE_TABLES: queue-tables can only be set in a configuration file",
        ),
    ],
)
def test_a_variable_that_sets_nothing_is_an_error(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        environment_layer({f"PGLINT_LOCKS_{name}": "1"}, tmp_path)
    assert str(caught.value) == message


# The table of options


def test_command_line_lists_repeat_and_take_commas(tmp_path: Path) -> None:
    layer = command_line_layer({"select": ("PGL1,PGL2", "PGL301")}, tmp_path)
    assert layer.values["select"] == ("PGL1", "PGL2", "PGL301")


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_every_default_is_what_its_check_would_give(option: Option) -> None:
    if option.default is None:
        return
    default = getattr(option.default, "value", option.default)
    written = list(default) if isinstance(default, tuple) else default
    assert option.kind.check(written) == option.default


def test_keys_of_files_mirror_the_options() -> None:
    only_there = {
        *("add-suppressions", "config", "database-url", "explain"),
        *("isolated", "stdin-filename"),
    }
    assert {o.key for o in OPTIONS if not o.in_files} == only_there
