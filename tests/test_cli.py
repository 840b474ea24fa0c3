"""The command line as people, hooks and CI meet it: streams, exit statuses, messages."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pglint_locks import __version__
from pglint_locks.cli import run

ERROR = """\
UPDATE jobs SET status = 'running'
 WHERE id IN (SELECT id FROM jobs WHERE status = 'ready' LIMIT 10 FOR NO KEY UPDATE SKIP LOCKED);
"""
WARNING = "SELECT id FROM jobs ORDER BY id LIMIT 3 OFFSET 5 FOR NO KEY UPDATE;\n"
NOTE = """\
WITH c AS (SELECT id FROM jobs WHERE id = 1 FOR UPDATE)
UPDATE jobs SET status = 'running' FROM c WHERE jobs.id = c.id;
"""
BROKEN = "SELECT FROM WHERE id = 1 FOR UPDATE;\n"
CLEAN = "SELECT id FROM jobs WHERE id = 1 FOR NO KEY UPDATE;\n"
NO_LOCK = "SELECT 1;\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and no settings from outside."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("PGLINT_LOCKS_") or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    return tmp_path


def _write(name: str, text: str | bytes) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def _codes(output: str) -> list[str]:
    return [line.split()[1] for line in output.splitlines()]


def _last(errors: str) -> str:
    return errors.splitlines()[-1]


# Exit statuses


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        (CLEAN, [], 0),
        ("", [], 0),
        (ERROR, [], 1),
        (WARNING, [], 1),
        (BROKEN, [], 1),
        (NOTE, [], 0),
        (NOTE, ["--fail-on", "note"], 1),
        (WARNING, ["--fail-on", "error"], 0),
        (ERROR, ["--fail-on", "error"], 1),
        (ERROR, ["--fail-on", "never"], 0),
        (WARNING, ["--severity-threshold", "error"], 1),
        (ERROR, ["--ignore", "PGL101"], 0),
    ],
)
def test_exit_status(
    text: str, arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    _write("a.sql", text)
    assert run(["check", *arguments]) == status
    assert _last(capsys.readouterr().err).startswith("Checked 1 file, ")


def test_the_threshold_hides_what_is_lighter(capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", NOTE + WARNING + ERROR)
    run(["check", "--output-format", "concise", "--severity-threshold", "warning"])
    assert _codes(capsys.readouterr().out) == ["PGL102", "PGL101"]


def test_a_missing_path_costs_itself_only(capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", ERROR)
    assert run(["check", "nowhere.sql", "a.sql", "--output-format", "concise"]) == 2
    output, errors = capsys.readouterr()
    assert _codes(output) == ["PGL101"]
    assert errors.splitlines()[:-1] == [
        "pglint-locks: error: nowhere.sql: no such file or directory"
    ]


def test_unreadable_files_cost_themselves_only(capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", b"SELECT '\xe9' FROM t FOR UPDATE;\n")
    _write("b.sql", b"SELECT 1 FROM t FOR UPDATE;\0\n")
    with socket.socket(socket.AF_UNIX) as unreadable:
        unreadable.bind("c.sql")
    _write("d.sql", ERROR)
    assert run(["check", "a.sql", "b.sql", "c.sql", "d.sql", "--output-format", "concise"]) == 2
    output, errors = capsys.readouterr()
    assert _codes(output) == ["PGL101"]
    told = errors.splitlines()
    assert [line.split(":")[2].strip() for line in told[:-1]] == ["c.sql", "a.sql", "b.sql"]
    assert "cannot be read: it is a socket" in told[0]
    assert "UTF-8" in told[1]
    assert "binary" in told[2]
    assert told[-1] == "Checked 1 file, 1 statement: 1 locking clause, 1 analysed."


def _wide(encoding: str) -> bytes:
    return f"SELECT 'größe — ↑' FROM t FOR UPDATE;\n{ERROR}".encode(encoding)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xfe\0\0" + _wide("utf-32-le"), "is UTF-32: convert it to UTF-8"),
        (b"\0\0\xfe\xff" + _wide("utf-32-be"), "is UTF-32: convert it to UTF-8"),
        (b"\xff\xfe" + _wide("utf-16-le"), "is UTF-16: convert it to UTF-8"),
        (b"\xfe\xff" + _wide("utf-16-be"), "is UTF-16: convert it to UTF-8"),
        (_wide("utf-16-le"), "has a NUL in every second byte, as UTF-16: convert it to UTF-8"),
        (_wide("utf-16-be"), "has a NUL in every second byte, as UTF-16: convert it to UTF-8"),
        (b"\0" * 64, "is binary (a NUL at byte 1): exclude it"),
        (b"\0\1\2\3" * 64, "is binary (a NUL at byte 1): exclude it"),
        (ERROR.encode() + b"\0", "is binary (a NUL at byte "),
    ],
)
def test_files_in_another_encoding_are_told_apart_from_binary_ones(
    data: bytes, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _write("a.sql", data)
    assert run(["check", "a.sql"]) == 2
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith(f"pglint-locks: error: a.sql: {words}")
    assert last.startswith("Checked 0 files, ")


def test_a_pipe_that_is_named_is_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.sql")
    os.mkfifo(".gitignore")
    Path(".git").mkdir()
    _write("a.sql", WARNING)
    assert run(["check", "pipe.sql", ".", "--output-format", "concise"]) == 2
    output, errors = capsys.readouterr()
    assert _codes(output) == ["PGL102"]
    assert errors.splitlines()[0] == (
        "pglint-locks: error: pipe.sql: cannot be read: it is a pipe, no regular file; "
        "what comes out of it can be linted as standard input (-)"
    )


def test_a_device_that_is_named_is_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "/dev/zero"]) == 2
    assert "it is a device, no regular file" in capsys.readouterr().err


def test_a_directory_without_sql_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("docs").mkdir()
    assert run(["check", "docs"]) == 0
    assert capsys.readouterr().err == (
        "pglint-locks: no SQL files found in docs\n"
        "Checked 0 files, 0 statements: 0 locking clauses, 0 analysed.\n"
    )


def test_an_excluded_file_that_is_named_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    _write("pglint-locks.toml", 'extend-exclude = ["gen.sql"]\n')
    _write("gen.sql", ERROR)
    assert run(["check", "gen.sql"]) == 0
    assert capsys.readouterr().err.splitlines()[0] == (
        "pglint-locks: gen.sql is excluded by extend-exclude in pglint-locks.toml; it is not read"
    )


def test_an_internal_error_is_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("of our own making")

    monkeypatch.setattr("pglint_locks.engine.lint_files", fail)
    assert run(["check"]) == 2
    errors = capsys.readouterr().err
    assert "pglint-locks: error: internal error: ZeroDivisionError: of our own making" in errors
    assert "Traceback" in errors


# The last line and the tables


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CLEAN, "Checked 1 file, 1 statement: 1 locking clause, 1 analysed."),
        (CLEAN + NO_LOCK, "Checked 1 file, 2 statements: 1 locking clause, 1 analysed."),
        (
            CLEAN + BROKEN,
            "Checked 1 file, 2 statements: 2 locking clauses, 1 analysed, 1 not (1 syntax error).",
        ),
        (
            BROKEN * 3,
            "Checked 1 file, 3 statements: 3 locking clauses, 0 analysed, 3 not (3 syntax errors).",
        ),
        (NO_LOCK, "Checked 1 file, 0 statements: 0 locking clauses, 0 analysed."),
    ],
)
def test_the_last_line(text: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", text)
    run(["check", "a.sql"])
    assert capsys.readouterr().err == line + "\n"


def test_quiet_leaves_findings_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", ERROR)
    Path("empty").mkdir()
    assert run(["check", "-q", "a.sql", "empty", "nowhere"]) == 2
    output, errors = capsys.readouterr()
    assert "PGL101" in output
    assert errors == "pglint-locks: error: nowhere: no such file or directory\n"


def test_verbose_names_each_file(capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", NO_LOCK)
    _write("db/b.sql", NO_LOCK)
    run(["check", "-v"])
    assert capsys.readouterr().err.splitlines()[:2] == [
        "pglint-locks: reads a.sql",
        "pglint-locks: reads db/b.sql",
    ]


def test_verbose_names_links_that_are_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    _write("db/a.sql", NO_LOCK)
    for name, target in [
        ("b.sql", "db/a.sql"),
        ("db/nowhere.sql", "gone.sql"),
        ("db/round.sql", "round.sql"),
        ("folder", "db"),
        ("nowhere.txt", "gone.txt"),
        ("node_modules", "db"),
    ]:
        Path(name).symlink_to(target)
    assert run(["check", "-v", "db", "."]) == 0
    assert capsys.readouterr().err.splitlines()[:-1] == [
        "pglint-locks: reads db/a.sql",
        "pglint-locks: db/nowhere.sql is a link to nowhere; it is not read",
        "pglint-locks: db/round.sql is a link to nowhere; it is not read",
        "pglint-locks: b.sql is db/a.sql, which is read under that name",
        "pglint-locks: folder is a link to a directory; it is not followed",
    ]
    assert run(["check"]) == 0
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_statistics_count_by_rule(capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", WARNING * 10 + ERROR)
    run(["check", "--statistics", "-q", "--output-format", "json"])
    output, errors = capsys.readouterr()
    assert len(json.loads(output)) == 11
    assert errors.splitlines() == [
        " 1  PGL101  error    rescanned-locking-subquery",
        "10  PGL102  warning  offset-locks-skipped-rows",
        "11 findings of 2 rules",
    ]


def test_statistics_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--statistics", "-q"])
    assert capsys.readouterr().err == "0 findings of 0 rules\n"


def test_coverage_lists_what_was_not_analysed(capsys: pytest.CaptureFixture[str]) -> None:
    _write("db/a.sql", CLEAN + BROKEN)
    _write("b.sql", BROKEN)
    run(["check", "--coverage", "-q"])
    assert capsys.readouterr().err.splitlines() == [
        "locking clauses seen  3",
        "analysed              1",
        "not analysed          2",
        "  2 syntax errors",
        "    b.sql:1:26",
        "    db/a.sql:2:26",
    ]


def test_coverage_tells_the_kinds_of_files(capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", CLEAN)
    _write("b.md", f"```sql\n{CLEAN}{BROKEN}```\n")
    run(["check", "--coverage", "-q"])
    assert capsys.readouterr().err.splitlines() == [
        "locking clauses seen  3",
        "analysed              2",
        "not analysed          1",
        "  1 syntax error",
        "    b.md:3:26",
        "in Markdown  2  seen,  1  analysed",
        "in SQL       1  seen,  1  analysed",
    ]


# Output


def test_findings_go_to_the_output_file(capsys: pytest.CaptureFixture[str]) -> None:
    _write("a.sql", ERROR)
    assert run(["check", "--output-file", "out.json", "--output-format", "json"]) == 1
    output, errors = capsys.readouterr()
    assert not output
    assert errors.startswith("Checked 1 file")
    assert [found["code"] for found in json.loads(Path("out.json").read_bytes())] == ["PGL101"]


def test_an_output_file_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--output-file", "no/such/folder.json"]) == 2
    assert "no/such/folder.json: cannot be written: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("output", "inputs"),
    [
        ("a.sql", ["a.sql"]),
        ("a.sql", ["."]),
        ("./db/../a.sql", ["db", "a.sql"]),
        ("link.sql", ["a.sql"]),
        ("a.sql", ["link.sql"]),
        ("a.sql", ["hard.sql"]),
        ("gen/a.sql", ["gen/a.sql"]),
        ("a.sql", ["-", "--stdin-filename", "a.sql"]),
    ],
)
def test_the_output_file_is_none_of_those_that_are_linted(
    output: str,
    inputs: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _write("pglint-locks.toml", 'extend-exclude = ["gen"]\n')
    for name in ("a.sql", "db/b.sql", "gen/a.sql"):
        _write(name, ERROR)
    Path("link.sql").symlink_to("a.sql")
    Path("hard.sql").hardlink_to("a.sql")
    _pipe(monkeypatch, ERROR.encode())
    assert run(["check", *inputs, "--output-file", output]) == 2
    assert "is one of the files to lint" in capsys.readouterr().err
    assert Path(output).read_text(encoding="utf-8") == ERROR


def test_an_output_file_may_be_written_again() -> None:
    _write("a.sql", ERROR)
    for _ in range(2):
        assert run(["check", "--output-file", "findings.txt"]) == 1


def test_only_the_reporter_that_is_asked_for_is_imported() -> None:
    _write("a.sql", ERROR)
    script = (
        "import sys\n"
        "from pglint_locks.cli import run\n"
        "run(['check', '-q', '--output-format', 'concise'])\n"
        "parts = ('concise', 'full', 'excerpt', 'github', 'json_findings', 'sarif', 'html')\n"
        "loaded = [x for x in parts if f'pglint_locks.reporters.{x}' in sys.modules]\n"
        "print(*loaded, file=sys.stderr)\n"
    )
    assert _python("-c", script).stderr == "concise\n"


@pytest.mark.parametrize(
    ("arguments", "environment", "colored"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_color(
    arguments: list[str],
    environment: dict[str, str],
    colored: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    _write("a.sql", ERROR)
    run(["check", *arguments])
    assert ("\x1b[" in capsys.readouterr().out) is colored


def test_file_names_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    _write("\x1b[2Jx.sql", b"\0")
    run(["check", "-v"])
    errors = capsys.readouterr().err
    assert "\x1b" not in errors
    assert r"reads \x1b[2Jx.sql" in errors


# Standard input


def _pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pipe(monkeypatch, b"\xef\xbb\xbf" + WARNING.encode())
    assert run(["check", "-", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.startswith("<stdin>:1:41: PGL102 warning ")


def test_standard_input_goes_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write("db/pglint-locks.toml", 'fail-on = "never"\nper-file-ignores."a.sql" = ["PGL101"]\n')
    _write("b.sql", ERROR)
    _pipe(monkeypatch, (ERROR + WARNING).encode())
    arguments = ["check", "-", "b.sql", "--stdin-filename", "db/a.sql"]
    assert run([*arguments, "--output-format", "concise"]) == 1
    output, errors = capsys.readouterr()
    assert [line.split(":")[0] for line in output.splitlines()] == ["b.sql", "db/a.sql"]
    assert _codes(output) == ["PGL101", "PGL102"]
    assert errors == "Checked 2 files, 3 statements: 3 locking clauses, 3 analysed.\n"


def test_the_configuration_of_the_run_is_that_of_the_name_of_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write("db/pglint-locks.toml", 'output-format = "json"\n')
    _pipe(monkeypatch, ERROR.encode())
    run(["check", "-", "--stdin-filename", "db/a.sql"])
    assert [found["filename"] for found in json.loads(capsys.readouterr().out)] == ["db/a.sql"]
    _write("db/pglint-locks.toml", "broken")
    assert run(["check", "-", "--stdin-filename", "db/a.sql"]) == 2
    assert capsys.readouterr().err.count("is no valid TOML") == 1


def test_standard_input_under_an_excluded_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pipe(monkeypatch, ERROR.encode())
    assert run(["check", "-", "--stdin-filename", "node_modules/a.sql"]) == 0
    output, errors = capsys.readouterr()
    assert not output
    assert "node_modules/a.sql is excluded by the default exclude" in errors


def test_standard_input_that_is_binary(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pipe(monkeypatch, b"a\0b")
    assert run(["check", "-"]) == 2
    assert "pglint-locks: error: <stdin>: is binary" in capsys.readouterr().err


# Configuration


def test_each_file_has_the_settings_of_its_own_directory(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _write("a/pglint-locks.toml", 'fail-on = "never"\nignore = ["PGL301"]\n')
    _write("b/pglint-locks.toml", 'severity-threshold = "error"\nseverity.PGL102 = "note"\n')
    for folder in "ab":
        _write(f"{folder}/x.sql", NOTE + WARNING + ERROR)
    assert run(["check", "a"]) == 0
    capsys.readouterr()
    assert run(["check", "--output-format", "concise"]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [(line[0].split(":")[0], *line[1:3]) for line in lines] == [
        ("a/x.sql", "PGL102", "warning"),
        ("a/x.sql", "PGL101", "error"),
        ("b/x.sql", "PGL101", "error"),
    ]


def test_severity_settings_apply_last(capsys: pytest.CaptureFixture[str]) -> None:
    _write("pglint-locks.toml", 'severity = { PGL101 = "off", PGL102 = "error" }\n')
    _write("a.sql", WARNING + ERROR)
    assert run(["check", "--select", "PGL1", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.split()[1:3] == ["PGL102", "error"]


def test_the_configuration_of_the_run_is_that_above_all_paths(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _write("project/pyproject.toml", '[tool.pglint-locks]\noutput-format = "json"\n')
    _write("project/db/a.sql", ERROR)
    _write("project/b.sql", ERROR)
    run(["check", "project/db/a.sql", "project/b.sql"])
    names = [found["filename"] for found in json.loads(capsys.readouterr().out)]
    assert names == ["project/b.sql", "project/db/a.sql"]


def test_a_broken_configuration_costs_its_own_files_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _write("bad/pglint-locks.toml", "fial-on = 1\n")
    _write("bad/a.sql", ERROR)
    _write("b.sql", WARNING)
    assert run(["check", "--output-format", "concise"]) == 2
    output, errors = capsys.readouterr()
    assert _codes(output) == ["PGL102"]
    assert errors.splitlines()[0] == (
        "pglint-locks: error: bad/pglint-locks.toml: fial-on is no known key; "
        "did you mean 'fail-on'?"
    )


def test_a_broken_configuration_of_the_run_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _write("pglint-locks.toml", "fail-on = \n")
    _write("a.sql", ERROR)
    assert run(["check", "a.sql", "."]) == 2
    output, errors = capsys.readouterr()
    assert not output
    assert errors.count("pglint-locks.toml:1:11: is no valid TOML") == 1


def test_config_and_isolated(capsys: pytest.CaptureFixture[str]) -> None:
    _write("pglint-locks.toml", 'ignore = ["PGL101"]\n')
    _write("ci.toml", 'severity.PGL101 = "note"\n')
    _write("a.sql", ERROR)
    assert run(["check"]) == 0
    assert run(["check", "--isolated"]) == 1
    assert run(["check", "--config", "ci.toml", "--fail-on", "note"]) == 1
    assert run(["check", "--config", "ci.toml"]) == 0
    capsys.readouterr()
    assert run(["check", "--config", "ci.toml", "--isolated"]) == 2
    assert "--config and --isolated exclude each other" in capsys.readouterr().err


def test_options_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write("pglint-locks.toml", 'ignore = ["PGL101"]\n')
    _write("a.sql", ERROR + WARNING)
    monkeypatch.setenv("PGLINT_LOCKS_ISOLATED", "1")
    monkeypatch.setenv("PGLINT_LOCKS_OUTPUT_FORMAT", "concise")
    monkeypatch.setenv("PGLINT_LOCKS_IGNORE", "PGL102,PGL301")
    assert run(["check"]) == 1
    assert _codes(capsys.readouterr().out) == ["PGL101"]
    monkeypatch.setenv("PGLINT_LOCKS_CONFIG", "pglint-locks.toml")
    assert run(["check", "--isolated", "--select", "PGL101"]) == 1


@pytest.mark.parametrize("command", ["check", "config"])
@pytest.mark.parametrize("name", ["PGLINT_LOCKS_FAIL_ONN", "PGLINT_LOCKS_SEVERITY"])
def test_a_variable_that_sets_nothing_is_status_2(
    command: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "never")
    assert run([command]) == 2
    output, errors = capsys.readouterr()
    assert not output
    assert errors.startswith(f"pglint-locks: error: {name}")
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize("path", ["nowhere", "nowhere/a.sql", ""])
def test_config_of_a_path_that_is_missing(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", path]) == 2
    output, errors = capsys.readouterr()
    assert not output
    assert f"{path or repr(path)}: no such file or directory" in errors


def test_config_tells_where_settings_come_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(
        "db/pyproject.toml",
        "[tool.pglint-locks]\n"
        'ignore = ["PGL3"]\nseverity.PGL101 = "off"\nper-file-ignores."x" = ["PGL1"]\n',
    )
    monkeypatch.setenv("PGLINT_LOCKS_FAIL_ON", "never")
    assert run(["config", "db", "--ignore", "PGL201", "--select", "ALL"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert 'select = ["ALL"]  # command line' in lines
    assert 'ignore = ["PGL201"]  # command line' in lines
    assert 'fail-on = "never"  # environment' in lines
    assert 'severity = {"PGL101" = "off"}  # db/pyproject.toml' in lines
    assert 'per-file-ignores = {"x" = ["PGL1"]}  # db/pyproject.toml' in lines
    assert 'color = "auto"  # default' in lines
    assert "# output-file is not set  # default" in lines
    assert lines[-1].startswith("# rules that run: PGL001 ")
    assert "PGL201" not in lines[-1]


# Wrong use


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a command is missing; to lint this directory: pglint-locks check"),
        (["chekc"], "no command is called 'chekc'; did you mean 'check'?"),
        (["a.sql"], "no command is called 'a.sql'; to lint it: pglint-locks check a.sql"),
        (["check", "--fail-onn", "x"], "there is no option '--fail-onn'; did you mean '--fail-on'"),
        (["check", "-x"], "there is no option '-x'"),
        (["check", "--select"], "Option '--select' requires an argument."),
        (["check", "--select", "PGL1011"], "--select: no rule is called 'PGL1011'; did you mean"),
        (["check", "--select", ""], "--select: must name at least one, not ''"),
        (["check", "--ignore", "lock-stop-at-with"], "did you mean 'lock-stops-at-with'?"),
        (["check", "--fail-on", "warn"], "--fail-on: 'warn' is not known; did you mean 'warning'?"),
        (["check", "--color", "x"], "--color: 'x' is not known; use one of auto, always, never"),
        (["check", "--output-format", "jsn"], "'jsn' is not known; did you mean 'json'?"),
        (["check", "--jobs", "0"], "--jobs: must be a whole number of 1 or more, not 0"),
        (["check", "--output-file", ""], "--output-file: must be a non-empty string, not ''"),
        (["check", "--config", "none.toml"], "none.toml: cannot be read: No such file"),
        (["check", "--stdin-filename", "x"], "--stdin-filename is for standard input; add"),
        (["explain"], "name one rule, such as PGL101, or give --all"),
        (["config", "a", "b"], "Got unexpected extra argument (b)"),
    ],
)
def test_wrong_use_is_status_2_and_clear(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _write("a.sql", ERROR)
    assert run(arguments) == 2
    output, errors = capsys.readouterr()
    assert not output
    first, *more = errors.splitlines()
    assert first.startswith("pglint-locks: error: ")
    assert message in first
    command = f" {arguments[0]}" if arguments and arguments[0] in ("check", "config") else ""
    assert more in ([], [f"Try 'pglint-locks{command} --help'."])


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("2087", "is no HOST:PORT"),
        ("localhost:x", "is no HOST:PORT"),
        ("example.org:1", "this machine"),
    ],
)
def test_lsp_takes_an_address_of_this_machine(
    address: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["lsp", "--tcp", address]) == 2
    assert words in capsys.readouterr().err


def test_no_cache_and_jobs_are_accepted() -> None:
    assert run(["check", "--no-cache", "--jobs", "4"]) == 0


# The process


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parent.parent)
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": root},
        check=False,
        timeout=60,
    )


def test_the_module_runs() -> None:
    _write("a.sql", ERROR)
    done = _python("-m", "pglint_locks", "check", "--output-format", "concise")
    assert done.returncode == 1
    assert _codes(done.stdout) == ["PGL101"]
    assert done.stderr == "Checked 1 file, 1 statement: 1 locking clause, 1 analysed.\n"


def test_the_version() -> None:
    done = _python("-m", "pglint_locks", "--version")
    assert (done.returncode, done.stdout) == (0, f"pglint-locks {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], False),
        (["--version"], False),
        (["check", "--help"], False),
        (["explain", "--all"], False),
        (["check"], False),
        (["check", "--select", "PGL1", "--statistics"], False),
        (["check", "locks"], True),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(arguments: list[str], heavy: bool) -> None:
    _write("locks/a.sql", CLEAN)
    _write("pglint-locks.toml", 'extend-exclude = ["locks"]\n' if not heavy else "")
    _write("a.sql", "SELECT 1;\n-- for an update, see the other file\n")
    script = (
        "import sys\n"
        "from pglint_locks.cli import run\n"
        f"status = run({arguments!r})\n"
        "print(status, 'pglast' in sys.modules, file=sys.stderr)\n"
    )
    done = _python("-c", script)
    assert _last(done.stderr) == f"0 {heavy}"


def test_a_reader_that_goes_away_is_no_error() -> None:
    _write("a.sql", ERROR * 400)
    root = str(Path(__file__).parent.parent)
    with subprocess.Popen(
        [sys.executable, "-m", "pglint_locks", "check", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 1


def test_readers_of_both_streams_may_go_away() -> None:
    _write("a.sql", ERROR * 400)
    root = str(Path(__file__).parent.parent)
    with subprocess.Popen(
        [sys.executable, "-m", "pglint_locks", "check", "--statistics"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": root},
    ) as process:
        assert process.stdout
        process.stdout.close()
        assert process.wait(timeout=60) == 1


def test_ctrl_c_ends_with_130() -> None:
    """The signal comes while the program waits for standard input, as a person's would."""
    script = (
        "import signal, sys\n"
        "from pglint_locks.cli import main\n"
        "class Input:\n"
        "    buffer = property(lambda self: self)\n"
        "    def read(self):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "        return b''\n"
        "sys.stdin = Input()\n"
        "sys.argv[1:] = ['check', '-']\n"
        "main()\n"
    )
    done = _python("-c", script)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


def _shell(command: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program with its streams as a shell's redirections have them."""
    root = str(Path(__file__).parent.parent)
    return subprocess.run(
        ["sh", "-c", f'"$0" -m pglint_locks {command}', sys.executable],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": root},
        check=False,
        timeout=60,
    )


_NO_OUTPUT = "pglint-locks: error: standard output cannot be written: "


@pytest.mark.parametrize(
    ("command", "first"),
    [
        ("check a.sql >&-", _NO_OUTPUT + "it is closed"),
        ("check a.sql >/dev/full", _NO_OUTPUT + "No space left on device"),
        ("config >&-", _NO_OUTPUT + "it is closed"),
        ("config >/dev/full", _NO_OUTPUT + "No space left on device"),
        ("explain PGL101 >&-", _NO_OUTPUT + "it is closed"),
        ("explain PGL101 >/dev/full", _NO_OUTPUT + "No space left on device"),
        ("--version >&-", _NO_OUTPUT + "it is closed"),
        ("check --help >/dev/full", _NO_OUTPUT + "No space left on device"),
        ("check - <&-", "pglint-locks: error: standard input cannot be read: it is closed"),
        ("check - <&- >&-", "pglint-locks: error: standard input cannot be read: it is closed"),
    ],
)
def test_streams_that_are_closed_or_full(command: str, first: str) -> None:
    _write("a.sql", ERROR * 100)
    done = _shell(command)
    assert done.returncode == 2
    assert done.stdout == b""
    told, *more = done.stderr.decode().splitlines()
    assert told == first
    assert not [line for line in more if not line.startswith("Checked ")]


@pytest.mark.parametrize("end", ["2>&-", "2>/dev/full"])
def test_without_standard_error_findings_are_still_right(end: str) -> None:
    _write("a.sql", ERROR)
    done = _shell(f"check a.sql nowhere.sql --output-format concise {end}")
    assert done.returncode == 2
    assert _codes(done.stdout.decode()) == ["PGL101"]
    assert _shell(f"check a.sql -v {end}").returncode == 1
    assert _shell(f"chekc {end}").returncode == 2


def test_closed_output_does_no_harm_where_findings_go_to_a_file() -> None:
    _write("a.sql", ERROR)
    assert _shell("check a.sql --output-format concise --output-file out.txt >&-").returncode == 1
    assert _codes(Path("out.txt").read_text(encoding="utf-8")) == ["PGL101"]


@pytest.mark.parametrize("command", ["check", "check a.sql", "config"])
def test_a_working_directory_that_was_removed(command: str, here: Path) -> None:
    (here / "gone").mkdir()
    os.chdir(here / "gone")
    (here / "gone").rmdir()
    done = _python("-m", "pglint_locks", *command.split())
    os.chdir(here)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "pglint-locks: error: the working directory is gone (No such file or directory); "
        "change to another directory"
    ]


def test_output_is_utf_8_whatever_the_locale() -> None:
    _write("a.sql", "SELECT id FROM größe ORDER BY id LIMIT 3 OFFSET 5 FOR SHARE;\n")
    root = str(Path(__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "pglint_locks", "check", "--output-format", "full"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert "größe" in done.stdout.decode("utf-8")
