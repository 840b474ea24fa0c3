"""Models of ORMs that one file of a run defines and another asks for a lock of."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run_rules import lint

from pglint_locks.run import Run

BASE = """\
class Stamped(models.Model):
    created = models.DateTimeField()

    class Meta:
        abstract = True
"""
MODELS = """\
class Owner(models.Model):
    name = models.TextField()

class Job(Stamped):
    status = models.TextField()
    owner = models.ForeignKey(Owner, null=True, on_delete=models.CASCADE)

class Sorted(Stamped):
    status = models.TextField()

    class Meta:
        db_table = "sorted_jobs"
        ordering = ["pk"]
"""
DECLARED = """\
class Job(Base):
    __tablename__ = "all_jobs"
    id: Mapped[int] = mapped_column(primary_key=True)
"""


def found(run: Run) -> list[tuple[str, str | None]]:
    assert run.errors == ()
    return [(each.rule.code, each.table) for each in run.findings]


def run_of(tmp_path: Path, chain: str, **files: str) -> Run:
    texts = {f"{name.replace('_', '/')}.py": text for name, text in files.items()}
    for folder in ("core", "shop", "old"):
        (tmp_path / folder).mkdir()
    return lint(tmp_path, {"shop/work.py": f"def run(session):\n    {chain}\n", **texts})


LIST = "list({}.objects.select_for_update(no_key=True).filter(status='ready'))"


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        (LIST.format("Job"), [("PGL402", "shop_job")]),
        (LIST.format("Sorted"), []),
        (
            "Sorted.objects.select_for_update(no_key=True).filter(a=1).order_by('?')[:5]",
            [("PGL401", "sorted_jobs")],
        ),
        (
            "Job.objects.select_for_update(no_key=True).select_related('owner').get(pk=1)",
            [("PGL703", None)],
        ),
    ],
)
def test_models_of_other_files(tmp_path: Path, chain: str, expected: list[tuple[str, str]]) -> None:
    run = run_of(tmp_path, chain, core_models=BASE, shop_models=MODELS)
    assert found(run) == expected


def test_without_the_base_class_nothing_is_said_of_what_is_missing(tmp_path: Path) -> None:
    assert found(run_of(tmp_path, LIST.format("Job"), shop_models=MODELS)) == []


def test_a_class_that_two_files_define_is_not_known(tmp_path: Path) -> None:
    run = run_of(
        tmp_path, LIST.format("Job"), core_models=BASE, shop_models=MODELS, old_models=MODELS
    )
    assert found(run) == []


def test_declared_tables_have_their_names(tmp_path: Path) -> None:
    chain = "session.scalars(select(Job).where(Job.a == 1).with_for_update(key_share=True)).all()"
    assert found(run_of(tmp_path, chain, shop_tables=DECLARED)) == [("PGL402", "all_jobs")]
