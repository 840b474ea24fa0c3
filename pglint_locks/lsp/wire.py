"""Messages as bytes: what a client sends, read so that nothing that it sends does harm."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import Any, BinaryIO

_LONGEST_MESSAGE = 256 << 20
_CONTENT_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)
_LONGEST_HEADER = 1 << 16
_MOST_DIGITS = 18


class Input:
    """The bytes that a client sends, with headers that `pygls` understands.

    It wants them in one spelling, and takes the room for whatever length they tell.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._again = BytesIO()

    def first_message(self) -> bytes:
        """The body of the first message, which is then read once more by whoever reads on."""
        length = 0
        while line := self.readline():
            found = _CONTENT_LENGTH.fullmatch(line)
            length = int(found[1]) if found else length
            if length and not line.strip():
                break
        body = self.read(length)
        self._again = BytesIO(b"Content-Length: %d\r\n\r\n%s" % (length, body))
        return body

    def readline(self) -> bytes:
        """The next line of a header; empty at the end."""
        if line := self._again.readline():
            return line
        while True:
            line = self._stream.readline(_LONGEST_HEADER)
            length = _CONTENT_LENGTH.fullmatch(line)
            if length is None:
                return line if line.strip() or not line else b"\r\n"
            if len(length[1]) > _MOST_DIGITS:
                return b"Content-Length: 0\r\n"  # of a message that nobody can have sent
            if int(length[1]) <= _LONGEST_MESSAGE:
                return b"Content-Length: %d\r\n" % int(length[1])
            self._skip(int(length[1]))

    def read(self, length: int) -> bytes:
        """The body of a message."""
        return self._again.read(length) or self._stream.read(length)

    def _skip(self, length: int) -> None:
        """Pass over the rest of a header and the body."""
        while self._stream.readline(_LONGEST_HEADER).strip():
            pass
        while length > 0 and (read := self._stream.read(min(length, 1 << 20))):
            length -= len(read)


def write(outgoing: BinaryIO, message: dict[str, Any]) -> None:
    """Send a message that is JSON already."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    outgoing.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    outgoing.flush()
