"""Literals of host languages with SQL in them: what stands around it, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class HostLiteral(NamedTuple):
    """A literal in a file of that name: `write` gives SQL as it stands between head and tail."""

    name: str
    head: str
    write: Callable[[str], str]
    tail: str


def _escaped(quote: str, more: str = "") -> Callable[[str], str]:
    r"""Line ends, tabs, the quote and the backslash by escapes (`\n`, `\"`); `more` too."""
    table = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", quote: f"\\{quote}"}
    table |= {char: f"\\{char}" for char in more}
    return lambda sql: sql.translate(str.maketrans(table))


def _quoted(*doubled: str) -> Callable[[str], str]:
    """As it is, but with some characters doubled."""
    return lambda sql: sql.translate(str.maketrans({char: char * 2 for char in doubled}))


def _backslashed(*chars: str) -> Callable[[str], str]:
    """As it is, but with backslashes before some characters, and before backslashes."""
    return lambda sql: sql.translate(str.maketrans({char: f"\\{char}" for char in (*chars, "\\")}))


def _indented(depth: int, inner: Callable[[str], str] = str) -> Callable[[str], str]:
    """Each further line moved to the right, as the literal is in its file."""
    return lambda sql: inner(sql).replace("\n", "\n" + " " * depth)


def _joined(quote: str, sign: str, indent: str) -> Callable[[str], str]:
    """A literal for each word's line: they are put together again by `sign`."""
    escape = _escaped(quote)

    def write(sql: str) -> str:
        parts = sql.split("\n")
        lines = [f"{escape(part)}\\n" for part in parts[:-1]] + [escape(parts[-1])]
        return f"{quote}{sign}\n{indent}{quote}".join(lines)

    return write


_PY = "before = 1\n\ndef f(cur):\n    cur.execute("
_GO = "package a\n\nfunc f(db *sql.DB) {\n\tdb.Exec("
_JS = "const before = 1;\nasync function f(client) {\n  await client.query("
_RUBY = "before = 1\ndef f(conn)\n  conn.exec("
_JAVA = "class A {\n  void f(Connection c) {\n    c.prepareStatement("
_PHP = "<?php\nfunction f($pdo) {\n    $pdo->query("
_RUST = "async fn f(c: &Client) {\n    c.execute("
_CS = "class A {\n  void F(Db db) {\n    db.Execute("
_KOTLIN = "fun f(db: Db) {\n    db.execute("
_END = ");\n}\n// behind"

HOST_LITERALS = {
    "python double": HostLiteral("a.py", f'{_PY}"', _escaped('"'), '")\n\nbehind = 1'),
    "python single": HostLiteral("a.py", f"{_PY}'", _escaped("'"), "')\n\nbehind = 1"),
    "python triple": HostLiteral("a.py", f'{_PY}"""', _indented(8), '""")\n\nbehind = 1'),
    "python triple single": HostLiteral(
        "a.py", f"{_PY}'''\n", _escaped("'"), "\n''')\n\nbehind = 1"
    ),
    "python raw": HostLiteral("a.py", f'{_PY}r"""', str, '""")\n\nbehind = 1'),
    "python joined": HostLiteral("a.py", f'{_PY}"', _joined('"', "", " " * 8), '")\n\nbehind = 1'),
    "python f-string": HostLiteral("a.py", f'{_PY}f"', _escaped('"'), '")\n\nbehind = 1'),
    "go raw": HostLiteral("a.go", f"{_GO}`", str, "`)\n}\n// behind"),
    "go double": HostLiteral("a.go", f'{_GO}"', _escaped('"'), '")\n}\n// behind'),
    "go joined": HostLiteral("a.go", f'{_GO}"', _joined('"', " +", "\t\t"), '")\n}\n// behind'),
    "javascript template": HostLiteral("a.js", f"{_JS}`", _backslashed("`"), f"`{_END}"),
    "javascript double": HostLiteral("a.js", f'{_JS}"', _escaped('"'), f'"{_END}'),
    "javascript single": HostLiteral("a.js", f"{_JS}'", _escaped("'"), f"'{_END}"),
    "javascript joined": HostLiteral("a.js", f"{_JS}'", _joined("'", " +", "    "), f"'{_END}"),
    "typescript template": HostLiteral("a.ts", f"{_JS}`", _backslashed("`"), f"`{_END}"),
    "ruby double": HostLiteral("a.rb", f'{_RUBY}"', _escaped('"'), '")\nend\n# behind'),
    "ruby single": HostLiteral("a.rb", f"{_RUBY}'", _backslashed("'"), "')\nend\n# behind"),
    "ruby heredoc": HostLiteral(
        "a.rb", f"{_RUBY}<<~SQL)\n    ", _indented(4), "\n  SQL\nend\n# behind"
    ),
    "java double": HostLiteral("A.java", f'{_JAVA}"', _escaped('"'), f'"{_END}\n}}'),
    "java joined": HostLiteral("A.java", f'{_JAVA}"', _joined('"', " +", " " * 8), f'"{_END}\n}}'),
    "java text block": HostLiteral("A.java", f'{_JAVA}"""\n      ', _indented(6), f'"""{_END}\n}}'),
    "php double": HostLiteral("a.php", f'{_PHP}"', _escaped('"', "$"), f'"{_END}'),
    "php single": HostLiteral("a.php", f"{_PHP}'", _backslashed("'"), f"'{_END}"),
    "rust double": HostLiteral("a.rs", f'{_RUST}"', _escaped('"'), '", &[]).await;\n}\n// behind'),
    "rust raw": HostLiteral("a.rs", f'{_RUST}r#"', str, '"#, &[]).await;\n}\n// behind'),
    "c# double": HostLiteral("A.cs", f'{_CS}"', _escaped('"'), f'"{_END}\n}}'),
    "c# verbatim": HostLiteral("A.cs", f'{_CS}@"', _quoted('"'), f'"{_END}\n}}'),
    "kotlin double": HostLiteral("a.kt", f'{_KOTLIN}"', _escaped('"', "$"), '")\n}\n// behind'),
    "kotlin raw": HostLiteral("a.kt", f'{_KOTLIN}"""', str, '""")\n}\n// behind'),
    "php heredoc": HostLiteral(
        "a.php",
        f"{_PHP}<<<SQL\n      ",
        _indented(6, _backslashed("$")),
        f"\n    SQL{_END}",
    ),
    "php nowdoc": HostLiteral("a.php", f"{_PHP}<<<'SQL'\n      ", _indented(6), f"\n    SQL{_END}"),
    "c# raw": HostLiteral("A.cs", f'{_CS}"""\n      ', _indented(6), f'\n      """{_END}\n}}'),
    "elixir heredoc": HostLiteral(
        "a.ex",
        'def f(c) do\n  Repo.query("""\n  ',
        _indented(2, _backslashed()),
        '\n  """)\nend\n# behind',
    ),
    "scala raw": HostLiteral(
        "A.scala", 'class A {\n  def f(c: C) = c.execute("""', str, '""")\n}\n// behind'
    ),
    "swift double": HostLiteral(
        "a.swift", 'func f(c: C) {\n  c.query("', _escaped('"'), '")\n}\n// behind'
    ),
    "swift lines": HostLiteral(
        "a.swift", 'func f(c: C) {\n  c.query("""\n    ', _indented(4), '\n    """)\n}\n// behind'
    ),
}
