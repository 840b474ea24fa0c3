"""From a file's bytes to its text: UTF-8 or a clear error, never a guess."""

from __future__ import annotations

from pglint_locks.text import SourceText

_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


class UnreadableTextError(Exception):
    """A file's bytes are no UTF-8 text; the message says where and what to do."""


def decode(name: str, data: bytes) -> SourceText:
    """The text of a file without its byte order mark.

    Raises `UnreadableTextError` for a NUL and for what is not UTF-8.
    """
    if data.startswith(_UTF16_BOMS):
        raise UnreadableTextError("is UTF-16: convert it to UTF-8, or exclude it")
    nul = data.find(b"\0")
    if nul >= 0:
        raise UnreadableTextError(f"is binary (a NUL at byte {nul + 1}): exclude it")
    body = data[len(_BOM) :] if data.startswith(_BOM) else data
    try:
        return SourceText(name, body.decode("utf-8"))
    except UnicodeDecodeError as error:
        before = SourceText(name, body[: error.start].decode("utf-8"))
        place = before.position(len(before.text))
        raise UnreadableTextError(
            f"is not UTF-8: byte 0x{body[error.start]:02x} at {place.row}:{place.column}; "
            "convert it to UTF-8, or exclude it"
        ) from None
