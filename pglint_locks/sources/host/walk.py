"""A walk over a host file's tree: its functions, what they set, and where texts stand.

Nothing here recurses: code may be nested as deep as it likes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pglint_locks.sources.bodies.flow import Arm, ArmKind, Leave
from pglint_locks.sources.host.appends import Append, append_at, built, is_written
from pglint_locks.sources.host.calls import Call, bare, call_at
from pglint_locks.sources.host.language import Does, Language
from pglint_locks.sources.host.prose import is_for_people
from pglint_locks.sources.host.scopes import Scope, Setting, Use
from pglint_locks.sources.host.targets import mentions, sign_of, targets
from pglint_locks.sources.host.texts import Texts
from pglint_locks.sources.host.tree import Node
from pglint_locks.text import Span

_MAX_ARMS = 50
_COMMITS = frozenset({"commit", "rollback", "committransaction", "rollbacktransaction"})
_TRANSACTION = re.compile(r"\b(?:\w*transaction\w*|atomic|begin|\w*_?tx)\s*\(", re.IGNORECASE)
# A block over one of these commits at its end, or lets go of the connection.
_COMPARES = ("in", "not in", "==", "!=", "===", "!==")
_BLOCK = re.compile(
    rf"{_TRANSACTION.pattern}|\b\w*(?:connect|connection|session|sessionmaker|acquire)\s*\("
    r"|\bwith\s+[\w.]*conn\w*\s*:?\s*\Z",
    re.IGNORECASE,
)
_MESSAGES = re.compile(
    r"(?i:\$?(?:\w+_)?log\w*|debug|info|warn|warning|trace|error|errorf|fatal\w*|print\w*|puts|echo|panic|"
    r"describe|it|test|context|raise|assert\w*|expect|fail|skip|critical|exception|eprintln|"
    r"is_?equal\w*|equals\??|contains?|includes?\??|index_?of|starts_?with\??|ends_?with\??|has_?(?:suffix|prefix)|match(?:es)?\??|"
    r"println|write_?line|to(?:have|be|equal|match|strict|contain)\w*)!?|\w*(?:Error|Exception)"
)

Task = Callable[[], "Iterator[Task]"]

# Blocks that run each for itself: tests, tasks, and what answers a request.
_APART = frozenset(
    """it specify scenario example test context describe subtest should task namespace get post put
    patch delete in""".split()
)
# What stands between the name of a specification and its block: `"the queue" should "lock" in {…}`.
_SPECIFIES = frozenset("in - >> ! should must can when ignore".split())
_COLLECTION = re.compile(r"^(?:list|tuple|set|dictionary|array|object|hash|pair)|composite|_array")
_NO_COLLECTION = re.compile(r"argument|block|statement|call|invocation|declarat")


def _is_element(node: Node) -> bool:
    """Whether a text is an element of a list or a table: they are not run one after the other."""
    for outer in node.above():
        if _NO_COLLECTION.search(outer.kind):
            return False
        if _COLLECTION.search(outer.kind):
            return True
    return False


def _is_specification(node: Node) -> bool:
    """Whether an operator of Scala gives a test its block."""
    if node.kind != "infix_expression" or len(node.children) != 3:
        return False
    return node.children[1].text in _SPECIFIES and node.children[2].text.endswith("}")


class Walk:
    """What one walk finds: `scopes` (the file's first) and `uses`, in the order of the text.

    `spoken` are the ranges of texts that are for people.
    """

    def __init__(self, text: str, language: Language, root: Node) -> None:
        self._text = text
        self._language = language
        self._constructs = 0
        self._constructs_of: dict[int, int] = {}
        self._silent: set[int] = set()
        self._closures: set[Arm] = set()
        self._texts = Texts(text, language, root)
        self.scopes = [Scope(root)]
        self.uses: list[Use] = []
        self.spoken: list[Span] = []
        home = self.scopes[0]
        self._front: list[Task] = [partial(self._visit, root, home, home.arm)]
        while self._front:
            task = self._front.pop()
            self._front += reversed(list(task()))

    # --- one node -----------------------------------------------------------------------

    def _visit(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        language, kind = self._language, node.kind
        if "comment" in kind:
            return
        if is_for_people(node):
            self.spoken.append(node.span)
            return
        if kind in language.functions or kind in language.classes:
            yield from self._enter(node, scope, arm)
        elif kind in language.branches:
            yield from self._branch(node, scope, arm)
        elif kind in language.loops:
            yield from self._loop(node, scope, arm)
        elif kind in language.tries:
            yield from self._try(node, scope, arm)
        elif kind in language.cases:
            yield from self._case(node, scope, arm)
        elif kind in language.leaves:
            yield from self._children(node, scope, arm)
            yield partial(self._leave, arm, node.span.end)
        elif (sign := sign_of(node, language)) is not None and targets(
            self._text, language, node.children[:sign]
        ):
            yield from self._assign(node, sign, scope, arm)
        else:
            yield from self._expression(node, scope, arm)

    def _children(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        for child in node.children:
            if child.named:
                yield partial(self._visit, child, scope, arm)

    def _expression(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        language = self._language
        if node.has_token(*_COMPARES):
            self._silence(node.operands)
        call = call_at(self._text, node, language)
        if call is not None:
            if _MESSAGES.fullmatch(call.name) and not is_written(call, language):
                self._silence(call.arguments)
            append = append_at(node, call, language)
            if append is not None:
                self._append(node, append, scope, arm)
        is_apart = (call is not None and call.name in _APART) or _is_specification(node)
        if is_apart:
            arm.commits.append(node.span.start)
        if node in self._texts:
            if id(bare(node)) not in self._silent and not self._is_docstring(node):
                self._use(bare(node), scope, arm)
            yield from self._nested(node, scope, arm)
        else:
            yield from self._children(node, scope, arm)
        if is_apart:
            yield partial(self._commit, arm, node.span.end)
        if call is not None and call.name.lower() in _COMMITS and not self._is_deferred(node):
            yield partial(self._commit, arm, node.span.end)
        if node.kind in language.scoped and _BLOCK.search(self._head(node)):
            yield partial(self._commit, arm, node.span.end)
        if call is not None and self._takes_function(call) and _TRANSACTION.search(call.name + "("):
            yield partial(self._commit, arm, node.span.end)

    def _silence(self, nodes: Iterable[Node]) -> None:
        """Texts that are for people, or that another text is compared with, are not run."""
        for each in nodes:
            self._silent.add(id(bare(each)))
            if bare(each) in self._texts:
                self.spoken.append(each.span)

    def _nested(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        """Functions inside of a text expression, and calls that are no part of its text."""
        calls = self._language.calls
        front = [node]
        while front:
            inner = front.pop()
            call = call_at(self._text, inner, self._language)
            if call is not None and calls.get(call.name) is Does.BUILD:
                self._silent.update(map(id, built(inner)))
            runs = call is not None and not call.is_tag and call.name not in calls
            if inner.kind in self._language.functions or (runs and inner not in self._texts):
                yield partial(self._visit, inner, scope, arm)
            else:
                front += reversed(inner.children)

    def _use(
        self, node: Node, scope: Scope, arm: Arm, sets: tuple[Scope, str] | None = None
    ) -> None:
        self.uses.append(Use(node, scope, arm, node.span.start, sets))
        if sets is None and _is_element(node):
            arm.commits.append(node.span.end)

    def _is_docstring(self, node: Node) -> bool:
        if not self._language.docstrings or node.kind not in self._language.strings:
            return False
        if node.parent is None or node.parent.kind != "expression_statement":
            return False
        self.spoken.append(node.span)
        return True

    def _is_deferred(self, node: Node) -> bool:
        above = [each.kind for each, _ in zip(node.above(), range(4), strict=False)]
        return not self._language.deferred.isdisjoint(above)

    def _head(self, node: Node) -> str:
        bodies = [child for child in node.children if child.kind in self._language.bodies]
        end = bodies[0].span.start if bodies else node.span.end
        return self._text[node.span.start : min(end, node.span.start + 300)]

    def _takes_function(self, call: Call) -> bool:
        return any(bare(each).kind in self._language.functions for each in call.arguments)

    def _commit(self, arm: Arm, order: int) -> Iterator[Task]:
        arm.commits.append(order)
        return iter(())

    def _leave(self, arm: Arm, order: int) -> Iterator[Task]:
        if arm.leave is None:
            closure = next((each for each in arm.path() if each in self._closures), None)
            arm.leave = Leave(order, closure)
        return iter(())

    # --- functions and classes ----------------------------------------------------------

    def _enter(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        name = self._name_of(node)
        if name is None:
            inner = self._arm(ArmKind.BLOCK, arm)
            if inner is not arm:
                self._closures.add(inner)
            # When it is called, and whether in the same transaction, does not show.
            arm.commits.append(node.span.start)
            yield from self._children(node, scope, inner)
            yield partial(self._commit, arm, node.span.end)
            return
        made = Scope(node, name, scope, is_class=node.kind in self._language.classes)
        self.scopes.append(made)
        for child in node.children:
            if "parameter" in child.kind:
                for each in child.below():
                    if each.kind in self._language.names:
                        text = self._text[each.span.start : each.span.end]
                        made.variables.set(text.lstrip("$"), each.span.start, made.arm, None)
        yield from self._children(node, made, made.arm)

    def _name_of(self, node: Node) -> str | None:
        """A function's or class's name; of one that is assigned, the variable's."""
        named = None
        if node.kind not in self._language.anonymous:
            named = self._language.named(node)
        elif node.parent is not None:
            outer = node.parent
            if outer.kind == "expression_list" and outer.parent is not None:
                outer = outer.parent
            sign = sign_of(outer, self._language)
            is_value = sign is not None and bare(outer.children[sign + 1]) is node
            if is_value or (outer.kind == "pair" and outer.operands[-1] is node):
                named = outer.operands[0]
        if named is None:
            return None
        text = self._text[named.span.start : named.span.end]
        prefix = self._language.prefix(node, self._text)
        last = text.rpartition(".")[2] if node.kind in self._language.functions else text
        return prefix + last.strip("\"'")

    # --- control flow -------------------------------------------------------------------

    def _construct(self) -> int:
        self._constructs += 1
        return self._constructs

    def _arm(self, kind: ArmKind, outer: Arm, construct: int | None = None) -> Arm:
        """A new arm; where too many are nested, what is deeper inside counts as straight on."""
        if len(outer.path()) >= _MAX_ARMS:
            return outer
        return Arm(kind, outer, self._construct() if construct is None else construct)

    def _parts(self, node: Node) -> tuple[list[Node], list[Node]]:
        """The head of a compound statement, and the bodies in it."""
        operands = node.operands
        first = next(
            (i for i, each in enumerate(operands) if each.kind in self._language.bodies), 1
        )
        return operands[:first], operands[first:]

    def _branch(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        head, bodies = self._parts(node)
        for each in head:
            yield partial(self._visit, each, scope, arm)
        construct, arms = self._construct(), []
        for body in bodies:
            arms.append(self._arm(ArmKind.CHOICE, arm, construct))
            yield partial(self._visit, body, scope, arms[-1])
        if (len(arms) > 1 and node.has_token("else")) or self._has_else(bodies):
            yield partial(self._leave_all, arm, arms)

    def _has_else(self, bodies: list[Node]) -> bool:
        return bool(bodies) and "else" in bodies[-1].kind

    def _leave_all(self, outer: Arm, arms: list[Arm]) -> Iterator[Task]:
        """Where all arms leave, what is around them is left too."""
        leaves = [arm.leave for arm in arms if arm.leave is not None]
        if len(leaves) == len(arms) and outer.leave is None:
            last = max(leaves, key=lambda leave: leave.order)
            if all(leave.target is last.target for leave in leaves):
                outer.leave = last
        return iter(())

    def _loop(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        head, bodies = self._parts(node)
        if len(head) > 1 and node.has_token("in", "of"):
            for each in head[0].below():
                if each.kind in self._language.names:
                    name = self._text[each.span.start : each.span.end]
                    scope.variables.set(name, each.span.start, arm, None)
        for each in head:
            yield partial(self._visit, each, scope, arm)
        inner = self._arm(ArmKind.MAYBE_LOOP, arm)
        for body in bodies:
            yield partial(self._visit, body, scope, inner)

    def _try(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        construct = self._construct()
        tried = self._arm(ArmKind.BLOCK, arm, construct)
        for child in node.operands:
            where = arm
            if child.kind in self._language.handlers:
                where = self._arm(ArmKind.HANDLER, arm, construct)
            elif child.kind in self._language.bodies:
                where = tried
            yield partial(self._visit, child, scope, where)

    def _case(self, node: Node, scope: Scope, arm: Arm) -> Iterator[Task]:
        construct = self._constructs_of.setdefault(id(node.parent), self._construct())
        yield from self._children(node, scope, self._arm(ArmKind.CHOICE, arm, construct))

    # --- assignments --------------------------------------------------------------------

    def _assign(self, node: Node, sign: int, scope: Scope, arm: Arm) -> Iterator[Task]:
        left = [child for child in node.children[:sign] if child.named]
        right = [child for child in node.children[sign + 1 :] if child.named]
        adds = node.children[sign].kind not in ("=", ":=")
        names = targets(self._text, self._language, left)
        value = bare(right[0]) if right else node
        home = scope
        if len(names) == 1 and names[0][1]:
            home = scope.of_class
        adds_list = adds and len(names) == 1 and value.kind in self._language.lists
        for name, _ in names:
            if adds_list:
                where = home.arm if home is not scope else arm
                for index, each in enumerate(value.operands):
                    element = Setting(bare(each), adds=True, element=True)
                    home.variables.set(name, node.span.start + index, where, element)
            elif len(names) == 1 and value.kind not in self._language.functions:
                where = home.arm if home is not scope else arm
                whole = not adds and self._goes_on(value, name)
                setting = Setting(value, adds or whole, whole=whole)
                home.variables.set(name, node.span.start, where, setting)
            else:
                home.variables.set(name, node.span.start, arm, None)
        if len(names) == 1 and value in self._texts:
            self._use(value, scope, arm, (home, names[0][0]))
            yield from self._nested(value, scope, arm)
            return
        if len(names) == 1 and value.kind in self._language.lists:
            for each in value.operands:
                if each in self._texts:
                    self._silent.add(id(each))
                    self._use(each, scope, arm, (home, names[0][0]))
        for each in right:
            yield partial(self._visit, each, scope, arm)

    def _goes_on(self, value: Node, name: str) -> bool:
        """Whether a name is set to a text that it was itself a part of."""
        return value in self._texts and mentions(self._text, self._language, value, name)

    def _append(self, node: Node, append: Append, scope: Scope, arm: Arm) -> None:
        """`builder.append("…")` as a statement of its own: the name is set anew."""
        if id(node) in self._silent:
            return
        self._silent.update(map(id, append.chain))
        for index, setting in enumerate(append.settings):
            scope.variables.set(append.name, node.span.start + index, arm, setting)
        for each in append.given:
            self._silent.add(id(bare(each)))
            if bare(each) in self._texts:
                self._use(bare(each), scope, arm, (scope, append.name))
