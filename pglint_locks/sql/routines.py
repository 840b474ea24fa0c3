"""What CREATE FUNCTION, CREATE PROCEDURE and DO say of the routine that they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pglast import ast

from pglint_locks.sql.parse import Parsed
from pglint_locks.sql.sqlbody import SqlBody, sql_body
from pglint_locks.sql.tokens import COMMA, LEFT_PAREN, Tokens
from pglint_locks.text import Span

_LITERALS = {"SCONST", "USCONST"}
_TYPE_ENDS = frozenset({COMMA, "DEFAULT", "ASCII_61"})
_CALLED_BY = {"i", "b", "v", "d"}  # FUNC_PARAM_IN, INOUT, VARIADIC, DEFAULT


@dataclass(frozen=True, slots=True)
class RoutineText:
    """A routine as its statement says.

    `kind` is function, procedure or do block; `name` and `argument_types` are as written,
    the arguments those by which it is called; `argument_names` are those of all arguments,
    folded.  `body` is the literal that holds its text,
    in statement offsets; `sql_body` is the body that is in the statement's own grammar
    (`BEGIN ATOMIC`, `RETURN`).  `volatility` is volatile where nothing is said.
    """

    kind: str
    name: str | None
    argument_types: tuple[str, ...]
    language: str
    body: Span | None
    volatility: str = "volatile"
    returns_set: bool = False
    strict: bool = False
    security_definer: bool = False
    has_set_option: bool = False
    argument_names: tuple[str, ...] = ()
    returns_one_row: bool = False
    sql_body: SqlBody | None = None


def routine_text(parsed: Parsed) -> RoutineText | None:
    """The routine that a statement holds; None for another kind of statement."""
    node, tokens = parsed.node, parsed.tokens
    if isinstance(node, ast.DoStmt):
        language = _text(_options(node.args).get("language")) or "plpgsql"
        return RoutineText("do block", None, (), language, _body(node.args, tokens))
    if not isinstance(node, ast.CreateFunctionStmt):
        return None
    options = _options(node.options)
    return RoutineText(
        kind="procedure" if node.is_procedure else "function",
        name=_name(tokens),
        argument_types=tuple(_argument_types(node, tokens)),
        language=_text(options.get("language")) or "sql",
        body=_body(node.options, tokens),
        volatility=_text(options.get("volatility")) or "volatile",
        returns_set=node.returnType is not None and bool(node.returnType.setof),
        strict=_is_true(options.get("strict")),
        security_definer=_is_true(options.get("security")),
        has_set_option="set" in options,
        returns_one_row=_returns_one_row(node),
        argument_names=tuple(each.name for each in node.parameters or () if each.name),
        sql_body=sql_body(node, tokens),
    )


def _options(nodes: Any) -> dict[str, Any]:
    """The options by name; the value of the last of each."""
    return {node.defname: node.arg for node in nodes or ()}


def _returns_one_row(node: ast.CreateFunctionStmt) -> bool:
    """Whether a function gives one value or row: RETURNS without SETOF, TABLE and void."""
    returned = node.returnType
    if node.is_procedure or returned is None or returned.setof:
        return False
    return bool(returned.names[-1].sval != "void")


def _text(value: Any) -> str | None:
    return value.sval.lower() if isinstance(value, ast.String) else None


def _is_true(value: Any) -> bool:
    return isinstance(value, ast.Boolean) and bool(value.boolval)


def _name(tokens: Tokens) -> str:
    """What stands between FUNCTION or PROCEDURE and the arguments."""
    names = [tokens.name(index) for index in range(len(tokens))]
    opening = names.index(LEFT_PAREN)
    kind = next(i for i in range(opening) if names[i] in {"FUNCTION", "PROCEDURE"})
    return tokens.words(tokens.run(kind + 1, opening - 1))


def _body(options: Any, tokens: Tokens) -> Span | None:
    """The literal behind AS; C's has a second one, and no SQL in either."""
    for option in options or ():
        if option.defname == "as":
            for index in range(tokens.index_from(option.location), len(tokens)):
                if tokens.name(index) in _LITERALS:
                    return tokens[index].span
    return None


def _argument_types(node: ast.CreateFunctionStmt, tokens: Tokens) -> Iterator[str]:
    modes = _CALLED_BY | {"o"} if node.is_procedure else _CALLED_BY
    for parameter in node.parameters or ():
        if parameter.mode.value in modes:
            start = tokens.index_from(parameter.argType.location)
            yield tokens.words(tokens.run(start, tokens.last_before(start, _TYPE_ENDS)))
