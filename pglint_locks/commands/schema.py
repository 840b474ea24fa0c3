"""`pglint-locks schema show`: what is known of tables, and where that is from."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pglint_locks.commands.layers import configurations
from pglint_locks.commands.streams import (
    prepare,
    show,
    tell,
    terminal_width,
    wants_color,
)
from pglint_locks.commands.summary import schema_unread
from pglint_locks.discovery import discover
from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.paths import working_directory

if TYPE_CHECKING:
    from pglint_locks.schema.catalog import Catalog, Relation

_FORMATS = ("text", "json")


def show_schema(table: str | None, given: Mapping[str, object], output_format: str) -> int:
    """Print what is known of one table, or list all; returns the exit status.

    Raises:
        UsageError: there is no such table, an option or a configuration file is wrong, or a
            schema file cannot be read.
    """
    prepare()
    if output_format not in _FORMATS:
        hint = did_you_mean(output_format, _FORMATS) or "; use text or json"
        raise UsageError(f"--output-format: '{output_format}' is not known{hint}")
    catalog = _known(given)
    found = None if table is None else _found(catalog, table)
    if output_format == "json":
        from pglint_locks.commands.relation_json import as_json

        show(as_json(catalog, found))
        return 0
    from pglint_locks.commands.relation_text import Sheet, listed

    width = terminal_width(sys.stdout) or 80
    color = wants_color("auto", sys.stdout, os.environ)
    show(listed(catalog, width) if found is None else Sheet(catalog, found, width, color).text())
    return 0


def _known(given: Mapping[str, object]) -> Catalog:
    """The catalogue of the working directory."""
    from pglint_locks.engine import known_tables

    cwd = working_directory()
    configs = configurations(given, cwd)
    config = configs.above(cwd)
    files = discover(["."], configs, cwd).files if config["schema-from-sources"] else []
    settings = config.settings(cwd / "schema.sql")
    catalog, unread = known_tables(
        files, lambda file: configs.above(Path(file.path).parent).settings(file.path), settings
    )
    for line in schema_unread(unread, bool(config["verbose"])):
        tell(line)
    return catalog


def _found(catalog: Catalog, table: str) -> Relation:
    """The relation of a name, as it would be written in SQL.

    Raises:
        UsageError: there is none, or it is not known which.
    """
    from pglint_locks.schema.names import TableName

    schema, _, name = table.rpartition(".")
    written = TableName(_folded(schema) or None, _folded(name))
    found = catalog.find(written)
    if found is not None:
        return found
    same = [str(each) for each in catalog.relations if each.same_table(written)]
    if len(same) > 1:
        raise UsageError(f"'{table}' may be {' or '.join(sorted(same))}; name its schema")
    if any(each.same_table(written) for each in catalog.ambiguous):
        raise UsageError(f"'{table}' is defined in more than one way; no one knows which holds")
    names = {str(each) for each in catalog.relations} | {each.name for each in catalog.relations}
    near = get_close_matches(str(written), sorted(names), n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise UsageError(f"no table is called '{table}'{hint}")


def _folded(name: str) -> str:
    return name[1:-1] if name.startswith('"') else name.lower()
