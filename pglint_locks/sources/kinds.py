"""The kinds of files that SQL is found in, told by the file's name.

Nothing is imported here for that: the reader of a kind is named, and loaded when a file
of that kind needs it.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Look(Enum):
    """What the first look asks of a file's bytes before the file is read."""

    SQL = "sql"
    """Lock words stand there as they would in SQL."""
    FOLDED = "folded"
    """The same, or words that string literals put together make lock words of."""


class FileKind(NamedTuple):
    """A kind of file: its name, the ends of file names (lower case), and who reads it.

    `reader` names a module below `sources` that has `read(source) -> FileContent`.
    `extra` is the extra that the reader needs.  `by_default` is false where a folder's
    files of that kind are read only if `include` names them.  `comment` is how a comment
    opens and closes outside of the SQL.
    """

    name: str
    endings: tuple[str, ...]
    reader: str
    look: Look = Look.SQL
    extra: str | None = None
    by_default: bool = True
    comment: tuple[str, str] = ("-- ", "")

    @property
    def missing(self) -> str:
        """Why files of this kind are not read where the extra is not installed."""
        return f"needs pglint-locks[{self.extra}]"


SQL = FileKind("SQL", (".sql", ".psql", ".pgsql", ".ddl", ".plpgsql", ".sql.postgres"), "scripts")
_TEMPLATE_ENDINGS = tuple(
    f"{sql}.{engine}"
    for sql in (".sql", ".psql", ".pgsql", ".ddl")
    for engine in (
        *("jinja", "jinja2", "j2", "eex", "heex", "leex", "erb", "ejs", "tmpl", "tpl", "gotmpl"),
        *("gotxt", "mustache", "hbs", "handlebars", "liquid", "template", "in"),
    )
)


_HASH, _SLASHES = ("# ", ""), ("// ", "")


def _code(name: str, *endings: str, comment: tuple[str, str] = _SLASHES) -> FileKind:
    return FileKind(name, endings, "host", Look.FOLDED, "code", comment=comment)


KINDS: tuple[FileKind, ...] = (
    SQL,
    FileKind("SQL template", _TEMPLATE_ENDINGS, "scripts"),
    FileKind("Markdown", (".md", ".markdown"), "fences"),
    FileKind("reStructuredText", (".rst",), "restructured"),
    FileKind("MyBatis mapper", (".xml",), "mybatis", comment=("<!-- ", " -->")),
    FileKind("isolation test", (".spec",), "isolation", comment=_HASH),
    FileKind("shell script", (".sh", ".bash", ".zsh", ".ksh"), "shell", comment=_HASH),
    FileKind("Jupyter notebook", (".ipynb",), "notebooks", Look.FOLDED),
    FileKind(
        "YAML", (".yaml", ".yml"), "yaml_values", Look.FOLDED, by_default=False, comment=_HASH
    ),
    FileKind("JSON", (".json",), "json_values", Look.FOLDED, by_default=False),
    _code("Python", ".py", ".pyi", comment=_HASH),
    _code("Go", ".go"),
    _code("JavaScript", ".js", ".jsx", ".mjs", ".cjs"),
    _code("TypeScript", ".ts", ".mts", ".cts"),
    _code("TSX", ".tsx"),
    _code("Java", ".java"),
    _code("Ruby", ".rb", ".rake", comment=_HASH),
    _code("Kotlin", ".kt", ".kts"),
    _code("C#", ".cs"),
    _code("PHP", ".php"),
    _code("Rust", ".rs"),
    _code("Elixir", ".ex", ".exs", comment=_HASH),
    _code("Scala", ".scala"),
    _code("Swift", ".swift"),
)


def kind_of(name: str) -> FileKind:
    """The kind of a file; one that no kind claims is SQL.  The longest ending decides."""
    return _claimed(name) or SQL


def is_read_by_default(name: str) -> bool:
    """Whether a folder's file of that name is read without being named."""
    kind = _claimed(name)
    return kind is not None and kind.by_default


def _claimed(name: str) -> FileKind | None:
    base = name.lower().rpartition("/")[2]
    claims = (
        (len(ending), kind)
        for kind in KINDS
        for ending in kind.endings
        if base.endswith(ending) and base != ending
    )
    return max(claims, default=(0, None), key=lambda claim: claim[0])[1]
