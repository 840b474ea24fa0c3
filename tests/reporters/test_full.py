from __future__ import annotations

import re

from made_findings import CLAIM, claim_finding, make_finding, report, span_of

from pglint_locks.findings import Edit, Fix, Related, Severity
from pglint_locks.reporters.cells import text_width
from pglint_locks.text import SourceText, Span


def full(*findings: object, width: int = 80, **options: object) -> str:
    return report("full", findings, width=width, **options)  # type: ignore[arg-type]


def source_part(text: str) -> str:
    """The report without its first line and what stands below the source."""
    return "".join(
        line for line in text.splitlines(keepends=True) if re.match(r" *[\d…]* \|| *:::", line)
    )


def test_a_finding_with_everything_that_it_can_say() -> None:
    assert (
        full(claim_finding(unit="function claim(integer)"))
        == """\
claim.sql:4:11: error[PGL101] LIMIT 10 does not bound this UPDATE of jobs: the
    planner may run the locking sub-SELECT once for each row
   |
 2 | UPDATE jobs SET status = 'running'
 3 |  WHERE status = 'ready'
 4 |    AND id IN (SELECT id FROM jobs
   |           ^^ may be run again for each row of jobs
 5 |                WHERE status = 'ready'
 6 |                LIMIT 10 FOR UPDATE SKIP LOCKED)
   |                         ---------------------- each run takes 10 more
   = in: function claim(integer)
   = seen: 300 rows updated for LIMIT 10, default settings, PostgreSQL 18.6
   = write: id = ANY(ARRAY(SELECT id … LIMIT 10 FOR UPDATE SKIP LOCKED))
   = more: pglint-locks explain PGL101
"""
    )


def test_a_finding_that_says_the_least() -> None:
    assert (
        full(make_finding("SELECT 1 FOR UPDATE;", "FOR UPDATE", severity=Severity.NOTE))
        == """\
claim.sql:1:10: note[PGL101] LIMIT 10 does not bound this UPDATE of jobs
   |
 1 | SELECT 1 FOR UPDATE;
   |          ^^^^^^^^^^
   = more: pglint-locks explain PGL101
"""
    )


def test_findings_are_set_apart_by_an_empty_line() -> None:
    first, second = claim_finding(), claim_finding(evidence="something else")
    text = full(first, second)
    assert text.count("\n\n") == 1
    assert text == full(first) + "\n" + full(second)


def test_the_same_evidence_is_given_once() -> None:
    text = full(claim_finding(), claim_finding(), claim_finding(evidence="something else"))
    assert text.count("= seen: 300 rows") == 1
    assert text.index("= seen: 300 rows") < text.index("\n\n")
    assert text.count("= seen: something else") == 1


def test_nothing_found_is_nothing_shown() -> None:
    assert full() == ""


def test_without_a_terminal_nothing_is_wrapped() -> None:
    lines = full(claim_finding(), width=0).splitlines()
    assert lines[0] == (
        "claim.sql:4:11: error[PGL101] LIMIT 10 does not bound this UPDATE of jobs: "
        "the planner may run the locking sub-SELECT once for each row"
    )


def test_long_notes_hang_below_their_text() -> None:
    text = full(claim_finding(evidence="word " * 30 + "end", related=()), width=60)
    assert (
        """\
   = seen: word word word word word word word word word word
           word word word word word word word word word word
           word word word word word word word word word word
           end
   = write: id = ANY(ARRAY(SELECT id … LIMIT 10 FOR UPDATE
            SKIP LOCKED))
"""
        in text
    )


def test_a_long_label_hangs_beside_its_mark_while_there_is_room() -> None:
    label = "each run skips the rows already updated"
    assert """\
 6 |                LIMIT 10 FOR UPDATE SKIP LOCKED)
   |                         ---------------------- each run skips the rows
   |                                                already updated
""" in full(claim_finding(related=[(label, "FOR UPDATE SKIP LOCKED")]))


def test_a_label_goes_below_its_mark_where_that_takes_fewer_rows() -> None:
    label = "each run skips the rows already updated and takes 10 more"
    assert """\
 6 |                LIMIT 10 FOR UPDATE SKIP LOCKED)
   |                         ----------------------
   |                   each run skips the rows already updated and takes 10 more
""" in full(claim_finding(related=[(label, "FOR UPDATE SKIP LOCKED")]))


def test_a_long_label_far_right_goes_below_its_mark() -> None:
    line = "UPDATE jobs SET a = 1 WHERE id IN (SELECT id FROM jobs FOR UPDATE SKIP LOCKED)"
    finding = make_finding(
        line, "SKIP LOCKED", label="each run skips the rows already updated and takes more"
    )
    assert (
        source_part(full(finding))
        == """\
   |
 1 | … jobs SET a = 1 WHERE id IN (SELECT id FROM jobs FOR UPDATE SKIP LOCKED)
   |                                                              ^^^^^^^^^^^
   |                      each run skips the rows already updated and takes more
"""
    )


def test_marks_on_one_line_share_a_row_where_their_labels_allow() -> None:
    line = "SELECT * FROM a FOR UPDATE OF b"
    related = [("no such table here", "b"), ("here", "SELECT")]
    assert (
        source_part(full(make_finding(line, "FOR UPDATE", related=related)))
        == """\
   |
 1 | SELECT * FROM a FOR UPDATE OF b
   | ------ here     ^^^^^^^^^^    - no such table here
"""
    )


def test_marks_on_one_line_take_a_row_each_where_labels_would_collide() -> None:
    line = "SELECT * FROM a FOR UPDATE OF b"
    finding = make_finding(
        line, "FOR UPDATE", label="the clause", related=[("no such table here", "b")]
    )
    assert (
        source_part(full(finding))
        == """\
   |
 1 | SELECT * FROM a FOR UPDATE OF b
   |                 ^^^^^^^^^^ the clause
   |                               - no such table here
"""
    )


def test_rows_far_from_each_other_have_the_rows_between_left_out() -> None:
    text = "SELECT 1\n" + "  , 2\n" * 3 + "FROM a\n" + "  , b\n" * 2 + "FOR UPDATE;\n"
    near = make_finding(text, "FOR UPDATE", related=[("this table", "FROM a")])
    assert (
        source_part(full(near))
        == """\
   |
 3 |   , 2
 4 |   , 2
 5 | FROM a
   | ------ this table
 6 |   , b
 7 |   , b
 8 | FOR UPDATE;
   | ^^^^^^^^^^
"""
    )
    far = make_finding(text, "FOR UPDATE", related=[("this query", "SELECT")])
    assert (
        source_part(full(far))
        == """\
   |
 1 | SELECT 1
   | ------ this query
 … |
 8 | FOR UPDATE;
   | ^^^^^^^^^^
"""
    )


def test_rows_of_another_statement_are_no_context() -> None:
    for above in (
        "SELECT 1;",
        "SELECT 1 ; -- that was it; really",
        "SELECT 1; /* that was it */",
        "-- a title",
        "/* a title */",
        " * end of a title */",
        "\\gset",
        "",
        "   ",
    ):
        text = f"BEGIN;\n{above}\nSELECT 2 FOR UPDATE;\n"
        assert source_part(full(make_finding(text, "FOR UPDATE"))).splitlines()[1].startswith(" 3")


def test_rows_of_the_same_statement_are_context() -> None:
    for above in ("SELECT a; b", "SELECT ';' --", "  FROM jobs /* a */"):
        text = f"{above}\n FOR UPDATE;\n"
        first = source_part(full(make_finding(text, "FOR UPDATE"))).splitlines()[1]
        assert first == f" 1 | {above}"


def test_deep_indentation_gives_way_to_long_lines() -> None:
    deep = " " * 40
    text = f"{deep}SELECT id\n{deep}  FROM jobs WHERE status = 'ready' FOR UPDATE;\n"
    finding = make_finding(text, "FOR UPDATE", related=[("here", "SELECT")])
    assert (
        source_part(full(finding))
        == """\
   |
 1 | SELECT id
   | ------ here
 2 |   FROM jobs WHERE status = 'ready' FOR UPDATE;
   |                                    ^^^^^^^^^^
"""
    )
    assert source_part(full(finding, width=132)).splitlines()[1] == f" 1 | {deep}SELECT id"


def test_a_refusal_names_the_servers_error() -> None:
    text = full(claim_finding(sqlstate="0A000"))
    assert "   = server: SQLSTATE 0A000\n" in text


def test_row_numbers_line_up() -> None:
    text = "SELECT\n" * 8 + "  x\nFROM t\nFOR UPDATE"
    assert (
        full(make_finding(text, "FOR UPDATE", evidence="a lot"))
        == """\
claim.sql:11:1: error[PGL101] LIMIT 10 does not bound this UPDATE of jobs
    |
  9 |   x
 10 | FROM t
 11 | FOR UPDATE
    | ^^^^^^^^^^
    = seen: a lot
    = more: pglint-locks explain PGL101
"""
    )


def test_a_related_place_in_another_file_has_a_block_of_its_own() -> None:
    view = SourceText("views/v.sql", "CREATE VIEW v AS\nSELECT * FROM jobs FOR UPDATE;\n")
    related = (Related("this view locks", view, span_of(view.text, "FOR UPDATE")),)
    finding = make_finding("SELECT * FROM v LIMIT 1;", "LIMIT 1")
    finding = finding._replace(message="m", related=related)
    assert (
        full(finding)
        == """\
claim.sql:1:17: error[PGL101] m
   |
 1 | SELECT * FROM v LIMIT 1;
   |                 ^^^^^^^
  ::: views/v.sql:2:20
   |
 1 | CREATE VIEW v AS
 2 | SELECT * FROM jobs FOR UPDATE;
   |                    ---------- this view locks
   = more: pglint-locks explain PGL101
"""
    )


def test_a_span_over_several_rows_is_marked_in_each_but_for_blanks() -> None:
    clause = "FOR UPDATE\n\n   OF jobs\n   SKIP LOCKED"
    finding = make_finding(f"SELECT *\n  FROM jobs\n   {clause};\n", clause, label="here")
    assert (
        source_part(full(finding))
        == """\
   |
 1 | SELECT *
 2 |   FROM jobs
 3 |    FOR UPDATE
   |    ^^^^^^^^^^
 4 |
 5 |    OF jobs
   |    ^^^^^^^
 6 |    SKIP LOCKED;
   |    ^^^^^^^^^^^ here
"""
    )


def test_a_span_over_many_rows_is_marked_at_its_ends() -> None:
    clause = "FOR UPDATE\n--\n--\n--\n--\nSKIP LOCKED"
    assert (
        source_part(full(make_finding(clause, clause, label="here")))
        == """\
   |
 1 | FOR UPDATE
   | ^^^^^^^^^^
 … |
 6 | SKIP LOCKED
   | ^^^^^^^^^^^ here
"""
    )


def test_a_span_of_nothing_but_blank_rows_still_shows_its_label() -> None:
    finding = make_finding("a\n  \n\n \nb", Span(1, 6), label="nothing here")
    assert (
        source_part(full(finding))
        == """\
   |
 1 | a
   |  ^ nothing here
"""
    )


def test_an_empty_span_and_the_end_of_the_file() -> None:
    for text, shown in (
        ("SELECT (", " 1 | SELECT (\n   |         ^ end\n"),
        ("SELECT (\n", " 1 | SELECT (\n 2 |\n   | ^ end\n"),
        ("", " 1 |\n   | ^ end\n"),
    ):
        finding = make_finding(text, Span(len(text), len(text)), label="end")
        assert source_part(full(finding)) == "   |\n" + shown


def test_a_span_beyond_the_end_of_the_file_does_no_harm() -> None:
    finding = make_finding("SELECT 1", Span(7, 99), label="end")
    assert " 1 | SELECT 1\n   |        ^ end\n" in full(finding)


def test_line_ends_of_every_kind() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = end.join(["SELECT *", "  FROM jobs", "   FOR UPDATE", "   NOWAIT;", ""])
        clause = f"FOR UPDATE{end}   NOWAIT"
        assert (
            source_part(full(make_finding(text, clause, label="here")))
            == """\
   |
 1 | SELECT *
 2 |   FROM jobs
 3 |    FOR UPDATE
   |    ^^^^^^^^^^
 4 |    NOWAIT;
   |    ^^^^^^ here
"""
        )


def test_tabs_wide_and_combining_characters_keep_the_underline_in_place() -> None:
    text = "\tSELECT '日本e\u0301🎉'\tFROM jobs FOR UPDATE;"
    lines = source_part(full(make_finding(text, "FOR UPDATE", label="here"))).splitlines()
    assert lines[1] == " 1 |     SELECT '日本e\u0301🎉'    FROM jobs FOR UPDATE;"
    assert text_width(lines[1][: lines[1].index("FOR UPDATE")]) == lines[2].index("^")


def test_a_very_long_line_is_cut_to_the_terminal_but_never_below_80_cells() -> None:
    text = "SELECT " + "some_column, " * 900 + "x FROM jobs FOR UPDATE" + " " * 3000 + "; -- end"
    for width in (0, 20, 80, 132):
        lines = source_part(full(make_finding(text, "FOR UPDATE"), width=width)).splitlines()
        assert max(map(text_width, lines)) <= {0: 120, 20: 80}.get(width, width)
        at = lines[2].index("^")
        assert lines[1][at : at + 10] == "FOR UPDATE"
        assert lines[2][at:] == "^^^^^^^^^^"


def test_nothing_from_a_file_reaches_the_terminal_raw() -> None:
    evil = "\x1b[31m\x07\x9b2J\x7f\u202e\u2066\u200b\ufeff"
    text = f"SELECT '{evil}' FOR UPDATE"
    finding = make_finding(
        text,
        "FOR UPDATE",
        name=f"a{evil}\n.sql",
        message=f"table {evil}\nis locked",
        advice=f"write {evil}",
        label=f"label {evil}",
        evidence=f"seen {evil}",
        unit=f"function {evil}()",
        related=[(f"related {evil}", "SELECT")],
    )
    shown = full(finding, width=0)
    assert not [char for char in evil if not char.isprintable() and char in shown]
    escaped = r"\x1b[31m\x07\x9b2J\x7f\u202e\u2066\u200b\ufeff"
    assert shown.count(escaped) == 8
    assert shown.startswith(f"a{escaped}\\n.sql:1:25: error[PGL101] table {escaped}\\nis locked\n")
    marked = shown.splitlines()[2:5]
    assert marked[0] == f" 1 | SELECT '{escaped}' FOR UPDATE"
    assert marked[2].index("^") == marked[0].index("FOR UPDATE")


def test_a_repair_that_an_option_makes_says_so() -> None:
    fix = Fix("safe", "wrap the sub-SELECT", (Edit(span_of(CLAIM, "IN"), "= ANY"),))
    assert " LOCKED)) (--fix does it)\n" in full(claim_finding(fix=fix), width=0)
    assert "   = help: wrap the sub-SELECT (--unsafe-fixes does it)\n" in full(
        claim_finding(advice=None, fix=Fix("unsafe", fix.message, fix.edits))
    )


def test_advice_that_is_no_text_to_write_is_help() -> None:
    assert "   = help: page by key instead\n" in full(claim_finding(advice="page by key instead"))


def test_colour_is_only_paint() -> None:
    findings = [claim_finding(), claim_finding(severity=Severity.NOTE, unit="view v")]
    painted = full(*findings, color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == full(*findings)
    assert "\x1b[1mclaim.sql:4:11:\x1b[0m \x1b[1;31merror[PGL101]\x1b[0m " in painted
    assert "\x1b[1;31m^^ may be run again for each row of jobs\x1b[0m" not in painted
    assert "\x1b[1;31m^^\x1b[0m \x1b[1;31mmay be run again for each row of jobs\x1b[0m" in painted
    for line in painted.splitlines():
        assert line.count("\x1b[0m") * 2 == line.count("\x1b[")


def test_the_same_input_gives_the_same_bytes() -> None:
    assert len({full(claim_finding(), color=True) for _ in range(5)}) == 1
