"""The standard streams: words, colours, closed ones, full disks and readers that have gone."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Mapping
from typing import TextIO

from pglint_locks.errors import UsageError, without_url_passwords

_PROGRAM = "pglint-locks"


def tell(message: str) -> None:
    """Print a line about the run on standard error."""
    from pglint_locks.reporters.escape import escape

    try:
        print(escape(without_url_passwords(message)), file=sys.stderr)
    except OSError:  # there is no other place to tell it
        _drop(sys.stderr)


def complain(message: str) -> None:
    """Print an error of the run on standard error."""
    tell(f"{_PROGRAM}: error: {message}")


def complain_of_plugins() -> int:
    """Print an error for each broken plug-in; the exit status that they make: 0 or 2."""
    from pglint_locks.plugins import plugin_errors

    for line in plugin_errors():
        complain(line)
    return 2 if plugin_errors() else 0


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


def stand_in_for_closed() -> None:
    """Put something in the place of each standard stream that was closed by who called us.

    To use standard input or output is then an error like any other (EBADF), and no file
    that we open gets their numbers.  What goes to standard error is lost.
    """
    if sys.stdin is None:
        _replace_descriptor(0, os.O_WRONLY)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        _replace_descriptor(1, os.O_RDONLY)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        _replace_descriptor(2, os.O_WRONLY)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def read_standard_input() -> bytes:
    """All of standard input.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {_in_words(error)}") from None


def show_beside(text: str) -> None:
    """Print a report on standard error, where standard output is for something else."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _drop(sys.stderr)


def show_bytes(data: bytes) -> None:
    """Print what is no report on standard output, just as it is; like `show` otherwise.

    Raises:
        UsageError: standard output cannot be written.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        flush()
    except OSError as error:
        give_up_output(error)


def show(text: str) -> None:
    """Print a report on standard output; a reader that has gone is no error.

    Raises:
        UsageError: standard output cannot be written.
    """
    try:
        sys.stdout.write(text)
        flush()
    except OSError as error:
        give_up_output(error)


def flush() -> None:
    """Have standard output write what it still holds.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        give_up_output(error)


def give_up_output(error: OSError) -> None:
    """Have standard output be silent from now on, also when Python flushes it at exit.

    Raises:
        UsageError: the error is another than that its reader has gone.
    """
    _drop(sys.stdout)
    if not isinstance(error, BrokenPipeError):
        raise UsageError(f"standard output cannot be written: {_in_words(error)}") from None


def _in_words(error: OSError) -> str:
    return "it is closed" if error.errno == errno.EBADF else error.strerror or str(error)


def _drop(stream: TextIO) -> None:
    """Send what is still to come to nowhere."""
    _replace_descriptor(stream.fileno(), os.O_WRONLY)


def _replace_descriptor(number: int, flags: int) -> None:
    """Have a descriptor lead to nowhere."""
    nowhere = os.open(os.devnull, flags)
    if nowhere != number:
        os.dup2(nowhere, number)
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
