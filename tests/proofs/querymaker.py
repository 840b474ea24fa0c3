"""Locking queries made up at random over relations that all have the rows that join them.

Every relation, be it a table, view, WITH query or sub-SELECT, has the integer columns `id`
and `x` and, among others, the row (2, 2); every condition is true for it.  So a clause that
the server accepts really locks a row of every table that it reaches, unless the query is
marked as one that may stop before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from draws import Draws

TABLES = ("a", "b", "c", "d")
PARENTS = ("family", "parts")  # an inheritance tree's root, a partitioned table
STRENGTHS = ("UPDATE", "SHARE", "NO KEY UPDATE", "KEY SHARE")


class Ref(NamedTuple):
    """A name that columns are called by; `is_unique` if no other level uses it.

    `is_computed`: x comes from a sub-SELECT, which runs when x is first asked for.
    """

    name: str
    columns: tuple[str, ...] = ("id", "x")
    is_unique: bool = True
    is_row: bool = True
    is_computed: bool = False


class Relation(NamedTuple):
    """What FROM may name.  `is_lazy`: of several parts, the last of which may not be read.

    `is_computed`: see `Ref`.
    """

    name: str
    is_lazy: bool = False
    is_computed: bool = False


class Tree(NamedTuple):
    """A piece of FROM: its text, what it lets be named, and which columns need no qualifier."""

    sql: str
    refs: tuple[Ref, ...]
    plain: frozenset[str] = frozenset(("id", "x"))


@dataclass
class Made:
    """A query.  `stops_early`: what it reaches may be left unread.

    `is_vague`: without the tables' columns nobody could tell all that it refers to.
    `may_skip`: a column that a sub-SELECT computes stands in OR, CASE or COALESCE, which come
    to it only for some values.  `is_computed`: see `Ref`.
    """

    sql: str = ""
    stops_early: bool = False
    is_vague: bool = False
    is_lazy: bool = False
    read_only: bool = False
    may_skip: bool = False
    is_computed: bool = False


@dataclass
class Maker:
    """Makes queries by the choices that it draws, over tables and the given views."""

    draws: Draws
    views: Sequence[Relation] = ()
    budget: int = 9
    made: Made = field(default_factory=Made)
    _aliases: int = 0
    _ctes: list[Relation] = field(default_factory=list)
    _lazily: int = 0  # sub-links around that may stop at the first row
    _names_computed: bool = False  # whether a computed column has been named
    _is_computed: bool = False  # whether the last query's x is one

    def definition(self) -> Made:
        """The query of a view."""
        self.made.sql = self._query(2, ())
        self.made.is_computed = self._is_computed
        return self.made

    def statement(self) -> Made:
        """A whole statement."""
        draws = self.draws
        kinds = ["CURSOR", "READ ONLY", "WRAPPED", "WRITE", "MODIFYING"]
        kind = draws.one_of(["SELECT"] * 16 + kinds)
        match kind:
            case "WRITE":
                self.made.sql = self._write()
            case "MODIFYING":
                self.made.sql = self._modifying()
            case "WRAPPED":
                before, after = draws.one_of(_WRAPPED)
                self.made.sql = f"{before}{self._query(3, ())}{after}"
            case "CURSOR":
                options = draws.one_of(["", "NO SCROLL", "SCROLL", "INSENSITIVE"])
                hold = draws.one_of(["", "", " WITH HOLD"])
                sql = self._query(3, ())
                self.made.sql = f"DECLARE made {options} CURSOR{hold} FOR {sql}"
            case _:
                self.made.read_only = kind == "READ ONLY"
                self.made.sql = self._query(3, ())
        return self.made

    # --- writes -------------------------------------------------------------------

    def _write(self) -> str:
        """A write of a table that nothing else touches; RETURNING where a WITH query needs it."""
        draws = self.draws
        target = Ref("written")
        match draws.one_of(["UPDATE", "UPDATE FROM", "DELETE", "USING", "INSERT", "MERGE"]):
            case "UPDATE":
                column = draws.one_of(["x", "id"])
                where = self._where(2, (target,), ())
                sql = f"UPDATE written SET {column} = {column} + 10{where}"
            case "UPDATE FROM":
                source = self._subselect(2, ())
                sql = f"UPDATE written SET x = {source.refs[0].name}.id FROM {source.sql}"
                sql += f" WHERE written.id = {source.refs[0].name}.id"
            case "DELETE":
                sql = f"DELETE FROM written{self._where(2, (target,), ())}"
            case "USING":
                source = self._subselect(2, ())
                sql = f"DELETE FROM written USING {source.sql}"
                sql += f" WHERE written.id = {source.refs[0].name}.id"
            case "MERGE":
                source = self._subselect(2, ())
                name = source.refs[0].name
                once = f"(SELECT DISTINCT {name}.id FROM {source.sql})"  # no row is changed twice
                sql = f"MERGE INTO written USING {once} AS m ON written.id = m.id"
                sql += " WHEN MATCHED THEN UPDATE SET x = m.id"
            case _:
                sql = f"INSERT INTO sink {self._query(2, ())}"
        return sql

    def _modifying(self) -> str:
        write = self._write()
        table = "sink" if write.startswith("INSERT") else "written"
        name = self._alias()
        self._ctes.append(Relation(name))
        query = self._select(2, (), with_ctes=False)
        given = f"least({table}.id, 2) AS id, least({table}.x, 2) AS x"  # written or not
        return f"WITH {name} AS ({write} RETURNING {given}) {query}"

    # --- queries ------------------------------------------------------------------

    def _query(self, depth: int, outer: tuple[Ref, ...]) -> str:
        """A SELECT, set operation or VALUES with the columns id and x."""
        if depth > 0:
            match self.draws.one_of(["SELECT"] * 26 + ["UNION", "UNION", "VALUES", "TABLE"]):
                case "UNION":
                    return self._set_operation(depth - 1, outer)
                case "VALUES":
                    self._is_computed = False
                    inside = self._lock(()) if self.draws.chance(2) else ""
                    lock = self._lock(()) if self.draws.chance(10) else ""
                    return f"SELECT * FROM (VALUES (1, 1), (2, 2){inside}) AS v (id, x){lock}"
                case "TABLE":
                    self._is_computed = False
                    lock = self._lock(()) if self.draws.chance(60) else ""
                    return f"TABLE {self._free_table()}{lock}"
        return self._select(depth, outer)

    def _free_table(self) -> str:
        """A table that no WITH query hides."""
        name = self.draws.one_of(TABLES)
        return f"public.{name}" if any(cte.name == name for cte in self._ctes) else name

    def _set_operation(self, depth: int, outer: tuple[Ref, ...]) -> str:
        draws = self.draws
        operator = draws.one_of(["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "UNION ALL"])
        if operator == "UNION ALL":
            self.made.is_lazy = True
            if self._lazily:
                self.made.stops_early = True
        elif draws.chance(20):
            operator += " ALL" if operator != "UNION" else " DISTINCT"
        is_nested = depth > 0 and draws.chance(15)
        left = (
            self._set_operation(depth - 1, outer)
            if is_nested
            else self._select(depth, outer, bare=draws.chance(90))
        )
        is_computed = self._is_computed
        if operator.startswith("EXCEPT"):
            right = "VALUES (9, 9)"
        else:
            right = self._select(depth, outer, bare=draws.chance(90))
        self._is_computed |= is_computed
        tail = draws.one_of(["", "", "", " ORDER BY 1", " LIMIT 1000"])
        if draws.chance(8):
            tail += self._lock(())
        return f"{self._arm(left)} {operator} {self._arm(right)}{tail}"

    def _arm(self, sql: str) -> str:
        return f"({sql})"

    def _select(
        self,
        depth: int,
        outer: tuple[Ref, ...],
        bare: bool = False,
        with_ctes: bool = True,
        is_read: bool = True,
    ) -> str:
        """A SELECT with the columns id and x; a `bare` one has no locking clause of its own."""
        draws = self.draws
        known = len(self._ctes)
        ctes = self._with(depth - 1) if with_ctes and depth > 0 and draws.chance(15) else ""
        names: list[str] = []
        trees = [self._tree(depth - 1, outer, names, ())]
        while draws.chance(20) and self.budget > 0:
            left = tuple(ref for tree in trees for ref in tree.refs)
            trees.append(self._tree(depth - 1, outer, names, left))
        refs = tuple(ref for tree in trees for ref in tree.refs)
        around = tuple(ref for ref in outer if ref.name not in names)
        plain = trees[0].plain if len(trees) == 1 else frozenset[str]()
        condition = self._where(depth, refs, around, plain)
        shapes = ["distinct", "on", "group", "max", "window", "srf", "sets", "having"]
        shape = draws.one_of(["rows"] * 16 + shapes)
        self._names_computed = False
        one, two = self._column(refs, "id"), self._column(refs, "x")
        is_computed = self._names_computed
        head, tail, is_plain = "", "", False
        match shape:
            case "distinct":
                head = "DISTINCT "
            case "on":
                head = f"DISTINCT ON ({one}, {two}) "  # one of them alone might drop (2, 2)
            case "group":
                tail = f" GROUP BY {one}, {two}"
                tail += draws.one_of(["", " HAVING count(*) > 0"])
            case "max":
                one, two = f"max({one})", f"max({two})"
            case "window":
                if draws.chance(30):
                    two, tail = f"max({two}) OVER w", f" WINDOW w AS (PARTITION BY {one})"
                else:
                    two = f"max({two}) OVER (PARTITION BY {one})"
            case "sets":
                sets = draws.one_of(["GROUPING SETS (({}, {}), ())", "ROLLUP ({}, {})"])
                tail = f" GROUP BY {sets.format(one, two)}"
            case "having":
                tail = f" GROUP BY {one}, {two}"
                if depth > 0 and self.budget > 0:
                    tail += f" HAVING max({two}) <= {self._scalar(depth - 1, around)}"
            case "srf":
                two = "generate_series(1, 2)"
            case _:
                is_plain = True
                one = draws.one_of([one] * 6 + [f"coalesce({one}, 2)", f"{one} + 0"])
                if is_read and depth > 0 and self.budget > 0 and draws.chance(10):
                    two = self._scalar(depth - 1, (*refs, *around))
                    is_computed = True
        if draws.chance(15):
            keys = ["1", "1 DESC"] if shape == "on" else ["1", "2, 1", "1 DESC"]
            tail += f" ORDER BY {draws.one_of(keys)}"
        limit = draws.one_of([""] * 24 + _LIMITS)
        if draws.chance(3) and not limit and "ORDER BY" in tail and shape == "rows":
            limit = " FETCH FIRST 1000 ROWS WITH TIES"
        if limit == " LIMIT 0":
            self.made.stops_early = True
        locks = ""
        if not bare:
            percent = 60 if is_plain else 12
            while draws.chance(percent):
                locks += self._lock(names)
                percent = 15
        source = ", ".join(tree.sql for tree in trees)
        del self._ctes[known:]
        self._is_computed = is_computed
        tail += f"{locks}{limit}" if locks and draws.chance(10) else f"{limit}{locks}"
        return f"{ctes}SELECT {head}{one} AS id, {two} AS x FROM {source}{condition}{tail}"

    def _with(self, depth: int) -> str:
        """WITH and its queries; they are known until the level around is done."""
        draws = self.draws
        parts: list[str] = []
        is_recursive = draws.chance(15)
        for _ in range(1 + draws.below(2)):
            hides_table = draws.chance(15) and not is_recursive
            name = draws.one_of(TABLES) if hides_table else self._alias()
            if any(part.startswith(f"{name} ") for part in parts):
                name = self._alias()
            before = self.made.is_lazy
            self.made.is_lazy = False
            lazily, self._lazily = self._lazily, 0
            if is_recursive and not parts:
                name = self._alias()
                body = self._recursive(name, depth)
            else:
                body = self._query(depth, ())
            relation = Relation(name, self.made.is_lazy)
            self.made.is_lazy = before
            self._lazily = lazily
            self._ctes.append(relation)
            how = draws.one_of(["", "", "MATERIALIZED ", "NOT MATERIALIZED "])
            parts.append(f"{name} AS {how}({body})")
        return f"WITH {'RECURSIVE ' if is_recursive else ''}{', '.join(parts)} "

    def _recursive(self, name: str, depth: int) -> str:
        draws = self.draws
        start = self._select(depth, (), bare=True, with_ctes=False)
        self.made.is_lazy = True
        operator = draws.one_of(["UNION", "UNION ALL"])
        lock = self._lock(()) if draws.chance(15) else ""
        namesake = f"SELECT {name}.id, {name}.x FROM a AS {name}{self._lock((name,))}"
        if draws.chance(15):
            return namesake
        if draws.chance(15):
            start = f"SELECT * FROM ({namesake}) AS s"
        again = f"SELECT {name}.id, {name}.x FROM {name} WHERE {name}.id < 0"
        if draws.chance(15):
            again = f"SELECT s.* FROM ({namesake}) AS s"
            again += draws.one_of(
                ["", f", {name}", f" WHERE s.id IN (SELECT id FROM ({namesake}) AS s)"]
            )
        if draws.chance(20):
            again = f"({again}{self._lock((name,))})"
        return f"({start}) {operator} {again}{lock}"

    # --- FROM ---------------------------------------------------------------------

    def _tree(
        self, depth: int, outer: tuple[Ref, ...], names: list[str], left: tuple[Ref, ...]
    ) -> Tree:
        """An item or a join; `left` are the names before it, for LATERAL."""
        draws = self.draws
        tree = self._item(depth, outer, names, left)
        while draws.chance(45) and self.budget > 0:
            tree = self._join(tree, depth, outer, names, left)
            if draws.chance(6):
                name = self._alias() if draws.chance(80) else draws.one_of(TABLES)
                if name not in names or len(tree.refs) == 0:
                    names.append(name)
                    columns = tuple(sorted(tree.plain))
                    if columns:
                        computed = any(ref.is_computed for ref in tree.refs)
                        ref = Ref(name, columns, name not in TABLES, False, computed)
                        tree = Tree(f"({tree.sql}) AS {name}", (ref,), tree.plain)
        return tree

    def _join(
        self,
        one: Tree,
        depth: int,
        outer: tuple[Ref, ...],
        names: list[str],
        left: tuple[Ref, ...],
    ) -> Tree:
        draws = self.draws
        kind = draws.one_of(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"])
        may_be_lateral = kind in ("JOIN", "LEFT JOIN", "CROSS JOIN")
        seen = (*left, *one.refs) if may_be_lateral else None
        if draws.chance(15):
            other = self._join(
                self._item(depth, outer, names, seen), depth, outer, names, seen or ()
            )
            other = other._replace(sql=f"({other.sql})")
        else:
            other = self._item(depth, outer, names, seen)
        refs = (*one.refs, *other.refs)
        both = one.plain & other.plain
        if kind == "CROSS JOIN":
            return Tree(f"{one.sql} CROSS JOIN {other.sql}", refs, frozenset())
        match draws.one_of(["ON"] * 6 + ["USING", "USING x", "NATURAL"]):
            case "USING" if "id" in both:
                alias = ""
                if draws.chance(10):
                    name = self._alias()
                    names.append(name)
                    alias = f" AS {name}"
                    refs = (*refs, Ref(name, ("id",), True, False))
                sql = f"{one.sql} {kind} {other.sql} USING (id){alias}"
                return Tree(sql, refs, frozenset(("id",)))
            case "USING x" if both == {"id", "x"}:
                return Tree(f"{one.sql} {kind} {other.sql} USING (id, x)", refs, both)
            case "NATURAL" if both == one.plain == other.plain == {"id", "x"}:
                self.made.is_vague = True
                return Tree(f"{one.sql} NATURAL {kind} {other.sql}", refs, both)
        condition = f"{self._column(one.refs)} = {self._column(other.refs)}"
        if draws.chance(30):
            condition += f" AND {self._condition(depth, refs, (), True)}"
        elif draws.chance(4) and kind != "FULL JOIN":
            condition = draws.one_of(["true", "false", "NULL"])
            self.made.stops_early |= condition != "true"
        if kind != "JOIN" and " FOR " in condition:  # a join that gives nothing is removed
            self.made.stops_early = True
        return Tree(f"{one.sql} {kind} {other.sql} ON {condition}", refs, frozenset())

    def _item(
        self,
        depth: int,
        outer: tuple[Ref, ...],
        names: list[str],
        left: tuple[Ref, ...] | None,
    ) -> Tree:
        """A table, sub-SELECT, view, WITH query, function or VALUES list; (2, 2) is in each."""
        draws = self.draws
        self.budget -= 1
        kinds = ["table"] * 8 + ["view"] * 3 + ["cte"] * 3 + ["parent", "function", "values"]
        if depth > 0 and self.budget > 0:
            kinds += ["sub-SELECT"] * 6 + ["lateral"] * 2
        kind = draws.one_of(kinds)
        if kind == "sub-SELECT":
            tree = self._subselect(depth, tuple(ref for ref in outer if ref.is_unique), names)
        elif kind == "lateral" and left is not None:
            seen = tuple(ref for ref in (*left, *outer) if ref.is_unique)
            tree = self._subselect(depth, seen, names, "LATERAL ")
        elif kind == "function":
            seen = tuple(ref for ref in left or () if ref.is_unique)
            function = draws.one_of(_FUNCTIONS).format(one=self._column(seen))
            columns = " (id, x)" if "COLUMNS" not in function else ""
            tree = self._named(function, names, columns)
        elif kind == "values":
            tree = self._named("(VALUES (1, 1), (2, 2))", names, " (id, x)")
        elif kind == "view" and self.views:
            tree = self._relation(draws.one_of(self.views), names)
        elif kind == "cte" and self._ctes:
            tree = self._relation(draws.one_of(self._ctes), names)
        elif kind == "parent":
            tree = self._relation(Relation(draws.one_of(PARENTS)), names)
        else:
            tree = self._relation(Relation(draws.one_of(TABLES)), names)
        return tree

    def _relation(self, relation: Relation, names: list[str]) -> Tree:
        draws = self.draws
        if relation.is_lazy:
            self.made.is_lazy = True
            if self._lazily:
                self.made.stops_early = True
        name = relation.name
        is_table = name in TABLES and all(cte.name != name for cte in self._ctes)
        if is_table and draws.chance(6):
            return self._named(f"{name} TABLESAMPLE bernoulli (100)", names, alias_first=name)
        if name == "family" and draws.chance(30):
            return self._named(f"ONLY {name}", names)
        if is_table and draws.chance(6):
            return self._named(f"public.{name}", names)
        if name not in names and draws.chance(60):
            names.append(name)
            ref = Ref(name, is_unique=False, is_computed=relation.is_computed)
            return Tree(name, (ref,))
        tree = self._named(name, names)
        ref = tree.refs[0]._replace(is_computed=relation.is_computed)
        return tree._replace(refs=(ref,))

    def _named(
        self, sql: str, names: list[str], columns: str = "", alias_first: str | None = None
    ) -> Tree:
        alias = self._alias()
        names.append(alias)
        if alias_first is not None:
            sql = sql.replace(alias_first, f"{alias_first} AS {alias}", 1)
            return Tree(sql, (Ref(alias),))
        is_row = not any(word in sql for word in ("generate_series", "unnest"))
        return Tree(f"{sql} AS {alias}{columns}", (Ref(alias, is_row=is_row),))

    def _subselect(
        self,
        depth: int,
        seen: tuple[Ref, ...],
        names: list[str] | None = None,
        lateral: str = "",
    ) -> Tree:
        sql = self._query(depth, seen)
        is_computed = self._is_computed
        alias = self._alias()
        if names is not None:
            names.append(alias)
        columns = " (id, x)" if self.draws.chance(10) else ""
        ref = Ref(alias, is_computed=is_computed)
        return Tree(f"{lateral}({sql}) AS {alias}{columns}", (ref,))

    def _alias(self) -> str:
        self._aliases += 1
        return f'"T {self._aliases}"' if self.draws.chance(3) else f"t{self._aliases}"

    # --- expressions --------------------------------------------------------------

    def _column(self, refs: Sequence[Ref], wanted: str | None = None) -> str:
        if not refs:
            return "2"
        ref = self.draws.one_of(refs)
        column = wanted if wanted in ref.columns else self.draws.one_of(ref.columns)
        self._names_computed |= ref.is_computed and column == "x"
        return f"{ref.name}.{column}"

    def _where(
        self,
        depth: int,
        refs: tuple[Ref, ...],
        around: tuple[Ref, ...],
        plain: frozenset[str] = frozenset(),
    ) -> str:
        draws = self.draws
        conditions: list[str] = []
        while draws.chance(35):
            if plain and draws.chance(8):
                self.made.is_vague = True
                conditions.append(f"{draws.one_of(sorted(plain))} > 0")
            else:
                conditions.append(self._condition(depth, refs, around, True))
        if draws.chance(1):
            conditions = ["false"]
            self.made.stops_early = True
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def _condition(
        self, depth: int, refs: tuple[Ref, ...], around: tuple[Ref, ...], value: bool
    ) -> str:
        """A condition that is true, or false, for rows of twos."""
        draws = self.draws
        kind = draws.one_of(["test"] * 8 + ["AND", "OR", "NOT"] + ["sub-link"] * 5)
        if kind == "sub-link" and value and depth > 0 and self.budget > 0:
            return self._sub_link(depth - 1, (*refs, *around))
        if depth > 0:
            if kind in ("AND", "OR"):
                self._names_computed = False
                one = self._condition(0, refs, around, value)
                two = self._condition(0, refs, around, value)
                self.made.may_skip |= kind == "OR" and self._names_computed
                return f"({one} {kind} {two})"
            if kind == "NOT":
                return f"NOT ({self._condition(0, refs, around, not value)})"
        seen = (*refs, *around) if draws.chance(20) else refs
        return self._test(seen, value)

    def _test(self, refs: tuple[Ref, ...], value: bool) -> str:
        draws = self.draws
        one, two = self._column(refs), self._column(refs)
        is_computed = any(ref.is_computed and f"{ref.name}.x" in (one, two) for ref in refs)
        if not value:
            test = draws.one_of(_FALSE)
            self.made.may_skip |= is_computed and "{two}" in test  # the first column may tell
            return test.format(one=one, two=two)
        if refs and draws.chance(8):
            ref = draws.one_of(refs)
            if ref.is_row:
                return draws.one_of([f"{ref.name} IS NOT NULL", f"{ref.name}.* IS NOT NULL"])
        test = draws.one_of(_TRUE)
        may_skip = "{two}" in test and any(word in test for word in ("coalesce", "CASE", " OR "))
        self.made.may_skip |= is_computed and may_skip
        return test.format(one=one, two=two)

    def _sub_link(self, depth: int, seen: tuple[Ref, ...]) -> str:
        column = self._column(seen)
        kind = self.draws.one_of(["IN", "= ANY", "EXISTS", "ARRAY", "scalar", "row", "ALL", "NONE"])
        if kind == "scalar":
            return f"{column} <= {self._scalar(depth, seen)}"
        if kind == "ALL":
            test = self.draws.one_of(["NOT IN", "<> ALL", "> ALL"])
            return f"{column} {test} ({self._single(depth, seen, 'coalesce({}, 1) - 10')})"
        if kind == "NONE":
            self.made.stops_early = True
            return f"NOT EXISTS ({self._single(depth, seen, never='false')})"
        if kind != "ARRAY":
            self._lazily += 1
        if kind in ("EXISTS", "row"):
            sql = self._select(depth, seen, is_read=kind == "row")
        else:
            sql = self._single(depth, seen)
        if kind != "ARRAY":
            self._lazily -= 1
        match kind:
            case "EXISTS":
                return f"EXISTS ({sql})"
            case "ARRAY":
                return f"{column} = ANY (ARRAY({sql}))"
            case "row":
                return f"({column}, {self._column(seen)}) IN ({sql})"
        return f"{column} {kind} ({sql})"

    def _single(self, depth: int, seen: tuple[Ref, ...], given: str = "{}", never: str = "") -> str:
        """A SELECT of what is `given` of one column, under a condition that is `never` true."""
        sub = self._subselect(depth, seen) if self.draws.chance(20) else None
        if sub is None:
            name = self.draws.one_of(TABLES)
            self.budget -= 1
            ref = Ref(self._alias())
            around = (*seen,)
            condition = self._where(depth, (ref,), around)
            if never:
                condition = f" WHERE {ref.name}.id < 0"
            lock = self._lock((ref.name,)) if self.draws.chance(60) else ""
            value = given.format(f"{ref.name}.id")
            return f"SELECT {value} FROM {name} AS {ref.name}{condition}{lock}"
        name = sub.refs[0].name
        never = f" WHERE {name}.id < 0" if never else ""
        lock = self._lock((name,)) if self.draws.chance(40) else ""
        return f"SELECT {given.format(f'{name}.id')} FROM {sub.sql}{never}{lock}"

    def _scalar(self, depth: int, seen: tuple[Ref, ...]) -> str:
        return f"(SELECT max(m.id) FROM ({self._single(depth, seen)}) AS m)"

    # --- locking clauses ----------------------------------------------------------

    def _lock(self, names: Sequence[str]) -> str:
        draws = self.draws
        strength = draws.one_of(STRENGTHS)
        policy = draws.one_of([""] * 6 + [" SKIP LOCKED", " NOWAIT"])
        of = ""
        if names and draws.chance(40):
            chosen = [draws.one_of(list(names))]
            while draws.chance(25):
                chosen.append(draws.one_of(list(names)))
            if draws.chance(6):
                chosen.append(draws.one_of(["a", "b", "nosuch", "public.a", '"A"', "t1"]))
            of = f" OF {', '.join(chosen)}"
        return f" FOR {strength}{of}{policy}"


_WRAPPED = (
    ("CREATE TEMP TABLE made AS ", ""),
    ("CREATE MATERIALIZED VIEW made AS ", ""),
    ("EXPLAIN (ANALYZE) ", ""),
    ("COPY (", ") TO '/dev/null'"),
)

_LIMITS = [
    " LIMIT 1000",
    " LIMIT 1000",
    " OFFSET 0",
    " OFFSET 0",
    " LIMIT ALL",
    " LIMIT ALL",
    " LIMIT NULL",
    " LIMIT 1000 OFFSET 0 ROWS",
    " FETCH FIRST 1000 ROWS ONLY",
    " LIMIT (SELECT 1000)",
    " LIMIT 0",
]

_FUNCTIONS = (
    "generate_series(1, 2) WITH ORDINALITY",
    "generate_series(1, {one}) WITH ORDINALITY",
    "ROWS FROM (generate_series(1, 2), generate_series(1, 2))",
    "unnest(ARRAY[1, {one}], ARRAY[1, 2])",
    "json_table('[1, 2]', '$[*]' COLUMNS (id int PATH '$', x int PATH '$'))",
)

_TRUE = (
    # strict
    "{one} > 0",
    "{one} IS NOT NULL",
    "{one} = 2",
    "{one} <> 9",
    "{one} + {two} > 0",
    "{one} IN (1, 2)",
    "{one} NOT IN (8, 9)",
    "{one} BETWEEN 0 AND {two} + 9",
    "{one} NOT BETWEEN 8 AND 9",
    "{one} = ANY ('{{1, 2}}')",
    "{one} <> ALL (ARRAY[8, 9])",
    "({one}, {two}) = ({one}, {two})",
    "({one} > 0) IS TRUE",
    "({one} < 0) IS FALSE",
    "({one} > 0) IS NOT UNKNOWN",
    "({one} > 0) = true",
    "abs({one}) > 0",
    "{one}::text <> ''",
    # not strict
    "coalesce({one}, 1) > 0",
    "coalesce({one}, {two}) > 0",
    "{one} IS DISTINCT FROM 9",
    "({one} > 0) IS NOT FALSE",
    "CASE WHEN {one} > 0 THEN true ELSE {two} IS NULL END",
    "({one} IS NULL OR {two} > 0)",
    "greatest({one}, 1) > 0",
    "num_nulls({one}) >= 0",
    "nullif({one}, 9) IS NOT NULL",
    "({one}, {two}) > (0, 0)",
    "({one}, {two}) <> (9, 9)",
    # constant
    "true",
    "1 = 1",
)

_FALSE = (
    "{one} < 0",
    "{one} IS NULL",
    "{one} = 9",
    "{one} IN (8, 9)",
    "{one} NOT IN (1, 2)",
    "{one} NOT BETWEEN 0 AND 9",
    "({one} > 0) IS FALSE",
    "({one} < 0) IS NOT FALSE",
    "({one} > 0) IS NULL",
    "({one} > 0) = false",
    "({one}, {two}) = (8, 9)",
    "{one} > ALL (ARRAY[8, 9])",
    "coalesce({one}, 9) = 9",
    "{one} IS NOT DISTINCT FROM 9",
    "false",
)
