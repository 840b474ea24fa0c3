"""Ruby."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds

_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))


def _percent(kinds_of: str, escape: re.Pattern[str]) -> tuple[Form, ...]:
    """`%q(…)` and the like, with each kind of bracket or any other sign around the text."""
    pairs = tuple(
        Form(re.compile(f"%{kinds_of}{re.escape(opening)}"), closing, escape)
        for opening, closing in _PAIRS
    )
    other = Form(re.compile(rf"%{kinds_of}(?P<quote>[^\w\s])"), "%(quote)s", escape)
    return (*pairs, other)


RUBY = Language(
    grammar="ruby",
    forms=(
        Form(re.compile("'"), "'", escapes.QUOTES),
        Form(re.compile('"'), '"', escapes.BACKSLASH),
        Form(re.compile("<<[~-]?'"), ""),
        Form(re.compile("<<[~-]?"), "", escapes.BACKSLASH),
        *_percent("q", escapes.QUOTES),
        *_percent("Q?", escapes.BACKSLASH),
    ),
    strings=kinds("string heredoc_beginning"),
    joined=kinds("chained_string"),
    heredocs=("heredoc_beginning", "heredoc_body"),
    holes=kinds("interpolation"),
    sums=kinds("binary"),
    signs=frozenset({"+", "<<"}),
    percent_sign=True,
    names=kinds("identifier constant instance_variable class_variable global_variable"),
    members=kinds("scope_resolution"),
    invocations=kinds("call"),
    arguments=kinds("argument_list"),
    functions=kinds("method singleton_method lambda"),
    anonymous=kinds("lambda"),
    classes=kinds("class module singleton_class"),
    bodies=kinds("program body_statement then else block_body do block"),
    branches=kinds("if unless elsif"),
    loops=kinds("while until for"),
    tries=kinds("begin"),
    handlers=kinds("rescue"),
    cases=kinds("when in_clause"),
    leaves=kinds("return"),
    choices={"conditional": (1, 2)},
    not_assignments=kinds("optional_parameter keyword_parameter"),
    assigning=frozenset({"=", "+=", "<<"}),
    lists=kinds("array"),
    calls={
        "format": Does.PERCENT_OF_FIRST,
        "sprintf": Does.PERCENT_OF_FIRST,
        "join": Does.JOIN_OWN,
        "squish": Does.SAME,
        "strip": Does.SAME,
        "strip_heredoc": Does.SAME,
        "chomp": Does.SAME,
        "freeze": Does.SAME,
        "dup": Does.SAME,
        "to_s": Does.SAME,
        "sql": Does.SAME_AS_FIRST,
        "sanitize_sql": Does.SAME_AS_FIRST,
        "sanitize_sql_array": Does.SAME_AS_FIRST,
        "concat": Does.CONCAT,
        "quote_table_name": Does.IDENTIFIER,
        "quote_column_name": Does.IDENTIFIER,
        "quote_ident": Does.IDENTIFIER,
        "quote": Does.LITERAL,
    },
)
