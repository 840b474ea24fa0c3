"""Models of Django, and tables that SQLAlchemy declares: what of them stands there literally."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from pglint_locks.schema.models.declared import Declared, Table, all_declared
from pglint_locks.text import SourceText

_RELATIONS = frozenset({"ForeignKey", "OneToOneField"})
_APP = re.compile(r"(?:\A|/)([^/]+)/models(?:\.py\Z|/)")


def read_python(source: SourceText) -> Iterator[Declared]:
    """The DDL that the classes and tables of a file stand for."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return
    reader = _Reader(source)
    yield from all_declared([*reader.tables(tree)])


class _Reader:
    """The reading of one file."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        app = _APP.search(source.name)
        self._app = app[1] if app else None
        self._django: dict[str, str] = {}

    def tables(self, tree: ast.Module) -> Iterator[Table]:
        """The tables that a file declares."""
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        for node in classes:
            name = self._django_table(node)
            if name is not None:
                self._django[node.name] = name
        for node in classes:
            declared = _attributes(node)
            if isinstance(declared.get("__tablename__"), ast.Constant):
                yield self._declarative(node, declared)
            elif node.name in self._django:
                yield self._model(node, self._django[node.name])
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and _called(call) == "Table" and len(call.args) > 1:
                name = _string(call.args[0])
                if name is not None:
                    yield self._core(call, name)

    def _offset(self, node: ast.stmt | ast.expr) -> int:
        return self._source.line_span(node.lineno).start

    # --- Django -----------------------------------------------------------------------

    def _django_table(self, node: ast.ClassDef) -> str | None:
        """The table of a model; None where the class is none, or it is not known which."""
        if not any(ast.unparse(base) in ("models.Model", "Model") for base in node.bases):
            return None
        meta = _meta(node)
        if _is_true(meta.get("abstract")) or _is_true(meta.get("proxy")):
            return None
        app = _string(meta.get("app_label")) or self._app
        return _string(meta.get("db_table")) or (f"{app}_{node.name.lower()}" if app else None)

    def _model(self, node: ast.ClassDef, name: str) -> Table:
        table, fields = Table(name, self._offset(node)), dict[str, str]()
        for field, value in _attributes(node).items():
            kind = _called(value) if isinstance(value, ast.Call) else ""
            if not isinstance(value, ast.Call) or kind == "ManyToManyField":
                continue
            if kind in _RELATIONS or kind.endswith("Field"):
                fields[field] = self._field(table, field, kind, value)
        if not table.key:
            table.key, table.columns = ["id"], {"id": "bigint", **table.columns}
        meta = _meta(node)
        self._together(table, fields, meta)
        return table

    def _field(self, table: Table, field: str, kind: str, call: ast.Call) -> str:
        given = {each.arg: each.value for each in call.keywords}
        is_relation = kind in _RELATIONS
        column = _string(given.get("db_column")) or (f"{field}_id" if is_relation else field)
        table.columns[column] = "bigint" if is_relation else "text"
        if not _is_true(given.get("null")):
            table.required.add(column)
        if _is_true(given.get("primary_key")):
            table.key = [column]
        elif _is_true(given.get("unique")) or kind == "OneToOneField":
            table.uniques.append([column])
        elif is_relation or _is_true(given.get("db_index")):
            table.indexes.append([column])
        if is_relation and not _is_false(given.get("db_constraint")):
            target = call.args[0] if call.args else given.get("to")
            known = self._target(table, target)
            if known is not None:
                table.references.append(([column], known, ()))
        return column

    def _target(self, table: Table, node: ast.expr | None) -> str | None:
        """The table of the model that a relation names."""
        name = _string(node) or (node.id if isinstance(node, ast.Name) else "")
        if name == "self":
            return table.name
        app, dot, model = name.rpartition(".")
        return self._django.get(model) or (f"{app}_{model.lower()}" if dot else None)

    def _together(self, table: Table, fields: dict[str, str], meta: dict[str, ast.expr]) -> None:
        groups = meta.get("unique_together")
        elements = groups.elts if isinstance(groups, ast.Tuple | ast.List) else []
        if elements and all(_string(each) is not None for each in elements):
            table.uniques.append([fields.get(name, name) for name in _strings(groups)])
        for each in elements:
            if _strings(each):
                table.uniques.append([fields.get(name, name) for name in _strings(each)])
        for option, kind, into in (
            ("constraints", "UniqueConstraint", table.uniques),
            ("indexes", "Index", table.indexes),
        ):
            for call in _elements(meta.get(option)):
                if not isinstance(call, ast.Call) or _called(call) != kind:
                    continue
                given = {key.arg: key.value for key in call.keywords}
                columns = _strings(given.get("fields"))
                if columns and not given.keys() & {"condition", "deferrable"}:
                    into.append([fields.get(name.lstrip("-"), name) for name in columns])

    # --- SQLAlchemy -------------------------------------------------------------------

    def _declarative(self, node: ast.ClassDef, declared: dict[str, ast.expr]) -> Table:
        args = declared.get("__table_args__")
        parts = [*_elements(args), *([args] if isinstance(args, ast.Dict) else [])]
        schema = next((_schema(each) for each in parts if isinstance(each, ast.Dict)), None)
        name = _string(declared["__tablename__"]) or ""
        table = Table(f"{schema}.{name}" if schema else name, self._offset(node))
        for attribute, value in declared.items():
            if isinstance(value, ast.Call) and _called(value) in ("Column", "mapped_column"):
                _add_column(table, attribute, value)
        for each in parts:
            _add_constraint(table, each)
        return table

    def _core(self, call: ast.Call, name: str) -> Table:
        schema = next((_string(key.value) for key in call.keywords if key.arg == "schema"), None)
        table = Table(f"{schema}.{name}" if schema else name, self._offset(call))
        for each in call.args[2:]:
            if isinstance(each, ast.Call) and _called(each) == "Column":
                _add_column(table, "", each)
            else:
                _add_constraint(table, each)
        return table


def _add_column(table: Table, attribute: str, call: ast.Call) -> None:
    name = (_string(call.args[0]) if call.args else None) or attribute
    given = {each.arg: each.value for each in call.keywords}
    table.columns[name] = "text"
    if _is_true(given.get("primary_key")):
        table.key = [*table.key, name]
    if _is_true(given.get("unique")):
        table.uniques.append([name])
    elif _is_true(given.get("index")):
        table.indexes.append([name])
    for each in call.args:
        if isinstance(each, ast.Call) and _called(each) == "ForeignKey" and each.args:
            target, _, column = (_string(each.args[0]) or "").rpartition(".")
            if target:
                table.references.append(([name], target, [column]))


def _add_constraint(table: Table, node: ast.expr) -> None:
    if not isinstance(node, ast.Call):
        return
    kind, given = _called(node), {each.arg: each.value for each in node.keywords}
    columns = [name for name in map(_string, node.args) if name is not None]
    if kind == "PrimaryKeyConstraint":
        table.key = columns
    elif kind == "UniqueConstraint" and "deferrable" not in given:
        table.uniques.append(columns)
    elif kind == "Index" and len(columns) == len(node.args) and "postgresql_where" not in given:
        into = table.uniques if _is_true(given.get("unique")) else table.indexes
        into.append(columns[1:])
    elif kind == "ForeignKeyConstraint" and len(node.args) > 1:
        there = [name.rpartition(".") for name in _strings(node.args[1])]
        if there and there[0][0]:
            table.references.append(
                (_strings(node.args[0]), there[0][0], [column for _, _, column in there])
            )


# --- what literals say ------------------------------------------------------------------


def _attributes(node: ast.ClassDef) -> dict[str, ast.expr]:
    """The names that a class's body sets, with what it sets them to."""
    found: dict[str, ast.expr] = {}
    for each in node.body:
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            found[each.targets[0].id] = each.value
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value:
            found[each.target.id] = each.value
    return found


def _meta(node: ast.ClassDef) -> dict[str, ast.expr]:
    inner = (each for each in node.body if isinstance(each, ast.ClassDef) and each.name == "Meta")
    return next(map(_attributes, inner), {})


def _called(call: ast.Call) -> str:
    """The last name of what a call calls."""
    return ast.unparse(call.func).rpartition(".")[2]


def _string(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _strings(node: ast.expr | None) -> list[str]:
    return [text for each in _elements(node) if (text := _string(each)) is not None]


def _elements(node: ast.expr | None) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List) else []


def _schema(node: ast.Dict) -> str | None:
    pairs = zip(node.keys, node.values, strict=True)
    return next((_string(value) for key, value in pairs if _string(key) == "schema"), None)


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _is_false(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
