"""What a statement defines around its query: a view, a rule, a policy."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pglast import ast
from pglast.enums import ObjectType

from pglint_locks.schema.names import TableName


class HolderKind(Enum):
    """An object whose definition holds a query that others run by using it."""

    VIEW = "view"
    MATERIALIZED_VIEW = "materialized view"
    RULE = "rule"
    POLICY = "policy"


class Holder(NamedTuple):
    """A view, or a rule or policy `on` a table."""

    kind: HolderKind
    name: str
    on: TableName | None = None

    def __str__(self) -> str:
        """As reports name it: `view app.v`, `policy mine on app.jobs`."""
        named = f"{self.kind.value} {self.name}"
        return named if self.on is None else f"{named} on {self.on}"


def holder_of(node: ast.Node) -> Holder | None:
    """The object whose definition a statement is; None for a statement that runs itself."""
    match node:
        case ast.ViewStmt():
            return Holder(HolderKind.VIEW, str(_name(node.view)))
        case ast.CreateTableAsStmt(objtype=ObjectType.OBJECT_MATVIEW):
            return Holder(HolderKind.MATERIALIZED_VIEW, str(_name(node.into.rel)))
        case ast.RuleStmt():
            return Holder(HolderKind.RULE, node.rulename, _name(node.relation))
        case ast.CreatePolicyStmt() | ast.AlterPolicyStmt():
            return Holder(HolderKind.POLICY, node.policy_name, _name(node.table))
    return None


def _name(relation: ast.RangeVar) -> TableName:
    return TableName(relation.schemaname, relation.relname)
