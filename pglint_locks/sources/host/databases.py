"""Which database a text of host code is for, as far as names around it tell.

Drivers for several databases have twins of a query: under `if dialect == "mysql"`, in a
class `MySQLQueue`, in a constant `SQLITE_CLAIM`, or in a table by the database's name.
A file whose only driver is another database's is for that one.
"""

from __future__ import annotations

import re

from pglint_locks.sources.host.language import Language
from pglint_locks.sources.host.tree import Node

_KINDS = r"(?:dialect|database|db|driver|platform|vendor|provider|engine|db_?type|dbms)"
# What a class for one database is, by the end of its name.
_PARTS = (
    r"(?:jdbc|customi[sz]ation|adapter|queue|store|storage|repository|connection|transport|message"
    r"|lock|statement|sql|session|generator|grammar|builder|schema|formatter)"
)
_OTHERS = re.compile(
    r"my_?sql|maria_?db|sqlite|ms_?sql|sql_?server|hsqldb|tidb|clickhouse"
    rf"|(?:oracle|(?<![a-z])(?:h2|db2))(?=['\"`]|_?{_KINDS}|_?{_PARTS})"
    rf"|{_KINDS}[_.:]*(?:oracle|h2|db2)(?![a-z])",
    re.IGNORECASE,
)
# In what is asked of a value, a word is enough.
_ANSWERS = re.compile(rf"{_OTHERS.pattern}|(?<![a-z])(?:oracle|h2|db2)(?![a-z])", re.IGNORECASE)
_POSTGRES = re.compile(r"postg|pgsql|psql|cockroach|(?<![a-z])pg(?![a-z])", re.IGNORECASE)
_NEGATED = re.compile(r"!|\bnot\b|\bunless\b|<>|/=")

_CONDITIONAL = re.compile(r"(?:if|unless|elif|elsif|guard)(?:_|$)|else_if")
_ARM = re.compile(r"block|body|statement|then|else|elif|elsif|suite")
# What has a name or a label of its own in front; containers of several such have none.
_LABELLED = re.compile(
    r"_case\b|^case_|arm$|switch_(?:case|entry|section|rule)|when|match_conditional|pair"
    r"|keyed_element|initializer|assignment|declarat|const|static_item|property|entry|attribute"
    r"|unary_operator|function|method|class|object_|struct|module|impl|trait|interface"
)
_ASKED = re.compile(r"case|arm$|switch_|when|match_conditional|pair|keyed_element")
_CONTAINER = re.compile(r"body|block|list|when_expression|^object$|_group$")
_LIST = re.compile(
    r"^(?:list|tuple|array)(?:_|$)|_array$|array_(?:creation|literal)|^literal_value"
)
_LONGEST_LABEL = 300
_LONGEST_NAME = 120
_MOST = 4

# What a program imports, or connects to, that speaks to one other database alone.
_DRIVERS = re.compile(
    r"""^[ \t]*(?:import|from)[ \t]+(?:pymysql|MySQLdb|mysql|aiomysql|asyncmy|mariadb|sqlite3
        |aiosqlite|apsw|cx_Oracle|oracledb|pymssql|com\.mysql|oracle\.jdbc|org\.(?:sqlite|mariadb|h2)
        |com\.microsoft\.sqlserver|SQLite\w*|GRDB|MySQL(?:NIO|Kit)|FluentMySQLDriver)\b
    | (?:\brequire\b|\bfrom\b|\bimport\b)[ \t]*\(?[ \t]*['"](?:mysql2?(?:/promise)?|mariadb|oracledb
        |mssql|tedious|(?:node:|bun:|better-)?sqlite3?|@libsql/client|@planetscale/database|oci8
        |tiny_tds)['"]
    | "(?:[\w.-]+/)*(?:go-sql-driver/mysql|go-sqlite3|modernc\.org/sqlite|go-ora(?:/v2)?|godror
        |go-mssqldb|driver/(?:mysql|sqlite|sqlserver))"
    | ^[ \t]*using[ \t]+(?:MySqlConnector|MySql\.Data|Oracle\.ManagedDataAccess
        |(?:Microsoft|System)\.Data\.(?:SqlClient|SQLite))\b
    | ^[ \t]*use[ \t]+(?:rusqlite|mysql(?:_async)?|oracle|tiberius
        |(?:sqlx|diesel)::(?:mysql|sqlite))\b
    | \bmysqli_\w+|new[ \t]+\\?mysqli\b|['"](?:mysql|sqlite|oci|sqlsrv):
    | \bMyXQL\b | \bjdbc:(?:mysql|mariadb|oracle|sqlserver|sqlite|h2):""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
# Those that speak to any database, PostgreSQL too.
_OF_ANY = re.compile(r"\b(?:sqlalchemy|django\.db|sqlmodel|peewee|tortoise|databases)\b")


def is_file_for_another(text: str) -> bool:
    """Whether the only drivers that a file of code names are other databases'."""
    return (
        _DRIVERS.search(text) is not None
        and _POSTGRES.search(text) is None
        and _OF_ANY.search(text) is None
    )


def is_for_another(node: Node, language: Language) -> bool:
    """Whether names around a text say that it is not for PostgreSQL.

    The nearest names decide; those of several databases together say nothing.
    """
    if node.kind in language.names | language.members:
        own = _names(node.text)
        if own is not None:
            return own
    inner = node
    for outer in node.above():
        answer = _of_branch(outer, inner, language)
        if answer is not None:
            return answer
        inner = outer
    return False


def _names(text: str, others: re.Pattern[str] = _OTHERS) -> bool | None:
    """Whether a text names another database (True), PostgreSQL (False), or neither or both."""
    other, own = others.search(text) is not None, _POSTGRES.search(text) is not None
    return other if other != own else None


def _of_branch(outer: Node, inner: Node, language: Language) -> bool | None:
    """What a node says of the one of its children that the text stands in."""
    if outer.kind in language.choices:
        return _of_choice(outer.operands, inner, language.choices[outer.kind])
    if _CONDITIONAL.match(outer.kind):
        return _of_conditional(outer, inner)
    if _LIST.search(outer.kind) and (before := _beside(outer, inner)):
        return _names(before, _ANSWERS)
    labels = [each.text for each in outer.children if each.kind == "switch_label"]
    if labels:
        return _names(" ".join(labels), _ANSWERS)
    if outer.parent and _LABELLED.search(outer.kind) and not _CONTAINER.search(outer.kind):
        label = outer.whole[outer.span.start : inner.span.start]
        others = _ANSWERS if _ASKED.search(outer.kind) else _OTHERS
        return _names(label, others) if len(label) <= _LONGEST_LABEL else None
    return None


def _beside(outer: Node, inner: Node) -> str:
    """What stands before a text in a short list: `("mysql", "SELECT …")`."""
    first = outer.operands[0]
    before = outer.whole[outer.span.start : inner.span.start] if inner is not first else ""
    return before if len(before) <= _LONGEST_NAME and len(outer.operands) <= _MOST else ""


def _of_choice(operands: list[Node], inner: Node, values: tuple[int, ...]) -> bool | None:
    """What a conditional expression says of one of its values."""
    conditions = [each for index, each in enumerate(operands) if index not in values]
    if inner not in operands or inner in conditions or len(conditions) != 1:
        return None
    return _of_condition(conditions[0].text, holds=operands.index(inner) == values[0])


def _of_conditional(outer: Node, inner: Node) -> bool | None:
    """What IF says of one of its arms."""
    arms = [each for each in outer.operands if _ARM.search(each.kind)]
    if inner not in arms:
        return None
    condition = outer.whole[outer.span.start : arms[0].span.start]
    return _of_condition(condition, holds=inner is arms[0] and "else" not in inner.kind)


def _of_condition(condition: str, *, holds: bool) -> bool | None:
    """What a condition says that holds, or does not: what it names, or another than that."""
    names_other = _names(condition, _ANSWERS)
    if names_other is None:
        return None
    return names_other == (holds == (_NEGATED.search(condition) is None))
