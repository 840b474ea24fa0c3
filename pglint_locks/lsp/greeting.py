"""The answer to `initialize`, given before the libraries of the protocol are loaded.

That takes longer than all else; what the client sends meanwhile is read when it is done.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from pglint_locks import __version__
from pglint_locks.lsp.wire import Input, write

SOURCE = "pglint-locks"
EXPLAIN, REPORT = "pglint-locks.explain", "pglint-locks.report"
FIX_ALL = "source.fixAll.pglint-locks"
TRIGGERS = ("[", ",")
_ENCODINGS = ("utf-8", "utf-16", "utf-32")


def greet(incoming: Input, outgoing: BinaryIO) -> int | str | None:
    """Answer the first message if it is `initialize`; the number of that request."""
    try:
        request = json.loads(incoming.first_message())
    except (ValueError, RecursionError):
        return None
    params = _params_of_initialize(request)
    if params is None:
        return None
    write(outgoing, {"id": request["id"], "result": result(params)})
    number: int | str = request["id"]
    return number


def result(params: dict[str, Any]) -> dict[str, Any]:
    """What a client is told that begins."""
    return {
        "capabilities": {
            "positionEncoding": _encoding(params),
            "textDocumentSync": {"openClose": True, "change": 2, "save": True},
            "completionProvider": {"triggerCharacters": list(TRIGGERS)},
            "hoverProvider": True,
            "codeActionProvider": {"codeActionKinds": ["quickfix", FIX_ALL]},
            "executeCommandProvider": {"commands": [EXPLAIN, REPORT]},
            "inlayHintProvider": {"resolveProvider": False},
            "diagnosticProvider": {
                "interFileDependencies": True,
                "workspaceDiagnostics": False,
                "identifier": SOURCE,
            },
            "workspace": {
                "workspaceFolders": {"supported": True, "changeNotifications": True},
                "fileOperations": {},
            },
        },
        "serverInfo": {"name": SOURCE, "version": __version__},
    }


def understood(params: dict[str, Any]) -> dict[str, Any]:
    """The same parameters of `initialize`, but only what the answer rests on, and in order."""
    abilities = params["capabilities"]
    text = abilities.get("textDocument")
    pulls = isinstance(text, dict) and isinstance(text.get("diagnostic"), dict)
    root = params.get("rootUri")
    return {
        "processId": None,
        "rootUri": root if isinstance(root, str) else None,
        "capabilities": {
            "general": {"positionEncodings": [_encoding(params)]},
            "textDocument": {"diagnostic": {}} if pulls else {},
        },
    }


def _params_of_initialize(request: object) -> dict[str, Any] | None:
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0":
        return None
    params, number = request.get("params"), request.get("id")
    if request.get("method") != "initialize" or not isinstance(number, int | str):
        return None
    if not isinstance(params, dict) or not isinstance(params.get("capabilities"), dict):
        return None
    return params


def _encoding(params: dict[str, Any]) -> str:
    """The first encoding of the client's that is known; UTF-16 where it names none."""
    general = params["capabilities"].get("general")
    offered = general.get("positionEncodings") if isinstance(general, dict) else None
    known = [each for each in offered if each in _ENCODINGS] if isinstance(offered, list) else []
    return known[0] if known else "utf-16"
