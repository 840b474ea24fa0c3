"""Standard output and standard error: words, colours, and readers that have gone."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from typing import TextIO

_PROGRAM = "pglint-locks"


def tell(message: str) -> None:
    """Print a line about the run on standard error."""
    from pglint_locks.reporters.escape import escape

    try:
        print(escape(message), file=sys.stderr)
    except BrokenPipeError:
        _drop(sys.stderr)


def complain(message: str) -> None:
    """Print an error of the run on standard error."""
    tell(f"{_PROGRAM}: error: {message}")


def remark(message: str) -> None:
    """Print what is worth knowing, but no error, on standard error."""
    tell(f"{_PROGRAM}: {message}")


def prepare() -> None:
    """Have standard output take every character, and everywhere give the same bytes.

    Where it is no terminal it is UTF-8 with LF, whatever the locale.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")


def show(text: str) -> None:
    """Print a report on standard output; a reader that has gone is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_standard_output()


def drop_standard_output() -> None:
    """Its reader has gone: be silent, now and when Python flushes at exit."""
    _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    """Send what is still to come to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def wants_color(when: str, stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether to write colours: `--color`, else NO_COLOR, else FORCE_COLOR, else a terminal."""
    if when != "auto":
        return when == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return environ["FORCE_COLOR"] != "0"
    return stream.isatty() and environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO) -> int:
    """The columns of the terminal behind a stream; 0 where there is none."""
    if not stream.isatty():
        return 0
    try:
        return int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        pass
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80
