"""The wire: what a client sends that it should not, and answers that must be fast.

What a client gets wrong is answered as JSON-RPC 2.0 and LSP 3.17 say, and ends nothing.
"""

from __future__ import annotations

import json
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from pglint_locks.lsp.greeting import understood

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
NOT_INITIALIZED, SERVER_CANCELLED = -32002, -32802


class Plain(dict[str, Any]):
    """A result that is JSON already."""


class Protocol(LanguageServerProtocol):
    """The protocol of `pygls`, without its copies of documents, and strict about order.

    `greeted` is the number of an `initialize` that is answered already.
    """

    greeted: int | str | None = None
    _begun = False

    @property
    def is_shut_down(self) -> bool:
        """Whether the client has said that it is done."""
        return self._shutdown

    def send(self, message: dict[str, Any]) -> None:
        """Send a message that is JSON already."""
        self._send_data({"jsonrpc": self.VERSION, **message})

    def fail(self, msg_id: int | str | None, code: int, message: str) -> None:
        """Answer a request that cannot be carried out."""
        self.send({"id": msg_id, "error": {"code": code, "message": message}})

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message; one with wrong parameters is answered at once."""
        if "jsonrpc" in data and "id" in data and _is_notification(data.get("method")):
            data = {**data, "method": f"{data['method']}, which is no request,"}
        try:
            return super().structure_message(data)
        except Exception:
            if self.greeted is not None and data.get("id") == self.greeted:
                return super().structure_message({**data, "params": understood(data["params"])})
            if "method" in data and isinstance(data.get("id"), int | str):
                self.fail(data["id"], INVALID_PARAMS, f"wrong parameters of {data['method']}")
            raise

    def handle_message(self, message: Any) -> None:
        """Carry a message out, if this is the time for it."""
        msg_id, method = getattr(message, "id", None), getattr(message, "method", None)
        if getattr(message, "jsonrpc", None) != self.VERSION:
            self.fail(None, INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
        elif method == types.INITIALIZE and self._begun:
            self.fail(msg_id, INVALID_REQUEST, "the server is initialized already")
        elif method not in (None, types.INITIALIZE, types.EXIT) and not self._begun:
            if msg_id is not None:
                self.fail(msg_id, NOT_INITIALIZED, "the server is not initialized yet")
        elif self._shutdown and method is not None and msg_id is not None:
            self.fail(msg_id, INVALID_REQUEST, "the server is shut down")
        else:
            self._begun = self._begun or method == types.INITIALIZE
            super().handle_message(message)

    def _send_response(
        self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        if self.greeted is not None and msg_id == self.greeted:
            self.greeted = None
            self._result_types.pop(msg_id, None)
        elif isinstance(result, Plain) and error is None:
            self._result_types.pop(msg_id, None)
            self.send({"id": msg_id, "result": result})
        else:
            super()._send_response(msg_id, result, error)

    # Documents are ours: `pygls` would keep another copy, and take U+2028 for a line's end.

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Any:
        """A document is opened."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Any:
        """A document is changed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Any:
        """A document is closed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None


def _is_notification(method: object) -> bool:
    """Whether a method of the protocol is one that has no answer."""
    if not isinstance(method, str) or method not in types.METHOD_TO_TYPES:
        return False
    return types.METHOD_TO_TYPES[method][1] is None


def is_unreadable(error: Exception) -> bool:
    """Whether an error is that a message was no JSON."""
    return isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)


__all__ = ["LanguageServer", "Plain", "Protocol", "is_unreadable"]
