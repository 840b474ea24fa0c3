"""Schemas of Rails, Prisma, Ecto, Django and SQLAlchemy, read as the tables that they declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from pglint_locks import lint_paths
from pglint_locks.schema.catalog import Catalog, Relation
from pglint_locks.schema.ddl.scripts import Replay
from pglint_locks.schema.files import load_catalog
from pglint_locks.schema.models import declared_in
from pglint_locks.schema.names import TableName
from pglint_locks.text import SourceText

RAILS = """\
ActiveRecord::Schema[7.1].define(version: 2024_01_01_000000) do
  create_table "jobs", force: :cascade do |t|
    t.string "queue", default: "default", null: false
    t.string "slug"
    t.index ["queue", "id"], name: "index_jobs_on_queue"
    t.index ["slug"], name: "index_jobs_on_slug", unique: true
    t.index ["queue"], unique: true, where: "(slug IS NULL)"
    t.index "lower((slug)::text)", name: "by_folded_slug", unique: true
  end
  create_table "job_runs", primary_key: ["job_id", "number"], force: :cascade do |t|
    t.bigint "job_id", null: false
    t.integer "number", null: false
    t.references "worker"
  end
  create_table "settings", id: false, force: :cascade do |t|
    t.string "name"
  end
  add_index "settings", ["name"], unique: true
  add_foreign_key "job_runs", "jobs", on_delete: :cascade
  add_foreign_key "job_runs", "settings", column: "setting_name", primary_key: "name"
end
"""
PRISMA = """\
datasource db {
  provider = "postgresql"
}
model User {
  id    BigInt  @id @default(autoincrement())
  email String  @unique // no @id
  posts Post[]
  @@map("users")
}
model Post {
  number   Int
  author   User    @relation(fields: [authorId], references: [id])
  authorId BigInt  @map("author_id")
  tags     String[]
  slug     String?
  @@id([authorId, number])
  @@unique([slug, number(sort: Desc)])
}
"""
ECTO = """\
defmodule App.Job do
  use Ecto.Schema
  @primary_key {:uid, :binary_id, autogenerate: true}
  @schema_prefix "app"
  schema "jobs" do
    field :name, :string
    belongs_to :user, App.User
    belongs_to :boss, App.User, foreign_key: :chief_id
  end
end
"""
DJANGO = """\
from django.db import models


class Named(models.Model):
    name = models.CharField(unique=True)

    class Meta:
        abstract = True


class Owner(models.Model):
    code = models.CharField(primary_key=True)


class Job(models.Model):
    owner = models.ForeignKey(Owner, on_delete=models.CASCADE)
    twin = models.OneToOneField("self", null=True, on_delete=models.SET_NULL)
    person = models.ForeignKey("crm.Person", db_constraint=False, on_delete=models.CASCADE)
    slug = models.SlugField(db_column="short")
    tags = models.ManyToManyField("Tag")

    class Meta:
        unique_together = [("owner", "slug")]
        constraints = [
            models.UniqueConstraint(fields=["slug", "person"], name="one"),
            models.UniqueConstraint(fields=["slug"], condition=models.Q(x=1), name="two"),
        ]
"""
SQLALCHEMY = """\
jobs = Table(
    "jobs",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("user_id", ForeignKey("app.users.id")),
    UniqueConstraint("user_id", "id"),
)


class User(Base):
    __tablename__ = "users"
    __table_args__ = (
        UniqueConstraint("a", "b"), Index("by_b", "b", unique=True), {"schema": "app"}
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    a: Mapped[str] = mapped_column(unique=True)
    b = Column(String)
"""


def catalog(name: str, text: str) -> Catalog:
    replay = Replay()
    replay.declare(SourceText(name, text))
    return replay.catalog()


def relation(made: Catalog, name: str) -> Relation:
    schema, _, table = name.rpartition(".")
    found = made.find(TableName(schema or None, table))
    assert found is not None
    return found


def keys(made: Relation) -> list[tuple[str, ...]]:
    return sorted(made.unique_keys())


def references(made: Relation) -> list[str]:
    return sorted(
        f"{', '.join(key.columns)} -> {key.referenced} ({', '.join(key.referenced_columns)})"
        for key in made.foreign_keys
    )


def test_rails() -> None:
    made = catalog("db/schema.rb", RAILS)
    jobs, runs, settings = (relation(made, name) for name in ("jobs", "job_runs", "settings"))
    assert keys(jobs) == [("id",), ("slug",)]
    assert jobs.primary_key == ("id",)
    assert keys(runs) == [("job_id", "number")]
    assert [column.name for column in runs.columns] == ["job_id", "number", "worker_id"]
    assert references(runs) == [
        "job_id -> public.jobs (id)",
        "setting_name -> public.settings (name)",
    ]
    assert keys(settings) == [("name",)]
    assert settings.origin.line == 15


def test_prisma() -> None:
    made = catalog("schema.prisma", PRISMA)
    assert keys(relation(made, "users")) == [("email",), ("id",)]
    post = relation(made, "Post")
    assert keys(post) == [("author_id", "number"), ("slug", "number")]
    assert references(post) == ["author_id -> public.users (id)"]


def test_prisma_of_another_database() -> None:
    assert catalog("a.prisma", PRISMA.replace("postgresql", "mysql")).relations == {}


def test_ecto() -> None:
    made = relation(catalog("job.ex", ECTO), "app.jobs")
    assert made.primary_key == ("uid",)
    assert [column.name for column in made.columns] == ["uid", "name", "user_id", "chief_id"]
    assert made.foreign_keys == ()


def test_django() -> None:
    made = catalog("shop/models.py", DJANGO)
    assert [str(name) for name in made.relations] == ["public.shop_owner", "public.shop_job"]
    job = relation(made, "shop_job")
    assert keys(job) == [("id",), ("owner_id", "short"), ("short", "person_id"), ("twin_id",)]
    assert references(job) == [
        "owner_id -> public.shop_owner (code)",
        "twin_id -> public.shop_job (id)",
    ]


def test_django_without_the_name_of_its_application() -> None:
    assert catalog("everything.py", DJANGO).relations == {}


def test_sqlalchemy() -> None:
    made = catalog("tables.py", SQLALCHEMY)
    assert keys(relation(made, "jobs")) == [("id",), ("user_id", "id")]
    assert references(relation(made, "jobs")) == ["user_id -> app.users (id)"]
    assert keys(relation(made, "app.users")) == [("a",), ("a", "b"), ("b",), ("id",)]


@pytest.mark.parametrize("name", ["schema.rb", "a.prisma", "a.ex", "models.py"])
@pytest.mark.parametrize("text", ["", "class {[(", "model X {", 'schema "a" do', "\0"])
def test_what_is_half_typed_declares_nothing_wrong(name: str, text: str) -> None:
    assert [each.sql for each in declared_in(SourceText(name, text))] in (
        [],
        ["CREATE TABLE a (id bigint, PRIMARY KEY (id))"],
    )


CLAIM = """\
BEGIN;
SELECT 1 FROM jobs WHERE slug = $1 FOR UPDATE;
UPDATE jobs SET queue = 'x' WHERE slug = $1;
COMMIT;
"""


def test_linted_files_tell_of_their_tables(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "schema.rb").write_text(RAILS)
    (tmp_path / "claim.sql").write_text(CLAIM)
    [known] = lint_paths([tmp_path], isolated=True)
    assert (known.code, known.severity.value) == ("PGL301", "warning")
    assert "INSERTs into job_runs (job_id)" in known.message
    alone = lint_paths([tmp_path / "claim.sql"], isolated=True)
    assert [(each.code, each.severity.value) for each in alone] == [
        ("PGL301", "note"),
        ("PGL402", "note"),
    ]


@pytest.mark.parametrize(("name", "text"), [("schema.rb", RAILS), ("schema.prisma", PRISMA)])
def test_a_whole_schema_is_one_for_the_option(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    made = load_catalog([str(tmp_path / name)], tmp_path).catalog
    assert made.is_closed
    assert all(each.tells_all for each in made.relations.values())
