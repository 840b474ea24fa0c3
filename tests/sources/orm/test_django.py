"""Querysets: what is read from their source is what Django compiles."""

from __future__ import annotations

import django
import pytest
from django.conf import settings
from django.db import connection, models
from django.db.models.sql import UpdateQuery
from normal_form import expression, normal_form

from pglint_locks.sources.orm.chain import chain_of
from pglint_locks.sources.orm.django import Querysets
from pglint_locks.sources.orm.models import Model, Relation

if not settings.configured:
    backend = {"ENGINE": "django.db.backends.postgresql", "NAME": "none"}
    settings.configure(DATABASES={"default": backend}, USE_TZ=True)
    django.setup()


class Author(models.Model):
    name = models.TextField()

    class Meta:
        app_label = "shop"


class Job(models.Model):
    status = models.TextField()
    created = models.IntegerField()
    author = models.ForeignKey(Author, null=True, on_delete=models.CASCADE, related_name="+")
    owner = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="+")

    class Meta:
        app_label = "shop"


MODELS = {
    "Author": Model("shop_author"),
    "Job": Model(
        "shop_job",
        "id",
        {
            "author": Relation("author_id", "Author", nullable=True),
            "owner": Relation("owner_id", "Author", nullable=False),
        },
    ),
}
QUERYSETS = [
    "Job.objects.select_for_update()",
    "Job.objects.select_for_update(skip_locked=True).filter(status='ready')[:10]",
    "Job.objects.select_for_update(nowait=True, no_key=True).order_by('?')[5:15]",
    "Job.objects.select_for_update(of=('self',)).order_by('-created', 'pk')",
    "Job.objects.select_for_update().select_related('owner').filter(status='x')",
    "Job.objects.select_for_update().select_related('author')",
    "Job.objects.select_for_update(of=('self',)).select_related('author')",
    "Job.objects.select_for_update(of=('self', 'owner')).select_related('owner')",
    "Job.objects.select_for_update().distinct()",
    "Job.objects.select_for_update().exclude(status='x').filter(author__isnull=True)",
    "Job.objects.select_for_update().filter(owner__name='b', status__in=['a', 'b'])",
    "Job.objects.select_for_update().filter(owner_id=3, created__range=(1, 2))",
    "Job.objects.filter(pk__in=Job.objects.select_for_update().order_by('created')[:10])",
    "Job.objects.select_for_update().filter(pk__in=Job.objects.filter(status='x')[:10])",
    "Job.objects.order_by('created').select_for_update().reverse()",
    "Job.objects.select_for_update().only('status').filter(created__lt=5)[3:]",
    "Job.objects.all().select_for_update().order_by('status').order_by('pk')[:1]",
    "Job.objects.select_for_update().values_list('id', flat=True).filter(status='q')",
    "Job.objects.select_for_update().union(Job.objects.all())",
    "Job.objects.select_for_update(of=('self',)).filter(owner__name__icontains='b')",
]


@pytest.fixture(autouse=True)
def _in_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Django compiles the clause in a transaction only."""
    monkeypatch.setattr(type(connection), "get_autocommit", lambda _: False, raising=False)
    monkeypatch.setattr(connection, "get_autocommit", lambda: False)


def read(text: str) -> str:
    found = Querysets(MODELS).statement(chain_of(expression(text)))
    assert found is not None
    assert found.unknown == ()
    return found.text


@pytest.mark.parametrize("text", QUERYSETS)
def test_what_is_read_is_what_django_compiles(text: str) -> None:
    compiled, values = eval(text).query.sql_with_params()
    assert normal_form(read(text)) == normal_form(compiled.replace("%s", "1")), compiled % values


@pytest.mark.parametrize("call", ["count()", "aggregate(n=Count('id'))", "update(status='x')"])
def test_a_lock_that_is_not_sent(call: str) -> None:
    text = f"Job.objects.select_for_update().filter(status='r').{call}"
    found = Querysets(MODELS).statement(chain_of(expression(text)))
    assert found is not None
    assert found.dropped is not None
    assert text[slice(*found.dropped.lock.span)] == "select_for_update()"
    assert text[slice(*found.dropped.by)] == call
    assert "FOR UPDATE" not in found.text


@pytest.mark.parametrize(
    "text",
    [
        "Job.objects.filter(pk=1)",
        "lock.acquire()",
        "cache.lock('x').acquire()",
        "self.select()",
    ],
)
def test_what_asks_for_no_lock_is_not_read(text: str) -> None:
    assert Querysets(MODELS).statement(chain_of(expression(text))) is None


UPDATED = [
    "Job.objects.select_for_update().filter(owner__name='b')",
    "Job.objects.select_for_update(skip_locked=True).filter(owner__name='b').order_by('pk')",
    "Job.objects.select_for_update().filter(status='x', owner_id=3).select_related('owner')",
]


@pytest.mark.parametrize("text", UPDATED)
def test_what_an_update_sends(text: str) -> None:
    """Its conditions; where they join another table, the query as it is, in a sub-SELECT."""
    query = eval(text).query.chain(UpdateQuery)
    query.add_update_values({"status": "x"})
    compiled, _ = query.get_compiler("default").as_sql()
    assert normal_form(read(f"{text}.update(status='x')")) == (
        normal_form(compiled.replace("%s", "1"))
    ), compiled


@pytest.mark.parametrize("text", [*UPDATED, "Job.objects.select_for_update(no_key=True)[:5]"])
def test_what_exists_sends(text: str) -> None:
    compiled, _ = eval(text).query.exists().sql_with_params()
    assert normal_form(read(f"{text}.exists()")) == normal_form(compiled.replace("%s", "1"))


@pytest.mark.parametrize(
    ("held", "text"),
    [
        ("Job.objects.select_for_update()[:10]", "Job.objects.filter(pk__in=ids)"),
        (
            "Job.objects.order_by('created').select_for_update(skip_locked=True)",
            "Job.objects.filter(status='x', pk__in=ids.values('pk')[:5]).order_by('pk')",
        ),
    ],
)
def test_a_query_that_a_name_holds_is_a_sub_select(held: str, text: str) -> None:
    compiled, _ = eval(text, {"Job": Job, "ids": eval(held)}).query.sql_with_params()
    names = {"ids": chain_of(expression(held))}
    found = Querysets(MODELS).statement(chain_of(expression(text))._replace(held=names))
    assert found is not None
    assert normal_form(found.text) == normal_form(compiled.replace("%s", "1"))
