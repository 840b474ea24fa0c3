"""`explain`: pages of rules and the catalogue, on a terminal and elsewhere."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pglint_locks.cli import run
from pglint_locks.commands.markdown import render
from pglint_locks.errors import UsageError
from pglint_locks.findings import Rule, Severity, Subject
from pglint_locks.pages import read_page
from pglint_locks.rules import RULES
from pglint_locks.selection import matching

PAGE = """\
# PGL999: a-rule

What it *really* finds, with `code *a* [x](y)` and **emphasis** and a [link](https://example.org/page)
and [another](other.md) in a paragraph.
## Why
Text right below.

```sql
SELECT a_very_long_column_name, another_very_long_column_name FROM t FOR UPDATE;

-- **not** emphasis
```

- a first item that is long enough to be wrapped on a narrow terminal
- a second
  that goes on

1. one

| form | seen |
|---|---|
| `IN (SELECT … LIMIT 10)` | **500** of 500 rows changed |
"""


def test_a_page_set_for_a_terminal() -> None:
    assert (
        render(PAGE, 44, color=False)
        == """\
PGL999: a-rule

What it really finds, with `code *a* [x](y)`
and emphasis and a link
(https://example.org/page) and another in a
paragraph.

Why

Text right below.

    SELECT a_very_long_column_name, another_very_long_column_name FROM t FOR UPDATE;

    -- **not** emphasis

- a first item that is long enough to be
  wrapped on a narrow terminal
- a second that goes on

1. one

| form | seen |
|---|---|
| `IN (SELECT … LIMIT 10)` | 500 of 500 rows changed |
"""
    )


def test_headings_are_bold_where_colours_are_wanted() -> None:
    colored = render(PAGE, 80, color=True)
    assert "\x1b[1mPGL999: a-rule\x1b[0m\n" in colored
    assert re.sub(r"\x1b\[\d*m", "", colored) == render(PAGE, 80, color=False)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_a_page(rule: Rule, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", rule.code]) == 0
    output = capsys.readouterr().out
    assert output == read_page(rule)
    assert rule.code in output.splitlines()[0]


def test_a_rule_goes_by_its_name_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "lock-stops-at-with"]) == 0
    assert "PGL201" in capsys.readouterr().out


def test_a_page_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "pgl101", "--output-format", "json"]) == 0
    page = json.loads(capsys.readouterr().out)
    rule = next(rule for rule in RULES if rule.code == "PGL101")
    assert page == {
        "code": "PGL101",
        "name": rule.name,
        "summary": rule.summary,
        "severities": [severity.value for severity in rule.severities],
        "opt_in": False,
        "url": rule.url,
        "page": read_page(rule),
    }


def test_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--all"]) == 0
    output = capsys.readouterr().out
    assert [line[:6] for line in output.splitlines()[::2]] == [rule.code for rule in RULES]
    for rule in RULES:
        assert rule.name in output
        assert rule.summary in output


@pytest.mark.parametrize("prefix", ["PGL1", "pgl10", "PGL", "all"])
def test_a_prefix_lists_its_rules(prefix: str, capsys: pytest.CaptureFixture[str]) -> None:
    codes = sorted(matching(RULES, [prefix]))
    assert len(codes) > 1
    assert run(["explain", prefix]) == 0
    assert [line[:6] for line in capsys.readouterr().out.splitlines()[::2]] == codes
    assert run(["explain", prefix, "--output-format", "json"]) == 0
    assert [entry["code"] for entry in json.loads(capsys.readouterr().out)] == codes


def test_the_catalogue_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--all", "--output-format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["code"] for entry in listed] == [rule.code for rule in RULES]
    assert {"code", "name", "summary", "severities", "opt_in", "url"} == set(listed[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["PGL7011"], "no rule is called 'PGL7011'; did you mean 'PGL701'?"),
        (["PGL9"], "no rule is called 'PGL9'"),
        (["lock-stop-at-with"], "did you mean 'lock-stops-at-with'?"),
        (["PGL101", "--all"], "name one rule"),
        (["PGL101", "--output-format", "jso"], "'jso' is not known; did you mean 'json'?"),
    ],
)
def test_what_cannot_be_explained(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_page_that_is_missing_points_to_the_web() -> None:
    rule = Rule("PGL998", "no-page", "", (Severity.NOTE,), Subject.CLAUSE)
    with pytest.raises(UsageError, match=r"page of PGL998 is missing .*; see https://"):
        read_page(rule)


def test_on_a_terminal_the_page_is_wrapped_and_headings_are_bold() -> None:
    root = str(Path(__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": root, "COLUMNS": "50", "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    terminal, its_other_end = pty.openpty()
    command = [sys.executable, "-m", "pglint_locks", "explain", "PGL101"]
    with subprocess.Popen(command, stdout=its_other_end, env=environment) as process:
        os.close(its_other_end)
        output = b""
        try:
            while more := os.read(terminal, 65536):
                output += more
        except OSError:  # how Linux tells the end of a terminal
            pass
        os.close(terminal)
    assert process.returncode == 0
    lines = output.decode().replace("\r\n", "\n").splitlines()
    assert lines[0].startswith("\x1b[1m")
    assert "PGL101" in lines[0]
    text = [line for line in lines if line[:1].isalpha()]
    assert text
    assert max(map(len, text)) <= 50
