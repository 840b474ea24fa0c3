"""How reports name a file to the program that reads them."""

from __future__ import annotations

import os
from pathlib import Path

from pglint_locks.paths import absolute, shown

STDIN_NAME = "<stdin>"


def decodable(name: str) -> str:
    """The shown name; bytes in it that are no UTF-8 become U+FFFD, for JSON has no way to say them.

    Python holds them as lone surrogates, and most readers of JSON reject these.
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def path_in_repository(name: str, cwd: Path) -> str:
    """The shown name of a file relative to the repository's root, always with `/`.

    The root is GITHUB_WORKSPACE where that holds the file, else the nearest folder
    above the file that git keeps.  A name outside both, or of no file, stays as it is.
    """
    if name == STDIN_NAME:
        return name
    path = absolute(Path(name), cwd)
    workspace = os.environ.get("GITHUB_WORKSPACE")
    roots = [absolute(Path(workspace), cwd)] if workspace else []
    roots += [folder for folder in path.parents if (folder / ".git").exists()][:1]
    relative = (shown(path, root) for root in roots)
    return next((inside for inside in relative if not Path(inside).is_absolute()), name)
