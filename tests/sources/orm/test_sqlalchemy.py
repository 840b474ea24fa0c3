"""Statements and queries: what is read from their source is what SQLAlchemy compiles."""

from __future__ import annotations

import pytest
from normal_form import expression, normal_form
from sqlalchemy import ForeignKey, Integer, Text, func, or_, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    joinedload,
    mapped_column,
    relationship,
)

from pglint_locks.sources.orm.chain import chain_of
from pglint_locks.sources.orm.models import Model, Relation
from pglint_locks.sources.orm.sqlalchemy import Statements


class Base(DeclarativeBase):
    pass


class Owner(Base):
    __tablename__ = "owners"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(Text)


class Job(Base):
    __tablename__ = "jobs"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    status: Mapped[str] = mapped_column(Text)
    owner_id: Mapped[int] = mapped_column(ForeignKey("owners.id"))
    owner: Mapped[Owner] = relationship(Owner)


MODELS = {
    "Owner": Model("owners"),
    "Job": Model("jobs", "id", {"owner": Relation("owner_id", "Owner", nullable=True)}),
}
NAMES = {
    "Job": Job,
    "Owner": Owner,
    "SESSION": Session(),
    "func": func,
    "joinedload": joinedload,
    "or_": or_,
    "select": select,
    "update": update,
}
STATEMENTS = [
    "select(Job).with_for_update()",
    "select(Job).where(Job.status == 'r').order_by(Job.id).limit(10)"
    ".with_for_update(skip_locked=True)",
    "select(Job).order_by(func.random()).limit(5).offset(3).with_for_update(nowait=True)",
    "select(Job).order_by(Job.id.desc()).with_for_update(read=True)",
    "select(Job).with_for_update(read=True, key_share=True, of=Job)",
    "select(Job).join(Owner).where(Owner.name == 'x').with_for_update(key_share=True)",
    "select(Job).join(Job.owner).with_for_update(of=Job)",
    "select(Job).outerjoin(Job.owner).with_for_update(of=Job, skip_locked=True)",
    "select(Job.id, Job.status).where(Job.id.in_([1, 2])).with_for_update()",
    "select(Job).where(or_(Job.status == 'a', Job.id.is_(None))).with_for_update()",
    "select(Job).distinct().with_for_update()",
    "select(func.count()).select_from(Job).with_for_update()",
    "SESSION.query(Job).filter_by(status='x').with_for_update(nowait=True)",
    "SESSION.query(Job).filter(Job.id == 1).order_by(Job.id).with_for_update()",
    "SESSION.query(func.count(Job.id)).with_for_update()",
    "update(Job).where(Job.id.in_(select(Job.id).where(Job.status == 'r').limit(10)"
    ".with_for_update(skip_locked=True))).values(status='x')",
]


def read(text: str) -> str:
    found = Statements(MODELS).statement(chain_of(expression(text)))
    assert found is not None
    assert found.unknown == ()
    return found.text


@pytest.mark.parametrize("text", STATEMENTS)
def test_what_is_read_is_what_sqlalchemy_compiles(text: str) -> None:
    built = eval(text, NAMES)
    statement = getattr(built, "statement", built)
    compiled = str(
        statement.compile(dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True})
    )
    assert normal_form(read(text)) == normal_form(compiled), compiled


def test_joinedload_is_an_outer_join_in_the_locking_select() -> None:
    text = "SESSION.query(Job).options(joinedload(Job.owner)).with_for_update()"
    compiled = str(eval(text, NAMES).statement.compile(dialect=postgresql.dialect()))
    assert normal_form(read(text)) == normal_form(compiled)


@pytest.mark.parametrize("text", ["select(Job)", "lock.acquire()", "SESSION.query(Job).first()"])
def test_what_asks_for_no_lock_is_not_read(text: str) -> None:
    assert Statements(MODELS).statement(chain_of(expression(text))) is None


def test_what_is_called_on_rows_is_no_part_of_the_query() -> None:
    found = read("SESSION.query(Job).with_for_update().first().children.count()")
    assert found == "SELECT * FROM jobs LIMIT 1 FOR UPDATE"
