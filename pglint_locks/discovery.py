"""Which files a run reads: from paths, excludes and what git ignores."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pglint_locks.config import DEFAULT, Configs
from pglint_locks.errors import UsageError
from pglint_locks.paths import absolute, kind_of_file, shown
from pglint_locks.patterns import GitIgnores, Level
from pglint_locks.sources.kinds import is_read_by_default

_EXCLUDE_KEYS = ("exclude", "extend-exclude")


class FoundFile(NamedTuple):
    """A file to read: its absolute path, and its name as reports show it."""

    path: Path
    name: str


@dataclass(slots=True)
class Discovery:
    """What was found, in the order of the paths given and then of names.

    `notices` are lines about files and directories that were named but are not read,
    `links` lines about links that are not read, `errors` lines about what could not be
    looked at.
    """

    files: list[FoundFile] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def discover(paths: Iterable[str], configs: Configs, cwd: Path) -> Discovery:
    """The files that paths stand for: files themselves, directories what they hold.

    A file is read whatever its name; in directories only those of a kind that is read by
    default, or matched by `include`, are.  Each file is found once, by its real path.
    Only regular files are: to open a pipe by name may block for ever.
    """
    return _Search(configs, cwd).run(paths)


def excluded_by(path: Path, configs: Configs, cwd: Path) -> str | None:
    """What leaves an absolute path out, in words; None where nothing does.

    Raises:
        UsageError: the configuration file that holds there is broken.
    """
    return _Search(configs, cwd).excluding(path, is_directory=False)


class _Folder(NamedTuple):
    """A directory that is read: what is needed for each of its entries, worked out once.

    `name` and `real` begin the shown name and the real path of each entry.
    """

    path: str
    name: str
    real: str
    excludes: tuple[Level, ...]
    includes: tuple[Level, ...]
    respects_git: bool


class _Search:
    """One discovery: remembers what was found, and each broken configuration file."""

    def __init__(self, configs: Configs, cwd: Path) -> None:
        self._configs = configs
        self._cwd = cwd
        self._ignores = GitIgnores()
        self._found = Discovery()
        self._name_of: dict[str, str] = {}  # by real path
        self._broken: set[int] = set()

    def run(self, paths: Iterable[str]) -> Discovery:
        for text in paths:
            name = shown(Path(text), self._cwd) if text else "''"
            path = absolute(Path(text), self._cwd)
            try:
                mode = os.stat(path if text else text).st_mode
            except OSError as error:
                self._found.errors.append(f"{name}: {_in_words(error)}")
                continue
            if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                self._named(path, name, stat.S_ISDIR(mode))
            else:
                kind = kind_of_file(path)
                self._found.errors.append(
                    f"{name}: cannot be read: it is {kind}, no regular file; "
                    "what comes out of it can be linted as standard input (-)"
                )
        return self._found

    def excluding(self, path: Path, is_directory: bool) -> str | None:
        """What leaves a path out that was named: itself or a directory above it."""
        config = self._configs.above(path if is_directory else path.parent)
        for key in _EXCLUDE_KEYS:
            if config.covers(key, path, is_directory):
                origin = config.origin(key)
                return f"the default {key}" if origin == DEFAULT else f"{key} in {origin}"
        if not config["respect-gitignore"]:
            return None
        ignoring = self._ignores.ignoring(str(path), is_directory)
        return shown(Path(ignoring), self._cwd) if ignoring else None

    def _named(self, path: Path, name: str, is_directory: bool) -> None:
        try:
            reason = self.excluding(path, is_directory)
        except UsageError as error:
            self._tell_broken(error)
            return
        if reason:
            self._found.notices.append(f"{name} is excluded by {reason}; it is not read")
        elif is_directory:
            self._directory(path, name)
        else:
            self._add(str(path), name, os.path.realpath(path))

    def _directory(self, path: Path, name: str) -> None:
        is_empty = True
        prefix = "" if name == "." else name.rstrip("/") + "/"
        for entry, folder in self._walk(str(path), prefix):
            is_empty = False
            real = os.path.join(folder.real, entry.name)
            if entry.is_symlink():
                real = os.path.realpath(real)
            self._add(entry.path, folder.name + entry.name, real)
        if is_empty:
            self._found.notices.append(f"no SQL files found in {name}")

    def _walk(self, path: str, name: str) -> Iterator[tuple[os.DirEntry[str], _Folder]]:
        """The files below a directory, sorted; what is excluded is not entered."""
        stack = [self._entries(path, name, os.path.realpath(path))]
        while stack:
            found = next(stack[-1], None)
            if found is None:
                stack.pop()
                continue
            entry, folder = found
            is_directory = entry.is_dir(follow_symlinks=False)
            is_file = not is_directory and _is_wanted(entry.name, folder) and _is_file(entry)
            if not (is_directory or is_file or entry.is_symlink()):
                continue
            if self._leaves_out(entry.name, folder, is_directory):
                continue
            if not (is_directory or is_file):
                self._tell_link(entry, folder)
            elif is_directory:
                below, real = f"{folder.name}{entry.name}/", os.path.join(folder.real, entry.name)
                stack.append(self._entries(entry.path, below, real))
            else:
                yield entry, folder

    def _entries(
        self, path: str, name: str, real: str
    ) -> Iterator[tuple[os.DirEntry[str], _Folder]]:
        """A directory's entries in order; none where it or its configuration is unreadable."""
        try:
            config = self._configs.above(Path(path))
            with os.scandir(path) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except UsageError as error:
            self._tell_broken(error)
            return
        except OSError as error:
            self._found.errors.append(f"{name.rstrip('/') or '.'}: {_in_words(error)}")
            return
        excludes = config.levels(_EXCLUDE_KEYS, Path(path))
        includes = config.levels(("include",), Path(path))
        folder = _Folder(path, name, real, excludes, includes, config["respect-gitignore"])
        yield from ((entry, folder) for entry in entries)

    def _leaves_out(self, name: str, folder: _Folder, is_directory: bool) -> bool:
        """Whether an entry of a directory that is read is itself excluded."""
        if any(level.decides(name, is_directory) for level in folder.excludes):
            return True
        if not folder.respects_git:
            return False
        return self._ignores.ignoring_entry(folder.path, name, is_directory) is not None

    def _add(self, path: str, name: str, real: str) -> None:
        """Note a file, unless it was found by another path before."""
        first = self._name_of.get(real)
        if first is None:
            self._name_of[real] = name
            self._found.files.append(FoundFile(Path(path), name))
        elif first != name:
            self._found.links.append(f"{name} is {first}, which is read under that name")

    def _tell_link(self, entry: os.DirEntry[str], folder: _Folder) -> None:
        """Note a link in a directory that a person may expect to be read."""
        name = folder.name + entry.name
        if os.path.isdir(entry.path):
            self._found.links.append(f"{name} is a link to a directory; it is not followed")
        elif _is_wanted(entry.name, folder) and not os.path.exists(entry.path):
            self._found.links.append(f"{name} is a link to nowhere; it is not read")

    def _tell_broken(self, error: UsageError) -> None:
        """Note a broken configuration file once, however many files it holds for."""
        if id(error) not in self._broken:
            self._broken.add(id(error))
            self._found.errors.append(str(error))


def _is_wanted(name: str, folder: _Folder) -> bool:
    return is_read_by_default(name) or any(level.covers(name) for level in folder.includes)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is or leads to a regular file; a link that cannot be followed does not."""
    return os.path.isfile(entry.path) if entry.is_symlink() else entry.is_file()


def _in_words(error: OSError) -> str:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "no such file or directory"
    return f"cannot be read: {error.strerror}"
