"""`pglint-locks schema dump`: what a schema tells of tables, written down."""

from __future__ import annotations

from collections.abc import Mapping

from pglint_locks.commands.layers import configurations
from pglint_locks.commands.streams import complain_of_plugins, prepare, remark, show, tell
from pglint_locks.commands.summary import schema_unread
from pglint_locks.errors import UsageError
from pglint_locks.paths import working_directory


def dump(given: Mapping[str, object]) -> int:
    """Print a snapshot of the schema; returns the exit status.

    Raises:
        UsageError: no schema is set, or it cannot be read.
    """
    from pglint_locks.schema.catalog import merged
    from pglint_locks.schema.contradictions import contradictions
    from pglint_locks.schema.given import given_schema
    from pglint_locks.schema.snapshot import snapshot_of

    prepare()
    cwd = working_directory()
    config = configurations(given, cwd).above(cwd)
    paths, url = config.files("schema"), config["database-url"]
    if not paths and url is None:
        raise UsageError("no schema is set: give --schema or --database-url")
    told = given_schema(paths, url.reveal() if url is not None else None, cwd)
    for line in schema_unread(told.unread, bool(config["verbose"])):
        tell(line)
    if config["verbose"]:
        for line in contradictions(told.catalogs):
            remark(line)
    show(snapshot_of(merged(told.catalogs)))
    return complain_of_plugins()
