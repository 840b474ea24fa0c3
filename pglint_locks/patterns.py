"""Gitignore patterns: those of configuration files, and those of git itself.

pathspec compiles the patterns; how they add up over the levels of a path is done here,
as git does it: a directory that is left out cannot be entered again, within a level
the last pattern that matches decides, and a deeper `.gitignore` goes first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from pglint_locks.errors import UsageError

_PLAIN_NAME = re.compile(r"[\w.-]*[\w-]")


class PatternSet:
    """Patterns in the order of their lines, relative to one directory.

    `place` names where they stand; with it a faulty pattern raises `UsageError`,
    without it such a line is passed over, as git does.
    """

    def __init__(self, lines: Sequence[str], place: str | None = None) -> None:
        # Most runs have plain names only: then pathspec need not be imported.
        self._names = frozenset(lines) if all(map(_PLAIN_NAME.fullmatch, lines)) else None
        self._patterns = [] if self._names is not None else _compile(lines, place)

    def decides(self, parts: Sequence[str], is_directory: bool) -> bool | None:
        """What the last pattern that matches this very path says; None without one."""
        if self._names is not None:
            return True if parts[-1] in self._names else None
        path = "/".join(parts)
        for regex, include in reversed(self._patterns):
            if _matches_whole(regex, path, is_directory):
                return include
        return None

    def covers(self, parts: Sequence[str], is_directory: bool = False) -> bool:
        """Whether the path or a directory on the way to it is matched."""
        return any(
            self.decides(parts[:depth], is_directory or depth < len(parts))
            for depth in range(1, len(parts) + 1)
        )


def _compile(lines: Sequence[str], place: str | None) -> list[tuple[re.Pattern[str], bool]]:
    """The patterns as regular expressions; False stands for one that takes back (`!`)."""
    from pathspec import GitIgnoreSpec

    patterns = []
    for line in lines:
        try:
            compiled = GitIgnoreSpec.from_lines([line]).patterns
        except ValueError:
            if place:
                raise UsageError(f"{place}: '{line}' is no gitignore pattern") from None
            continue
        for pattern in compiled:
            if pattern.regex is not None and pattern.include is not None:
                patterns.append((pattern.regex, pattern.include))
    return patterns


def _matches_whole(regex: re.Pattern[str], path: str, is_directory: bool) -> bool:
    """Whether a pattern matches a path itself, not just a directory above it.

    pathspec marks with a group the slash behind the directory that a match ended in.
    """
    mark = "ps_d"
    found = regex.search(path)
    if found and not found.groupdict().get(mark):
        return True
    return is_directory and any(
        found.end(mark) == len(path) + 1
        for found in regex.finditer(path + "/")
        if mark in found.groupdict()
    )


class GitIgnores:
    """What git ignores, by `.gitignore` files and `.git/info/exclude`, in any work tree."""

    def __init__(self) -> None:
        self._roots: dict[str, str | None] = {}
        self._files: dict[str, PatternSet | None] = {}
        self._directories: dict[str, str | None] = {}

    def ignoring(self, path: str, is_directory: bool) -> str | None:
        """The file that has git ignore an absolute path; None where it does not.

        Whether git tracks the path all the same is not looked at.
        """
        parent = os.path.dirname(path)
        root = self._root(parent)
        if root is None or parent == path:
            return None
        return self._directory(parent, root) or self._own(path, root, is_directory)

    def _directory(self, path: str, root: str) -> str | None:
        """The file that has git ignore a directory at or below the work tree's root."""
        if path == root:
            return None
        if path not in self._directories:
            self._directories[path] = self.ignoring(path, is_directory=True)
        return self._directories[path]

    def _own(self, path: str, root: str, is_directory: bool) -> str | None:
        """The file whose patterns match the path itself."""
        folder = os.path.dirname(path)
        parts = [os.path.basename(path)]
        while True:
            file = os.path.join(folder, ".gitignore")
            verdict = self._decides(file, parts, is_directory)
            if verdict is not None:
                return file if verdict else None
            if folder == root:
                break
            parts.insert(0, os.path.basename(folder))
            folder = os.path.dirname(folder)
        file = os.path.join(_git_directory(root), "info", "exclude")
        return file if self._decides(file, parts, is_directory) else None

    def _decides(self, file: str, parts: Sequence[str], is_directory: bool) -> bool | None:
        if file not in self._files:
            lines = _read_lines(file)
            self._files[file] = PatternSet(lines) if lines else None
        patterns = self._files[file]
        return patterns.decides(parts, is_directory) if patterns else None

    def _root(self, folder: str) -> str | None:
        """The root of the work tree that a directory belongs to."""
        if folder not in self._roots:
            parent = os.path.dirname(folder)
            if os.path.exists(os.path.join(folder, ".git")):
                self._roots[folder] = folder
            else:
                self._roots[folder] = None if parent == folder else self._root(parent)
        return self._roots[folder]


def _read_lines(file: str) -> list[str]:
    """The lines of a file that hold a pattern; none where it cannot be read."""
    try:
        with open(file, encoding="utf-8-sig", errors="surrogateescape") as opened:
            lines = opened.read().splitlines()
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
