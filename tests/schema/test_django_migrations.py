"""What Django's migrations make of a schema: the same as what Django makes of it on a server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from servers import Server

from pglint_locks.schema.catalog import Catalog
from pglint_locks.schema.files import load_catalog
from pglint_locks.schema.names import TableName

pytest.importorskip("django")

HEAD = "from django.conf import settings\nfrom django.db import migrations, models\n"
FIRST = """
class Migration(migrations.Migration):
    initial = True
    dependencies = [('auth', '0001_initial'), ('contenttypes', '0001_initial')]
    operations = [
        migrations.CreateModel(
            name='Shop',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=80, unique=True)),
                ('slug', models.SlugField()),
                ('opened', models.DateTimeField(null=True, db_column='opened_at')),
                ('balance', models.DecimalField(max_digits=8, decimal_places=2, default=0)),
                ('owner', models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)),
                ('kind', models.ForeignKey('contenttypes.ContentType', models.CASCADE, null=True)),
            ],
            options={'unique_together': {('owner', 'slug')}},
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('code', models.CharField(max_length=9, primary_key=True, serialize=False)),
                ('shop', models.ForeignKey('shop.Shop', models.CASCADE, related_name='items')),
                ('parent', models.OneToOneField('self', models.SET_NULL, null=True)),
                ('loose', models.ForeignKey('shop.Shop', models.DO_NOTHING, db_constraint=False)),
                ('price', models.IntegerField(db_index=True)),
                ('note', models.TextField(default='')),
                ('seen', models.ManyToManyField('shop.Shop', related_name='seen')),
                ('like', models.ManyToManyField('self')),
            ],
            options={
                'db_table': 'things',
                'indexes': [models.Index(fields=['shop', '-price'], name='by_price')],
                'constraints': [
                    models.UniqueConstraint(fields=['shop', 'note'], name='one_note'),
                    models.UniqueConstraint(
                        fields=['price'], condition=models.Q(price__gt=0), name='one_price'
                    ),
                    models.CheckConstraint(condition=models.Q(price__gte=0), name='positive'),
                ],
            },
        ),
        migrations.CreateModel(name='Proxy', fields=[], bases=('shop.item',),
                               options={'proxy': True}),
        migrations.CreateModel(name='Gone', fields=[('id', models.AutoField(primary_key=True))]),
    ]
"""
SECOND = """
class Migration(migrations.Migration):
    dependencies = [('shop', '0001_initial')]
    operations = [
        migrations.AddField('item', 'count', models.PositiveIntegerField(default=0, unique=True)),
        migrations.AddField('item', 'maker', models.ForeignKey('shop.Shop', models.CASCADE,
                                                              null=True, related_name='made')),
        migrations.AlterField('shop', 'name', models.CharField(max_length=90, db_index=True)),
        migrations.AlterField('item', 'note', models.CharField(max_length=20, unique=True)),
        migrations.RemoveField('item', 'loose'),
        migrations.RenameField('shop', 'slug', 'word'),
        migrations.RenameField('item', 'maker', 'brand'),
        migrations.RemoveConstraint('item', 'one_note'),
        migrations.RemoveIndex('item', 'by_price'),
        migrations.AddIndex('item', models.Index(fields=['count', 'price'], name='by_count')),
        migrations.AddConstraint('item', models.UniqueConstraint(
            fields=['shop', 'code'], name='one_code', deferrable=models.Deferrable.DEFERRED)),
        migrations.AlterUniqueTogether('shop', {('owner', 'name')}),
        migrations.DeleteModel('Gone'),
        migrations.AlterModelTable('item', 'goods'),
        migrations.RenameModel('Shop', 'Store'),
        migrations.RunSQL('CREATE TABLE plain (id int PRIMARY KEY, store bigint'
                          ' REFERENCES shop_store)', migrations.RunSQL.noop),
        migrations.RunSQL(['CREATE INDEX plain_store ON plain (store)']),
        migrations.RunPython(migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL('ALTER TABLE plain ADD extra int')],
            state_operations=[migrations.AddField('item', 'ghost', models.IntegerField(null=True))],
        ),
    ]
"""
RUN = """
import sys
import django
from django.conf import settings
from django.core.management import call_command
host, name, folder = sys.argv[1:]
sys.path.insert(0, folder)
settings.configure(
    INSTALLED_APPS=['django.contrib.contenttypes', 'django.contrib.auth', 'shop'],
    DATABASES={'default': {'ENGINE': 'django.db.backends.postgresql', 'HOST': host, 'NAME': name,
                           'USER': 'postgres'}},
    DEFAULT_AUTO_FIELD='django.db.models.BigAutoField',
)
django.setup()
call_command('migrate', verbosity=0)
"""
COLUMNS = """SELECT attname::text, attnotnull FROM pg_attribute
    WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""
INDEXES = """SELECT ARRAY(SELECT attname::text
        FROM unnest(indkey::int[]) WITH ORDINALITY AS key(number, place)
        JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place),
        indisunique, indpred IS NOT NULL, NOT indimmediate
    FROM pg_index WHERE indrelid = to_regclass(%s)
        AND NOT EXISTS (SELECT FROM unnest(indclass::oid[]) AS class(number)
            JOIN pg_opclass ON oid = number WHERE opcname LIKE '%%pattern_ops')"""
KEYS = """SELECT (SELECT array_agg(attname::text) FROM pg_attribute
        WHERE attrelid = conrelid AND attnum = ANY(conkey)), confrelid::regclass::text
    FROM pg_constraint WHERE contype = 'f' AND conrelid = to_regclass(%s)"""
TABLES = ("shop_store", "goods", "plain", "goods_seen", "goods_like")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop" / "migrations"
    folder.mkdir(parents=True)
    for name, text in (("0001_initial", FIRST), ("0002_more", SECOND)):
        (folder / f"{name}.py").write_text(HEAD + text)
    for place in (folder, folder.parent):
        (place / "__init__.py").write_text("")
    return tmp_path


def read(project: Path) -> Catalog:
    return load_catalog([str(project)], project).catalog


def test_migrations_make_what_django_makes_of_them(project: Path, server: Server) -> None:
    database = server.new_database()
    arguments = [str(server.host), database, str(project)]
    subprocess.run([sys.executable, "-W", "ignore", "-c", RUN, *arguments], check=True)
    catalog = read(project)
    with server.connect(database) as connection:
        for table in TABLES:
            relation = catalog.find(TableName(None, table))
            assert relation is not None, table
            columns = connection.execute(COLUMNS, [table]).fetchall()
            assert sorted((each.name, each.not_null) for each in relation.columns) == sorted(
                columns
            )
            indexes = connection.execute(INDEXES, [table]).fetchall()
            assert sorted(
                (list(each.columns), each.unique, each.predicate is not None, each.deferrable)
                for each in relation.indexes
            ) == sorted(indexes), table
            keys = connection.execute(KEYS, [table]).fetchall()
            assert sorted(
                (list(each.columns), each.referenced.name) for each in relation.foreign_keys
            ) == sorted(keys), table
    gone = [name for name in ("shop_shop", "things", "shop_gone") if _has(catalog, name)]
    assert gone == []


def _has(catalog: Catalog, name: str) -> bool:
    return catalog.find(TableName(None, name)) is not None


@pytest.mark.parametrize(
    "operation",
    [
        "shop.own.Operation('item', 'store')",
        "migrations.RunSQL(SQL)",
        "migrations.AddField('item', NAME, models.IntegerField())",
        "*more()",
    ],
)
def test_what_does_not_show_leaves_a_table_in_part_unknown(project: Path, operation: str) -> None:
    text = f"class Migration(migrations.Migration):\n    operations = [{operation}, ]\n"
    dependencies = "    dependencies = [('shop', '0002_more')]\n"
    (project / "shop" / "migrations" / "0003_own.py").write_text(HEAD + text + dependencies)
    assert not read(project).is_closed


def test_all_is_known_where_all_is_literal(project: Path) -> None:
    catalog = read(project)
    assert catalog.is_closed
    goods = catalog.find(TableName(None, "goods"))
    assert goods is not None
    assert goods.is_whole
    assert str(goods.origin) == "shop/migrations/0001_initial.py:21"
