"""Schemas in other languages than SQL, read as the DDL that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pglint_locks.schema.models.declared import Declared
from pglint_locks.schema.models.ecto import read_ecto
from pglint_locks.schema.models.prisma import read_prisma
from pglint_locks.schema.models.python import read_python
from pglint_locks.schema.models.rails import read_rails
from pglint_locks.text import SourceText

_READERS: dict[str, Callable[[SourceText], Iterable[Declared]]] = {
    "schema.rb": read_rails,
    ".prisma": read_prisma,
    ".ex": read_ecto,
    ".py": read_python,
}


def declares_tables(name: str) -> bool:
    """Whether a file of that name may declare tables in another language than SQL."""
    return name.endswith(tuple(_READERS))


def is_whole_schema(name: str) -> bool:
    """Whether a file of that name tells of all tables of its database, and of all their keys."""
    return name.endswith(("schema.rb", ".prisma"))


def declared_in(source: SourceText) -> Iterator[Declared]:
    """The tables that a file declares, as DDL, in their order; none for other kinds of files."""
    for ending, read in _READERS.items():
        if source.name.endswith(ending):
            yield from read(source)
