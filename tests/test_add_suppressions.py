"""`--add-suppressions`: comments that suppress what is found, in the files."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pglint_locks.cli import run
from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.sources.kinds import KINDS

PAGE = "SELECT id FROM jobs ORDER BY id LIMIT 10 OFFSET 10 FOR NO KEY UPDATE"
CLAIM = """\
DELETE FROM jobs
 WHERE id = ANY (SELECT id FROM jobs LIMIT 10
                    FOR UPDATE)"""
WHY = "one session, at night"
NOTE = f"pglint: ignore[PGL102] {WHY}"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("PGLINT_LOCKS_")]:
        monkeypatch.delenv(name)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(text.encode())


def read(name: str) -> str:
    return Path(name).read_bytes().decode()


class Tool:
    """Runs `check`, and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.errors = ""

    def add(self, *arguments: str, reason: str = WHY) -> int:
        return self.check("--add-suppressions", reason, *arguments)

    def check(self, *arguments: str) -> int:
        status = run(["check", "--output-format", "concise", *arguments])
        self.out, self.errors = self._capsys.readouterr()
        return status


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str]) -> Tool:
    return Tool(capsys)


def body(statement: str) -> str:
    return f"CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n{statement}END\n$$;\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{PAGE};\n", f"-- {NOTE}\n{PAGE};\n"),
        (f"SELECT 1;\r\n  {PAGE};\r\n", f"SELECT 1;\r\n  -- {NOTE}\r\n  {PAGE};\r\n"),
        (PAGE, f"-- {NOTE}\n{PAGE}"),
        (f"SELECT 1;\r\n{PAGE}", f"SELECT 1;\r\n-- {NOTE}\r\n{PAGE}"),
        (f"\ufeff{PAGE};\n", f"\ufeff-- {NOTE}\n{PAGE};\n"),
        (f"-- ten\n{PAGE};\n", f"-- ten\n-- {NOTE}\n{PAGE};\n"),
        # two statements of one line: a comment above covers the first only
        (f"SELECT 1; {PAGE};\n", f"SELECT 1; {PAGE};  -- {NOTE}\n"),
        (f"SELECT 1; {PAGE}; -- ten\n", f"SELECT 1; {PAGE}; -- ten  -- {NOTE}\n"),
        # all rules of a statement in one comment
        (
            f"{CLAIM};\n",
            f"-- pglint: ignore[PGL101, PGL402] {WHY}\n{CLAIM};\n",
        ),
        # beside one that is there
        (
            f"-- pglint: ignore[PGL101] old\n{CLAIM};\n",
            f"-- pglint: ignore[PGL101] old\n-- pglint: ignore[PGL402] {WHY}\n{CLAIM};\n",
        ),
        # in a body
        (
            body(f"  PERFORM {PAGE[7:]};\n"),
            body(f"  -- {NOTE}\n  PERFORM {PAGE[7:]};\n"),
        ),
        ("SELECT 1 FROM FOR UPDATE;\n", None),
    ],
)
def test_the_comment_stands_where_it_covers_the_statement(
    tool: Tool, before: str, after: str | None
) -> None:
    if after is None:
        after = f"-- pglint: ignore[PGL001] {WHY}\n{before}"
    write("a.sql", before)
    assert tool.add() == 0
    assert tool.out == ""
    assert re.match(r"Suppressed \d findings?\.\nChecked", tool.errors)
    assert read("a.sql") == after
    assert tool.add() == 0
    assert read("a.sql") == after


_HOST = {
    "a.py": f'def f(cur):\n    cur.execute(\n        "{PAGE}"\n    )\n',
    "b.py": f'SQL = """\n    {PAGE}\n"""\ndef f(cur):\n    cur.execute(SQL)\n',
    "c.py": (
        'def f(cur):\n    return cur.execute(\n        "SELECT id FROM jobs ORDER BY id "\n'
        '        "LIMIT 10 OFFSET 10 "\n        "FOR NO KEY UPDATE")\n'
    ),
    "a.go": f'package a\n\nfunc f() {{\n\tdb.Exec("{PAGE}")\n}}\n',
    "b.go": f"package a\n\nfunc f() {{\n\tdb.Exec(`\n\t\t{PAGE}\n\t`)\n}}\n",
    "a.js": f"async function f(db) {{\n  await db.query(`\n    {PAGE}`);\n}}\n",
    "a.ts": f"async function f(db: Db) {{\n  await db.query('{PAGE}');\n}}\n",
    "a.java": f'class A {{\n  void f() {{\n    db.execute("{PAGE}");\n  }}\n}}\n',
    "a.rb": f'def f\n  conn.exec("{PAGE}")\nend\n',
    "b.rb": f"def f\n  conn.exec(<<~SQL)\n    {PAGE}\n  SQL\nend\n",
    "a.kt": f'fun f() {{\n    db.execute("{PAGE}")\n}}\n',
    "a.cs": f'class A {{\n  void F() {{\n    db.Execute("{PAGE}");\n  }}\n}}\n',
    "a.php": f'<?php\nfunction f($db) {{\n    $db->query("{PAGE}");\n}}\n',
    "a.rs": f'fn f() {{\n    db.execute("{PAGE}");\n}}\n',
    "a.ex": f'defmodule A do\n  def f do\n    Repo.query("{PAGE}")\n  end\nend\n',
    "a.scala": f'object A {{\n  def f() = {{\n    db.execute("{PAGE}")\n  }}\n}}\n',
    "a.swift": f'func f() {{\n    db.execute("{PAGE}")\n}}\n',
}
_PLAIN = {
    "a.sh": f'#!/bin/sh\npsql -c "{PAGE}"\n',
    "b.sh": f"#!/bin/sh\npsql <<'SQL'\n{PAGE};\nSQL\n",
    "a.md": f"# Jobs\n\n```sql\n{PAGE};\n```\n",
    "a.sql.jinja": f"{{% if x %}}\n{PAGE};\n{{% endif %}}\n",
    "m.xml": f'<mapper namespace="m">\n  <select id="a">\n    {PAGE}\n  </select>\n</mapper>\n',
    "a.spec": f"session s1\nstep a {{ {PAGE}; }}\n\npermutation a\n",
}
_SIGNS = {"#": ("py", "rb", "ex", "sh", "spec"), "<!--": ("xml",), "--": ("md", "jinja")}


@pytest.mark.parametrize("name", [*_HOST, *_PLAIN])
def test_the_comment_is_one_of_the_host_language(tool: Tool, name: str) -> None:
    if name in _HOST:
        pytest.importorskip("ast_grep_py")
    before = {**_HOST, **_PLAIN}[name]
    write(name, before)
    assert tool.check(name) == 1, tool.errors
    assert "PGL102" in tool.out
    reason = 'don\'t touch: "it" works `so` {here} $1 100% --> ok'
    assert tool.add(name, reason=reason) == 0, tool.out + tool.errors
    assert tool.check(name) == 0
    assert tool.out == ""
    lines = [line for line in read(name).splitlines() if "pglint:" in line]
    assert len(lines) == 1
    # Nothing but the comment has come.
    assert read(name).replace(f"{lines[0]}\n", "") == before
    ending = name.rpartition(".")[2]
    sign = next((sign for sign, endings in _SIGNS.items() if ending in endings), "//")
    if name not in ("b.py", "b.go", "a.js", "b.rb", "b.sh"):  # there it may stand in the literal
        assert lines[0].lstrip().startswith(f"{sign} pglint: ignore[PGL102")
    if lines[0].lstrip().startswith("--") and sign != "--":
        assert set("\"'`{}$%").isdisjoint(lines[0])


def test_one_comment_may_cover_several_statements(tool: Tool) -> None:
    """A host statement whose text is one of two: each has its findings, in part the same."""
    pytest.importorskip("ast_grep_py")
    text = (
        "async function f(db: Db, skip: boolean) {\n  const sql = "
        "'SELECT id FROM jobs ORDER BY id OFFSET 10 FOR UPDATE' + (skip ? ' SKIP LOCKED' : '');\n"
        "  await db.query(sql);\n}\n"
    )
    write("a.ts", text + text.replace("jobs", "tasks"))
    assert tool.check("--select", "PGL102,PGL503,PGL603") == 1
    count = len(tool.out.splitlines())
    assert count >= 6
    assert tool.add("--select", "PGL102,PGL503,PGL603") == 0
    assert tool.errors.startswith(f"Suppressed {count} findings.\n")
    lines = read("a.ts").splitlines(keepends=True)
    assert sum("pglint:" in line for line in lines) == 2
    kept = "".join(line for line in lines if "pglint:" not in line)
    assert kept == text + text.replace("jobs", "tasks")


def test_every_kind_of_comment_is_understood() -> None:
    """What kinds.py has of each kind is a comment that a reader finds."""
    signs = {kind.comment for kind in KINDS}
    assert signs == {("-- ", ""), ("# ", ""), ("// ", ""), ("<!-- ", " -->")}


def test_what_is_not_shown_or_not_new_is_not_suppressed(tool: Tool) -> None:
    write("a.sql", f"{CLAIM};\n{PAGE};\n")
    assert tool.add("--severity-threshold", "error") == 1
    assert read("a.sql") == f"-- pglint: ignore[PGL101] {WHY}\n{CLAIM};\n{PAGE};\n"
    tool.check("--write-baseline", "known.json")
    write("a.sql", f"{read('a.sql')}{PAGE.replace('jobs', 'tasks')};\n")
    assert tool.add("--baseline", "known.json", "--baseline-strict") == 0
    assert read("a.sql").count("pglint:") == 2


def test_a_finding_that_rests_on_another_file(tool: Tool) -> None:
    first = "SELECT id FROM t WHERE a = 1 ORDER BY id FOR NO KEY UPDATE;\n"
    write("a.sql", first)
    write("b.sql", first.replace("id FOR", "id DESC FOR"))
    assert tool.check() == 1
    assert tool.out.count("PGL404") == 2
    assert tool.add() == 0
    assert tool.out == ""
    assert read("a.sql") == f"-- pglint: ignore[PGL404] {WHY}\n{first}"


def test_what_speaks_of_suppressions_is_left(tool: Tool) -> None:
    text = "SELECT 1; -- pglint: ignore[PGL102]\n-- pglint: ignore[nonsense]\n"
    write("a.sql", text)
    assert tool.add() == 1
    assert [line.split()[1] for line in tool.out.splitlines()] == ["PGL002", "PGL003"]
    assert read("a.sql") == text


def test_where_no_comment_can_stand_that_is_told(tool: Tool) -> None:
    text = f'["SQL", {{"sql": "{PAGE}"}}]\n'
    write("a.json", text)
    assert tool.add("a.json") == 1
    assert read("a.json") == text
    assert "PGL102" in tool.out
    assert "Suppressed no findings." in tool.errors
    assert re.search(r"^a\.json:1:\d+: no comment can suppress PGL102 here$", tool.errors, re.M)


def test_a_patch_of_it(tool: Tool) -> None:
    write("a.sql", f"{CLAIM};\n")
    assert tool.add("--diff") == 1
    assert read("a.sql") == f"{CLAIM};\n"
    assert f"+-- pglint: ignore[PGL101, PGL402] {WHY}\n" in tool.out
    assert "ARRAY" not in tool.out
    assert "Would suppress 2 findings." in tool.errors


def test_many_statements_at_once(tool: Tool) -> None:
    write("a.sql", f"{PAGE};\n{CLAIM};\n" * 20)
    assert tool.add() == 0
    found = lint_text(read("a.sql"), "a.sql", Settings()).findings
    assert found == ()
    assert read("a.sql").count("pglint:") == 40


# Bad input


def test_a_read_only_file_is_left_alone(tool: Tool) -> None:
    write("a.sql", f"{PAGE};\n")
    Path("a.sql").chmod(0o444)
    assert tool.add() == 2
    assert "a.sql: is read-only; it is left as it is" in tool.errors
    assert read("a.sql") == f"{PAGE};\n"
    assert "PGL102" in tool.out


def test_a_file_that_changed_meanwhile_is_left_alone(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pglint_locks import engine

    whole = engine.suppress_files

    def slow(*arguments: object) -> object:
        done = whole(*arguments)  # type: ignore[arg-type]
        write("a.sql", f"SELECT 1;\n{PAGE};\n")
        return done

    monkeypatch.setattr(engine, "suppress_files", slow)
    write("a.sql", f"{PAGE};\n")
    assert tool.add() == 2
    assert "a.sql: was changed since it was read; it is left as it is" in tool.errors
    assert read("a.sql") == f"SELECT 1;\n{PAGE};\n"


@pytest.mark.parametrize("reason", ["", "  ", "--", "pglint: off", "a\x1bb"])
def test_a_reason_that_is_none(tool: Tool, reason: str) -> None:
    write("a.sql", f"{PAGE};\n")
    assert tool.add(reason=reason) == 2
    assert "--add-suppressions: must say why in one line" in tool.errors
    assert read("a.sql") == f"{PAGE};\n"


def test_a_reason_of_several_lines_is_one(tool: Tool) -> None:
    write("a.sql", f"{PAGE};\n")
    assert tool.add(reason="one\n  two;\r\nDROP TABLE x;") == 0
    assert read("a.sql").splitlines() == [
        "-- pglint: ignore[PGL102] one two; DROP TABLE x;",
        f"{PAGE};",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--fix"], "exclude each other; fix first"), (["-"], "standard input is none")],
)
def test_options_that_do_not_go_together(tool: Tool, arguments: list[str], words: str) -> None:
    assert tool.add(*arguments) == 2
    assert words in tool.errors


def test_no_file_can_ask_for_it(tool: Tool) -> None:
    write("pglint-locks.toml", 'add-suppressions = "x"\n')
    assert tool.check() == 2
    assert "add-suppressions can only be set on the command line" in tool.errors
