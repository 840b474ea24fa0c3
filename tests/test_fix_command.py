"""`--fix`, `--unsafe-fixes` and `--diff` on files, on standard input, and where they cannot."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pglint_locks import rewriting
from pglint_locks.cli import run

BAD = "DELETE FROM jobs\n WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE);\n"
GOOD = (
    "DELETE FROM jobs\n"
    " WHERE id = ANY (ARRAY(SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE));\n"
)
UNSAFE = "SELECT id FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 3 FOR SHARE SKIP LOCKED;\n"
REPAIRED = UNSAFE.replace("FOR SHARE", "FOR NO KEY UPDATE")


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("PGLINT_LOCKS_"):
            monkeypatch.delenv(name)


def _file(text: str, name: str = "claim.sql") -> Path:
    path = Path(name)
    path.write_bytes(text.encode())
    return path


# --- files ----------------------------------------------------------------------------


def test_fix_changes_the_file_and_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(BAD)
    assert run(["check", "claim.sql"]) == 1
    assert path.read_text() == BAD
    capsys.readouterr()
    assert run(["check", "--fix", "claim.sql"]) == 0
    assert path.read_text() == GOOD
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "Fixed 1 finding.",
        "Checked 1 file, 1 statement: 1 locking clause, 1 analysed.",
    ]


def test_a_second_time_changes_nothing_more(capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(BAD)
    run(["check", "--fix", "claim.sql"])
    before = path.stat()
    capsys.readouterr()
    assert run(["check", "--fix", "claim.sql"]) == 0
    assert path.stat().st_ino == before.st_ino
    assert "Fixed" not in capsys.readouterr().err


def test_unsafe_fixes_are_left_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(BAD + UNSAFE)
    assert run(["check", "--fix", "claim.sql"]) == 1
    assert path.read_text() == GOOD + UNSAFE
    out, err = capsys.readouterr()
    assert "Fixed 1 finding (1 more with --unsafe-fixes).\n" in err
    assert "(--unsafe-fixes does it)" in out


@pytest.mark.parametrize("options", [["--unsafe-fixes"], ["--fix", "--unsafe-fixes"]])
def test_unsafe_fixes_are_made_where_asked_for(options: list[str]) -> None:
    path = _file(BAD + UNSAFE)
    assert run(["check", *options, "claim.sql"]) == 0
    assert path.read_text() == GOOD + REPAIRED


def test_fixes_of_rules_that_are_off_are_not_made() -> None:
    path = _file(BAD)
    assert run(["check", "--fix", "--ignore", "PGL101", "claim.sql"]) == 0
    assert path.read_text() == BAD


def test_suppressed_findings_are_not_fixed() -> None:
    path = _file("-- pglint: ignore[PGL101] ten at most\n" + BAD)
    assert run(["check", "--fix", "claim.sql"]) == 0
    assert path.read_text().endswith(BAD)


def test_a_fix_that_brings_a_finding_is_not_offered_and_not_made(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (
        "BEGIN;\nSELECT id FROM jobs WHERE kind = 'a' FOR SHARE;\n"
        "UPDATE jobs SET status = 'done' WHERE kind = 'a';\nCOMMIT;\n"
    )
    path = _file(text)
    assert run(["check", "--output-format", "json", "claim.sql"]) == 1
    assert [(each["code"], each["fix"]) for each in json.loads(capsys.readouterr().out)] == [
        ("PGL302", None)
    ]
    assert run(["check", "--fix", "-v", "claim.sql"]) == 1
    assert path.read_text() == text
    said = "claim.sql:2:38: the fix of PGL302 is not applied: it would bring PGL402"
    assert said in capsys.readouterr().err


def test_fixes_at_one_place_take_turns() -> None:
    text = (
        "WITH claim AS (\n"
        "    SELECT j.id FROM jobs AS j JOIN parents AS p ON p.id = j.parent_id\n"
        "     WHERE j.status = 'ready' ORDER BY j.id LIMIT 2 FOR UPDATE SKIP LOCKED\n"
        ")\n"
        "UPDATE jobs SET status = 'running' FROM claim WHERE jobs.id = claim.id;\n"
    )
    path = _file(text)
    assert run(["check", "--unsafe-fixes", "claim.sql"]) == 0
    assert path.read_text() == text.replace("FOR UPDATE", "FOR NO KEY UPDATE OF j")


def test_keywords_are_written_as_those_beside_them() -> None:
    path = _file(BAD.lower())
    assert run(["check", "--fix", "claim.sql"]) == 0
    assert path.read_text() == GOOD.lower()


@pytest.mark.parametrize(
    "data",
    [
        BAD.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + BAD.encode(),
        BAD.rstrip("\n").encode(),
        "-- gr\u00fc\u00dfe \U0001f600\r\n".encode() + BAD.encode(),
    ],
    ids=["crlf", "bom", "no newline at the end", "mixed line ends"],
)
def test_the_rest_of_the_file_stays_to_the_byte(data: bytes) -> None:
    path = Path("claim.sql")
    path.write_bytes(data)
    assert run(["check", "--fix", "claim.sql"]) == 0
    expected = data.replace(b" IN (SELECT", b" = ANY (ARRAY(SELECT")
    assert path.read_bytes() == expected.replace(b"UPDATE);", b"UPDATE));")


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_the_mode_stays() -> None:
    path = _file(BAD)
    path.chmod(0o751)
    run(["check", "--fix", "claim.sql"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert [each.name for each in Path().iterdir()] == ["claim.sql"]


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_a_link_stays_and_its_target_is_fixed() -> None:
    Path("real").mkdir()
    target = _file(BAD, "real/target.sql")
    Path("claim.sql").symlink_to("real/target.sql")
    assert run(["check", "--fix", "claim.sql"]) == 0
    assert os.readlink("claim.sql") == "real/target.sql"
    assert target.read_text() == GOOD


def test_a_read_only_file_is_told_and_left(capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(BAD)
    _file(BAD, "other.sql")
    path.chmod(0o444)
    assert run(["check", "--fix", "."]) == 2
    assert path.read_text() == BAD
    assert Path("other.sql").read_text() == GOOD
    error = "pglint-locks: error: claim.sql: is read-only; it is left as it is\n"
    assert error in capsys.readouterr().err


def test_a_directory_that_cannot_be_written_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _file(BAD)

    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(rewriting.tempfile, "mkstemp", refuse)
    assert run(["check", "--fix", "claim.sql"]) == 2
    assert path.read_text() == BAD
    assert "claim.sql: cannot be written: Permission denied; it is left" in capsys.readouterr().err


@pytest.mark.parametrize("moment", ["before", "while"])
def test_a_file_that_changed_meanwhile_is_left_alone(
    moment: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _file(BAD)
    where = (rewriting, "rewrite") if moment == "before" else (rewriting.os, "fsync")
    own = getattr(*where)

    def late(*arguments: object) -> None:
        path.write_text("-- mine\n" + BAD)
        own(*arguments)

    monkeypatch.setattr(*where, late)
    assert run(["check", "--fix", "claim.sql"]) == 2
    assert path.read_text() == "-- mine\n" + BAD
    said = "claim.sql: was changed since it was read; it is left as it is"
    assert said in capsys.readouterr().err
    assert [each.name for each in Path().iterdir()] == ["claim.sql"]


def test_who_is_interrupted_leaves_whole_files(monkeypatch: pytest.MonkeyPatch) -> None:
    path = _file(BAD)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rewriting.os, "fsync", interrupt)
    assert run(["check", "--fix", "claim.sql"]) == 130
    assert path.read_text() == BAD
    assert [each.name for each in Path().iterdir()] == ["claim.sql"]


# --- how it is told -------------------------------------------------------------------


def test_quiet_prints_what_is_left_only(capsys: pytest.CaptureFixture[str]) -> None:
    _file(BAD)
    assert run(["check", "--fix", "-q", "claim.sql"]) == 0
    assert capsys.readouterr() == ("", "")


def test_json_has_the_findings_that_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    _file(BAD + UNSAFE)
    assert run(["check", "--fix", "--output-format", "json", "claim.sql"]) == 1
    (left,) = json.loads(capsys.readouterr().out)
    assert left["code"] == "PGL104"
    assert left["fix"] == {
        "applicability": "unsafe",
        "message": "write FOR NO KEY UPDATE",
        "edits": [
            {
                "content": "NO KEY UPDATE",
                "location": {"row": 3, "column": 68},
                "end_location": {"row": 3, "column": 73},
            }
        ],
    }


def test_statistics_count_the_findings_that_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    _file(BAD + UNSAFE)
    run(["check", "--fix", "--statistics", "claim.sql"])
    assert "1 finding of 1 rule" in capsys.readouterr().err


def test_configuration_switches_it_on_and_unsafe_fixes_do_not() -> None:
    path = _file(BAD + UNSAFE)
    settings = Path(".pglint-locks.toml")
    settings.write_text("unsafe-fixes = true\n")
    assert run(["check", "claim.sql"]) == 1
    assert path.read_text() == BAD + UNSAFE
    assert run(["check", "--fix", "claim.sql"]) == 0
    assert path.read_text() == GOOD + REPAIRED
    _file(BAD)
    settings.write_text("fix = true\n")
    assert run(["check", "claim.sql"]) == 0
    assert path.read_text() == GOOD


# --- --diff ---------------------------------------------------------------------------


def test_diff_prints_a_patch_and_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(BAD)
    assert run(["check", "--diff", "--fix", "claim.sql"]) == 1
    out, err = capsys.readouterr()
    assert path.read_text() == BAD
    assert out.splitlines() == [
        "--- a/claim.sql",
        "+++ b/claim.sql",
        "@@ -1,2 +1,2 @@",
        " DELETE FROM jobs",
        "- WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE);",
        "+ WHERE id = ANY (ARRAY(SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE));",
    ]
    assert err.splitlines()[0] == "Would fix 1 finding."


def test_diff_without_a_change(capsys: pytest.CaptureFixture[str]) -> None:
    _file(GOOD)
    assert run(["check", "--diff", "claim.sql"]) == 0
    assert capsys.readouterr().out == ""
    _file(UNSAFE)
    assert run(["check", "--diff", "claim.sql"]) == 1  # for the finding that stays
    assert capsys.readouterr().out == ""


def test_diff_goes_to_the_output_file(capsys: pytest.CaptureFixture[str]) -> None:
    _file(BAD)
    assert run(["check", "--diff", "--output-file", "p.diff", "claim.sql"]) == 1
    assert Path("p.diff").read_text().startswith("--- a/claim.sql\n")
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("below", ["", "db"], ids=["top", "in a folder of the work tree"])
def test_git_applies_the_patch(below: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "plain.sql": BAD.encode(),
        "crlf.sql": BAD.replace("\n", "\r\n").encode(),
        "bom.sql": b"\xef\xbb\xbf" + BAD.encode(),
        "cut.sql": BAD.rstrip("\n").encode(),
        "lone cr.sql": ("-- a\rSELECT 1;\n" + BAD).encode(),
        "with space/a b.sql": BAD.encode(),
        'gr\u00fc\u00dfe/"q".sql': BAD.encode(),
        "far.sql": ("SELECT 1;\n" * 30 + BAD + "SELECT 2;\n" * 30 + BAD).encode(),
        "picked.sql": (
            b"DELETE FROM jobs\n USING (SELECT id FROM jobs ORDER BY id LIMIT 1 FOR UPDATE) AS s\n"
            b" WHERE s.id = jobs.id"
        ),
    }
    root = Path(below)
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    _git("init", "-q")
    _git("add", ".")
    monkeypatch.chdir(root)
    done = subprocess.run(
        [sys.executable, "-m", "pglint_locks", "check", "--diff", "."],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(rewriting.__file__).parents[1])},
    )
    assert done.returncode == 1
    assert {name: Path(name).read_bytes() for name in files} == files
    applied = subprocess.run(
        ["git", "apply", "-"], input=done.stdout, capture_output=True, check=False
    )
    assert applied.returncode == 0, applied.stderr.decode()
    patched = {name: Path(name).read_bytes() for name in files}
    for name, data in files.items():
        Path(name).write_bytes(data)
    assert run(["check", "--fix", "-q", "."]) == 0
    assert {name: Path(name).read_bytes() for name in files} == patched
    assert all(patched[name] != data for name, data in files.items())


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


# --- standard input -------------------------------------------------------------------


def test_standard_input_goes_out_fixed() -> None:
    done = _filter(["--fix", "-"], (BAD + UNSAFE).replace("\n", "\r\n").encode())
    assert done.returncode == 1
    assert done.stdout == (GOOD + UNSAFE).replace("\n", "\r\n").encode()
    err = done.stderr.decode()
    assert "<stdin>:3:64: error[PGL104]" in err
    assert "Fixed 1 finding (1 more with --unsafe-fixes)." in err


@pytest.mark.parametrize(
    "data",
    [GOOD.encode(), b"\xef\xbb\xbfSELECT 1", b"", b"\0binary", b"not UTF-8: \xe9\n", b"no SQL"],
    ids=["nothing to fix", "bom", "empty", "binary", "latin-1", "no SQL"],
)
def test_standard_input_goes_out_as_it_is(data: bytes) -> None:
    assert _filter(["--fix", "-"], data).stdout == data


def test_excluded_standard_input_goes_out_as_it_is() -> None:
    Path(".pglint-locks.toml").write_text('extend-exclude = ["old/"]\n')
    done = _filter(["--fix", "--stdin-filename", "old/a.sql", "-"], BAD.encode())
    assert done.stdout == BAD.encode()


def test_diff_of_standard_input() -> None:
    done = _filter(["--diff", "--stdin-filename", "a.sql", "-"], BAD.encode())
    assert done.returncode == 1
    assert done.stdout.startswith(b"--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n")


def _filter(options: list[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "pglint_locks", "check", *options],
        input=data,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(rewriting.__file__).parents[1])},
    )


# --- bodies and literals --------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "closing", "quote"),
    [
        ("$$", "$$", "'"),
        ("$fn$", "$fn$", "'"),
        ("'", "'", "''"),
        ("E'", "'", "''"),
    ],
)
def test_what_is_moved_in_a_body_is_written_as_its_literal_needs(
    opening: str, closing: str, quote: str
) -> None:
    head = "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS " + opening + "\nBEGIN\n    "
    tail = ";\nEND\n" + closing + ";\n"
    picked = f"SELECT id FROM jobs WHERE kind = {quote}b{quote} LIMIT 1 FOR UPDATE SKIP LOCKED"
    write = f"UPDATE jobs SET kind = {quote}a{quote}\n      FROM "
    path = _file(f"{head}{write}({picked}) AS s\n     WHERE s.id = jobs.id{tail}")
    run(["check", "--fix", "--select", "PGL101", "claim.sql"])
    assert path.read_text() == (
        f"{head}WITH s AS MATERIALIZED ({picked})\n    {write}s\n     WHERE s.id = jobs.id{tail}"
    )


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        (
            "EXECUTE 'DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 1 FOR UPDATE)'",
            "EXECUTE 'DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM jobs LIMIT 1 FOR"
            " UPDATE))'",
        ),
        (
            "EXECUTE format('DELETE FROM %I WHERE id IN (SELECT id FROM %I LIMIT 1 FOR UPDATE)',"
            " t, t)",
            "EXECUTE format('DELETE FROM %I WHERE id = ANY (ARRAY(SELECT id FROM %I LIMIT 1 FOR"
            " UPDATE))', t, t)",
        ),
        (
            "EXECUTE 'DELETE FROM jobs WHERE id IN (SELECT id FROM jobs'\n"
            "     || ' LIMIT ' || n || ' FOR UPDATE)'",
            "EXECUTE 'DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM jobs'\n"
            "     || ' LIMIT ' || n || ' FOR UPDATE))'",
        ),
        # A part that is not known cannot be moved, nor what two kinds of literals hold.
        (
            "EXECUTE format('DELETE FROM jobs USING (SELECT id FROM jobs WHERE kind = %L LIMIT 1"
            " FOR UPDATE) s WHERE s.id = jobs.id', t)",
            None,
        ),
        (
            "EXECUTE 'DELETE FROM jobs WHERE id IN (SELECT id FROM jobs'\n"
            "     || E' LIMIT 1 FOR UPDATE)'",
            None,
        ),
    ],
)
def test_dynamic_sql(text: str, fixed: str | None) -> None:
    head, tail = "DO $$\nDECLARE t text; n int;\nBEGIN\n    ", ";\nEND\n$$;\n"
    path = _file(f"{head}{text}{tail}")
    assert run(["check", "--fix", "--select", "PGL101", "claim.sql"]) == (fixed is None)
    assert path.read_text() == f"{head}{fixed or text}{tail}"


@pytest.mark.parametrize(
    "text",
    [
        "EXECUTE format('WITH c AS (SELECT %1$I.id FROM %1$I JOIN parents AS p ON p.id ="
        " %1$I.parent_id WHERE %1$I.id = 1 FOR UPDATE SKIP LOCKED) UPDATE %1$I SET kind = 1"
        " FROM c WHERE c.id = %1$I.id', t)",
        "EXECUTE format('SELECT %1$I.id FROM a, %1$I WHERE %1$I.kind = 1 FOR UPDATE', t)",
    ],
)
def test_names_that_are_not_known_are_not_written(text: str) -> None:
    path = _file(f"DO $$\nDECLARE t text;\nBEGIN\n    {text};\nEND\n$$;\n")
    assert run(["check", "--unsafe-fixes", "--select", "PGL303,PGL402", "claim.sql"]) == 1
    assert f"    {text};\n" in path.read_text()


def test_what_psql_leaves_out_is_not_moved() -> None:
    text = (
        "DELETE FROM jobs\n USING (SELECT id FROM jobs\n\\if :old\n WHERE kind = 'a'\n\\else\n"
        " WHERE kind = 'b'\n\\endif\n ORDER BY id LIMIT 1 FOR UPDATE) AS s\n"
        " WHERE s.id = jobs.id;\n"
    )
    path = _file(text)
    assert run(["check", "--fix", "claim.sql"]) == 1
    assert path.read_text() == text


def test_host_code() -> None:
    one_line = re.sub(r"\s+", " ", BAD).strip()
    fixed = re.sub(r"\s+", " ", GOOD).strip()
    code = "def claim(cur):\n    cur.execute({!r})\n"
    path = _file(code.format(one_line), "claim.py")
    assert run(["check", "--fix", "claim.py"]) == 0
    assert path.read_text() == code.format(fixed)
