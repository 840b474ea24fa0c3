"""What a server is asked of its relations, PostgreSQL 12 and later.

Every name is qualified, so that nothing that a user of the database has made is called.
"""

from __future__ import annotations

SEARCH_PATH = b"SELECT pg_catalog.current_schemas(false)::pg_catalog.text[]"
# From here on types and names in expressions are shown with their schemas.
QUALIFIED = b"SET LOCAL search_path = pg_catalog"

_OURS = r"""
n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
   AND n.nspname NOT LIKE 'pg\_temp\_%' AND n.nspname NOT LIKE 'pg\_toast\_temp\_%'
"""


def _names(relation: str, numbers: str) -> str:
    """The columns that numbers name, in their order; NULL for an expression."""
    return f"""
ARRAY(SELECT a.attname::pg_catalog.text
        FROM pg_catalog.unnest({numbers}) WITH ORDINALITY AS u (number, place)
             LEFT JOIN pg_catalog.pg_attribute AS a
                    ON a.attrelid = {relation} AND a.attnum = u.number AND u.number <> 0
       ORDER BY u.place)
"""


RELATIONS = f"""
SELECT c.oid::pg_catalog.int8, n.nspname::pg_catalog.text, c.relname::pg_catalog.text,
       c.relkind::pg_catalog.text, c.relispartition,
       CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid) END,
       (SELECT w.fdwname::pg_catalog.text
          FROM pg_catalog.pg_foreign_table AS f
               JOIN pg_catalog.pg_foreign_server AS s ON s.oid = f.ftserver
               JOIN pg_catalog.pg_foreign_data_wrapper AS w ON w.oid = s.srvfdw
         WHERE f.ftrelid = c.oid),
       ARRAY(SELECT i.inhparent::pg_catalog.int8 FROM pg_catalog.pg_inherits AS i
              WHERE i.inhrelid = c.oid ORDER BY i.inhseqno),
       {_names("p.partrelid", "p.partattrs::pg_catalog.int2[]")}
  FROM pg_catalog.pg_class AS c
       JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
       LEFT JOIN pg_catalog.pg_partitioned_table AS p ON p.partrelid = c.oid
 WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S') AND {_OURS}
 ORDER BY n.nspname, c.relname
"""

COLUMNS = f"""
SELECT c.oid::pg_catalog.int8, a.attname::pg_catalog.text,
       pg_catalog.format_type(a.atttypid, a.atttypmod),
       a.attnotnull, a.attgenerated <> '', a.attidentity <> ''
  FROM pg_catalog.pg_attribute AS a
       JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
       JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND {_OURS}
 ORDER BY c.oid, a.attnum
"""

TRIGGERS = f"""
SELECT t.tgrelid::pg_catalog.int8, t.tgname::pg_catalog.text, t.tgtype::pg_catalog.int4
  FROM pg_catalog.pg_trigger AS t
       JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
       JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE NOT t.tgisinternal AND {_OURS}
 ORDER BY t.tgrelid, t.tgname
"""


def indexes(version: int) -> str:
    """All indexes of tables."""
    distinct = "i.indnullsnotdistinct" if version >= 150000 else "false"
    return f"""
SELECT i.indrelid::pg_catalog.int8, x.relname::pg_catalog.text, m.amname::pg_catalog.text,
       {_names("i.indrelid", "i.indkey::pg_catalog.int2[]")},
       ARRAY(SELECT CASE WHEN u.number = 0
                         THEN pg_catalog.pg_get_indexdef(i.indexrelid, u.place::int, false) END
               FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[])
                    WITH ORDINALITY AS u (number, place)
              ORDER BY u.place),
       ARRAY(SELECT pg_catalog.unnest(i.indoption::pg_catalog.int2[])),
       pg_catalog.pg_get_expr(i.indpred, i.indrelid), i.indnkeyatts::pg_catalog.int4,
       i.indisunique, i.indisprimary, i.indisvalid, NOT i.indimmediate,
       EXISTS (SELECT FROM pg_catalog.pg_constraint AS k
                WHERE k.conindid = i.indexrelid AND k.conrelid = i.indrelid
                  AND k.contype IN ('p', 'u', 'x')),
       {distinct}
  FROM pg_catalog.pg_index AS i
       JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid
       JOIN pg_catalog.pg_am AS m ON m.oid = x.relam
       JOIN pg_catalog.pg_class AS c ON c.oid = i.indrelid
       JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE {_OURS}
 ORDER BY i.indrelid, x.relname
"""


def foreign_keys(version: int) -> str:
    """All foreign keys that are enforced, but for those that partitions pointed at add."""
    enforced = "k.conenforced" if version >= 180000 else "true"
    return f"""
SELECT k.conrelid::pg_catalog.int8, k.conname::pg_catalog.text,
       {_names("k.conrelid", "k.conkey")}, k.confrelid::pg_catalog.int8,
       {_names("k.confrelid", "k.confkey")}
  FROM pg_catalog.pg_constraint AS k
       JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
       JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE k.contype = 'f' AND {enforced} AND {_OURS}
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS above
                    WHERE above.oid = k.conparentid AND above.conrelid = k.conrelid)
 ORDER BY k.conrelid, k.conname
"""
