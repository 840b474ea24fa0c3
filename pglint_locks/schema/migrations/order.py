"""Migrations: in which order tools run their files, and which parts of these lead up.

Files are in the order of the numbers in their names; Flyway's (`V1_2__x.sql`) are in the order
of their versions, and its repeatable ones last.  What undoes a migration is left out: a file
of its own, or what stands behind the tool's mark in the same file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

_FLYWAY = re.compile(r"(?P<kind>[VUBR])(?P<version>\d+(?:[._]\d+)*)?__.*\.sql", re.IGNORECASE)
_UNDOES = re.compile(r"(?:^|[._-])(?P<way>down|undo|rollback|revert|drop)\.\w+$", re.IGNORECASE)
_MARK = re.compile(
    r"^[ \t]*(?:--|\#)[ \t/-]*(?:"
    r"\+?(?:goose|migrate|micrate|rambler)[ \t:]+(?P<way>up|down)\b"  # sql-migrate, dbmate too
    r"|(?P<long>up|down)[ \t]+migration\b"  # node-pg-migrate
    r"|!(?P<play>up|down)s\b"
    r"|@?(?P<undo>undo)[ \t]*$"  # MyBatis Migrations
    r"|create[ \t]+above[ \t]*/[ \t]*(?P<tern>drop)[ \t]+below\b"
    r")[^\r\n]*",
    re.MULTILINE | re.IGNORECASE,
)
_NUMBERED = re.compile(r"[vurb]?\d+|r__", re.IGNORECASE)
_IN_FOLDERS = frozenset({"migration.sql", "up.sql", "down.sql"})
_NOT_LINE_END = re.compile(r"[^\r\n]")


def in_order(paths: Iterable[str]) -> list[str]:
    """The files of migrations that lead up, in the order in which they run."""
    every = set(paths)
    leading_up = [path for path in every if not _undoes(path, every)]
    baselines = _baselines(leading_up)
    ordered = sorted(leading_up, key=_place)
    return [path for path in ordered if not _is_below(path, baselines)]


def folder_of_migration(path: str) -> str | None:
    """The folder whose files run one after the other, if a file looks like one of those."""
    folder, _, name = path.rpartition("/")
    if _NUMBERED.match(name):
        return folder
    above, _, own = folder.rpartition("/")
    return above if name in _IN_FOLDERS and _NUMBERED.match(own) else None


def leading_up(text: str) -> str:
    """A migration without what undoes it, which is blanked: places stay."""
    marks = list(_MARK.finditer(text))
    if not marks:
        return text
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts = [text[: marks[0].start()]]
    for mark, end in zip(marks, ends, strict=True):
        part = text[mark.start() : end]
        parts.append(_NOT_LINE_END.sub(" ", part) if _leads_down(mark) else part)
    return "".join(parts)


def natural(text: str) -> list[tuple[bool, int, str]]:
    """Sorts numbers in names by their value: `2_a` before `10_b`."""
    parts = re.split(r"(\d+)", text)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def _leads_down(mark: re.Match[str]) -> bool:
    words = (mark["way"], mark["long"], mark["play"], mark["undo"], mark["tern"])
    return any(word is not None and word.lower() != "up" for word in words)


def _undoes(path: str, others: set[str]) -> bool:
    """Whether a file undoes what another one does, or is an undo migration of Flyway's."""
    name = os.path.basename(path)
    flyway = _FLYWAY.fullmatch(name)
    if flyway is not None:
        return flyway["kind"] in "Uu" and flyway["version"] is not None
    found = _UNDOES.search(name)
    if found is None:
        return False
    if found["way"].lower() == "down":
        return True
    return any(f"{path[: -len(found[0].lstrip('._-'))]}{up}" in others for up in _ups(name))


def _ups(name: str) -> tuple[str, ...]:
    ending = os.path.splitext(name)[1]
    return tuple(f"{word}{ending}" for word in ("up", "do", "deploy", "create", "migrate"))


def _place(path: str) -> tuple[object, ...]:
    """Where a file stands among others: by its folders, and then by its name."""
    folder, name = os.path.split(path)
    flyway = _FLYWAY.fullmatch(name)
    if flyway is None:
        return (natural(folder), 0, [], natural(name))
    if flyway["version"] is None:
        return (natural(folder), 1, [], natural(name))
    return (natural(folder), 0, _version(flyway), natural(name))


def _version(flyway: re.Match[str]) -> list[int]:
    return [int(part) for part in re.split(r"[._]", flyway["version"])]


def _baselines(paths: Sequence[str]) -> dict[str, list[int]]:
    """The newest baseline of each folder: what is not newer is in it."""
    found: dict[str, list[int]] = {}
    for path in paths:
        folder, name = os.path.split(path)
        flyway = _FLYWAY.fullmatch(name)
        if flyway is not None and flyway["kind"] in "Bb" and flyway["version"] is not None:
            found[folder] = max(found.get(folder, []), _version(flyway))
    return found


def _is_below(path: str, baselines: dict[str, list[int]]) -> bool:
    folder, name = os.path.split(path)
    flyway = _FLYWAY.fullmatch(name)
    if flyway is None or folder not in baselines or flyway["version"] is None:
        return False
    version = _version(flyway)
    return version < baselines[folder] or (
        version == baselines[folder] and flyway["kind"] not in "Bb"
    )
