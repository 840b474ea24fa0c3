from __future__ import annotations

import pytest
from made_findings import claim_finding, report

from pglint_locks.findings import Severity
from pglint_locks.reporters import FORMATS


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_leaves_out_what_is_below_the_threshold(format: str) -> None:
    findings = [claim_finding(severity=severity) for severity in reversed(Severity)]
    for threshold in Severity:
        shown = [found for found in findings if found.severity >= threshold]
        assert report(format, findings, threshold=threshold) == report(format, shown)
    assert report(format, findings) != report(format, findings[:1])


@pytest.mark.parametrize("format", FORMATS)
def test_every_report_ends_with_a_line_end(format: str) -> None:
    text = report(format, [claim_finding()])
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_an_unknown_format_is_the_callers_mistake() -> None:
    with pytest.raises(KeyError):
        report("sarif?", [])


@pytest.mark.parametrize("format", sorted({*FORMATS} - {"full", "concise", "github"}))
def test_formats_for_programs_are_in_ascii(format: str) -> None:
    name, words = "\u00e9\U0001f389.sql", "\u00fcber \U0001f389"
    text = report(format, [claim_finding(name=name, message=words, advice=words)])
    assert text.isascii()
    assert "\\U0001f389" not in text
