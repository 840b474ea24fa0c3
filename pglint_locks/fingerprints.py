"""What a finding is known by when its file is renamed, edited around it or laid out anew."""

from __future__ import annotations

from hashlib import sha256

from pglint_locks.findings import Finding


def fingerprint(finding: Finding) -> str:
    """16 hexadecimal digits: of the rule, the table, and the fingerprint of the statement.

    Neither file nor place count, so findings alike in several places have the same.
    """
    return digest("\0".join((finding.rule.code, finding.table or "", finding.origin.fingerprint)))


def digest(text: str) -> str:
    """16 hexadecimal digits that stand for a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
