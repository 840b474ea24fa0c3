"""Rules of other packages: that they are found, and what a broken package costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pglint_locks
from pglint_locks.cli import run
from pglint_locks.plugins import forget_plugins, known_rules, plugin_errors
from pglint_locks.rules import RULES

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "plugin"
WAITS = "SELECT id FROM jobs WHERE id = 1 FOR NO KEY UPDATE;\n"
BAD = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 9 FOR UPDATE SKIP LOCKED);\n"
Install = Callable[..., None]

RULE = """\
from pglint_locks import Note, Rule, Severity, Subject

def visit(clause):
    {body}

def fails(clause):
    raise ValueError("no notes")
    yield

def gather(clause):
    yield Note(clause.span, "a fact")

RULE = Rule({arguments}, "a rule", (Severity.WARNING,), Subject.CLAUSE, visit)
"""


def announce(folder: Path, package: str, value: str, name: str = "acme") -> None:
    """Write what an installer leaves of a package with an entry point."""
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[pglint_locks.rules]\n{name} = {value}\n")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a module as a package of that name; the working directory is an empty one."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    made: list[str] = []

    def put(module: str, text: str, what: str = "RULE", package: str = "") -> None:
        (site / f"{module}.py").write_text(text, encoding="utf-8")
        announce(site, package or module.replace("_", "-"), f"{module}:{what}")
        made.append(module)
        forget_plugins()

    yield put
    for module in made:
        sys.modules.pop(module, None)
    forget_plugins()


@pytest.fixture
def acme(monkeypatch: pytest.MonkeyPatch, install: Install) -> Iterator[None]:
    """The example is installed."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    install("acme_entry", "from acme_locks import RULES\n", "RULES", "acme-locks")
    yield
    for module in [name for name in sys.modules if name.split(".")[0] == "acme_locks"]:
        del sys.modules[module]


def _rule(arguments: str = '"ACM900", "a-rule"', body: str = "return iter(())") -> str:
    return RULE.format(arguments=arguments, body=body)


@pytest.mark.usefixtures("acme")
class TestExample:
    def test_its_rule_runs_with_the_others(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("a.sql").write_text(WAITS)
        assert run(["check", "--output-format", "json"]) == 1
        output = capsys.readouterr()
        (found,) = json.loads(output.out)
        assert (found["code"], found["name"]) == ("ACM101", "lock-that-waits")
        assert found["location"] == {"row": 1, "column": 34}
        assert found["url"] == "https://example.com/acme-locks/ACM101-lock-that-waits.md"
        assert "error" not in output.err

    @pytest.mark.parametrize(
        ("options", "found"),
        [
            (["--select", "ACM"], ["ACM101"]),
            (["--select", "acm1"], ["ACM101"]),
            (["--select", "lock-that-waits"], ["ACM101"]),
            (["--select", "PGL1"], []),
            (["--ignore", "ACM101"], []),
            (["--ignore", "ALL", "--extend-select", "ACM101"], ["ACM101"]),
        ],
    )
    def test_it_is_selected_as_any_rule(self, options: list[str], found: list[str]) -> None:
        Path("a.sql").write_text(WAITS)
        assert run(["check", *options, "--output-format", "json", "--output-file", "o.json"]) == (
            1 if found else 0
        )
        assert [each["code"] for each in json.loads(Path("o.json").read_text())] == found

    def test_letters_that_begin_no_code_pick_nothing(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(["check", "--select", "AC"]) == 2
        assert "no rule is called 'AC'" in capsys.readouterr().err

    def test_it_is_configured_and_suppressed_as_any_rule(self) -> None:
        Path("pglint-locks.toml").write_text('severity = { ACM101 = "error" }\n')
        Path("a.sql").write_text(f"{WAITS}{WAITS[:-1]} -- pglint: ignore[ACM1]\n")
        (found,) = pglint_locks.lint_paths(["a.sql"])
        assert (found.code, found.severity.value, found.location.row) == ("ACM101", "error", 1)

    def test_its_page_is_explained(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["explain", "ACM101"]) == 0
        assert capsys.readouterr().out.startswith("# ACM101 lock-that-waits\n")
        assert run(["explain", "--all"]) == 0
        assert "ACM101  lock-that-waits" in capsys.readouterr().out

    def test_its_fix_is_made(self) -> None:
        Path("a.sql").write_text(WAITS)
        assert run(["check", "--select", "ACM101", "--fix", "--unsafe-fixes"]) == 0
        assert Path("a.sql").read_text() == WAITS.replace(";", " NOWAIT;")

    def test_sarif_describes_it(self) -> None:
        Path("a.sql").write_text(WAITS)
        run(["check", "--output-format", "sarif", "--output-file", "o.sarif"])
        (rule,) = json.loads(Path("o.sarif").read_text())["runs"][0]["tool"]["driver"]["rules"]
        assert rule["id"] == "ACM101"
        assert rule["help"]["markdown"].startswith("# ACM101")

    def test_a_clean_run_does_not_load_it(self) -> None:
        Path("a.sql").write_text("SELECT 1;\n")
        assert run(["check"]) == 0
        assert "acme_locks" not in sys.modules


def test_the_tests_of_the_example_pass(tmp_path: Path) -> None:
    announce(tmp_path, "acme-locks", "acme_locks:RULES")
    path = os.pathsep.join(map(str, (ROOT, EXAMPLE, tmp_path)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLE / "tests"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


def test_the_tests_fail_where_the_package_is_not_installed(tmp_path: Path) -> None:
    path = os.pathsep.join(map(str, (ROOT, EXAMPLE)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLE / "tests"],
        env={**os.environ, "PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 1, done.stdout
    assert "ACM101 is not loaded: install its package" in done.stdout


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import nowhere_to_be_found\n", "ModuleNotFoundError: No module named 'nowhere_to_be_fou"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        ("def broken(:\n", "SyntaxError: "),
        ("", "AttributeError: module 'acme_rules' has no attribute 'RULE'"),
        ("RULE = 'ACM101'\n", "it is a str, not a Rule"),
        ("RULE = 7\n", "it is a int, not a Rule"),
        ("RULE = ['ACM101']\n", "it holds a str, which is no Rule"),
        (_rule('"PGL101", "a-rule"'), "'PGL101' is no code for it: take letters of your own"),
        (_rule('"acm101", "a-rule"'), "'acm101' is no code for it: take letters of your own"),
        (_rule('"ACM101", "A rule"'), "ACM101: the name 'A rule' is not words-with-hyphens"),
        (
            _rule('"ACM101", "shared-claim"'),
            "ACM101: a rule of pglint-locks is called shared-claim already",
        ),
        (_rule() + "RULE = RULE._replace(visit=None)\n", "ACM900: it needs visit"),
        (_rule() + "RULE = RULE._replace(severities=())\n", "ACM900: severities must hold a"),
        (_rule() + "RULE = RULE._replace(subject=Subject.LINTER)\n", "ACM900: subject must be"),
        (_rule() + "RULE = RULE._replace(subject=Subject.RUN)\n", "needs visit and gather"),
    ],
)
def test_a_broken_package_is_named_and_costs_itself_alone(
    text: str, what: str, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("acme_rules", text)
    Path("a.sql").write_text(BAD)
    assert run(["check", "--output-format", "concise"]) == 2
    output = capsys.readouterr()
    assert "PGL101" in output.out
    (line,) = [each for each in output.err.splitlines() if "error: " in each]
    assert line.startswith(
        "pglint-locks: error: the rules plug-in 'acme' of acme-rules 1.0 (acme_rules:RULE) "
        "cannot be used: "
    )
    assert what in line
    assert line.endswith("; repair it, or run pip uninstall acme-rules")
    assert known_rules() == RULES

    for command in (["explain", "PGL101"], ["explain", "--all"], ["config"]):
        assert run(command) == 2
        output = capsys.readouterr()
        assert output.out
        assert line in output.err


def test_of_two_that_share_a_code_the_first_runs(
    install: Install,
) -> None:
    install("acme_a", _rule('"ACM900", "a-rule"'))
    install("acme_b", _rule('"ACM900", "b-rule"'))
    install("acme_c", _rule('"ACM901", "c-rule"'))
    assert [rule.plugin for rule in known_rules()[len(RULES) :]] == ["acme-a 1.0", "acme-c 1.0"]
    (line,) = plugin_errors()
    assert "'acme' of acme-b 1.0" in line
    assert "ACM900: a rule of acme-a 1.0 is called ACM900 already" in line


def test_a_rule_of_a_broken_package_is_not_just_unknown(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("acme_rules", "import nowhere_to_be_found\n")
    assert run(["check", "--select", "ACM900"]) == 2
    error = capsys.readouterr().err
    assert "no rule is called 'ACM900'" in error
    assert "the rules plug-in 'acme' of acme-rules 1.0" in error
    assert run(["explain", "ACM900"]) == 2
    assert "the rules plug-in 'acme' of acme-rules 1.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("raise ValueError('oh')\n    yield", "ValueError: oh"),
        ("yield 'no hazard'", "AttributeError: 'str' object has no attribute 'by_reader'"),
        ("return 7", "TypeError: 'int' object is not iterable"),
    ],
)
def test_a_rule_that_fails_costs_its_own_findings_alone(
    body: str, what: str, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("acme_rules", _rule(body=body))
    for name in ("a.sql", "b.sql"):
        Path(name).write_text(BAD + BAD)
    assert run(["check", "--output-format", "json"]) == 2
    output = capsys.readouterr()
    found = json.loads(output.out)
    assert [each["filename"] for each in found if each["code"] == "PGL101"] == (
        ["a.sql"] * 2 + ["b.sql"] * 2
    )
    assert all(each["fix"] for each in found if each["code"] == "PGL101")
    errors = [each for each in output.err.splitlines() if "error: " in each]
    assert errors == [
        f"pglint-locks: error: {name}: ACM900 of acme-rules 1.0 failed: {what}; "
        "tell its author, or leave it out with --ignore ACM900"
        for name in ("a.sql", "b.sql")
    ]


@pytest.mark.parametrize("functions", ["gather=fails", "gather=gather, visit=fails"])
def test_a_run_rule_that_fails_costs_its_own_findings_alone(
    functions: str, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("acme_rules", _rule() + f"RULE = RULE._replace(subject=Subject.RUN, {functions})\n")
    Path("a.sql").write_text(BAD)
    assert run(["check", "--output-format", "concise"]) == 2
    output = capsys.readouterr()
    assert "PGL101" in output.out
    assert "a.sql: ACM900 of acme-rules 1.0 failed: ValueError: no notes" in output.err


def test_from_python_the_error_has_what_was_found(install: Install) -> None:
    install("acme_rules", "import nowhere_to_be_found\n")
    with pytest.raises(pglint_locks.LintError, match="acme-rules") as caught:
        pglint_locks.lint_text(BAD)
    assert "PGL101" in [found.code for found in caught.value.findings]
