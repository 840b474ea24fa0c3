"""PGL605: what Django and SQLAlchemy send where a locking query ends in another call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.conf import settings
from proofs.harness import Lab
from rulepages import rule_of

from pglint_locks.testing.pages import code_examples

if not settings.configured:
    backend = {"ENGINE": "django.db.backends.postgresql", "NAME": "none"}
    settings.configure(DATABASES={"default": backend}, USE_TZ=True)

import django

django.setup()

from django.db import connections, models, transaction  # noqa: E402
from django.db.backends.postgresql.base import DatabaseWrapper  # noqa: E402
from django.db.utils import OperationalError  # noqa: E402
from sqlalchemy import create_engine, select, text  # noqa: E402
from sqlalchemy.exc import DBAPIError  # noqa: E402
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column  # noqa: E402

SCHEMA = """
CREATE TABLE job (id int PRIMARY KEY, status text);
INSERT INTO job VALUES (1, 'ready'), (2, 'ready'), (3, 'ready');
"""
BAD = [code for _, code in code_examples(rule_of("PGL605"), "## Bad")]
GOOD = [code for _, code in code_examples(rule_of("PGL605"), "## Good")]


class Job(models.Model):
    status = models.TextField()

    class Meta:
        app_label = "proofs"
        db_table = "job"


class Base(DeclarativeBase):
    pass


class Row(Base):
    __tablename__ = "job"
    id: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str]


@pytest.fixture
def database(lab: Lab) -> Iterator[str]:
    """The name under which Django knows the lab's schema."""
    parts = psycopg.conninfo.conninfo_to_dict(lab.dsn)
    made = DatabaseWrapper(
        {
            **connections["default"].settings_dict,
            "NAME": parts.get("dbname"),
            "USER": parts.get("user", ""),
            "PASSWORD": parts.get("password", ""),
            "HOST": parts.get("host", ""),
            "PORT": parts.get("port", ""),
            "OPTIONS": {"options": f"-c search_path={lab.schema},public"},
        },
        alias="lab",
    )
    connections.databases["lab"] = made.settings_dict
    connections["lab"] = made
    yield "lab"
    made.close()
    del connections["lab"], connections.databases["lab"]


def claim(code: str, database: str) -> int:
    """What the page's function `claim` returns, whose jobs are those of a database."""
    names: dict[str, Any] = {"Job": SimpleNamespace(objects=Job.objects.using(database))}
    exec(code, names)
    with transaction.atomic(using=database):
        connections[database].cursor().execute("SET LOCAL lock_timeout = '100ms'")
        return int(names["claim"]())


def locked_by(lab: Lab, database: str, run: Callable[[], object]) -> int:
    """How many rows some calls lock, while their transaction lasts."""
    with transaction.atomic(using=database):
        run()
        locked = len(lab.locked("job"))
        transaction.set_rollback(True, using=database)
    return locked


def test_what_django_locks(lab: Lab, database: str, proved: Callable[[str], None]) -> None:
    jobs = Job.objects.using(database).filter(status="ready").order_by("pk")
    locked = {
        "count()": locked_by(lab, database, lambda: jobs.select_for_update().count()),
        "aggregate()": locked_by(
            lab, database, lambda: jobs.select_for_update().aggregate(n=models.Count("pk"))
        ),
        "exists()": locked_by(lab, database, lambda: jobs.select_for_update().exists()),
        "list()": locked_by(lab, database, lambda: list(jobs.select_for_update())),
    }
    assert locked == {"count()": 0, "aggregate()": 0, "exists()": 1, "list()": 3}
    proved(
        "of 3 rows that match, Django's "
        + ", ".join(f"{call} locks {rows}" for call, rows in locked.items())
    )


def test_update_waits_after_skip_locked(
    lab: Lab, database: str, proved: Callable[[str], None]
) -> None:
    other = lab.session(begin=True)
    other.run("SELECT * FROM job WHERE id = 1 FOR UPDATE")
    with pytest.raises(OperationalError, match="lock timeout"):  # it waits
        claim(BAD[1], database)
    changed = claim(GOOD[1], database)
    assert changed == 2
    proved(
        "after select_for_update(skip_locked=True), update() of Django waits for the row that "
        f"another session holds; of the keys that were fetched first it changes {changed} of 3 rows"
    )


def test_what_sqlalchemy_sends(lab: Lab, proved: Callable[[str], None]) -> None:
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(lab.dsn))
    with Session(engine) as session:
        session.execute(text(f"SET search_path = {lab.schema}, public"))
        with pytest.raises(DBAPIError, match="not allowed with aggregate functions"):
            session.query(Row).with_for_update().count()
        session.rollback()
        session.execute(text(f"SET search_path = {lab.schema}, public"))
        lab.session(begin=True).run("SELECT * FROM job WHERE id = 1 FOR UPDATE")
        found = session.scalars(select(Row).with_for_update(skip_locked=True)).all()
        assert [each.id for each in found] == [2, 3]
        session.execute(text("SET LOCAL lock_timeout = '100ms'"))
        with pytest.raises(DBAPIError, match="lock timeout"):
            session.query(Row).with_for_update(skip_locked=True).update({"status": "running"})
    engine.dispose()
    proved(
        "after with_for_update(skip_locked=True), update() of SQLAlchemy waits for the row that "
        "another session holds; count() is refused"
    )
