"""From a file's bytes to its text: UTF-8 or a clear error, never a guess."""

from __future__ import annotations

from pglint_locks.text import SourceText

_BOM = b"\xef\xbb\xbf"
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_OTHER_BOMS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_SAMPLE = 4096


class UnreadableTextError(Exception):
    """A file's bytes are no UTF-8 text; the message says where and what to do."""


def decode(name: str, data: bytes) -> SourceText:
    """The text of a file without its byte order mark.

    Raises `UnreadableTextError` for a NUL and for what is not UTF-8.
    """
    for mark, encoding in _OTHER_BOMS.items():
        if data.startswith(mark):
            raise UnreadableTextError(f"is {encoding}: convert it to UTF-8, or exclude it")
    nul = data.find(b"\0")
    if nul >= 0:
        if len(data) % 2 == 0 and is_wide(data):
            raise UnreadableTextError(
                "has a NUL in every second byte, as UTF-16: convert it to UTF-8, or exclude it"
            )
        raise UnreadableTextError(f"is binary (a NUL at byte {nul + 1}): exclude it")
    mark, body = (_BOM, data[len(_BOM) :]) if data.startswith(_BOM) else (b"", data)
    try:
        return SourceText(name, body.decode("utf-8"), mark.decode("utf-8"))
    except UnicodeDecodeError as error:
        before = SourceText(name, body[: error.start].decode("utf-8"))
        place = before.position(len(before.text))
        raise UnreadableTextError(
            f"is not UTF-8: byte 0x{body[error.start]:02x} at {place.row}:{place.column}; "
            "convert it to UTF-8, or exclude it"
        ) from None


def is_wide(data: bytes) -> bool:
    """Whether bytes look like the Latin text of an encoding with two or four bytes a character.

    A few other characters may stand among them, whose upper byte is no NUL.
    """
    data = data[:_SAMPLE]
    halves = (data[0::2], data[1::2])
    shares = sorted(half.count(0) / max(len(half), 1) for half in halves)
    return shares[0] < 0.75 <= shares[1]
