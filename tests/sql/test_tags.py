"""Templates' tags in SQL: the text keeps its length, and one branch is read at a time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.sql.script import ParsedScript
from pglint_locks.sql.standins import STAND_IN
from pglint_locks.sql.tagged import read_tagged
from pglint_locks.sql.tags import TagKind, find_tags
from pglint_locks.text import Span

KINDS = {
    "{{ ref('x') }}": TagKind.VALUE,
    "{{ {'a': 1}.b }}": TagKind.VALUE,
    "{{{ x }}}": TagKind.VALUE,
    "{{ iffy }}": TagKind.VALUE,
    "{{ config(x='}}') }}": TagKind.SILENT,
    "{{ $x := 1 }}": TagKind.SILENT,
    "{%- set x = 1 -%}": TagKind.SILENT,
    "{% include 'a;b' %}": TagKind.SILENT,
    "{# don't; #}": TagKind.COMMENT,
    "{{/* a */}}": TagKind.COMMENT,
    "{{! a }}": TagKind.COMMENT,
    "{% if a %}": TagKind.OPEN,
    "{%+ for x in y %}": TagKind.OPEN,
    "{{- range .Rows }}": TagKind.OPEN,
    "{{#rows}}": TagKind.OPEN,
    "{{^rows}}": TagKind.OPEN,
    "{% elif b %}": TagKind.ELSE,
    "{{ else if .B }}": TagKind.ELSE,
    "{% endif %}": TagKind.CLOSE,
    "{{- end -}}": TagKind.CLOSE,
    "{{/rows}}": TagKind.CLOSE,
    '{{ define "a" }}': TagKind.DEFINE,
    "{% macro a(b) %}": TagKind.PART,
    "{% endmacro %}": TagKind.PART,
    "{% set x %}": TagKind.PART,
    "<%= table %>": TagKind.VALUE,
    "<%# a %>": TagKind.COMMENT,
    "<%= if a do %>": TagKind.OPEN,
    "<%- rows.each do |row| %>": TagKind.OPEN,
    "<% } else { -%>": TagKind.ELSE,
    "<% } -%>": TagKind.CLOSE,
}


@pytest.mark.parametrize("text", KINDS)
def test_what_a_tag_is(text: str) -> None:
    (tag,) = find_tags(f"a {text} -%>" if text.startswith("<") else f"a {text} b")
    assert (tag.kind, tag.span) == (KINDS[text], Span(2, 2 + len(text)))


@pytest.mark.parametrize(
    "text",
    ["SELECT '{{1,2},{3,4}}'", "SELECT a <% b AND c %> d", "SELECT {{ a", "{% a", "{{ a {{ b"],
)
def test_what_is_no_tag(text: str) -> None:
    assert list(find_tags(text)) == []


# The statement that each template's lock is read in: blanks are made one, tags are `?`.
READ = {
    "SELECT a FROM {{ t }} {# x; #} FOR UPDATE": "SELECT a FROM ? FOR UPDATE",
    "SELECT a FROM t {% if x %} WHERE b {% endif %} FOR SHARE": "SELECT a FROM t WHERE b FOR SHARE",
    "SELECT a FROM t WHERE {% if x %} b {% elif y %} c {% else %} d {% endif %} FOR SHARE": (
        "SELECT a FROM t WHERE b FOR SHARE"
    ),
    "SELECT a FROM t WHERE {% if x %} b AND {% else %} c {% endif %} FOR SHARE": (
        "SELECT a FROM t WHERE c FOR SHARE"
    ),
    "SELECT a FROM t {% if x %} LIMIT 1 {% else %} FOR SHARE {% endif %}": (
        "SELECT a FROM t FOR SHARE"
    ),
    "SELECT 1 FROM t WHERE b IN ({% for c %}{{ c }}{% if e %},{% endif %}{% endfor %}) FOR SHARE": (
        "SELECT 1 FROM t WHERE b IN ( ? ) FOR SHARE"
    ),
    "SELECT a FROM t WHERE b = '{{ c('d;') }}' FOR SHARE": (
        "SELECT a FROM t WHERE b = '?' FOR SHARE"
    ),
    "{% macro f() %} SELECT 1 {% endmacro %} SELECT a FROM t FOR SHARE": (
        "SELECT a FROM t FOR SHARE"
    ),
    "SELECT a FROM <%= t %> <% if b do %> WHERE c <% end %> FOR SHARE": (
        "SELECT a FROM ? WHERE c FOR SHARE"
    ),
    "SELECT a FROM t {{if .X}} WHERE b{{else}} WHERE c{{end}} FOR SHARE": (
        "SELECT a FROM t WHERE b FOR SHARE"
    ),
}


@pytest.mark.parametrize("text", READ)
def test_one_branch_is_read(text: str) -> None:
    script = ParsedScript.of_text(text)
    (index,) = script.locking
    chunk = script.chunks[index]
    assert len(chunk.text) == chunk.span.end - chunk.span.start
    assert " ".join(STAND_IN.sub("?", chunk.text).split()) == READ[text]
    assert script.unread == []


def test_a_lock_in_a_branch_that_is_not_read_is_counted() -> None:
    text = "SELECT a FROM t WHERE id = 1 {% if x %} FOR UPDATE {% else %} FOR SHARE {% endif %};"
    run = lint_text(text, "a.sql", Settings())
    assert run.clauses == 2
    assert [(each.reason, text[slice(*each.span)]) for each in run.not_analysed] == [
        ("in a template's other branch", "FOR SHARE")
    ]


def test_all_branches_that_hold_whole_statements_are_read() -> None:
    one = "SELECT a FROM t OFFSET 1 FOR UPDATE;"
    text = f"{{% if x %}} {one} {{% else %}} {one} {{% endif %}}"
    run = lint_text(text, "a.sql", Settings())
    assert [each.rule.code for each in run.findings if each.rule.code == "PGL102"] == ["PGL102"] * 2
    assert run.analysed == 2


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM {{ broken FOR UPDATE;",
        "SELECT {% if a %} FROM {% if b FOR UPDATE;",
        "SELECT a FROM t WHERE {% weird %} AND FOR UPDATE;",
    ],
)
def test_a_template_that_cannot_be_read_is_counted_alone(text: str) -> None:
    run = lint_text(text, "a.sql", Settings())
    assert run.findings == ()
    assert [each.reason for each in run.not_analysed] == ["unread template"]


@pytest.mark.parametrize(
    "comment",
    [
        *("{# pglint: ignore[PGL102] x #}", "{{/* pglint: ignore[PGL102] x */}}"),
        *("{{! pglint: ignore[PGL102] x }}", "<%# pglint: ignore[PGL102] x -%>"),
    ],
)
def test_a_comment_of_the_template_suppresses(comment: str) -> None:
    one = "SELECT a FROM t ORDER BY a\nOFFSET 1 FOR UPDATE;\n"
    found = lint_text(f"{one}{comment}\n{one}", "a.sql", Settings()).findings
    places = [(each.rule.code, each.source.position(each.span.start).row) for each in found]
    assert places == [("PGL102", 2), ("PGL603", 2), ("PGL603", 5)]


def test_what_a_tag_stands_for_is_named() -> None:
    text = "SELECT a FROM {{\n  source('x',\n 'jobs') }} OFFSET {{ n }} FOR UPDATE;"
    found = lint_text(text, "a.sql", Settings()).findings
    (offset,) = (each for each in found if each.rule.code == "PGL102")
    assert text[slice(*offset.span)] == "OFFSET {{ n }}"
    assert "OFFSET {{ n }} locks" in offset.message
    assert all(STAND_IN.search(each.text) is None for each in found)


_PIECES = [
    *(
        "{{ a }}",
        "{{",
        "}}",
        "{%",
        "%}",
        "{% if a %}",
        "{% else %}",
        "{% endif %}",
        "{# b #}",
        "{#",
    ),
    *("<%= c %>", "<% if d %>", "<% end %>", "<%", "%>", "{{ end }}", "{{ define x }}", "'", '"'),
    *(
        ";",
        "\n",
        "\r\n",
        " ",
        "SELECT a FROM t",
        " FOR UPDATE",
        "--",
        "/*",
        "*/",
        "$$",
        "é",
        "{% set x %}",
    ),
]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(_PIECES), max_size=16).map("".join))
def test_the_length_never_changes(text: str) -> None:
    tagged = read_tagged(text)
    if tagged is None:
        return
    for read in (tagged.full, tagged.text):
        assert len(read) == len(text)
        assert [i for i, sign in enumerate(read) if sign in "\r\n"] == [
            i for i, sign in enumerate(text) if sign in "\r\n"
        ]
    script = ParsedScript.of_text(text)
    for index, chunk in enumerate(script.chunks):
        assert len(chunk.text) == chunk.span.end - chunk.span.start
        script.result(index)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="abc 01.,()='\"\n;-+*/<>{}%", max_size=40))
def test_what_is_outside_of_tags_stays(text: str) -> None:
    spans = [tag.span for tag in find_tags(text)]
    tagged = read_tagged(text)
    assert (tagged is None) == (not spans)
    inside = {offset for span in spans for offset in range(*span)}
    for offset, sign in enumerate(tagged.full if tagged else text):
        assert offset in inside or sign == text[offset]


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "{{ ",
            "{% ",
            "{# ",
            "<%= ",
            "{{ a }} ",
            "{% if a %} ",
            "{% if a %}{% else %}b{% endif %} ",
        ),
        *("{{ {% ", "{{ ' ", "{% endif %}", "SELECT {{ a }} FOR UPDATE; ", "{% if a %}FOR UPDATE "),
        "{{ a }}, FOR UPDATE ",
        "SELECT 1 {% if a %} FROM t {% endif %} b c FOR UPDATE; ",
    ],
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    """Each takes some seconds at most; one that grew with the square would take minutes."""
    began = time.process_time()
    script = ParsedScript.of_text("SELECT " + piece * (200_000 // len(piece)))
    for index in script.locking[:50]:
        script.result(index)
    list(script.unread)
    assert time.process_time() - began < 20
