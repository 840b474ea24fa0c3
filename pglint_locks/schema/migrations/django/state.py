"""Models of Django as migrations make them: their tables, and the columns of their fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pglint_locks.schema.migrations.pycode import ANY_TYPE, Call, call_of, listed, literal, quoted

_TYPES = {
    "AutoField": "integer",
    "BigAutoField": "bigint",
    "SmallAutoField": "smallint",
    "BigIntegerField": "bigint",
    "PositiveBigIntegerField": "bigint",
    "IntegerField": "integer",
    "PositiveIntegerField": "integer",
    "SmallIntegerField": "smallint",
    "PositiveSmallIntegerField": "smallint",
    "BooleanField": "boolean",
    "NullBooleanField": "boolean",
    "TextField": "text",
    "DateField": "date",
    "DateTimeField": "timestamp with time zone",
    "TimeField": "time",
    "DurationField": "interval",
    "FloatField": "double precision",
    "BinaryField": "bytea",
    "UUIDField": "uuid",
    "JSONField": "jsonb",
    "GenericIPAddressField": "inet",
    "IPAddressField": "inet",
    "HStoreField": "hstore",
    "CharField": "varchar",
    "EmailField": "varchar",
    "SlugField": "varchar",
    "URLField": "varchar",
    "FileField": "varchar",
    "ImageField": "varchar",
    "FilePathField": "varchar",
    "DecimalField": "numeric",
}
_LENGTHS = {
    "EmailField": 254,
    "SlugField": 50,
    "URLField": 200,
    "FileField": 100,
    "ImageField": 100,
    "FilePathField": 100,
}
# Models of Django's own apps whose tables are not called after them.
_TABLES = {
    "contenttypes.contenttype": "django_content_type",
    "sites.site": "django_site",
    "sessions.session": "django_session",
}


class Many(NamedTuple):
    """The table of a many-to-many field, and the model on its other side."""

    table: str
    other: Model


@dataclass(slots=True)
class Model:
    """A model as the migrations so far have made it.

    `fields` are the definitions of its fields, `columns` what they are called in the table,
    `many` the tables of many-to-many fields, `together` the fields that are unique together.
    """

    table: str
    columns: dict[str, str] = field(default_factory=dict)
    fields: dict[str, Call] = field(default_factory=dict)
    key: str = "id"
    many: dict[str, Many] = field(default_factory=dict)
    together: list[list[str]] = field(default_factory=list)
    is_managed: bool = True

    def named(self, names: Sequence[str]) -> list[str]:
        """The columns of fields; those that are not known are called as their fields."""
        bare = [name.lstrip("-") for name in names]
        return [self.key if name == "pk" else self.columns.get(name, name) for name in bare]

    def copy(self) -> Model:
        """A copy that is changed by itself."""
        parts = (dict(self.columns), dict(self.fields), self.key, dict(self.many))
        return Model(self.table, *parts, list(self.together), self.is_managed)


@dataclass(slots=True)
class Models:
    """The models of all apps, by app and name in lower case."""

    known: dict[tuple[str, str], Model] = field(default_factory=dict)

    def find(self, app: str, name: str) -> Model | None:
        """A model by the name that an app gives it."""
        above, _, own = name.rpartition(".")
        return self.known.get(((above or app).lower(), own.lower()))

    def user(self) -> Model:
        """The model of users: the one with the fields of `AbstractBaseUser`, or Django's."""
        made_of = {"password", "last_login"}
        found = (each for each in self.known.values() if made_of <= each.fields.keys())
        return next(found, Model("auth_user"))

    def copy(self) -> Models:
        """A copy that is changed by itself."""
        return Models({key: model.copy() for key, model in self.known.items()})


def _of_another_package(app: str, name: str) -> Model:
    above, _, own = name.rpartition(".")
    label = f"{above or app}.{own}".lower()
    return Model(_TABLES.get(label, label.replace(".", "_")))


def is_reference(definition: Call) -> bool:
    """Whether a field holds the key of another model."""
    return definition.name in ("ForeignKey", "OneToOneField")


def has_column(definition: Call) -> bool:
    """Whether a field is a column of its model's table."""
    return definition.name not in ("ManyToManyField", "GenericForeignKey", "GenericRelation")


def is_unique(definition: Call) -> bool:
    """Whether a field alone is unique."""
    return bool(definition.flag("unique")) or definition.name == "OneToOneField"


def is_indexed(definition: Call) -> bool:
    """Whether a field has an index beside its keys."""
    if is_unique(definition) or definition.flag("primary_key"):
        return False
    wanted = definition.flag("db_index")
    return definition.name in ("ForeignKey", "SlugField") if wanted is None else wanted


@dataclass(slots=True)
class Fields:
    """The fields of an app's models as SQL; `is_unclear`: part of one did not show."""

    app: str
    models: Models
    is_unclear: bool = False

    def name(self, model: Model, name: str, definition: Call) -> None:
        """Take in a field, and what its column is called."""
        written = definition.keywords.get("db_column")
        own = literal(written)
        self.is_unclear |= written is not None and own is None
        default = f"{name}_id" if is_reference(definition) else name
        column = own if isinstance(own, str) else default
        model.fields[name] = definition
        model.columns[name] = model.columns[f"{name}_id"] = column
        if definition.flag("primary_key"):
            model.key = column

    def column(self, model: Model, name: str, definition: Call) -> str:
        """A field's column, as CREATE TABLE has it."""
        self.name(model, name, definition)
        refers = is_reference(definition)
        words = [quoted(model.columns[name]), ANY_TYPE if refers else type_of(definition)]
        is_key = bool(definition.flag("primary_key"))
        if "AutoField" in definition.name:
            words.append("GENERATED BY DEFAULT AS IDENTITY")
        elif definition.name == "GeneratedField":
            words.append("GENERATED ALWAYS AS (NULL) STORED")
        if is_key:
            words.append("PRIMARY KEY")
        elif is_unique(definition):
            words.append("UNIQUE")
        if not definition.flag("null") and not is_key:
            words.append("NOT NULL")
        target = self.target(model, definition)
        return " ".join([*words, target] if target else words)

    def target(self, model: Model, definition: Call) -> str:
        """What a field's foreign key points at: `REFERENCES …`, or nothing."""
        if not is_reference(definition) or definition.flag("db_constraint") is False:
            return ""
        found = self.other(model, definition)
        return f"REFERENCES {quoted(found.table)} ({quoted(found.key)}) DEFERRABLE"

    def other(self, model: Model, definition: Call) -> Model:
        """The model that a field refers to; what is no literal is `settings.AUTH_USER_MODEL`."""
        target = definition.text(0, "to")
        if target is None:
            return self.models.user()
        if target == "self":
            return model
        return self.models.find(self.app, target) or _of_another_package(self.app, target)

    def join_table(self, model: Model, name: str, definition: Call, own: str) -> Iterator[str]:
        """The table of a many-to-many field of the model that is called `own`."""
        if definition.name != "ManyToManyField" or "through" in definition.keywords:
            return
        table = definition.text(-1, "db_table") or f"{model.table}_{name}"
        other = self.other(model, definition)
        model.many[name] = Many(table, other)
        word = (definition.text(0, "to") or "").rpartition(".")[2].lower()
        first, second = ("from_", "to_") if other is model else ("", "")
        sides = (f"{first}{own}_id", f"{second}{own if other is model else word}_id")
        columns = ['"id" bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY']
        for side, target in zip(sides, (model, other), strict=True):
            points = f"REFERENCES {quoted(target.table)} ({quoted(target.key)}) DEFERRABLE"
            columns.append(f"{quoted(side)} {ANY_TYPE} NOT NULL {points}")
        columns.append(f"UNIQUE ({listed(sides)})")
        yield f"CREATE TABLE {quoted(table)} ({', '.join(columns)})"
        for side in sides:
            yield f"CREATE INDEX ON {quoted(table)} ({quoted(side)})"


def type_of(definition: Call) -> str:
    """The type of a field's column."""
    known = _TYPES.get(definition.name)
    if definition.name == "ArrayField":
        base = call_of(definition.node(0, "base_field"))
        return f"{type_of(base)}[]" if base is not None else ANY_TYPE
    if known == "varchar":
        length = literal(definition.keywords.get("max_length"))
        length = length if isinstance(length, int) else _LENGTHS.get(definition.name)
        return f"varchar({length})" if length else known
    if known == "numeric":
        sizes = [literal(definition.keywords.get(key)) for key in ("max_digits", "decimal_places")]
        is_sized = all(isinstance(size, int) for size in sizes)
        return f"numeric({sizes[0]}, {sizes[1]})" if is_sized else known
    return known or ANY_TYPE
