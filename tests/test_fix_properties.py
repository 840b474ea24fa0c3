"""What holds of every fix, tried on generated statements in every kind of place."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from pglint_locks import engine
from pglint_locks.config import Settings

# Parsing raises the recursion limit once for the process, which hypothesis watches.
engine.lint_text("SELECT id FROM jobs FOR UPDATE", "warm.sql", Settings())

_COMMENT = re.compile(r"/\*.*?\*/|--[^\r\n\\]*", re.DOTALL)

_LITERAL = re.compile(r"'{1,2}(?:[abc]|it''(?:'')?s)'{1,2}")

_GAPS = st.sampled_from([" ", " ", " ", "\n  ", "\t", " /* it is */ ", " -- so\n  "])
_LOCKS = st.builds(
    lambda strength, names, policy: f"FOR {strength}{names}{policy}",
    st.sampled_from(["UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE"]),
    st.sampled_from(["", "", " OF jobs"]),
    st.sampled_from(["", " SKIP LOCKED", " NOWAIT"]),
)
_PICKED = st.builds(
    lambda columns, where, order, limit, lock: (
        f"SELECT {columns} FROM jobs {where} {order} {limit} {lock}"
    ),
    st.sampled_from(["id", "jobs.id", "id, kind"]),
    st.sampled_from(["", "WHERE kind = 'a'", "WHERE kind <> 'it''s' AND \"kind\" = 'b'"]),
    st.sampled_from(["", "ORDER BY id", "ORDER BY kind DESC, id"]),
    st.sampled_from(["LIMIT 10", "LIMIT $1", "FETCH FIRST 5 ROWS ONLY", ""]),
    _LOCKS,
)
_FORMS = st.sampled_from(
    [
        "UPDATE jobs SET kind = 'c' WHERE id IN ( {} )",
        "UPDATE jobs SET kind = 'c' WHERE id = ANY ( {} ) RETURNING jobs.*",
        "DELETE FROM jobs WHERE (id, kind) IN ( {} )",
        "DELETE FROM jobs AS j USING ( {} ) AS s WHERE s.id = j.id RETURNING *",
        'UPDATE jobs SET kind = \'c\' FROM ( {} ) AS "s-t" WHERE "s-t".id = jobs.id',
        "WITH old AS (SELECT 1 AS n) UPDATE jobs SET kind = 'c' FROM ( {} ) AS old2"
        " WHERE old2.id = jobs.id",
        "WITH c AS ( {} ) UPDATE jobs SET kind = 'c' FROM c WHERE c.id = jobs.id",
        "WITH c AS (SELECT id, kind FROM jobs WHERE id = 1) SELECT * FROM c FOR UPDATE",
        "SELECT jobs.id FROM jobs LEFT JOIN queues ON queues.id = jobs.kind WHERE jobs.id = 1"
        " FOR UPDATE",
        "{}",
    ]
)


@st.composite
def statements(draw: st.DrawFn) -> str:
    """A statement with white space and comments between its words."""
    words = draw(_FORMS).format(draw(_PICKED)).split(" ")
    text = "".join(part for word in words if word for part in (word, draw(_GAPS)))
    return draw(st.sampled_from([str, str.lower]))(text.rstrip().removesuffix("-- so"))


class Placed(NamedTuple):
    """A file with a statement in it, and what stands before and behind."""

    name: str
    head: str
    written: str
    tail: str

    @property
    def text(self) -> str:
        return self.head + self.written + self.tail


def _script(sql: str) -> Placed:
    return Placed("claim.sql", "SELECT 'before';\n", sql, ";\nSELECT 'behind'")


def _crlf(sql: str) -> Placed:
    return Placed(*(part.replace("\n", "\r\n") for part in _script(sql)))


def _body(opening: str, closing: str, write: Callable[[str], str]) -> Callable[[str], Placed]:
    def wrap(sql: str) -> Placed:
        head = "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS "
        return Placed(
            "claim.sql",
            f"SELECT 'before';\n{head}{opening}\nBEGIN\n    ",
            write(sql),
            f";\nEND\n{closing};\nSELECT 'behind'",
        )

    return wrap


def _executed(sql: str) -> Placed:
    text = sql.replace("'", "''")
    return Placed("claim.sql", "DO $$\nBEGIN\n  EXECUTE '", text, "';\nEND\n$$;\nSELECT 'behind'")


def _python(sql: str) -> Placed:
    head = 'before = 1\n\ndef f(cur):\n    cur.execute("""'
    return Placed("claim.py", head, sql, '""")\n\nbehind = 1')


def _fence(sql: str) -> Placed:
    return Placed("claim.md", "# Before\n\n```sql\n", sql, ";\n```\n\nbehind")


_PLACES = st.sampled_from(
    [
        _script,
        _crlf,
        _body("$$", "$$", str),
        _body("$fn$", "$fn$", str),
        _body("'", "'", lambda text: text.replace("'", "''")),
        _body("E'", "'", lambda text: text.replace("\\", "\\\\").replace("'", "''")),
        _executed,
        _python,
        _fence,
    ]
)


@settings(max_examples=300, deadline=None)
@given(sql=statements(), place=_PLACES, unsafe=st.booleans())
def test_a_fixed_text(sql: str, place: Callable[[str], Placed], unsafe: bool) -> None:
    placed = place(sql)
    name, text = placed.name, placed.text
    before = engine.lint_text(text, name, Settings())
    done = engine.fix_text(text, name, Settings(), unsafe=unsafe)
    after = engine.lint_text(done.text, name, Settings())

    offered = [finding.fix for finding in before.findings if finding.fix]
    assert (done.text == text) == (not done.fixed)
    if any(unsafe or fix.is_safe for fix in offered):
        assert done.fixed, "what is offered is done"
    assert len(after.findings) <= len(before.findings) - len(done.fixed)
    assert (after.statements, after.errors) == (before.statements, ())
    assert len(after.not_analysed) == len(before.not_analysed)

    assert done.text.startswith(placed.head)
    assert done.text.endswith(placed.tail)
    for parts in (_COMMENT, _LITERAL):
        assert sorted(parts.findall(done.text)) == sorted(parts.findall(text))
    if "\r" in text:
        assert done.text.count("\r") == done.text.count("\n")

    again = engine.fix_text(done.text, name, Settings(), unsafe=unsafe)
    assert again.text == done.text
    assert not again.fixed


@settings(max_examples=100, deadline=None)
@given(sql=statements(), place=_PLACES)
def test_each_offered_fix(sql: str, place: Callable[[str], Placed]) -> None:
    """Made alone, by the edits that programs are given, it has its finding gone."""
    placed = place(sql)
    name, text = placed.name, placed.text
    run = engine.lint_text(text, name, Settings())
    for finding in run.findings:
        if finding.fix is None:
            continue
        changed = text
        for edit in reversed(finding.fix.edits):
            changed = changed[: edit.span.start] + edit.content + changed[edit.span.end :]
        after = engine.lint_text(changed, name, Settings())
        codes = [each.rule.code for each in after.findings]
        assert codes.count(finding.rule.code) < sum(
            each.rule is finding.rule for each in run.findings
        )
        assert {each.rule.code for each in after.findings} <= {
            each.rule.code for each in run.findings
        }
