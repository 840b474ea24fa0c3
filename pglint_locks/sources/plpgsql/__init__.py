"""Bodies in PL/pgSQL: which SQL they run, in what order, and under what conditions."""

from pglint_locks.sources.bodies.body import Body, BodyStatement, Filling, Gap, Role
from pglint_locks.sources.bodies.flow import Follows, follows, may_follow
from pglint_locks.sources.bodies.script import BodyScript, body_script
from pglint_locks.sources.plpgsql.reader import read_body

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
