"""Which row locks exclude each other (manual, 13.3.2, "Row-Level Locks"; `MultiXactStatus`)."""

from __future__ import annotations

STRENGTHS = ("FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE")
"""From the weakest to the strongest."""

# The weakest strength that conflicts with each one.
_FIRST_CONFLICT = {
    "FOR KEY SHARE": "FOR UPDATE",
    "FOR SHARE": "FOR NO KEY UPDATE",
    "FOR NO KEY UPDATE": "FOR SHARE",
    "FOR UPDATE": "FOR KEY SHARE",
}
_TAKEN_BY = {
    "FOR KEY SHARE": "INSERT or UPDATE of a row that refers to it",
    "FOR SHARE": "",
    "FOR NO KEY UPDATE": "UPDATE of other columns than keys",
    "FOR UPDATE": "DELETE, UPDATE of a key",
}


def conflicting(strength: str) -> list[str]:
    """The locks that wait for one of this strength, and for which it waits."""
    first = STRENGTHS.index(_FIRST_CONFLICT[strength])
    return list(STRENGTHS[first:])


def table(strength: str) -> str:
    """The conflicts of a strength as a Markdown table, with the commands that take each."""
    against = conflicting(strength)
    lines = ["| held by others | taken by | |", "|---|---|---|"]
    for other in STRENGTHS:
        verdict = "conflicts" if other in against else "goes together"
        lines.append(f"| `{other}` | {_TAKEN_BY[other]} | {verdict} |")
    return "\n".join(lines)
