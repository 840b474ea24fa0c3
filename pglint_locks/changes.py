"""Which lines git has as changed: since a revision, or by what is staged.

git is asked once for the files, and once more for each changed file that somebody asks for.
Names go to it and come from it as bytes that end with NUL, never by way of a shell.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from pglint_locks.errors import UsageError
from pglint_locks.paths import shown
from pglint_locks.text import Span

_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames")
_WHOLE = frozenset("AU")  # added, and unmerged
# To ask writes nothing, and a name means itself whatever signs are in it.
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1"}


class _Changed(NamedTuple):
    """A changed file: what happened to it, and its name before."""

    status: str
    former: bytes


class _WorkTree(NamedTuple):
    """A work tree: its root, what it is compared with, and what is tracked and changed in it.

    Names are relative to the root.
    """

    root: str
    against: tuple[str, ...]
    tracked: frozenset[bytes]
    changed: dict[bytes, _Changed]


class Changes:
    """The lines that changed since where the history of `since` was left, or are staged.

    `option` begins messages: the option that asked for it.  Without `since` it is what the
    index has and the last commit has not.
    """

    def __init__(self, option: str, since: str | None) -> None:
        self._option = option
        self._since = since
        self._trees: dict[str, _WorkTree] = {}
        self._roots: dict[str, str | None] = {}

    def look_at(self, paths: Iterable[Path]) -> None:
        """Ask git about the work trees that files and directories stand in.

        Raises:
            UsageError: one stands in none, the revision is not there, or git fails.
        """
        for path in paths:
            self._tree_of(os.path.realpath(path))

    def spans(self, path: Path, text: str) -> list[Span]:
        """The changed lines of a file, with their line ends, as ranges of its text.

        Where lines were taken out, those before and behind count.

        Raises:
            UsageError: git fails.
        """
        real = os.path.realpath(path)
        tree = self._tree_of(real)
        name = _name_in(tree, real)
        if name not in tree.tracked:
            return [] if self._since is None else [_whole(text)]
        changed = tree.changed.get(name)
        if changed is None:
            return []
        if changed.status in _WHOLE:
            return [_whole(text)]
        names = dict.fromkeys((changed.former, name))
        patch = self._git(tree.root, *_DIFF, *_LINES, *tree.against, "--", *names)
        return list(_lines(patch, text))

    def staged_contents(self, paths: Iterable[Path]) -> Iterator[tuple[Path, bytes]]:
        """What the index has of files of which the work tree has something else.

        Raises:
            UsageError: git fails.
        """
        unstaged: dict[str, frozenset[bytes]] = {}
        for path in paths:
            real = os.path.realpath(path)
            tree = self._tree_of(real)
            if tree.root not in unstaged:
                names = self._git(tree.root, "diff", "--name-only", "--no-ext-diff", "-z")
                unstaged[tree.root] = frozenset(names.split(b"\0"))
            name = _name_in(tree, real)
            change = tree.changed.get(name)
            if change and change.status != "U" and name in unstaged[tree.root]:
                yield path, self._git(tree.root, "cat-file", "--filters", b":0:" + name)

    def _tree_of(self, real: str) -> _WorkTree:
        folder = real if os.path.isdir(real) else os.path.dirname(real)
        root = self._root_of(folder)
        if root is None:
            where = shown(Path(folder), Path.cwd())
            raise UsageError(f"{self._option}: {where} is in no git work tree")
        if root not in self._trees:
            self._git(root, "rev-parse", "--git-dir")  # whatever else is wrong is told here
            against = self._against(root)
            named = self._git(root, *_DIFF, "--name-status", "-z", *against, "--")
            tracked = self._git(root, "ls-files", "-z")
            self._trees[root] = _WorkTree(
                root, against, frozenset(tracked.split(b"\0")), dict(_statuses(named))
            )
        return self._trees[root]

    def _root_of(self, folder: str) -> str | None:
        if folder not in self._roots:
            parent = os.path.dirname(folder)
            if os.path.exists(os.path.join(folder, ".git")):
                self._roots[folder] = folder
            else:
                self._roots[folder] = None if parent == folder else self._root_of(parent)
        return self._roots[folder]

    def _against(self, root: str) -> tuple[str, ...]:
        """What git is to compare with."""
        if self._since is None:
            return ("--cached",)
        commit = self._commit(root, self._since)
        bases, _ = self._ask(root, "merge-base", commit, "HEAD")
        base = bases.decode().split()
        if base:
            return (base[0],)
        why = f"{self._since} and the current commit have no commit in common"
        if self._is_shallow(root):
            why = f"this clone is shallow: it does not reach back to where {self._since} was left"
        raise UsageError(f"{self._option}: {why}; {self._hint(root)}")

    def _commit(self, root: str, revision: str) -> str:
        if not revision.startswith("-"):  # git would take it for an option
            found, _ = self._ask(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
            if re.fullmatch(rb"[0-9a-f]+\n", found):  # of a range there are two
                return found.decode().strip()
        why = f"there is no revision '{revision}'"
        if self._is_shallow(root):
            why += " in this shallow clone"
        raise UsageError(f"{self._option}: {why}; {self._hint(root)}")

    def _is_shallow(self, root: str) -> bool:
        return self._ask(root, "rev-parse", "--is-shallow-repository")[0].strip() == b"true"

    def _hint(self, root: str) -> str:
        if self._is_shallow(root):
            return "get the history: git fetch --unshallow (or fetch-depth: 0 where CI clones it)"
        return "name a branch, tag or commit that `git log` knows"

    def _git(self, root: str, *arguments: str | bytes) -> bytes:
        """What git prints.  Raises UsageError where it fails."""
        printed, error = self._ask(root, *arguments)
        if error is not None:
            said = error.strip().splitlines() or ["it says not why"]
            raise UsageError(f"{self._option}: git {arguments[0]!s} failed: {said[0]}")
        return printed

    def _ask(self, root: str, *arguments: str | bytes) -> tuple[bytes, str | None]:
        """What git prints, and what it says of a failure; None where it succeeds."""
        import subprocess

        own = _OF_ONE_TREE if root != self._root_of(os.getcwd()) else ()
        environment = {name: text for name, text in os.environ.items() if name not in own}
        command = [b"git", b"-C", os.fsencode(root), *map(os.fsencode, arguments)]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                env={**environment, **_ENVIRONMENT},
            )
        except OSError as error:
            why = "is not installed" if isinstance(error, FileNotFoundError) else error.strerror
            raise UsageError(f"{self._option} needs git, which {why}") from None
        said = done.stderr.decode(errors="replace")
        return done.stdout, said if done.returncode else None


# What git tells its hooks, of the work tree that they run in.
_OF_ONE_TREE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
_LINES = ("--patch", "--text", "--unified=0", "--inter-hunk-context=0")


def _name_in(tree: _WorkTree, real: str) -> bytes:
    """A file's name as git has it."""
    return os.fsencode(os.path.relpath(real, tree.root).replace(os.sep, "/"))


def _whole(text: str) -> Span:
    return Span(0, len(text) + 1)


def _statuses(named: bytes) -> Iterator[tuple[bytes, _Changed]]:
    """The changed files of `--name-status -z`: a renamed one has two names."""
    fields = iter(named.split(b"\0"))
    for status in fields:
        if status:
            letter = chr(status[0])
            former = next(fields)
            yield (next(fields) if letter in "RC" else former), _Changed(letter, former)


def _lines(patch: bytes, text: str) -> Iterator[Span]:
    """The lines of a text that a patch of it, without context, has put there.

    Only LF ends a line for git.
    """
    ends = [match.end() for match in re.finditer("\n", text)]
    starts = [0, *ends]
    ends.append(len(text) + 1)
    for first, count in _hunks(patch):
        # Of lines that were taken out, `first` is the one before them.
        rows = range(first - 1, first - 1 + count) if count else range(first - 1, first + 1)
        inside = [row for row in rows if 0 <= row < len(starts)]
        if inside:
            yield Span(starts[inside[0]], ends[inside[-1]])


def _hunks(patch: bytes) -> Iterator[tuple[int, int]]:
    """Of each hunk, its first line in the new file and how many it has there."""
    at = 0
    while (hunk := _HUNK.search(patch, at)) is not None:
        yield int(hunk[1]), int(hunk[2] if hunk[2] is not None else 1)
        at = hunk.end()


def moved(spans: Iterable[Span], before: str, after: str) -> list[Span]:
    """Where changed lines of a text are once it is edited; those that the edits touch are too."""
    from difflib import SequenceMatcher

    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    old_starts, new_starts = [0, *accumulate(map(len, old))], [0, *accumulate(map(len, new))]
    found: list[Span] = []
    wanted = sorted(spans)
    for what, first, end, first_new, end_new in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        here = Span(old_starts[first], old_starts[end])
        if what != "equal":
            found.append(Span(new_starts[first_new], new_starts[end_new]))
            continue
        by = new_starts[first_new] - here.start
        for span in wanted:
            if span.touches(here):
                found.append(Span(max(span.start, here.start) + by, min(span.end, here.end) + by))
    return found
