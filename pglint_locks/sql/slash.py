"""psql's backslash commands: where each ends and what it does to the statement before it.

Mirrors `psqlscanslash.l` and the table of commands in psql's `command.c`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

ENDS_STATEMENT = frozenset(
    [
        *("g", "gx", "gset", "gexec", "gdesc", "crosstabview", "watch", "q", "quit"),
        *("parse", "close_prepared", "startpipeline", "sendpipeline", "syncpipeline"),
        *("endpipeline", "flush", "flushrequest", "getresults"),
    ]
)
"""Commands after which the statement before them is over: sent, or (at the end) all there is."""

DROPS_STATEMENT = frozenset({"r", "reset"})
"""Commands that throw the statement before them away, unsent."""

# Commands that read their line to its end, backslashes and all.  psql does the same with
# every command that it does not know; we, with what can be none.
_WHOLE_LINE = frozenset(["!", "ef", "ev", "h", "help", "sf", "sf+", "sv", "sv+"])
_PIPES = frozenset(["g", "gx", "o", "out", "w", "write"])

_NAME = re.compile(r"[^\\ \t\n\r\f\v]*")
_POSSIBLE_NAME = re.compile(r"[A-Za-z_][A-Za-z_+]*|[!?]")
_PIPE = re.compile(r"[ \t\r\f\v]*\|")
_ARGUMENT_STOP = re.compile(r"[\\'\"`\n]")
_QUOTE_STOP = {
    "'": re.compile(r"[\\'\n]"),
    '"': re.compile(r'["\n]'),
    "`": re.compile(r"[`\n]"),
}


class SlashCommand(NamedTuple):
    r"""A backslash command: its name, where its arguments begin, and where it ends.

    `end` is the offset of what psql reads next: the line end, the next backslash
    command, or the SQL behind the `\\` that closes this one.
    """

    name: str
    arguments: int
    end: int


def slash_command(text: str, at: int) -> SlashCommand:
    """Read the backslash command whose backslash is at `at`."""
    match = _NAME.match(text, at + 1)
    name, start = (match[0], match.end()) if match else ("", at + 1)
    if (
        name in _WHOLE_LINE
        or not _POSSIBLE_NAME.fullmatch(name)
        or name.lower() == "copy"
        or (name in _PIPES and _PIPE.match(text, start))
    ):
        return SlashCommand(name, start, line_end(text, start))
    end = _arguments_end(text, start)
    if text.startswith("\\\\", end):
        end += 2
    return SlashCommand(name, start, end)


def line_end(text: str, at: int) -> int:
    """The offset of the line feed that ends the line of `at`, or of the end of the text.

    psql reads lines that end with a line feed; a carriage return is white space to it.
    """
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _arguments_end(text: str, at: int) -> int:
    """Where arguments from `at` on end: at a bare backslash or at the line end."""
    while stop := _ARGUMENT_STOP.search(text, at):
        if stop[0] in "\\\n":
            return stop.start()
        at = _quoted_end(text, stop.end(), stop[0])
    return len(text)


def _quoted_end(text: str, at: int, quote: str) -> int:
    """Where the quoted piece of an argument ends, at the line end at the latest."""
    while stop := _QUOTE_STOP[quote].search(text, at):
        if stop[0] == quote:
            return stop.end()
        if stop[0] == "\n" or text.startswith("\n", stop.end()):
            return stop.end() - (stop[0] == "\n")
        at = stop.end() + 1
    return len(text)
