"""Readers of files that are no SQL: what is broken is counted; time grows with the length."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.run import Run
from pglint_locks.sources.content import read_content
from pglint_locks.text import SourceText

LOCK = "SELECT id FROM jobs ORDER BY id OFFSET 1 FOR UPDATE"


def lint(name: str, text: str) -> Run:
    run = lint_text(text, name, Settings())
    assert run.errors == ()
    return run


def offsets(name: str, text: str) -> list[str]:
    """What the findings of PGL102 mark."""
    return [
        text[slice(*finding.span)]
        for finding in lint(name, text).findings
        if finding.rule.code == "PGL102"
    ]


def units(name: str, text: str) -> list[str | None]:
    return [finding.unit for finding in lint(name, text).findings if finding.rule.code == "PGL102"]


BROKEN = {
    "a.json": '{"sql": "' + LOCK + '", "query": "' + LOCK + ", x",
    "a.ipynb": '{"cells": [}, "' + LOCK + '"]}',
    "a.yaml": 'sql: "' + LOCK + "\n",
    "a.xml": f'<mapper namespace="a"><select id="a">{LOCK}</select><select id="b">{LOCK} <if x',
    "a.spec": f"session a step b {{ {LOCK} }} step c {{ {LOCK}",
    "a.sh": f'psql -c "{LOCK}"\npsql -c "{LOCK}',
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_counted(name: str) -> None:
    run = lint(name, BROKEN[name])
    assert run.not_analysed != ()
    assert run.clauses == BROKEN[name].count("FOR UPDATE")
    assert all(finding.rule.code != "PGL001" for finding in run.findings)


@pytest.mark.parametrize(
    "name", ["a.xml", "a.spec", "a.json", "a.yaml", "a.sh", "a.rst", "a.ipynb"]
)
def test_other_files_of_that_name_hold_no_sql(name: str) -> None:
    run = lint(name, f"<project>\nName: x\n{LOCK}\n</project>\n")
    assert run.findings == ()


@pytest.mark.parametrize(
    ("name", "text", "unit"),
    [
        ("a.sql", f"-- name: ClaimJobs :many\n{LOCK};\n", "query ClaimJobs"),
        ("a.sql", f"-- name: claim_jobs\n-- docs: Claims\n{LOCK}\n", "query claim_jobs"),
        ("a.sql", f"SELECT 1\n\n-- name: claim-jobs!\n{LOCK}\n", "query claim-jobs"),
        ("a.sql", f"-- :name claim-jobs :? :*\n{LOCK}\n", "query claim-jobs"),
        ("a.sql", f"-- BLOCK claim_jobs\n{LOCK};\n", "query claim_jobs"),
        ("a.sql", f"/* TEMPLATE: claim_jobs */\n{LOCK};\n", "query claim_jobs"),
        ("a.sql", f"SELECT 1,\n-- name: x\n2;\n{LOCK};\n", None),
        ("a.sql", f"CREATE TABLE t (a int,\n\n-- name: x\nname text);\n{LOCK};\n", None),
        ("a.sql", f"-- name: of the job\n{LOCK};\n", None),
        ("a.xml", f'<mapper namespace="n"><select id="q">{LOCK}</select></mapper>', "query q"),
        ("a.spec", f"session s1 step a {{ {LOCK} -- b }} step c {{ SELECT 1 }}", "session s1"),
    ],
)
def test_the_unit_is_named(name: str, text: str, unit: str | None) -> None:
    assert units(name, text) == [unit]


@pytest.mark.parametrize(
    "command",
    [
        f"psql -c '{LOCK}'",
        f"psql -c'{LOCK}'",
        f"psql -d app -XAtqc '{LOCK}' -o out",
        f'PGUSER=a /usr/bin/psql --command "{LOCK}"',
        f"sudo -u postgres psql --command='{LOCK}' | tail",
        f"if psql -c '{LOCK}'; then true; fi",
        f"x=`psql -c '{LOCK}'`",
        f'x="$(psql -c "{LOCK}")"',
        f'"$PSQL" -c "{LOCK}"',
        f"psql <<< '{LOCK}'",
        f"echo '{LOCK}' | psql",
        f"psql \\\n  -c '{LOCK}'",
        f"psql <<SQL\n{LOCK}\nSQL\n",
        f"psql <<-'SQL' || exit 1\n\t{LOCK}\n\tSQL\n",
        f"cat <<SQL | psql\n{LOCK}\nSQL\n",
        f"cat <<A; psql <<B\n{LOCK} x\nA\n{LOCK}\nB\n",
    ],
)
def test_shell_commands_that_psql_runs(command: str) -> None:
    assert offsets("a.sh", command) == ["OFFSET 1"]


@pytest.mark.parametrize(
    "command",
    [
        f"SQL='{LOCK}'\npsql -c \"$SQL\"",
        f"SQL='{LOCK}'\npsql -c \"${{SQL}};\"",
        f'local sql="{LOCK}"\nprintf \'%s\' "$sql" | psql',
        f"SQL='SELECT 1'\nSQL='{LOCK}'\npsql <<< \"$SQL\"",
        f"SQL='{LOCK[:9]}'\nSQL+='{LOCK[9:]}'\npsql -c \"$SQL\"",
        f"read -r -d '' SQL <<'XX'\n{LOCK}\nXX\npsql -c \"$SQL\"",
        f"SQL=$(cat <<'XX'\n{LOCK}\nXX\n)\npsql -c \"$SQL\"",
        f'SQL="$(cat <<\'XX\'\n{LOCK}\nXX\n)"\nexport SQL\npsql -c "$SQL"',
        f"SQL='{LOCK}'\npsql <<XX\n$SQL\nXX\n",
        f"psql -c $'-- it\\'s\\n{LOCK}'",
    ],
)
def test_shell_variables_and_quotes(command: str) -> None:
    assert offsets("a.sh", command) == ["OFFSET 1"]


@pytest.mark.parametrize(
    "command",
    [
        f"SQL='{LOCK}'\nrun \"$SQL\"",
        f"run '{LOCK}'",
        f"read -r -d '' SQL <<'XX'\n{LOCK}\nXX\nrun \"$SQL\"",
    ],
)
def test_sql_in_shell_that_no_psql_is_seen_to_run_is_counted(command: str) -> None:
    run = lint_text(command, "a.sh", Settings())
    assert (run.clauses, dict(run.reasons)) == (1, {"SQL text run elsewhere": 1})


def test_sql_in_shell_for_another_database_is_counted_so() -> None:
    run = lint_text(f"mysql -e '{LOCK}'", "a.sh", Settings())
    assert dict(run.reasons) == {"another database's SQL": 1}


@pytest.mark.parametrize("command", [f"echo '{LOCK}'", "note='select one for update'", "run -x"])
def test_text_in_shell_that_is_no_sql_is_not_counted(command: str) -> None:
    assert lint_text(command, "a.sh", Settings()).clauses == 0


@pytest.mark.parametrize(
    "command",
    [
        f"mysql -c '{LOCK}'",
        f"psql -f x -v c='{LOCK}'",
        f"psql -d '{LOCK}'",
        f"echo '{LOCK}'",
        f"psql -l; cat <<SQL\n{LOCK}\nSQL\n",
        f"# psql -c '{LOCK}'",
        f"psql -c 1; echo '{LOCK}' | cat",
        f"x=$((1<<n))\n{LOCK}\n",
    ],
)
def test_shell_commands_that_psql_does_not_run(command: str) -> None:
    assert offsets("a.sh", command) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM t <where><if test='a'>AND b = 1</if></where> OFFSET 1 FOR UPDATE",
        "SELECT 1 FROM t <trim prefix='WHERE' prefixOverrides='AND |OR '> OR b</trim>"
        " OFFSET 1 FOR UPDATE",
        "SELECT 1 FROM t WHERE a &lt; 1 AND b &#62; 2 <if test='x'>,</if> OFFSET 1 FOR UPDATE",
        "SELECT 1 FROM t <choose><when test='a'>LIMIT 1</when><otherwise>OFFSET 1 FOR UPDATE"
        "</otherwise></choose>",
        "SELECT 1 FROM t WHERE <include refid='c'/> AND <include refid='n.none'/>"
        " OFFSET 1 FOR UPDATE",
        "WITH u AS (UPDATE t <set>a = 1, <if test='b'>b = 2,</if></set> RETURNING 1)"
        " SELECT 1 FROM t OFFSET 1 FOR UPDATE",
        "<selectKey keyProperty='id'>SELECT 2</selectKey> SELECT 1 FROM t OFFSET 1 FOR UPDATE",
    ],
)
def test_mappers(sql: str) -> None:
    text = (
        f"""<mapper namespace="n"><sql id="c">d = 1</sql><select id="q">{sql}</select></mapper>"""
    )
    assert offsets("a.xml", text) == ["OFFSET 1"]


def test_fragments_that_include_each_other_end() -> None:
    twice = "".join(
        f'<sql id="f{n}"><include refid="f{n + 1}"/><include refid="f{n + 1}"/></sql>'
        for n in range(60)
    )
    text = (
        f'<mapper namespace="n"><sql id="f60"><include refid="f0"/> a</sql>{twice}'
        f'<select id="q"><include refid="f0"/> FOR UPDATE</select></mapper>'
    )
    began = time.process_time()
    assert lint("a.xml", text).clauses == 1
    assert time.process_time() - began < 20


_PIECES = {
    "a.json": '{ } [ ] , : "sql" "query" "a\\"b" "\\u00e9" "\\ud83d\\ude00" 1 null \\ "'.split(),
    "a.yaml": ["sql:", " ", "  ", "\n", "\r\n", "- ", "|", ">-", "'", '"', "''", "\\", "#", "a: b"],
    "a.xml": [
        *('<mapper namespace="n">', "</mapper>", '<select id="a">', "</select>", "<if test='x'>"),
        *("</if>", "<where>", "</where>", "<![CDATA[", "]]>", "<!--", "-->", "&lt;", "<", ">", "'"),
        *('<include refid="f"/>', '<sql id="f">', "</sql>", "<choose>", "</choose>", "<when>"),
    ],
    "a.spec": [
        "session a",
        "step b",
        "setup",
        "teardown",
        "{",
        "}",
        '"',
        "#",
        "\n",
        " ",
        "permutation",
    ],
    "a.sh": [
        *(
            "psql",
            " ",
            "-c",
            "'",
            '"',
            "$(",
            ")",
            "`",
            "<<SQL",
            "<<-'E'",
            "\nSQL\n",
            "\n",
            "\\",
            "|",
        ),
        *(";", "#", "<<<", "$x", "echo", "\tE\n"),
    ],
    "a.ipynb": [
        *('{"cells": [', '{"cell_type": "code", "source": [', '"%%sql\\n"', ",", "]}", "]", "}"),
        *('"%sql"', '"x = %sql --a b"', '"source": "'),
    ],
    "a.rst": [".. code-block:: sql", "\n", "   ", ":x:", "\r\n", "* ", "\t"],
}


@pytest.mark.parametrize("name", _PIECES)
def test_no_text_breaks_a_reader(name: str) -> None:
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(st.lists(st.sampled_from([*_PIECES[name], LOCK, "é"]), max_size=14).map("".join))
    def check(text: str) -> None:
        source = SourceText(name, text)
        content = read_content(source)
        for unit in content.scripts:
            assert unit.source is source
            at = 0
            for piece in unit.map.pieces:
                assert piece.unit.start == at
                at = piece.unit.end
                assert 0 <= piece.file.start <= piece.file.end <= len(text)
                if piece.is_copy:
                    copied = text[slice(*piece.file)]
                    assert unit.text[slice(*piece.unit)] == copied
            assert at == len(unit.text)
        lint(name, text)

    check()


@pytest.mark.parametrize("name", _PIECES)
def test_time_grows_with_the_length_alone(name: str) -> None:
    """Each takes some seconds at most; one that grew with the square would take minutes."""
    for piece in (*_PIECES[name], "".join(_PIECES[name]), " ".join(_PIECES[name][:3])):
        began = time.process_time()
        read_content(SourceText(name, "".join(_PIECES[name]) + piece * (100_000 // len(piece))))
        assert time.process_time() - began < 10, piece
