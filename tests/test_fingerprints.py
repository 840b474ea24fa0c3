from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Finding
from pglint_locks.fingerprints import fingerprint
from pglint_locks.rules import RULES

CLAIM = """\
UPDATE jobs SET status = 'running'
 WHERE id IN (SELECT id FROM jobs WHERE queue = 'mail' LIMIT 10 FOR UPDATE SKIP LOCKED);
"""


def found(text: str, name: str = "claim.sql", code: str = "PGL101") -> Finding:
    """The one finding of a rule."""
    settings = Settings(enabled=frozenset(rule.code for rule in RULES))
    findings = lint_text(text, name, settings).findings
    (finding,) = [finding for finding in findings if finding.rule.code == code]
    return finding


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT 1;\n\n{CLAIM}",
        " ".join(CLAIM.split()),
        CLAIM.replace("\n", "\r\n").replace("IN (", "IN ( -- the next ones\r\n\t"),
        CLAIM.replace("UPDATE jobs SET", "update JOBS set"),
        CLAIM.replace("10", "20").replace("'mail'", "'sms'"),
        f"CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$\n{CLAIM}$$;",
        f"DO $$ BEGIN\n{CLAIM}END $$;",
    ],
)
def test_it_survives_other_places_layouts_and_constants(text: str) -> None:
    assert fingerprint(found(text, "renamed.sql")) == fingerprint(found(CLAIM))


@pytest.mark.parametrize(
    "text",
    [
        CLAIM.replace("jobs", "tasks"),
        CLAIM.replace("SKIP LOCKED", "NOWAIT"),
        CLAIM.replace("UPDATE SKIP", "NO KEY UPDATE SKIP"),
        CLAIM.replace("queue =", "name ="),
    ],
)
def test_it_differs_where_the_statement_does(text: str) -> None:
    assert fingerprint(found(text)) != fingerprint(found(CLAIM))


def test_it_differs_between_rules() -> None:
    codes = {fingerprint(found(CLAIM, code=code)) for code in ("PGL101", "PGL301")}
    assert len(codes) == 2


@pytest.mark.parametrize("sign", ["?", "%s", ":queue", "@queue", "{queue}"])
def test_a_placeholder_has_no_place_and_length_in_it(sign: str) -> None:
    text = CLAIM.replace("'mail'", sign)
    moved = f"-- another\nSELECT 1;\n{' '.join(text.split())}"
    assert fingerprint(found(moved)) == fingerprint(found(text))


def test_all_placeholders_of_drivers_and_templates_are_alike() -> None:
    texts = [CLAIM.replace("'mail'", sign) for sign in ("?", "%s", "{queue}", "{name}")]
    assert len({fingerprint(found(text)) for text in texts}) == 1


def test_a_literal_of_host_code_has_the_fingerprint_of_its_statement() -> None:
    pytest.importorskip("ast_grep_py")
    code = f'def claim(cur, queue):\n    cur.execute("""{CLAIM}""")\n'
    assert fingerprint(found(code, "claim.py")) == fingerprint(found(CLAIM))
    holes = code.replace("'mail'", "{queue}").replace('execute("""', 'execute(f"""')
    more = holes.replace("{queue}", "{queue} AND kind = {kind}")
    assert fingerprint(found(holes, "a.py")) == fingerprint(
        found(f"# moved\nx = 1\n{holes.replace('{queue}', '{the_queue}')}", "b.py")
    )
    assert fingerprint(found(more, "a.py")) != fingerprint(found(holes, "a.py"))


def test_what_does_not_parse_is_known_by_its_words() -> None:
    broken = "SELECT id FROM jobs WHERE FOR UPDATE;\n"
    moved = "SELECT 1;\n" + broken.replace(" FROM", "\n  FROM")
    known = fingerprint(found(broken, code="PGL001"))
    assert fingerprint(found(moved, code="PGL001")) == known
    assert fingerprint(found(broken.replace("jobs", "tasks"), code="PGL001")) != known


def test_a_suppression_is_known_by_its_words() -> None:
    idle = "SELECT 1; -- pglint: ignore[PGL101]\n"
    known = fingerprint(found(idle, code="PGL002"))
    assert fingerprint(found(f"SELECT 2;\n{idle}", code="PGL002")) == known
    assert fingerprint(found(idle.replace("101", "102"), code="PGL002")) != known


def test_the_origin_is_the_whole_statement_in_its_file() -> None:
    text = f"SELECT 1;\n{CLAIM}"
    finding = found(text)
    span = finding.origin.span
    assert text[span.start : span.end] == CLAIM.removesuffix(";\n")
