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
    "FOR SHARE": "no other command",
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
    lines = [
        "| another transaction's lock on it | taken too by | at the same time |",
        "|---|---|---|",
        "| none | SELECT | yes |",
    ]
    for other in STRENGTHS:
        verdict = "**no**: one waits" if other in against else "yes"
        lines.append(f"| `{other}` | {_TAKEN_BY[other]} | {verdict} |")
    return "\n".join(lines)
