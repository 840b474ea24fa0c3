"""What CREATE EXTENSION puts into an extension's script, replaced by something that parses."""

from __future__ import annotations

import re

_SUBSTITUTED = re.compile(r"@(ext(?:schema(?::[\w$-]+)?|owner))@")
_NOT_IN_NAME = re.compile(r"\W")


def without_extension_names(text: str) -> str:
    """The statement with `@extschema@` and its kin replaced by names of the same length.

    `@extschema:other@` becomes `_extschema_other_` (`execute_extension_script`).
    """
    if "@ext" not in text:
        return text
    return _SUBSTITUTED.sub(lambda found: f"_{_NOT_IN_NAME.sub('_', found[1])}_", text)
