"""Bodies in PL/pgSQL: which SQL they run, in what order, and under what conditions."""

from pglint_locks.sources.plpgsql.body import Body, BodyStatement, Filling, Gap, Role
from pglint_locks.sources.plpgsql.flow import Follows, follows, may_follow
from pglint_locks.sources.plpgsql.reader import read_body
from pglint_locks.sources.plpgsql.script import BodyScript, body_script

__all__ = [
    "Body",
    "BodyScript",
    "BodyStatement",
    "Filling",
    "Follows",
    "Gap",
    "Role",
    "body_script",
    "follows",
    "may_follow",
    "read_body",
]
