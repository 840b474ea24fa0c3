"""How a path is written for people, and seen from a directory."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pglint_locks.errors import UsageError

_KINDS = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def working_directory() -> Path:
    """The directory that relative paths start from.

    Raises:
        UsageError: it was removed while somebody stood in it, or cannot be reached.
    """
    try:
        return Path.cwd()
    except OSError as error:
        hint = "change to another directory"
        raise UsageError(f"the working directory is gone ({error.strerror}); {hint}") from None


def kind_of_file(path: Path) -> str:
    """What a path leads to, in words.  Raises OSError."""
    mode = os.stat(path).st_mode
    return next((words for test, words in _KINDS if test(mode)), "a special file")


def shown(path: Path, cwd: Path) -> str:
    """The path as messages and findings show it: relative to `cwd` if it is below it.

    A path that is given relatively stays so (`../lib/a.sql`).  Always with `/`.
    """
    full = absolute(path, cwd)
    # Where there are symbolic links, the same directory may be spelt in two ways.
    real = Path(os.path.realpath(full.parent), full.name)
    for place, base in ((full, cwd), (real, Path(os.path.realpath(cwd)))):
        parts = below(place, base)
        if parts is not None:
            return "/".join(parts) or "."
    if path.is_absolute():
        return full.as_posix()
    return os.path.relpath(full, cwd).replace(os.sep, "/")


def absolute(path: Path, cwd: Path) -> Path:
    """The path from the root on, without `.` and `..`; symbolic links stay."""
    return Path(os.path.normpath(cwd / path))


def has_wildcards(path: str) -> bool:
    """Whether a path stands for all that match it (`*`, `?`, `[…]`); none that exists does."""
    return any(sign in path for sign in "*?[") and not os.path.exists(path)


def below(path: Path, folder: Path) -> tuple[str, ...] | None:
    """The parts of an absolute path below a folder; None where it is not below it."""
    count = len(folder.parts)
    return path.parts[count:] if path.parts[:count] == folder.parts else None
