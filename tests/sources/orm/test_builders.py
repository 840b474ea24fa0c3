"""Query builders: the SQL that their documentation says a chain stands for, or nothing."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.sources.content import read_content
from pglint_locks.text import SourceText

READY = "WHERE status = 'ready'"
CHAINS = [
    (
        "a.rb",
        "Job.where(status: 'ready').order(:id).limit(10).lock('FOR UPDATE SKIP LOCKED').to_a",
        f"SELECT * FROM jobs {READY} ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED",
    ),
    ("a.rb", "User.lock.find(1)", "SELECT * FROM users WHERE id = $1 FOR UPDATE"),
    ("a.rb", "Entry.lock(true).first", "SELECT * FROM entries LIMIT 1 FOR UPDATE"),
    (
        "a.rb",
        "DB[:jobs].where(status: 'ready').for_update.skip_locked.first",
        f"SELECT * FROM jobs {READY} LIMIT 1 FOR UPDATE SKIP LOCKED",
    ),
    (
        "a.js",
        "knex('jobs').where({ status: 'ready' }).orderBy('id').limit(5).forUpdate().skipLocked()",
        f"SELECT * FROM jobs {READY} ORDER BY id LIMIT 5 FOR UPDATE SKIP LOCKED",
    ),
    (
        "a.ts",
        "db.select().from(jobs).where(eq(jobs.status, s)).for('no key update', { noWait: true })",
        "SELECT * FROM jobs WHERE status = $1 FOR NO KEY UPDATE NOWAIT",
    ),
    (
        "a.ts",
        "repo.createQueryBuilder('job').setLock('pessimistic_write').setOnLocked('skip_locked')"
        ".take(10).getMany()",
        "SELECT * FROM job LIMIT 10 FOR UPDATE SKIP LOCKED",
    ),
    (
        "a.ts",
        "User.findOne({ where: { id: 1 }, lock: t.LOCK.NO_KEY_UPDATE, transaction: t })",
        "SELECT * FROM users WHERE id = 1 LIMIT 1 FOR NO KEY UPDATE",
    ),
    (
        "a.java",
        "class A { void f() { ctx.selectFrom(JOBS).where(JOBS.STATUS.eq('x')).orderBy(JOBS.ID"
        ".desc()).limit(10).forUpdate().of(JOBS).skipLocked().fetch(); } }",
        "SELECT * FROM jobs WHERE status = $1 ORDER BY id DESC LIMIT 10"
        " FOR UPDATE OF jobs SKIP LOCKED",
    ),
    (
        "a.kt",
        "fun f() { dsl.selectFrom(JOBS).limit(10).forShare().noWait().fetch() }",
        "SELECT * FROM jobs LIMIT 10 FOR SHARE NOWAIT",
    ),
    (
        "a.php",
        "<?php User::where('id', 1)->lockForUpdate()->first();",
        "SELECT * FROM users WHERE id = 1 LIMIT 1 FOR UPDATE",
    ),
    (
        "a.php",
        "<?php DB::table('jobs')->orderBy('id')->skip(5)->take(3)->sharedLock()->get();",
        "SELECT * FROM jobs ORDER BY id LIMIT 3 OFFSET 5 FOR SHARE",
    ),
    (
        "a.php",
        "<?php DB::table('jobs')->orderBy('a', 'asc')->orderByDesc('b')->lockForUpdate()->get();",
        "SELECT * FROM jobs ORDER BY a ASC, b DESC FOR UPDATE",
    ),
    (
        "a.js",
        "knex('jobs').orderBy('id', 'desc').forUpdate()",
        "SELECT * FROM jobs ORDER BY id DESC FOR UPDATE",
    ),
    (
        "a.php",
        "<?php User::whereIn('id', $ids)->whereHas('team')->lockForUpdate()->get();",
        "SELECT * FROM users WHERE $1 AND $1 FOR UPDATE",
    ),
    (
        "a.rs",
        'fn f() { jobs::table.filter(jobs::status.eq("ready")).order(jobs::id.asc()).limit(10)'
        ".for_update().skip_locked().load(conn); }",
        f"SELECT * FROM jobs {READY} ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED",
    ),
    (
        "a.go",
        'package a\nfunc f() { db.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"'
        '}).Where("status = ?", "ready").Order("id").Limit(10).Find(&jobs) }',
        "SELECT * FROM jobs WHERE status = $1 ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED",
    ),
    (
        "a.ex",
        'defmodule A do\n def f do\n  from(j in Job, where: j.status == "ready", order_by: j.id,'
        ' limit: 10, lock: "FOR UPDATE SKIP LOCKED") |> Repo.all()\n end\nend',
        f"SELECT * FROM jobs {READY} ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED",
    ),
    (
        "a.ex",
        'defmodule A do\n def f do\n  Job |> where([j], j.id == 1) |> lock("FOR UPDATE")'
        " |> Repo.one()\n end\nend",
        "SELECT * FROM jobs WHERE id = 1 FOR UPDATE",
    ),
]


def read(name: str, text: str) -> list[str]:
    content = read_content(SourceText(name, text))
    return [
        statement.call.text
        for host in content.bodies
        for statement in host.body.statements
        if statement.call is not None
    ]


@pytest.mark.parametrize(("name", "text", "sql"), CHAINS, ids=lambda value: value[:30])
def test_what_a_chain_sends(name: str, text: str, sql: str) -> None:
    assert read(name, text) == [sql]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "lock.lock(); cache.lock('jobs').acquire(); self.for_update()"),
        ("a.rb", "@mutex.lock\nredis.lock('jobs') { 1 }\nfile.lock(true)"),
        ("a.js", "mutex.lock(); navigator.locks.request('a', f); for (const lock of locks) {}"),
        ("a.ts", "const options = { lock: true, wait: 5 }; this.service.forUpdate(options);"),
        ("a.java", "class A { void f() { mutex.lock(); builder.forUpdate(); } }"),
        ("a.go", "package a\nfunc f() { mu.Lock(); db.Clauses(clause.OnConflict{}).Create(&x) }"),
        ("a.rs", "fn f() { let guard = mutex.lock().unwrap(); self.for_update(); }"),
        ("a.php", "<?php $mutex->lock(); Cache::lock('x')->get();"),
        ("a.ex", "defmodule A do\n def f, do: Mutex.lock(:a)\nend"),
    ],
)
def test_other_locks_are_none_of_rows(name: str, text: str) -> None:
    run = lint_text(text, name, Settings())
    assert (read(name, text), run.clauses, run.findings) == ([], 0, ())


def test_places_are_those_of_the_calls() -> None:
    text = "def f():\n    return Job.objects.order_by('?').select_for_update(nowait=True)[:5]\n"
    [finding] = [
        each for each in lint_text(text, "a.py", Settings()).findings if each.rule.code == "PGL401"
    ]
    assert text[slice(*finding.span)] == "'?'"
    assert finding.unit == "f"
    assert finding.advice == "order by a key: .order_by('pk')"
    assert "(sends: SELECT * FROM job ORDER BY random() LIMIT 5 FOR UPDATE NOWAIT)" in (
        finding.message
    )


def test_what_may_be_added_later_is_not_missed() -> None:
    """The order of a queryset may come from its model, and from who goes on with it."""
    text = "jobs = Job.objects.select_for_update().filter(status='ready')\n"
    run = lint_text(text, "a.py", Settings())
    assert run.clauses == 1
    assert [each for each in run.findings if each.rule.code in ("PGL402", "PGL105")] == []
