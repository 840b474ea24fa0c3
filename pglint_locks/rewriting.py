"""Replaces the text of a file as a whole: who is interrupted leaves the old one or the new."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

_ANY_MAY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class RewriteError(Exception):
    """Why a file was left as it is."""


def rewrite(path: Path, before: str, after: str) -> None:
    """Have a file hold another text, in UTF-8, and keep its mode.

    A link stays a link: what it leads to is replaced.

    Raises:
        RewriteError: it is read-only, does not hold `before` any more, or cannot be written.
    """
    _write(path, before.encode(), after.encode())


def write(path: Path, text: str) -> None:
    """Have a file hold a text, in UTF-8; where there is none it is made.

    Raises:
        RewriteError: it is read-only or cannot be written.
    """
    try:
        before = path.read_bytes()
    except FileNotFoundError:
        _create(path, text.encode())
    except OSError as error:
        raise _unwritable(error) from None
    else:
        _write(path, before, text.encode())


def _create(path: Path, after: bytes) -> None:
    # The mode is the one that the user wants of new files: a temporary file's would not be.
    try:
        with open(path, "xb") as made:
            made.write(after)
    except OSError as error:
        raise _unwritable(error) from None


def _write(path: Path, before: bytes, after: bytes) -> None:
    target = os.path.realpath(path)
    try:
        status = os.stat(target)
        if not (status.st_mode & _ANY_MAY_WRITE and os.access(target, os.W_OK)):
            raise RewriteError("is read-only")
        _replace(target, status, before, after)
    except OSError as error:
        raise _unwritable(error) from None


def _replace(target: str, status: os.stat_result, before: bytes, after: bytes) -> None:
    _check(target, before)
    folder, name = os.path.split(target)
    number, made = tempfile.mkstemp(prefix=f".{name[:100]}.", suffix=".tmp", dir=folder)
    try:
        with open(number, "wb") as written:
            written.write(after)
            written.flush()
            _make_alike(written.fileno(), status)
            os.fsync(written.fileno())
        _check(target, before)
        os.replace(made, target)
    except BaseException:
        os.unlink(made)
        raise


def _check(target: str, before: bytes) -> None:
    with open(target, "rb") as read:
        if read.read() != before:
            raise RewriteError("was changed since it was read")


def _make_alike(number: int, status: os.stat_result) -> None:
    """Give the new file the owner of the old one, as far as that is allowed, and its mode."""
    if hasattr(os, "fchown"):
        with contextlib.suppress(PermissionError):
            os.fchown(number, status.st_uid, status.st_gid)
        os.fchmod(number, stat.S_IMODE(status.st_mode))


def _unwritable(error: OSError) -> RewriteError:
    return RewriteError(f"cannot be written: {error.strerror or error}")
