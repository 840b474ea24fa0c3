"""Gitignore patterns: those of configuration files, and those of git itself.

pathspec compiles the patterns; how they add up over the levels of a path is done here,
as git does it: a directory that is left out cannot be entered again, within a level
the last pattern that matches decides, and a deeper `.gitignore` goes first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pglint_locks.errors import UsageError

_PLAIN_NAME = re.compile(r"[\w.-]*[\w-]")
_WITHOUT_BLANKS = re.compile(r"((?:[^\\]|\\.)*?) *")
# The group by which pathspec marks that a match ended in a directory above the path.
_ABOVE = "ps_d"


class _Pattern(NamedTuple):
    """One line: `excludes` is False for one that takes back (`!`)."""

    regex: re.Pattern[str]
    excludes: bool
    for_directories: bool

    def matches(self, path: str, is_directory: bool) -> bool:
        """Whether it matches a path itself, not just a directory above it."""
        if self.for_directories and not is_directory:
            return False
        found = self.regex.search(path)
        return bool(found and not found.groupdict().get(_ABOVE))


class PatternSet:
    """Patterns in the order of their lines, relative to one directory.

    `place` names where they stand; with it a faulty pattern raises `UsageError`,
    without it such a line is passed over, as git does.
    """

    def __init__(self, lines: Sequence[str], place: str | None = None) -> None:
        # Most runs have plain names only: then pathspec need not be imported.
        self._names = frozenset(lines) if all(map(_PLAIN_NAME.fullmatch, lines)) else None
        self._patterns = [] if self._names is not None else _compile(lines, place)

    def decides(self, path: str, is_directory: bool) -> bool | None:
        """What the last pattern that matches this very path says; None without one."""
        if self._names is not None:
            return True if path.rpartition("/")[2] in self._names else None
        for pattern in reversed(self._patterns):
            if pattern.matches(path, is_directory):
                return pattern.excludes
        return None

    def covers(self, path: str, is_directory: bool = False) -> bool:
        """Whether the path or a directory on the way to it is matched."""
        above = (path[:end] for end, char in enumerate(path) if char == "/")
        return any(self.decides(folder, True) for folder in above) or bool(
            path and self.decides(path, is_directory)
        )


class Level(NamedTuple):
    """Patterns as they are seen from one directory, `prefix` leading there from their own.

    `file` holds them (its absolute path), where that is a file of git's.
    """

    patterns: PatternSet
    prefix: str
    file: str = ""

    def decides(self, name: str, is_directory: bool) -> bool | None:
        """What the last pattern that matches an entry of the directory says."""
        return self.patterns.decides(self.prefix + name, is_directory)

    def covers(self, name: str) -> bool:
        """Whether a file of the directory, or a directory above it, is matched."""
        return self.patterns.covers(self.prefix + name)


def _compile(lines: Sequence[str], place: str | None) -> list[_Pattern]:
    from pathspec import GitIgnoreSpec

    patterns = []
    for line in lines:
        text, for_directories = _without_slash(line)
        try:
            compiled = GitIgnoreSpec.from_lines([text]).patterns
        except ValueError:
            if place:
                raise UsageError(f"{place}: '{line}' is no gitignore pattern") from None
            continue
        for each in compiled:
            if each.regex is not None and each.include is not None:
                patterns.append(_Pattern(each.regex, each.include, for_directories))
    return patterns


def _without_slash(line: str) -> tuple[str, bool]:
    """A pattern without the slash at its end, and whether it had one.

    To git that slash means "directories only" and nothing else.  pathspec reads more
    into it: to it `a/**/` is `a/`.
    """
    found = _WITHOUT_BLANKS.fullmatch(line)
    text = found[1] if found else line
    if text.endswith("//"):
        return "", True  # git has no path that ends in a slash to match it with
    return text.removesuffix("/"), text.endswith("/")


class GitIgnores:
    """What git ignores, by `.gitignore` files and `.git/info/exclude`, in any work tree."""

    def __init__(self) -> None:
        self._levels: dict[str, tuple[Level, ...] | None] = {}
        self._ignored_by: dict[str, str | None] = {}

    def ignoring(self, path: str, is_directory: bool) -> str | None:
        """The file that has git ignore an absolute path; None where it does not.

        Whether git tracks the path all the same is not looked at.
        """
        folder, name = os.path.split(path)
        above = [folder]
        while (parent := os.path.dirname(above[-1])) not in (above[-1], *self._ignored_by):
            above.append(parent)
        for directory in reversed(above):
            self._ignored_by[directory] = self._ignoring_directory(directory)
        return self._ignored_by[folder] or self.ignoring_entry(folder, name, is_directory)

    def ignoring_entry(self, folder: str, name: str, is_directory: bool) -> str | None:
        """The same for an entry of a directory that is known not to be ignored."""
        for level in self._seen_from(folder) or ():
            verdict = level.decides(name, is_directory)
            if verdict is not None:
                return level.file if verdict else None
        return None

    def _ignoring_directory(self, path: str) -> str | None:
        """The file that has git ignore a directory, known for the one above it.

        A work tree does not ignore its own root, whatever the one around it says.
        """
        if self._seen_from(path) is None or _is_root(path):
            return None
        folder, name = os.path.split(path)
        return self._ignored_by[folder] or self.ignoring_entry(folder, name, is_directory=True)

    def _seen_from(self, folder: str) -> tuple[Level, ...] | None:
        """The patterns that hold for a directory's entries, the deepest first.

        None outside of any work tree.
        """
        if folder not in self._levels:
            self._levels[folder] = self._find_levels(folder)
        return self._levels[folder]

    def _find_levels(self, folder: str) -> tuple[Level, ...] | None:
        parent, name = os.path.split(folder)
        if _is_root(folder):
            above = _level(os.path.join(_git_directory(folder), "info", "exclude"))
        elif parent == folder or (levels := self._seen_from(parent)) is None:
            return None
        else:
            above = (Level(each.patterns, f"{each.prefix}{name}/", each.file) for each in levels)
        return (*_level(os.path.join(folder, ".gitignore")), *above)


def _is_root(folder: str) -> bool:
    """Whether a directory is the root of a work tree."""
    return os.path.exists(os.path.join(folder, ".git"))


def _level(file: str) -> Iterator[Level]:
    """A file's patterns as seen from its own directory; none where there is no file."""
    lines = _read_lines(file)
    if lines:
        yield Level(PatternSet(lines), "", file)


def _read_lines(file: str) -> list[str]:
    """The lines of a file that hold a pattern; none where it cannot be read."""
    if not os.path.isfile(file):  # a pipe would block the run
        return []
    try:
        with open(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as opened:
            lines = [line.removesuffix("\r") for line in opened.read().split("\n")]
    except OSError:
        return []
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _git_directory(root: str) -> str:
    """The git directory that a work tree shares with others (`.git` may be a file)."""
    git = os.path.join(root, ".git")
    if os.path.isdir(git):
        return git
    pointer = "".join(_read_lines(git)[:1]).removeprefix("gitdir:").strip()
    own = os.path.join(root, pointer)
    common = "".join(_read_lines(os.path.join(own, "commondir"))[:1]).strip()
    return os.path.join(own, common)
