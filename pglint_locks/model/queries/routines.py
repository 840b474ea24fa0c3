"""Functions and procedures, as far as the server's refusals depend on what they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pglast import ast
from pglast.enums import FunctionParameterMode

from pglint_locks.schema.names import TableName


class Routine(NamedTuple):
    """What CREATE FUNCTION or CREATE PROCEDURE says of a routine.

    `volatility` is `volatile`, `stable` or `immutable`.  `arguments`: the types of its
    input arguments, as written.  `gives_set`: RETURNS SETOF or TABLE.  `is_plain`: not
    STRICT, not SECURITY DEFINER, without SET.  `statements`: how many its SQL body has,
    where that is known.
    """

    name: TableName
    arguments: tuple[str, ...] = ()
    language: str = ""
    volatility: str = "volatile"
    gives_set: bool = False
    is_plain: bool = True
    statements: int | None = None

    @property
    def is_volatile(self) -> bool:
        """Whether the routine may change rows, and so lock them."""
        return self.volatility == "volatile"

    @property
    def may_be_inlined(self) -> bool:
        """Whether a call in FROM is replaced by its query (`inline_set_returning_function`)."""
        return (
            self.language == "sql"
            and self.gives_set
            and self.is_plain
            and not self.is_volatile
            and self.statements == 1
        )


class BodyCursor(NamedTuple):
    """The PL/pgSQL cursor that a query belongs to: whether it may scroll, and is ever opened."""

    scrolls: bool = False
    opened: bool = True


def routine_of(node: ast.Node) -> Routine | None:
    """The routine that a statement makes; None if it makes none."""
    if not isinstance(node, ast.CreateFunctionStmt):
        return None
    *schema, name = (part.sval for part in node.funcname)
    parameters = node.parameters or ()
    table = any(
        parameter.mode == FunctionParameterMode.FUNC_PARAM_TABLE for parameter in parameters
    )
    made = Routine(
        TableName(schema[-1] if schema else None, name),
        tuple(_type(parameter.argType) for parameter in parameters if _is_input(parameter)),
        language="sql",
        gives_set=table or (node.returnType is not None and bool(node.returnType.setof)),
    )
    return _with_options(made, node.options or ())


def altered(routine: Routine, nodes: Iterable[ast.Node | None]) -> Routine:
    """The routine as later ALTER FUNCTION statements leave it."""
    for node in nodes:
        if isinstance(node, ast.AlterFunctionStmt) and _means(node.func, routine):
            routine = _with_options(routine, node.actions or ())
    return routine


def _with_options(routine: Routine, options: Iterable[ast.DefElem]) -> Routine:
    plain = routine.is_plain
    for option in options:
        value = option.arg
        if option.defname == "volatility":
            routine = routine._replace(volatility=value.sval)
        elif option.defname == "language":
            routine = routine._replace(language=value.sval.lower())
        elif option.defname in ("strict", "security"):
            plain = plain and not value.boolval
        elif option.defname == "set":
            plain = False
    return routine._replace(is_plain=plain)


def _means(written: ast.ObjectWithArgs, routine: Routine) -> bool:
    *schema, name = (part.sval for part in written.objname)
    if not TableName(schema[-1] if schema else None, name).same_table(routine.name):
        return False
    if written.args_unspecified:
        return True
    return tuple(_type(argument) for argument in written.objargs or ()) == routine.arguments


def _is_input(parameter: ast.FunctionParameter) -> bool:
    return parameter.mode not in (
        FunctionParameterMode.FUNC_PARAM_OUT,
        FunctionParameterMode.FUNC_PARAM_TABLE,
    )


def _type(node: ast.TypeName) -> str:
    return str(node.names[-1].sval) + "[]" * len(node.arrayBounds or ())
