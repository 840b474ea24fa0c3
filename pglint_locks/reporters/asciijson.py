"""JSON in ASCII: whatever a linted file holds, no control character reaches a terminal."""

from __future__ import annotations

import json


def document(value: object) -> str:
    """A value over several lines."""
    return _ascii(json.dumps(value, indent=2))


def line(value: object) -> str:
    """A value in one line."""
    return _ascii(json.dumps(value))


def _ascii(text: str) -> str:
    # JSON leaves only DEL as it is.
    return text.replace("\x7f", "\\u007f") + "\n"
