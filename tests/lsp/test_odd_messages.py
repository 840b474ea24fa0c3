"""Messages that no sound client sends, a few hundred of them: the server goes on."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from lsp_client import Client, told

CLAIM = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 3 FOR UPDATE);\n"
VALUES: list[Any] = [
    *(None, True, -1, 0, 2**31, 2**70, 1.5, "", "x", "\ud800", "file:///", "file://%zz", [], {}),
    *([[]], {"uri": "x"}, {"line": -1, "character": -1}, {"line": 10**9, "character": 10**9}),
]
METHODS = [
    *("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"),
    *("textDocument/didSave", "textDocument/diagnostic", "textDocument/hover"),
    *("textDocument/codeAction", "textDocument/completion", "textDocument/inlayHint"),
    *("workspace/executeCommand", "workspace/didChangeWatchedFiles", "$/cancelRequest"),
    *("workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders", "$/setTrace"),
    *("initialized", "window/workDoneProgress/cancel", "x", ""),
]


def sound(uri: str) -> dict[str, Any]:
    """Parameters that do for any of the methods."""
    place = {"line": 0, "character": 30}
    return {
        "textDocument": {"uri": uri, "version": 2, "languageId": "sql", "text": CLAIM},
        "contentChanges": [{"range": {"start": place, "end": place}, "text": "x"}],
        "position": place,
        "range": {"start": place, "end": place},
        "context": {"diagnostics": [], "only": ["quickfix"]},
        "command": "pglint-locks.report",
        "arguments": [uri],
        "changes": [{"uri": uri, "type": 2}],
        "settings": {},
        "event": {"added": [], "removed": []},
        "value": "off",
        "token": 1,
        "id": 1,
    }


def odd(random: Random, value: Any) -> Any:
    """The same with something wrong somewhere in it."""
    if isinstance(value, dict) and value and random.random() < 0.85:
        key = random.choice(list(value))
        if random.random() < 0.15:
            return {other: each for other, each in value.items() if other != key}
        return {**value, key: odd(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.8:
        return [odd(random, each) for each in value]
    return random.choice(VALUES)


@pytest.mark.parametrize("seed", range(3))
def test_odd_messages_end_nothing(client: Client, seed: int) -> None:
    random = Random(seed)
    client.begin()
    client.open(CLAIM)
    asked: list[int] = []
    for _ in range(150):
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": random.choice(METHODS)}
        message["params"] = odd(random, sound(client.uri("a.sql")))
        if random.random() < 0.1:
            message["jsonrpc"] = random.choice(VALUES)
        elif random.random() < 0.6:
            asked.append(10_000 + len(asked))
            message["id"] = asked[-1]
        client.send(message)
    client.open(CLAIM, name="alive.sql")
    assert told(client.published(name="alive.sql"))[0][0] == "PGL101"
    assert client.end() == 0
    answered = [each["id"] for each in client.kept if "method" not in each and each.get("id")]
    assert len(answered) == len(set(map(json.dumps, answered))), "no request is answered twice"
    assert set(asked) <= set(answered), "a request is answered, whatever is in it"
