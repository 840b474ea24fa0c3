"""What Alembic's migrations make of a schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from pglint_locks.schema.catalog import Catalog, Relation
from pglint_locks.schema.files import load_catalog
from pglint_locks.schema.names import TableName

HEAD = (
    "from alembic import op\nimport sqlalchemy as sa\nfrom sqlalchemy.dialects import postgresql\n"
)
JOBS = """op.create_table("jobs",
    sa.Column("id", sa.BigInteger(), nullable=False),
    sa.Column("email", sa.String(length=80), unique=True),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
    sa.Column("data", postgresql.JSONB(astext_type=sa.Text())),
    sa.Column("tags", postgresql.ARRAY(sa.Text())),
    sa.Column("parent", sa.BigInteger(), sa.ForeignKey("jobs.id")),
    sa.PrimaryKeyConstraint("id"),
    sa.CheckConstraint("id > 0", name="positive"),
)
"""


def migrate(folder: Path, *bodies: str) -> Catalog:
    """Read migrations in a folder, one after the other; names sort the other way."""
    before = None
    for number, body in enumerate(bodies):
        lines = "\n    ".join(body.splitlines())
        text = f"{HEAD}revision = 'r{number}'\ndown_revision = {before!r}\n\n"
        text += f"def upgrade():\n    {lines}\n"
        text += "\ndef downgrade():\n    op.drop_table('jobs')\n"
        (folder / f"{9 - number}_x.py").write_text(text)
        before = f"r{number}"
    return load_catalog([str(folder)], folder).catalog


def jobs(catalog: Catalog) -> Relation:
    found = catalog.find(TableName(None, "jobs"))
    assert found is not None
    return found


def keys(relation: Relation) -> list[tuple[str | None, tuple[str | None, ...], bool]]:
    return [(each.name, each.columns, each.unique) for each in relation.indexes]


def test_a_table_with_its_keys(tmp_path: Path) -> None:
    catalog = migrate(tmp_path, JOBS)
    made = jobs(catalog)
    assert [(each.name, each.type, each.not_null) for each in made.columns] == [
        ("id", "bigint", True),
        ("email", "character varying(80)", False),
        ("at", "timestamp with time zone", True),
        ("data", "jsonb", False),
        ("tags", "text[]", False),
        ("parent", "bigint", False),
    ]
    assert keys(made) == [
        ("jobs_pkey", ("id",), True),
        ("jobs_email_key", ("email",), True),
        ("jobs_at_idx", ("at",), False),
    ]
    (reference,) = catalog.references_to(made)
    assert reference.key.columns == ("parent",)
    assert str(made.origin) == "9_x.py:8"
    assert catalog.knows_references_to(made)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('op.drop_constraint("jobs_email_key", "jobs", type_="unique")', "jobs_pkey, jobs_at_idx"),
        ('op.drop_index("jobs_at_idx", table_name="jobs")', "jobs_pkey, jobs_email_key"),
        ('op.drop_column("jobs", "email")', "jobs_pkey, jobs_at_idx"),
        (
            'op.create_unique_constraint("own", "jobs", ["at", "id"])',
            "jobs_pkey, jobs_email_key, jobs_at_idx, own",
        ),
        (
            'op.create_index("ready", "jobs", ["at", sa.text("lower(email)")], unique=True,'
            ' postgresql_where=sa.text("at IS NULL"))',
            "jobs_pkey, jobs_email_key, jobs_at_idx, ready",
        ),
        (
            'with op.batch_alter_table("jobs") as batch:\n'
            '    batch.create_unique_constraint("own", ["at"])\n'
            '    batch.drop_index("jobs_at_idx")',
            "jobs_pkey, jobs_email_key, own",
        ),
        (
            'op.execute("ALTER TABLE jobs DROP CONSTRAINT jobs_pkey")',
            "jobs_email_key, jobs_at_idx",
        ),
        (
            'op.execute(sa.text("CREATE INDEX own ON jobs (email)"))',
            "jobs_pkey, jobs_email_key, jobs_at_idx, own",
        ),
    ],
)
def test_operations_on_keys(tmp_path: Path, body: str, expected: str) -> None:
    made = jobs(migrate(tmp_path, JOBS, body))
    assert ", ".join(str(each.name) for each in made.indexes) == expected
    assert made.is_whole


def test_columns_are_altered(tmp_path: Path) -> None:
    made = jobs(
        migrate(
            tmp_path,
            JOBS,
            'op.alter_column("jobs", "email", nullable=False, type_=sa.Text())\n'
            'op.alter_column("jobs", "at", new_column_name="due")\n'
            'op.add_column("jobs", sa.Column("run", sa.Integer(), sa.ForeignKey("runs.id")))\n'
            'op.create_foreign_key(None, "jobs", "users", ["id"], ["number"])',
        )
    )
    assert made.column("email") == ("email", "text", True, False, False)
    assert made.column("due") is not None
    assert [(each.referenced.name, each.referenced_columns) for each in made.foreign_keys] == [
        ("jobs", ("id",)),
        ("runs", ("id",)),
        ("users", ("number",)),
    ]


@pytest.mark.parametrize(
    "body",
    [
        'op.create_index("own", "jobs", COLUMNS)',
        'op.execute(f"ALTER TABLE jobs {change}")',
        'for table in ("jobs", "runs"):\n    op.drop_constraint(f"{table}_pkey", table)',
        'if have_them():\n    op.drop_index("jobs_at_idx")\n    op.drop_column("jobs", "at")',
    ],
)
def test_a_table_is_not_whole_where_an_operation_does_not_show(tmp_path: Path, body: str) -> None:
    catalog = migrate(tmp_path, JOBS, body)
    assert not jobs(catalog).is_whole
    assert not catalog.knows_references_to(jobs(catalog))


def test_other_modules_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "env.py").write_text("revision = down_revision = None\n")
    (tmp_path / "broken.py").write_text("down_revision = (\n")
    assert migrate(tmp_path, JOBS).is_closed
