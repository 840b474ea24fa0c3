"""Text in XML: what XML 1.0 forbids, and what would mislead a reader, is shown by its number."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax import saxutils

from pglint_locks.reporters.escape import escape

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def in_ascii(document: str) -> str:
    """XML or HTML whose characters are numbers beyond ASCII: any encoding of the output will do."""
    return document.encode("ascii", "xmlcharrefreplace").decode("ascii")


def content(text: str) -> str:
    """Lines of text between tags."""
    return "\n".join(saxutils.escape(escape(line)) for line in text.split("\n"))


def attributes(values: Mapping[str, object]) -> str:
    """Attributes of a tag, each behind a space."""
    return "".join(f" {key}={saxutils.quoteattr(escape(str(values[key])))}" for key in values)
