"""Beginning, ending, and what a client gets wrong: nothing of it ends the server."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lsp_client import SECONDS, Client, FailedError, told

CLAIM = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 3 FOR UPDATE);\n"


def is_alive(client: Client) -> bool:
    """Whether a document that is opened now is linted."""
    client.open(CLAIM, name="alive.sql")
    return [each[0] for each in told(client.published(name="alive.sql"))][:1] == ["PGL101"]


def test_a_session_from_beginning_to_end(client: Client) -> None:
    result = client.begin()
    assert result["serverInfo"]["name"] == "pglint-locks"
    capabilities = result["capabilities"]
    assert capabilities["textDocumentSync"]["change"] == 2
    assert capabilities["codeActionProvider"]["codeActionKinds"] == [
        "quickfix",
        "source.fixAll.pglint-locks",
    ]
    assert capabilities["hoverProvider"]
    assert capabilities["inlayHintProvider"]
    assert capabilities["diagnosticProvider"]["identifier"] == "pglint-locks"
    assert capabilities["completionProvider"]["triggerCharacters"] == ["[", ","]
    assert client.end() == 0
    assert client.received.get(timeout=SECONDS) is None, "nothing may follow"


def test_exit_without_shutdown_is_a_failure(client: Client) -> None:
    client.begin()
    client.notify("exit")
    assert client.process.wait(SECONDS) == 1


def test_it_ends_with_its_input(client: Client) -> None:
    client.begin()
    client.stdin.close()
    assert client.process.wait(SECONDS) == 1


def test_a_request_before_initialize_is_refused(client: Client) -> None:
    with pytest.raises(FailedError) as failed:
        client.ask("hover", position={"line": 0, "character": 0})
    assert failed.value.code == -32002
    client.open(CLAIM)  # dropped
    client.begin()
    assert is_alive(client)


def test_initialize_twice_is_refused(client: Client) -> None:
    client.begin()
    with pytest.raises(FailedError) as failed:
        client.begin()
    assert failed.value.code == -32600
    assert is_alive(client)


def test_after_shutdown_requests_are_refused(client: Client) -> None:
    client.begin()
    client.request("shutdown")
    with pytest.raises(FailedError) as failed:
        client.ask("hover", position={"line": 0, "character": 0})
    assert failed.value.code == -32600
    client.notify("exit")
    assert client.process.wait(SECONDS) == 0


def test_unknown_methods(client: Client) -> None:
    client.begin()
    client.notify("$/nobodyKnows", {"a": 1})
    client.notify("textDocument/nobodyKnows")
    with pytest.raises(FailedError) as failed:
        client.request("textDocument/nobodyKnows", {})
    assert failed.value.code == -32601
    assert is_alive(client)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"3", -32600),
        (b"null", -32600),
        (b'{"id": 1, "method": "shutdown"}', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}', -32600),
    ],
)
def test_what_is_no_message(client: Client, body: bytes, code: int) -> None:
    client.begin()
    client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    with pytest.raises(FailedError) as failed:
        client.answer(None)
    assert failed.value.code == code
    assert is_alive(client)


def test_wrong_parameters_are_answered(client: Client) -> None:
    client.begin()
    with pytest.raises(FailedError) as failed:
        client.request("textDocument/hover", {"textDocument": 3})
    assert failed.value.code == -32602
    client.notify("textDocument/didOpen", {"textDocument": None})
    client.notify("textDocument/didChange", [])
    client.change(2, {"text": "x"}, name="never-opened.sql")
    assert is_alive(client)


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: {}\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        b"Content-Length:{}\r\nX-Other: 1\r\n\r\n",
        b"\r\n\r\nContent-Length: {}\r\n\r\n",
    ],
)
def test_headers(client: Client, header: bytes) -> None:
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"capabilities": {}}}
    ).encode()
    client.send_bytes(header.replace(b"{}", b"%d" % len(body)) + body)
    assert client.answer(7)["serverInfo"]["name"] == "pglint-locks"


@pytest.mark.parametrize("length", [b"x", b"-1", b"0", b"9" * 30])
def test_a_length_that_is_none(client: Client, length: bytes) -> None:
    client.begin()
    client.send_bytes(b"Content-Length: %s\r\n\r\n" % length)
    assert is_alive(client)


def test_a_message_that_is_too_long_is_passed_over(client: Client) -> None:
    client.begin()
    length = (256 << 20) + 1
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % length)
    for _ in range(256):
        client.send_bytes(b" " * (1 << 20))
    client.send_bytes(b" ")
    assert is_alive(client)


def test_cancelling_what_is_known_and_what_is_not(client: Client) -> None:
    client.begin({"textDocument": {"diagnostic": {}}})
    client.open("SELECT 1 FROM jobs WHERE id = 1 FOR UPDATE;\n" * 3_000)
    asked = client.start("textDocument/diagnostic", {"textDocument": {"uri": client.uri("a.sql")}})
    client.notify("$/cancelRequest", {"id": asked})
    client.notify("$/cancelRequest", {"id": 4711})
    with pytest.raises(FailedError) as failed:
        client.answer(asked)
    assert failed.value.code == -32800
    assert client.ask("diagnostic", name="b.sql") == {"kind": "full", "items": []}


def test_it_is_ready_soon(client: Client) -> None:
    """The bound is wide, for a busy machine; `benchmarks/lsp.py` measures."""
    started = time.monotonic()
    client.begin()
    assert time.monotonic() - started < 10


def test_on_a_port(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pglint_locks", "lsp", "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = int(re.findall(r"listening on 127\.0\.0\.1:(\d+)", process.stderr.readline())[0])
        with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
            for message in (
                {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
                {"id": 2, "method": "shutdown"},
                {"method": "exit"},
            ):
                body = json.dumps({"jsonrpc": "2.0", **message}).encode()
                connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            with connection.makefile("rb") as answers:
                assert b'"serverInfo"' in answers.read()
        assert process.wait(SECONDS) == 0


@pytest.mark.parametrize(
    ("address", "words"),
    [("0.0.0.0:2087", "localhost only"), ("example.org:1", "localhost only"), ("x", "HOST:PORT")],
)
def test_addresses_that_are_refused(address: str, words: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pglint_locks", "lsp", "--tcp", address]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['pygls'] = None; sys.argv[1:] = ['lsp'];"
        "from pglint_locks.cli import main; main()"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'pglint-locks[lsp]'" in done.stderr


def test_no_other_command_loads_it() -> None:
    program = (
        "import sys; from pglint_locks.cli import run; run(['check', '-q', '--isolated', '-']);"
        "print([name for name in sys.modules if name.split('.')[0] in ('pygls', 'lsprotocol')"
        " or name.startswith('pglint_locks.lsp')])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=CLAIM, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


NASTY = {
    "deep": "SELECT " + "1+" * 60_000 + "1 FOR UPDATE;\n",
    "unions": "SELECT 1 " + "UNION ALL SELECT 1 " * 15_000 + "FOR UPDATE;\n",
    "parentheses": "SELECT " + "(" * 30_000 + "1" + ")" * 30_000 + " FROM t FOR UPDATE;\n",
    "sub-selects": "SELECT * FROM (" * 3_000 + "t" + ") s" * 3_000 + " FOR UPDATE;\n",
    "quotes": "FOR UPDATE '" * 500,
    "NUL": "SELECT 1 FROM t FOR UPDATE;\0\0;" * 100,
    "controls": "".join(map(chr, range(1, 160))) * 20 + "FOR UPDATE",
    "halves": "SELECT '\ud83d' FROM t\udc18 FOR UPDATE; -- \udfff\n",
    "comments": "/*" * 5_000 + "FOR UPDATE",
    "one line": "SELECT id FROM jobs FOR UPDATE; " * 300,
    "empty": "",
}


def test_no_text_ends_it(client: Client) -> None:
    client.begin()
    for version, (name, text) in enumerate(NASTY.items(), 1):
        client.open(text, name=f"{version}.sql")
        client.published(version=1, name=f"{version}.sql")
        client.change(2, {"range": at(0), "text": "x"}, name=f"{version}.sql")
        client.published(version=2, name=f"{version}.sql")
        assert client.process.poll() is None, name
    assert is_alive(client)


def test_nothing_else_is_written_to_standard_output(connect: Callable[..., Client]) -> None:
    """The reader of `Client` stops at the first byte that is no message."""
    client = connect()
    client.begin()
    client.open(CLAIM)
    assert told(client.published())
    assert client.end() == 0
    assert not client.kept


def at(line: int) -> dict[str, dict[str, int]]:
    return {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}
