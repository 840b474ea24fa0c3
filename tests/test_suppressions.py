from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from pglint_locks.directives import UNKNOWN, UNUSED
from pglint_locks.findings import Finding, Origin, Rule, Severity, Subject
from pglint_locks.rules import RULES
from pglint_locks.sql.split import split
from pglint_locks.suppressions import apply, read
from pglint_locks.text import SourceText, Span

ALL_RULES = frozenset(rule.code for rule in RULES)
CODES = {rule.code: rule for rule in RULES}


def lint(
    text: str,
    *found: tuple[str, str],
    enabled: frozenset[str] = ALL_RULES,
    rules: Sequence[Rule] = RULES,
    inner: Sequence[str] = (),
) -> list[tuple[str, str]]:
    """What is left of findings, given and returned as (code, the marked words).

    The words stand for their last occurrence in the text, for comments may hold them
    too; `inner` are statements inside others.
    """
    source = SourceText("a.sql", text)
    return [
        (finding.rule.code, text[finding.span.start : finding.span.end])
        for finding in left(source, found, enabled, rules, inner)
    ]


def left(
    source: SourceText,
    found: Sequence[tuple[str, str]],
    enabled: frozenset[str] = ALL_RULES,
    rules: Sequence[Rule] = RULES,
    inner: Sequence[str] = (),
) -> list[Finding]:
    text = source.text
    script = split(text)
    codes = {rule.code: rule for rule in rules}
    findings = [
        Finding(
            codes[code], Severity.WARNING, source, _last(text, words), "m", Origin(Span(0, 0), "")
        )
        for code, words in found
    ]
    statements = [chunk.span for chunk in script.chunks] + [_last(text, words) for words in inner]
    return apply(findings, read(source, script.comments, statements, rules), enabled)


def _last(text: str, words: str) -> Span:
    start = text.rindex(words)
    return Span(start, start + len(words))


def messages(text: str, *found: tuple[str, str], enabled: frozenset[str] = ALL_RULES) -> list[str]:
    """The findings about suppressions: `code [marked words] message; advice`."""
    return [
        f"{finding.rule.code} [{text[finding.span.start : finding.span.end]}] {finding.text}"
        for finding in left(SourceText("a.sql", text), found, enabled)
        if finding.rule.code in (UNUSED, UNKNOWN)
    ]


PGL101 = ("PGL101", "FOR UPDATE")
PGL301 = ("PGL301", "FOR UPDATE")


# --- what a comment covers ----------------------------------------------------------


@pytest.mark.parametrize(
    "comment",
    [
        "-- pglint: ignore[PGL101] the table has ten rows",
        "-- pglint: ignore",
        "-- pglint: ignore, it is a small table",
        "--pglint:ignore[PGL101]",
        "--  PgLint :  IGNORE  [ pgl101 , PGL301 ]",
        "-- pglint: ignore[PGL1] all claims",
        "-- pglint: ignore[PGL]",
        "-- pglint: ignore[ALL]",
        "-- pglint: ignore[rescanned-locking-subquery]",
        "-- pglint: ignore[Rescanned-Locking-Subquery,]",
        "/* pglint: ignore[PGL101] */",
        "/* pglint: ignore[PGL101]\n * because */",
        "/*\n * pglint: ignore[PGL101] because\n */",
        "/* because\n   pglint: ignore[PGL101] */",
    ],
)
def test_the_ways_to_write_it(comment: str) -> None:
    for text in (f"SELECT 1 FOR UPDATE; {comment}\n", f"{comment}\nSELECT 1\nFOR UPDATE;\n"):
        assert ("PGL101", "FOR UPDATE") not in lint(text, PGL101)
    assert lint(f"SELECT 1 FOR UPDATE; {comment}\n", PGL101, enabled=ALL_RULES - {UNUSED}) == []


def test_other_rules_are_not_suppressed() -> None:
    text = "SELECT 1 FOR UPDATE; -- pglint: ignore[PGL101]\n"
    assert lint(text, PGL101, PGL301) == [PGL301]


def test_at_the_end_of_a_line_it_covers_what_touches_that_line() -> None:
    text = "SELECT 1 FOR SHARE\n FOR UPDATE; -- pglint: ignore\n SELECT 2 FOR NO KEY UPDATE;\n"
    assert lint(text, ("PGL101", "FOR SHARE"), PGL301, ("PGL301", "FOR NO KEY UPDATE")) == [
        ("PGL101", "FOR SHARE"),
        ("PGL301", "FOR NO KEY UPDATE"),
    ]
    across = "SELECT 1\nFOR UPDATE -- pglint: ignore[PGL101]\nSKIP LOCKED;\n"
    assert lint(across, ("PGL101", across[9:-2])) == []


def test_a_line_ends_at_every_kind_of_line_end() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = f"SELECT 1 -- pglint: ignore[PGL101]{end}FOR UPDATE;{end}"
        if end != "\r":  # to psql a lone CR ends no comment
            assert lint(text, PGL101) == [("PGL002", "pglint: ignore[PGL101]"), PGL101]
        text = f"SELECT 1{end}FOR UPDATE; -- pglint: ignore[PGL101]{end}SELECT 2;{end}"
        assert lint(text, PGL101) == []


def test_without_a_line_end_behind_it() -> None:
    assert lint("SELECT 1 FOR UPDATE -- pglint: ignore", PGL101) == []
    assert lint("SELECT 1 FOR UPDATE /* pglint: ignore */", PGL101) == []


def test_an_empty_span_at_the_end_of_the_line_is_touched() -> None:
    text = "SELECT (  -- pglint: ignore[PGL001]"
    source = SourceText("a.sql", text)
    end = Span(len(text), len(text))
    finding = Finding(CODES["PGL001"], Severity.WARNING, source, end, "m", Origin(Span(0, 0), ""))
    assert apply([finding], read(source, split(text).comments, [], RULES), ALL_RULES) == []


def test_alone_in_its_line_it_covers_the_next_statement_whole() -> None:
    text = "-- pglint: ignore[PGL101]\n\n-- why\n/* so */\n\nSELECT 1\n  FROM a\n FOR UPDATE;\n"
    assert lint(text, PGL101) == []
    text += "SELECT 2\n FOR SHARE;\n"
    assert lint(text, PGL101, ("PGL101", "FOR SHARE")) == [("PGL101", "FOR SHARE")]


def test_alone_does_not_reach_back() -> None:
    text = "SELECT 1 FOR UPDATE;\n-- pglint: ignore[PGL101]\nSELECT 2;\n"
    assert lint(text, PGL101) == [PGL101, ("PGL002", "pglint: ignore[PGL101]")]


def test_two_comments_in_one_line_are_alone_together() -> None:
    text = "/* a */ -- pglint: ignore[PGL101]\nSELECT 1\nFOR UPDATE;\n"
    assert lint(text, PGL101) == []


def test_a_block_comment_before_code_belongs_to_its_lines() -> None:
    text = "/* pglint: ignore[PGL101] */ SELECT 1\nFOR UPDATE;\n"
    assert lint(text, PGL101) == [("PGL002", "pglint: ignore[PGL101]"), PGL101]


def test_inside_a_statement_it_covers_the_next_line() -> None:
    text = "SELECT 1\n  -- pglint: ignore[PGL101]\n  FOR UPDATE;\n"
    assert lint(text, PGL101) == []
    text = "SELECT 1\n  -- pglint: ignore[PGL101]\n  FROM a\n  FOR UPDATE;\n"
    assert lint(text, PGL101) == [("PGL002", "pglint: ignore[PGL101]"), PGL101]


def test_inside_a_statement_further_comments_may_stand_between() -> None:
    text = "SELECT 1\n  -- pglint: ignore[PGL101] because\n  -- of this\n\n  FOR UPDATE;\n"
    assert lint(text, PGL101) == []


def test_inside_a_body_it_covers_the_statement_that_begins_behind_it() -> None:
    first, second = "PERFORM 1\n  FOR UPDATE", "PERFORM 2\n  FOR SHARE"
    text = f"DO $$\n-- pglint: ignore[PGL101]\n{first};\n{second};\n$$;\n"
    comment = _last(text, "-- pglint: ignore[PGL101]")
    source = SourceText("a.sql", text)
    statements = [_last(text, words) for words in (text[:-2], first, second)]

    class Body:
        span, text = comment, source.text[comment.start : comment.end]

    findings = [
        Finding(
            CODES["PGL101"],
            Severity.WARNING,
            source,
            _last(text, words),
            "m",
            Origin(Span(0, 0), ""),
        )
        for words in ("FOR UPDATE", "FOR SHARE")
    ]
    kept = apply(findings, read(source, [Body], statements, RULES), ALL_RULES)
    assert [text[finding.span.start : finding.span.end] for finding in kept] == ["FOR SHARE"]


def test_what_stands_between_statements_is_passed_over() -> None:
    text = "-- pglint: ignore[PGL101]\n\\set x 1\nSELECT 1\nFOR UPDATE;\n"
    assert lint(text, PGL101) == []


def test_ignore_file_covers_the_file_from_anywhere() -> None:
    for text in (
        "-- pglint: ignore-file[PGL101] all of it\nSELECT 1 FOR UPDATE;\n",
        "SELECT 1 FOR UPDATE;\n-- pglint: ignore-file[PGL101]",
        "SELECT 1 /* pglint: ignore-file */ FOR UPDATE;",
    ):
        assert lint(text, PGL101) == []
    assert lint("SELECT 1 FOR UPDATE; -- pglint: ignore-file[PGL101]", PGL301) == [
        PGL301,
        ("PGL002", "pglint: ignore-file[PGL101]"),
    ]


def test_off_and_on_make_a_region() -> None:
    text = """\
SELECT 1 FOR SHARE;
-- pglint: off
SELECT 2 FOR UPDATE;
-- pglint: on
SELECT 3 FOR KEY SHARE;
"""
    assert lint(text, ("PGL101", "FOR SHARE"), PGL101, ("PGL101", "FOR KEY SHARE")) == [
        ("PGL101", "FOR SHARE"),
        ("PGL101", "FOR KEY SHARE"),
    ]


def test_off_reaches_the_end_of_the_file_without_on() -> None:
    assert lint("-- pglint: off[PGL101]\nSELECT 1 FOR UPDATE;\n", PGL101) == []


def test_regions_are_told_apart_by_rule() -> None:
    text = """\
-- pglint: off[PGL101, PGL301]
SELECT 1 FOR SHARE;
-- pglint: on[PGL101]
SELECT 2 FOR UPDATE;
-- pglint: on
SELECT 3 FOR KEY SHARE;
"""
    found = [
        (code, words)
        for words in ("FOR SHARE", "FOR UPDATE", "FOR KEY SHARE")
        for code in ("PGL101", "PGL301")
    ]
    assert lint(text, *found) == [PGL101, ("PGL101", "FOR KEY SHARE"), ("PGL301", "FOR KEY SHARE")]


def test_a_syntax_error_can_be_suppressed() -> None:
    text = "-- pglint: ignore[PGL001] another database\nSELECT FROM FROM\nFOR UPDATE;\nSELECT 1;\n"
    assert lint(text, ("PGL001", "FROM")) == []
    assert lint(text.replace("[PGL001]", ""), ("PGL001", "FROM")) == []


# --- what is no suppression ---------------------------------------------------------


@pytest.mark.parametrize(
    "comment",
    [
        "-- the marker pglint: ignore is explained in the manual",
        "-- write `pglint: ignore[PGL101]` to silence it",
        "-- see pglint-locks: ignore",
        "-- notpglint: ignore",
        "-- SELECT 1 FOR UPDATE; -- pglint: ignore[PGL101]",
        "-- -- pglint: ignore[PGL101]",
        "/*\n SELECT 1; -- pglint: ignore[PGL101]\n*/",
        "/*\n -- pglint: ignore[PGL101]\n*/",
        "-- pglint ignore[PGL101]",
    ],
)
def test_prose_and_commented_out_code_say_nothing(comment: str) -> None:
    assert lint(f"{comment}\nSELECT 1 FOR UPDATE;\n", PGL101) == [PGL101]


def test_strings_and_names_are_no_comments() -> None:
    text = "SELECT '-- pglint: ignore', $$ -- pglint: ignore\n$$ FOR UPDATE;\n"
    assert lint(text, PGL101) == [PGL101]


def test_it_may_stand_behind_another_tools_directive() -> None:
    text = "SELECT 1 FOR UPDATE; -- noqa: LT01 -- pglint: ignore[PGL101]\n"
    assert lint(text, PGL101) == []


@pytest.mark.parametrize(
    "comment",
    [
        "-- pglint: ignore[PGL101] pglint: ignore[PGL301]",
        "-- pglint: ignore[PGL101], pglint: ignore[PGL301]",
        "-- pglint: ignore[PGL101] reason -- pglint: ignore[PGL301] reason",
        "-- pglint: ignore[PGL101] reason; pglint: ignore[PGL301] reason",
        "/* pglint: ignore[PGL101]\n   pglint: ignore[PGL301] */",
        "-- pglint: ignore[PGL101] -- pglint: ignore",
    ],
)
def test_two_directives_in_one_comment(comment: str) -> None:
    assert lint(f"{comment}\nSELECT 1\nFOR UPDATE;\n", PGL101, PGL301) == []


def test_a_reason_may_mention_the_marker() -> None:
    text = "SELECT 1 FOR UPDATE; -- pglint: ignore[PGL101] as the pglint: ignore page says\n"
    assert lint(text, PGL101, PGL301) == [PGL301]


# --- unused -------------------------------------------------------------------------


def test_an_unused_suppression_is_reported_where_it_stands() -> None:
    assert messages("SELECT 1; -- pglint: ignore[PGL101] old\n") == [
        "PGL002 [pglint: ignore[PGL101]] this suppression of PGL101 suppresses nothing; remove it"
    ]
    assert messages("SELECT 1; /* pglint: ignore */\n") == [
        "PGL002 [pglint: ignore] this suppression suppresses nothing; remove it"
    ]
    assert messages("-- pglint: off[PGL1, PGL301]\n") == [
        "PGL002 [pglint: off[PGL1, PGL301]] this suppression of PGL1 and PGL301 suppresses "
        "nothing; remove it"
    ]
    assert messages("-- pglint: ignore[PGL101]\n-- the end\n") == [
        "PGL002 [pglint: ignore[PGL101]] this suppression of PGL101 suppresses nothing: "
        "no statement follows it; remove it"
    ]


def test_the_codes_that_did_nothing_are_named() -> None:
    text = "SELECT 1 FOR UPDATE; -- pglint: ignore[PGL101, PGL301, PGL401]\n"
    assert messages(text, PGL101) == [
        "PGL002 [pglint: ignore[PGL101, PGL301, PGL401]] PGL301 and PGL401 in this suppression "
        "suppress nothing; take PGL301 and PGL401 out of the brackets"
    ]
    assert messages(text, PGL101, PGL301) == [
        "PGL002 [pglint: ignore[PGL101, PGL301, PGL401]] PGL401 in this suppression "
        "suppresses nothing; take PGL401 out of the brackets"
    ]


def test_both_of_two_suppressions_that_cover_a_finding_are_used() -> None:
    text = "-- pglint: ignore-file[PGL101]\nSELECT 1 FOR UPDATE; -- pglint: ignore\n"
    assert lint(text, PGL101) == []


def test_an_on_that_ends_nothing_is_unused() -> None:
    assert messages("-- pglint: on\nSELECT 1;\n") == [
        "PGL002 [pglint: on] this 'on' ends no 'off' above it; remove it"
    ]
    text = "-- pglint: off[PGL101]\nSELECT 1 FOR UPDATE;\n-- pglint: on[PGL301]\n"
    assert messages(text, PGL101) == [
        "PGL002 [pglint: on[PGL301]] this 'on' ends no 'off' above it; remove it"
    ]


def test_a_suppression_of_a_rule_that_does_not_run_is_not_unused() -> None:
    text = "SELECT 1; -- pglint: ignore[PGL101, PGL301]\n"
    assert messages(text, enabled=frozenset({"PGL002", "PGL301"})) == [
        "PGL002 [pglint: ignore[PGL101, PGL301]] PGL301 in this suppression suppresses nothing; "
        "take PGL301 out of the brackets"
    ]
    assert messages(text, enabled=frozenset({"PGL002"})) == []
    for blanket in ("ignore", "ignore[PGL1]", "ignore-file[ALL]", "off"):
        text = f"SELECT 1; -- pglint: {blanket}\n"
        assert messages(text, enabled=ALL_RULES - {"PGL101"}) == []
        assert len(messages(text)) == 1


def test_what_covers_a_clause_that_was_not_read_is_not_unused() -> None:
    text = """\
-- pglint: ignore[PGL101]
CREATE FUNCTION f() RETURNS void AS $$ SELECT 1 FOR UPDATE $$ LANGUAGE sql;
SELECT 2; -- pglint: ignore[PGL101]
"""
    source = SourceText("a.sql", text)
    script = split(text)
    found = read(source, script.comments, [chunk.span for chunk in script.chunks], RULES)
    left = apply([], found, ALL_RULES, unread=[_last(text, "FOR UPDATE")])
    assert [source.position(finding.span.start).row for finding in left] == [3]
    assert len(apply([], found, ALL_RULES)) == 2


def test_opt_in_rules_that_are_off_keep_no_prefix_from_being_unused() -> None:
    opt_in = Rule("PGL190", "made-up", "s", (Severity.NOTE,), Subject.CLAUSE, opt_in=True)
    rules = [*RULES, opt_in]
    marked = [("PGL002", "pglint: ignore[PGL1]")]
    assert lint("SELECT 1; -- pglint: ignore[PGL1]\n", rules=rules) == marked
    assert lint("SELECT 1; -- pglint: ignore[PGL190]\n", rules=rules) == []
    assert lint(
        "SELECT 1; -- pglint: ignore[PGL190]\n", rules=rules, enabled=ALL_RULES | {"PGL190"}
    ) == [("PGL002", "pglint: ignore[PGL190]")]


def test_nobody_hears_of_it_when_the_rule_is_off() -> None:
    text = "SELECT 1; -- pglint: ignore[PGL101, PGL199]\n"
    assert lint(text, enabled=ALL_RULES - {UNUSED}) == [("PGL003", "PGL199")]
    assert lint(text, enabled=ALL_RULES - {UNUSED, UNKNOWN}) == []


def test_a_blanket_suppression_does_not_hide_that_it_is_unused() -> None:
    for comment in ("ignore", "ignore[ALL]", "ignore[PGL]", "off", "ignore-file"):
        assert len(lint(f"SELECT 1; -- pglint: {comment}\n")) == 1


def test_the_findings_about_suppressions_are_suppressed_by_name() -> None:
    unused = "-- pglint: ignore[PGL101]\nSELECT 1;\n"
    unknown = "SELECT 1; -- pglint: ignore[PGL199]\n"
    for comment in ("PGL002", "unused-suppression", "PGL002, PGL003", "PGL0"):
        assert lint(f"-- pglint: ignore-file[{comment}]\n{unused}") == []
    for comment in ("PGL003", "unknown-suppression", "PGL0"):
        assert lint(f"-- pglint: ignore-file[{comment}]\n{unknown}") == []
    assert lint("SELECT 1; -- pglint: ignore[PGL101, PGL002] old server\n") == []
    assert lint("SELECT 1; -- pglint: ignore[PGL003]\n") == [("PGL002", "pglint: ignore[PGL003]")]


# --- unknown ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("brackets", "marked", "advice"),
    [
        ("[PGL7011]", "PGL7011", "did you mean 'PGL701'?"),
        ("[ PGL101 , PGL7O1 ]", "PGL7O1", "did you mean 'PGL701'?"),
        ("[random-lock-order]", "random-lock-order", "did you mean 'random-order-lock'?"),
        ("[PGL101 PGL301]", "PGL101 PGL301", "write PGL101, PGL301 with commas between"),
        ("[E501]", "E501", "did you mean 'PGL501'?"),
        ("[§§]", "§§", "pglint-locks explain --all lists the rules"),
        ("[PGL9]", "PGL9", None),
    ],
)
def test_a_word_that_names_no_rule_is_marked(
    brackets: str, marked: str, advice: str | None
) -> None:
    text = f"SELECT 1 FOR UPDATE; -- pglint: ignore{brackets} reason\n"
    (message,) = messages(text, PGL101)
    expected = f"PGL003 [{marked}] '{marked}' names no rule, so it suppresses nothing"
    assert message.startswith(expected)
    if advice:
        assert message == f"{expected}; {advice}"


def test_a_huge_word_is_not_repeated_whole() -> None:
    for comment in ("pglint: ignore[" + "x" * 9999 + "]", "pglint: " + "x" * 9999):
        (message,) = messages(f"SELECT 1; -- {comment}\n")
        assert "xxx…' " in message
        assert len(message.partition("] ")[2]) < 200


def test_known_words_beside_an_unknown_one_still_count() -> None:
    text = "SELECT 1 FOR UPDATE; -- pglint: ignore[PGL199, PGL101]\n"
    assert lint(text, PGL101) == [("PGL003", "PGL199")]


@pytest.mark.parametrize(
    ("comment", "marked", "says"),
    [
        ("pglint: ingore", "pglint: ingore", "did you mean 'ignore'?"),
        ("pglint: ingore[PGL101] x", "pglint: ingore", "did you mean 'ignore'?"),
        ("pglint: Ignore-Flie[PGL101]", "pglint: Ignore-Flie", "did you mean 'ignore-file'?"),
        ("pglint: ignorefile[PGL101]", "pglint: ignorefile", "did you mean 'ignore-file'?"),
        ("pglint: disable=PGL101", "pglint: disable", "write ignore[CODE], ignore-file[CODE]"),
        ("pglint:", "pglint:", "write ignore[CODE]"),
        ("pglint: [PGL101]", "pglint:", "write ignore[CODE]"),
        ("pglint: ignore[]", "pglint: ignore[]", "without brackets for every rule"),
        ("pglint: ignore[ , ]", "pglint: ignore[ , ]", "without brackets for every rule"),
        ("pglint: ignore[PGL101 a", "pglint: ignore[PGL101 a", "write ignore[CODE]"),
        ("pglint: ignore PGL101", "pglint: ignore PGL101", "write ignore[CODE]"),
        ("pglint: ignore: pgl999 x", "pglint: ignore: pgl999", "write ignore[CODE]"),
        ("pglint: off = PGL1", "pglint: off = PGL1", "write off[CODE]"),
        ("pglint: ignore(PGL101)", "pglint: ignore(PGL101", "write ignore[CODE]"),
        ("pglint: ignore random-order-lock", None, "write ignore[CODE]"),
        ("pglint: ignore file[PGL101]", "pglint: ignore file[PGL101", "write ignore[CODE]"),
    ],
)
def test_a_malformed_directive_is_reported_and_suppresses_nothing(
    comment: str, marked: str | None, says: str
) -> None:
    text = f"SELECT 1 FOR UPDATE; -- {comment}\n"
    assert lint(text, PGL101) == [PGL101, ("PGL003", marked or comment)]
    (message,) = messages(text, PGL101)
    assert says in message


def test_a_reason_may_hold_what_looks_like_a_list() -> None:
    for reason in ("all of it", "see arr[1]", "because PGL101 is wrong here", "= intended"):
        assert lint(f"SELECT 1 FOR UPDATE; -- pglint: ignore {reason}\n", PGL101) == []


def test_a_mistake_deep_in_a_file_has_its_exact_place() -> None:
    text = "SELECT 'é🎉';\r\n\r\n\tSELECT 1; /* x\r\n * pglint: ignore[PGL101,\r\n * PGL999] */"
    source = SourceText("a.sql", text)
    (unknown,) = [finding for finding in left(source, []) if finding.rule.code == UNKNOWN]
    assert source.text[unknown.span.start : unknown.span.end] == "PGL999"
    assert source.position(unknown.span.start).row == 5


# --- adversarial --------------------------------------------------------------------


def test_findings_come_back_sorted() -> None:
    text = "SELECT 1 FOR UPDATE;\n-- pglint: ignore[PGL999]\nSELECT 2 FOR SHARE;\n"
    assert [code for code, _ in lint(text, ("PGL301", "FOR SHARE"), PGL101)] == [
        "PGL101",
        "PGL003",
        "PGL301",
    ]


def test_without_comments_nothing_is_done() -> None:
    assert lint("SELECT 1 FOR UPDATE;", PGL101) == [PGL101]
    assert lint("") == []


@pytest.mark.parametrize(
    "text",
    [
        "-- pglint: ignore[PGL101]\n" * 4000,
        "-- pglint: off\n-- pglint: on\n" * 2000,
        "SELECT 1; -- pglint: ignore[PGL199]\n" * 2000,
        "/*" + " pglint: ignore[PGL101]\n" * 4000 + "*/",
        "SELECT 1\n" + "-- pglint: ignore[PGL101]\n, 2\n" * 4000 + ";",
        "-- pglint: ignore[" + "PGL101," * 20_000 + "]\n",
        "-- pglint: ignore[" + "[" * 100_000,
        "-- " + "pglint: " * 20_000,
        "-- pglint: ignore" + " " * 100_000 + "[",
    ],
)
def test_many_and_huge_directives_do_not_take_long(text: str) -> None:
    started = time.process_time()
    lint(text)
    assert time.process_time() - started < 60
