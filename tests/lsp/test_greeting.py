"""The answer to `initialize`: it comes before the rest is loaded, and says what that says."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from lsp_client import Client, told
from lsprotocol import converters, types
from pygls.capabilities import ServerCapabilitiesBuilder

from pglint_locks.commands.layers import configurations
from pglint_locks.lsp.features import make_server
from pglint_locks.lsp.greeting import result, understood

CLAIM = "DELETE FROM jobs WHERE 'é🐘' <> '' AND id IN (SELECT id FROM jobs LIMIT 3 FOR UPDATE);\n"
OFFERS: list[Any] = [
    None,
    {},
    {"positionEncodings": None},
    {"positionEncodings": []},
    {"positionEncodings": ["utf-8"]},
    {"positionEncodings": ["utf-32", "utf-16"]},
    {"positionEncodings": ["latin-1", "utf-8", "utf-16"]},
    {"positionEncodings": ["latin-1"]},
]


def capabilities_of_the_library(abilities: dict[str, Any]) -> dict[str, Any]:
    """What `pygls` makes of the features of the server."""
    server = make_server(partial(configurations, {}), lambda *_: lambda found: found)
    converter = converters.get_converter()
    client = converter.structure(abilities, types.ClientCapabilities)
    features = server.protocol.fm
    made = ServerCapabilitiesBuilder(
        client,
        {*features.features, *features.builtin_features},
        features.feature_options,
        list(features.commands),
        types.TextDocumentSyncKind.Incremental,
        None,
        ServerCapabilitiesBuilder.choose_position_encoding(client),
    ).build()
    found: dict[str, Any] = json.loads(json.dumps(converter.unstructure(made)))
    return found


@pytest.mark.parametrize("general", OFFERS)
def test_it_says_what_the_library_says(general: Any) -> None:
    abilities: dict[str, Any] = {} if general is None else {"general": general}
    assert result({"capabilities": abilities})["capabilities"] == capabilities_of_the_library(
        abilities
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"workspace": 3},
        {"textDocument": {"diagnostic": {}, "hover": "yes"}},
        {"general": {"positionEncodings": ["utf-32"], "markdown": 5}},
        {"general": []},
    ],
)
def test_what_a_client_says_wrong_of_itself_does_not_stop_it(
    client: Client, wrong: dict[str, Any]
) -> None:
    answer = client.begin(wrong)
    client.open(CLAIM)
    pulls = "textDocument" in wrong
    found = client.ask("diagnostic")["items"] if pulls else client.published()
    before = CLAIM.index("IN (")
    units = before if answer["capabilities"]["positionEncoding"] == "utf-32" else before + 1
    assert told(found)[0][:3] == ("PGL101", 0, units)
    assert client.end() == 0


def test_what_is_understood_keeps_the_root() -> None:
    params = {"rootUri": "file:///project", "capabilities": {"textDocument": 3}}
    assert understood(params)["rootUri"] == "file:///project"
    assert understood({**params, "rootUri": 3})["rootUri"] is None


@pytest.mark.parametrize(
    "params",
    [None, [], {"capabilities": None}, {"capabilities": {}, "processId": "x"}],
)
def test_parameters_that_are_none(connect: Callable[..., Client], params: Any) -> None:
    """Where the answer cannot be given at once, it is given as to any request."""
    client = connect()
    asked = client.start("initialize", params)
    message = client.next(lambda each: each.get("id") == asked)
    has_abilities = isinstance(params, dict) and params["capabilities"] is not None
    assert ("result" in message) == has_abilities
    if has_abilities:
        client.notify("initialized", {})
        client.open(CLAIM)
        assert told(client.published())[0][0] == "PGL101"


def test_it_is_answered_once(client: Client) -> None:
    client.begin()
    client.open(CLAIM)
    client.published()
    assert client.end() == 0
    assert all("method" in each for each in client.kept)
