"""`--write-baseline`, `--baseline`, `--baseline-strict`: what is known stays out of the report."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from pglint_locks.baseline import VERSION, Key, made_of, parsed, rendered
from pglint_locks.cli import run
from pglint_locks.errors import UsageError
from pglint_locks.findings import Rule, Severity, Subject
from pglint_locks.rules import RULES

CLAIM = """\
DELETE FROM jobs
 WHERE id = ANY (SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE);
"""
PAGE = "SELECT id FROM jobs ORDER BY id LIMIT 10 OFFSET 10 FOR NO KEY UPDATE;\n"
CLEAN = "SELECT id FROM jobs WHERE id = 1 FOR NO KEY UPDATE;\n"
BASELINE = "baseline.json"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("PGLINT_LOCKS_"):
            monkeypatch.delenv(name)
    return tmp_path


class Tool:
    """Runs `check`, and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.codes: list[str] = []
        self.errors = ""

    def check(self, *arguments: str) -> int:
        status = run(["check", "--output-format", "concise", *arguments])
        output = self._capsys.readouterr()
        self.codes = [" ".join(line.split()[:2]) for line in output.out.splitlines()]
        self.errors = output.err
        return status

    def known(self, *arguments: str) -> int:
        return self.check("--baseline", BASELINE, *arguments)

    @property
    def told(self) -> list[str]:
        """The lines on standard error before the last one."""
        return self.errors.splitlines()[:-1]


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str]) -> Tool:
    return Tool(capsys)


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


# What stays known


def test_findings_that_are_listed_are_known(tool: Tool) -> None:
    write("db/claim.sql", CLAIM + PAGE)
    assert tool.check("db", "--write-baseline", BASELINE) == 0
    assert tool.codes == []
    assert tool.told == [f"Wrote 2 findings to {BASELINE}."]
    assert tool.known("db") == 0
    assert tool.codes == []
    assert tool.told == [f"Left out 2 known findings of {BASELINE}."]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("db/claim.sql", f"SELECT 1;\n\n{CLAIM}"),
        ("db/renamed.sql", CLAIM),
        ("other/renamed.sql", f"-- moved\n{CLAIM}"),
        ("db/claim.sql", " ".join(CLAIM.split())),
        ("db/claim.sql", CLAIM.replace("\n", "\r\n").replace("WHERE", "where -- now\r\n")),
        ("db/claim.sql", CLAIM.replace("LIMIT 10", "LIMIT 20")),
    ],
)
def test_they_stay_known_when_moved_renamed_or_laid_out_anew(
    tool: Tool, name: str, text: str
) -> None:
    write("db/claim.sql", CLAIM)
    tool.check("--write-baseline", BASELINE)
    os.unlink("db/claim.sql")
    write(name, text)
    assert tool.known("--baseline-strict") == 0
    assert (tool.codes, tool.told) == ([], [f"Left out 1 known finding of {BASELINE}."])


def test_a_new_finding_is_reported(tool: Tool) -> None:
    write("claim.sql", CLAIM)
    tool.check("--write-baseline", BASELINE)
    write("claim.sql", CLAIM + PAGE)
    assert tool.known() == 1
    assert tool.codes == ["claim.sql:3:42: PGL102"]


def test_a_statement_that_changed_is_reported(tool: Tool) -> None:
    write("claim.sql", CLAIM)
    tool.check("--write-baseline", BASELINE)
    write("claim.sql", CLAIM.replace("LIMIT", "DESC LIMIT"))
    assert tool.known() == 1
    assert tool.codes == ["claim.sql:2:11: PGL101"]


def test_one_more_of_a_kind_is_reported_where_it_came(tool: Tool) -> None:
    write("m.sql", PAGE)
    tool.check("--write-baseline", BASELINE)
    write("a.sql", PAGE)
    assert tool.known() == 1
    assert tool.codes == ["a.sql:1:42: PGL102"]
    assert tool.known("a.sql") == 1  # a hook sees nothing else
    write("a.sql", CLEAN)
    write("m.sql", PAGE + PAGE)
    assert tool.known() == 1
    assert tool.codes == ["m.sql:2:42: PGL102"]


def test_host_code_too(tool: Tool) -> None:
    pytest.importorskip("ast_grep_py")
    code = f'def claim(cur):\n    cur.execute("""{CLAIM}""")\n'
    write("a.py", code)
    tool.check("--write-baseline", BASELINE)
    os.unlink("a.py")
    write("b.py", f"import os\n\n{code.replace('    cur', '        cur')}")
    assert tool.known() == 0
    assert tool.codes == []


# What is gone


def test_what_is_gone_is_told_so_that_the_baseline_shrinks(tool: Tool) -> None:
    write("a.sql", CLAIM + PAGE + PAGE)
    tool.check("--write-baseline", BASELINE)
    write("a.sql", PAGE)
    assert tool.known() == 0
    assert tool.told == [
        f"Left out 1 known finding of {BASELINE}.",
        f"2 findings of {BASELINE} are gone; --write-baseline drops them.",
    ]
    assert tool.known("--baseline-strict", "-q") == 1
    assert tool.errors.splitlines() == [
        f"pglint-locks: {BASELINE}: PGL101 of jobs in a.sql is gone",
        f"pglint-locks: {BASELINE}: PGL102 of jobs in a.sql is gone",
    ]
    assert tool.known("-v") == 0
    assert f"{BASELINE}: PGL101 of jobs in a.sql is gone" in tool.errors
    tool.check("--write-baseline", BASELINE)
    assert tool.known("--baseline-strict") == 0


def test_a_file_without_any_lock_left_is_looked_at(tool: Tool) -> None:
    write("a.sql", CLAIM)
    tool.check("--write-baseline", BASELINE)
    write("a.sql", "SELECT 1;\n")
    assert tool.known("--baseline-strict") == 1
    os.unlink("a.sql")
    assert tool.known("--baseline-strict") == 1


@pytest.mark.parametrize(
    "arguments",
    [("b.sql",), ("db",), (".", "--select", "PGL401"), (".", "--ignore", "PGL101")],
    ids=" ".join,
)
def test_what_was_not_looked_for_is_not_gone(tool: Tool, arguments: tuple[str, ...]) -> None:
    write("a.sql", CLAIM)
    write("b.sql", CLEAN)
    write("db/c.sql", CLEAN)
    tool.check("--write-baseline", BASELINE)
    if arguments[0] != ".":
        os.unlink("a.sql")
    assert tool.known("--baseline-strict", *arguments) == 0


def test_a_file_that_cannot_be_read_has_lost_nothing(tool: Tool) -> None:
    write("a.sql", CLAIM)
    tool.check("--write-baseline", BASELINE)
    Path("a.sql").write_bytes(b"SELECT 1 FOR UPDATE; \xff\n")
    assert tool.known() == 2
    assert "gone" not in tool.errors


# The file


def test_it_is_the_same_wherever_the_run_starts(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("db/a.sql", CLAIM)
    write("db/pglint-locks.toml", 'baseline = "known.json"\n')
    tool.check("db", "--write-baseline", "db/known.json")
    first = Path("db/known.json").read_text()
    assert list(json.loads(first)["findings"][0]["files"]) == ["a.sql"]
    assert tool.check("db") == 0
    monkeypatch.chdir(tmp_path / "db")
    assert tool.check() == 0
    tool.check("--write-baseline", "known.json")
    assert Path("known.json").read_text() == first


def test_it_lists_what_is_not_shown_too(tool: Tool) -> None:
    write("a.sql", CLAIM.replace("FOR UPDATE", "FOR UPDATE SKIP LOCKED") + PAGE)
    tool.check("--severity-threshold", "error", "--write-baseline", BASELINE)
    assert tool.known("--fail-on", "note") == 0
    assert tool.codes == []


def test_only_what_is_unknown_is_fixed(tool: Tool) -> None:
    write("a.sql", CLAIM)
    tool.check("--write-baseline", BASELINE)
    write("a.sql", CLAIM + CLAIM.replace("jobs", "tasks"))
    assert tool.known("--fix") == 0
    text = Path("a.sql").read_text()
    assert text.startswith(CLAIM)
    assert "ARRAY" in text
    assert tool.told == ["Fixed 1 finding.", f"Left out 1 known finding of {BASELINE}."]


def test_the_text_of_a_baseline_can_be_read_again() -> None:
    baseline = {
        Key("PGL101", "jobs", "ab12"): Counter({"db/grün \udc80.sql": 2, "a\nb.sql": 1}),
        Key("PGL001", None, "ff"): Counter({"a.sql": 1}),
    }
    text = rendered(baseline)
    assert text.isascii()
    assert parsed(text, BASELINE, RULES) == baseline
    assert parsed(rendered(made_of([], str)), BASELINE, RULES) == {}


def test_a_code_that_was_renamed_is_todays() -> None:
    rule = Rule("PGL101", "n", "s", (Severity.NOTE,), Subject.CLAUSE, formerly=("PGL199", "old"))
    text = rendered({Key("PGL199", "jobs", "ab"): Counter({"a.sql": 2})})
    assert parsed(text, BASELINE, [rule]) == {Key("PGL101", "jobs", "ab"): Counter({"a.sql": 2})}


# Bad input


def test_a_baseline_that_is_not_there_is_wrong_use(tool: Tool) -> None:
    assert tool.known() == 2
    assert f"{BASELINE}: there is no such baseline; --write-baseline {BASELINE}" in tool.errors


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no baseline"),
        ("<<<<<<< HEAD\n", "is no baseline"),
        ("[]", "has no version"),
        ('{"version": "1"}', "has no version"),
        ('{"version": 1}', "is a damaged baseline"),
        ('{"version": 1, "findings": [{"code": "PGL101"}]}', "is a damaged baseline"),
        ('{"version": 1, "findings": [[]]}', "is a damaged baseline"),
        (f'{{"version": {VERSION + 1}, "findings": {{}}}}', "newer pglint-locks (version 2"),
        (
            '{"version":1,"findings":[{"code":"P","table":null,"statement":"a","files":{"f":-1}}]}',
            "is a damaged baseline",
        ),
        (
            '{"version":1,"findings":[{"code":"P","table":null,"statement":"a","files":["f"]}]}',
            "is a damaged baseline",
        ),
    ],
)
def test_what_is_no_baseline_is_told(tool: Tool, text: str, words: str) -> None:
    write(BASELINE, text)
    write("a.sql", CLAIM)
    assert tool.known() == 2
    assert tool.errors.startswith(f"pglint-locks: error: {BASELINE}: ")
    assert words in tool.errors
    assert "--write-baseline" in tool.errors
    assert tool.check("--write-baseline", BASELINE) == 0  # which is what it advises


def test_a_baseline_that_is_not_text(tool: Tool) -> None:
    Path(BASELINE).write_bytes(b"\xff\xfe")
    assert tool.known() == 2
    assert "is no baseline: it is not UTF-8" in tool.errors
    with pytest.raises(UsageError, match="newer"):
        parsed('{"version": 99}', BASELINE, RULES)


def test_a_read_only_baseline_is_left_alone(tool: Tool) -> None:
    write("a.sql", CLAIM)
    write(BASELINE, "{}")
    Path(BASELINE).chmod(0o444)
    assert tool.check("--write-baseline", BASELINE) == 2
    assert f"{BASELINE}: is read-only" in tool.errors
    assert tool.codes == ["a.sql:2:11: PGL101"]  # they are listed nowhere
    assert Path(BASELINE).read_text() == "{}"


def test_a_baseline_where_there_is_no_folder(tool: Tool) -> None:
    write("a.sql", CLAIM)
    assert tool.check("--write-baseline", "no/such.json") == 2
    assert "no/such.json: cannot be written: No such file or directory" in tool.errors


def test_no_file_that_is_linted_is_overwritten(tool: Tool) -> None:
    write("a.sql", CLAIM)
    assert tool.check("--write-baseline", "a.sql") == 2
    assert "--write-baseline: a.sql is one of the files to lint" in tool.errors
    assert Path("a.sql").read_text() == CLAIM


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--baseline-strict"], "--baseline-strict needs --baseline"),
        (["--write-baseline", "b", "--staged"], "--write-baseline and --staged exclude"),
        (["--write-baseline", "b", "--since", "HEAD"], "--write-baseline and --since exclude"),
    ],
)
def test_options_that_do_not_go_together(tool: Tool, arguments: list[str], words: str) -> None:
    assert tool.check(*arguments) == 2
    assert words in tool.errors
