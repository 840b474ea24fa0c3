"""What `--fix` makes of suppressions that suppress nothing, or name a rule as it was called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pglint_locks import kinds, plugins
from pglint_locks.cli import run
from pglint_locks.config import Settings
from pglint_locks.engine import fix_text, lint_text
from pglint_locks.findings import Rule
from pglint_locks.rules import RULES
from pglint_locks.selection import find_rule

GOOD = "SELECT id FROM jobs WHERE id = 1 FOR NO KEY UPDATE"
NONE = "SELECT id FROM jobs WHERE id = 1"
PAGE = "SELECT id FROM jobs ORDER BY id LIMIT 10 OFFSET 10 FOR NO KEY UPDATE"


def repaired(text: str, name: str = "a.sql") -> str:
    done = fix_text(text, name, Settings(), unsafe=False)
    again = fix_text(done.text, name, Settings(), unsafe=False)
    assert again.text == done.text
    return done.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # a comment of its own
        (f"-- pglint: ignore[PGL102] why\n{NONE};\n", f"{NONE};\n"),
        (f"  -- pglint: ignore\r\n{NONE};\r\n", f"{NONE};\r\n"),
        (f"{NONE};\n-- pglint: ignore-file", f"{NONE};\n"),
        (f"/*\n * pglint: ignore[PGL102] why\n */\n{NONE};\n", f"{NONE};\n"),
        # behind something
        (f"{NONE}; -- pglint: ignore[PGL102] why\n", f"{NONE};\n"),
        (f"{NONE};--pglint: ignore\n", f"{NONE};\n"),
        (f"{NONE}; /* pglint: ignore */  \n", f"{NONE};\n"),
        (f"{NONE}; -- noqa: X01 -- pglint: ignore[PGL102] why\n", f"{NONE}; -- noqa: X01\n"),
        # between things
        (f"SELECT/* pglint: ignore */1;\n{NONE};\n", f"SELECT 1;\n{NONE};\n"),
        (f"SELECT /* pglint: ignore */ 1;\n{NONE};\n", f"SELECT 1;\n{NONE};\n"),
        (f"/* pglint: ignore */ SELECT 1;\n{NONE};\n", f"SELECT 1;\n{NONE};\n"),
        # regions
        (f"-- pglint: off\n{NONE};\n-- pglint: on\n", f"{NONE};\n"),
        (f"-- pglint: off[PGL102]\n-- pglint: off[PGL4]\n{NONE};\n-- pglint: on\n", f"{NONE};\n"),
        (f"{NONE};\n-- pglint: on\n", f"{NONE};\n"),
        # one of several
        (
            f"{PAGE}; -- pglint: ignore[PGL101, PGL102,PGL4] why\n",
            f"{PAGE}; -- pglint: ignore[PGL102] why\n",
        ),
        (
            f"{PAGE}; -- pglint: ignore[ PGL102 , PGL4 ]\n",
            f"{PAGE}; -- pglint: ignore[PGL102 ]\n",
        ),
        (
            f"{PAGE}; -- pglint: ignore[PGL4] pglint: ignore[PGL102] why\n",
            f"{PAGE}; -- pglint: ignore[PGL102] why\n",
        ),
        (
            f"{PAGE}; -- pglint: ignore[PGL102] -- pglint: ignore[PGL4] why\n",
            f"{PAGE}; -- pglint: ignore[PGL102] why\n",
        ),
        (f"{GOOD}; -- pglint: ignore[PGL102] pglint: ignore[PGL4]\n", f"{GOOD};\n"),
        # what it was meant for may be misspelt beside it
        (f"{GOOD}; -- pglint: ignore[PGL102, x]\n", f"{GOOD}; -- pglint: ignore[x]\n"),
        # in a body
        (
            f"DO $$ BEGIN\n  -- pglint: ignore[PGL102]\n  PERFORM {GOOD[7:]};\nEND $$;\n",
            f"DO $$ BEGIN\n  PERFORM {GOOD[7:]};\nEND $$;\n",
        ),
    ],
)
def test_what_suppresses_nothing_is_removed(before: str, after: str) -> None:
    assert repaired(before) == after


@pytest.mark.parametrize(
    "text",
    [
        f"/* pglint: ignore[PGL102]\n * Takes ten.\n */\n{GOOD};\n",
        f"/* Takes ten.\n * pglint: ignore[PGL102]\n */\n{GOOD};\n",
        f"{PAGE}; -- pglint: ignore[PGL102]\n",
        f"-- pglint: off\n{PAGE};\n-- pglint: on\n",
        f"-- pglint: ignore[PGL999]\n{GOOD};\n",
    ],
)
def test_what_says_more_or_suppresses_something_stays(text: str) -> None:
    assert repaired(text) == text


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "a.py",
            f'# pglint: ignore[PGL102] why\ncur.execute("{GOOD}")  # pglint: ignore[PGL4]\n',
            f'cur.execute("{GOOD}")\n',
        ),
        (
            "a.py",
            f'cur.execute("""\n    -- pglint: ignore[PGL102]\n    {GOOD}\n""")\n',
            f'cur.execute("""\n    {GOOD}\n""")\n',
        ),
        (
            "a.go",
            f'package a\n\nfunc f() {{\n\t// pglint: ignore\n\tdb.Exec("{GOOD}")\n}}\n',
            f'package a\n\nfunc f() {{\n\tdb.Exec("{GOOD}")\n}}\n',
        ),
        (
            "a.sh",
            f'# pglint: ignore[PGL102]\npsql -c "{GOOD}"\n',
            f'psql -c "{GOOD}"\n',
        ),
        (
            "a.md",
            f"```sql\n-- pglint: ignore[PGL102]\n{GOOD};\n```\n",
            f"```sql\n{GOOD};\n```\n",
        ),
        (
            "m.xml",
            '<mapper namespace="m">\n<!-- pglint: ignore[PGL102] -->\n'
            f'<select id="a">{GOOD}</select>\n</mapper>\n',
            f'<mapper namespace="m">\n<select id="a">{GOOD}</select>\n</mapper>\n',
        ),
    ],
)
def test_in_files_of_other_kinds(name: str, before: str, after: str) -> None:
    if name.endswith((".py", ".go")):
        pytest.importorskip("ast_grep_py")
    assert repaired(before, name) == after


# Rules that were called otherwise


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> tuple[Rule, ...]:
    """The rules as if PGL102 had been PGL902, and its name another."""
    rules = tuple(
        rule._replace(formerly=("PGL902", "offset-locks")) if rule.code == "PGL102" else rule
        for rule in RULES
    )
    for module in (kinds, plugins):
        monkeypatch.setattr(module, "RULES", rules)
    return rules


@pytest.mark.parametrize(
    ("former", "today"),
    [
        ("PGL902", "PGL102"),
        ("pgl902", "PGL102"),
        ("offset-locks", "offset-locks-skipped-rows"),
    ],
)
@pytest.mark.usefixtures("renamed")
def test_a_former_name_in_a_suppression_works_and_is_reported(former: str, today: str) -> None:
    text = f"{PAGE}; -- pglint: ignore[ {former}] why\n"
    (finding,) = lint_text(text, "a.sql", Settings()).findings
    assert finding.rule.code == "PGL003"
    assert finding.message == f"{former} is called {today} today"
    assert text[finding.span.start : finding.span.end] == former
    assert repaired(text) == f"{PAGE}; -- pglint: ignore[ {today}] why\n"


@pytest.mark.usefixtures("renamed")
def test_an_unused_one_of_a_former_name() -> None:
    text = f"{GOOD}; -- pglint: ignore[PGL902]\n"
    findings = lint_text(text, "a.sql", Settings()).findings
    assert sorted(finding.rule.code for finding in findings) == ["PGL002", "PGL003"]
    assert repaired(text) == f"{GOOD};\n"


@pytest.mark.parametrize(
    ("setting", "key"),
    [
        ('ignore = ["PGL902"]', "ignore"),
        ('select = ["PGL1"]\nignore = ["PGL902"]', "ignore"),
        ('severity = { PGL902 = "off" }', "severity"),
        ('per-file-ignores = { "*.sql" = ["PGL902"] }', "per-file-ignores"),
    ],
)
@pytest.mark.usefixtures("renamed")
def test_a_former_code_in_settings_works_and_is_told(
    setting: str,
    key: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.sql").write_text(f"{PAGE};\n")
    Path("pglint-locks.toml").write_text(f"{setting}\n")
    for name in [name for name in os.environ if name.startswith("PGLINT_LOCKS_")]:
        monkeypatch.delenv(name)
    assert run(["check"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    told = f"pglint-locks: pglint-locks.toml: {key}: PGL902 is called PGL102 today\n"
    assert printed.err.count(told) == 1
    assert run(["check", "--isolated", "--ignore", "PGL902"]) == 0
    assert "command line: ignore: PGL902 is called PGL102 today\n" in capsys.readouterr().err


def test_a_rule_is_found_by_a_former_name(renamed: tuple[Rule, ...]) -> None:
    assert find_rule(renamed, "pgl902").code == "PGL102"


def test_no_former_name_is_anothers() -> None:
    today = {word for rule in RULES for word in (rule.code, rule.name)}
    former = [word for rule in RULES for word in rule.formerly]
    assert len(former) == len(set(former))
    assert today.isdisjoint(former)
