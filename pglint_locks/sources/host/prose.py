"""Where a text of the host is for people, whatever it looks like.

That is in attributes and annotations that describe (`#[doc = "…"]`, `@Schema(description = "…")`,
`[Obsolete("…")]`), and under keys that do: `help="…"`, `{ summary: "…" }`.
"""

from __future__ import annotations

import re

from pglint_locks.sources.host.tree import Node

_ANNOTATION = re.compile(r"annotation$|attribute_(?:item|group|list)$|^decorator$")
_PAIR = re.compile(
    r"pair$|^keyword_argument$|^named_argument$|^keyed_element$|^attribute_argument$"
)
_NAME = re.compile(r"\W*(?:\w+(?:\.|::))*(\w+)")
_DESCRIBES = re.compile(
    r"\w*(?:doc|docs|description|deprecated|obsolete|summary|displayname|display_name|schema"
    r"|operation|apioperation|tag|comment|help)",
    re.IGNORECASE,
)
_KEYS = re.compile(
    r"(?:\w+_)?(?:description|desc|summary|help|help_?text|doc|docs|docstring|comment|note|message"
    r"|msg|reason|title|tooltip|hint|explanation|details?|about)",
    re.IGNORECASE,
)
_IS_SQL = re.compile(r"sql|query", re.IGNORECASE)


def is_for_people(node: Node) -> bool:
    """Whether all texts in a node are for people."""
    kind = node.kind
    if _PAIR.search(kind):
        name = _NAME.match(node.text)
        return name is not None and len(node.children) > 1 and _KEYS.fullmatch(name[1]) is not None
    is_elixirs = kind == "attribute" and node.text.startswith("@")
    if not (is_elixirs or _ANNOTATION.search(kind)):
        return False
    name = _NAME.match(node.text)
    if name is None or _IS_SQL.search(name[1]):
        return False
    # Attributes of Rust are for the compiler and for macros, which take SQL by its name.
    is_rusts = kind.endswith("attribute_item")
    return is_rusts or _DESCRIBES.fullmatch(name[1]) is not None
