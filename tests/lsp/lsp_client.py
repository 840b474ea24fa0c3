"""A client of the language server: a process, and what is sent to it and comes back."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

SECONDS = 60


class FailedError(Exception):
    """The server has answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pglint_locks", "lsp", *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.stderr = self.process.stderr
        self.received: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.kept: list[dict[str, Any]] = []
        self.log: list[bytes] = []
        self._last_id = 0
        self._threads = [
            threading.Thread(target=read, daemon=True) for read in (self._read, self._read_log)
        ]
        for thread in self._threads:
            thread.start()

    # --- the wire ------------------------------------------------------------------

    def send_bytes(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def send(self, message: object) -> None:
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def _read(self) -> None:
        """Everything on standard output has to be messages."""
        while header := self.stdout.readline():
            if not header.lower().startswith(b"content-"):
                self.received.put({"method": "no header", "params": header.decode()})
                break
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
            while self.stdout.readline().strip():
                pass
            self.received.put(json.loads(self.stdout.read(length)))
        self.received.put(None)

    def _read_log(self) -> None:
        self.log.extend(self.stderr)

    def next(self, wanted: Any) -> dict[str, Any]:
        """The next message that is wanted; others are kept."""
        for index, message in enumerate(self.kept):
            if wanted(message):
                return self.kept.pop(index)
        while True:
            message = self.received.get(timeout=SECONDS)
            assert message is not None, b"".join(self.log).decode()
            assert message.get("method") != "no header", message
            if wanted(message):
                return message
            self.kept.append(message)

    # --- requests and notifications -----------------------------------------------

    def notify(self, method: str, params: object = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: object = None) -> int:
        self._last_id += 1
        self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def answer(self, msg_id: int | None) -> Any:
        message = self.next(lambda each: "method" not in each and each.get("id") == msg_id)
        if "error" in message:
            raise FailedError(message["error"])
        return message["result"]

    def request(self, method: str, params: object = None) -> Any:
        return self.answer(self.start(method, params))

    def notification(self, method: str) -> Any:
        return self.next(lambda each: each.get("method") == method)["params"]

    # --- a session --------------------------------------------------------------------

    def begin(self, capabilities: dict[str, Any] | None = None, **options: object) -> Any:
        params = {
            "processId": None,
            "rootUri": self.folder.as_uri(),
            "capabilities": capabilities or {},
            **options,
        }
        result = self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, text: str, name: str = "a.sql", language: str = "sql", version: int = 1) -> None:
        document = {"uri": self.uri(name), "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, version: int, *changes: object, name: str = "a.sql") -> None:
        document = {"uri": self.uri(name), "version": version}
        params = {"textDocument": document, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    def published(self, version: int | None = None, name: str = "a.sql") -> list[dict[str, Any]]:
        """The diagnostics that are sent of a document, of that version or the next ones."""
        while True:
            params = self.notification("textDocument/publishDiagnostics")
            if params["uri"] == self.uri(name) and version in (None, params.get("version")):
                return list(params["diagnostics"])

    def ask(self, method: str, name: str = "a.sql", **params: object) -> Any:
        params = {"textDocument": {"uri": self.uri(name)}, **params}
        return self.request(f"textDocument/{method}", params)

    def end(self) -> int:
        """Shut the server down as the protocol says; its exit status."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(SECONDS)

    def close(self) -> None:
        """End the process, however it is, and read what it has still said."""
        self.process.kill()
        self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        self.stdout.close()
        self.stderr.close()


def place(line: int, start: int, end: int | None = None) -> dict[str, Any]:
    """A range in one line."""
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line, "character": start if end is None else end},
    }


def told(diagnostics: list[dict[str, Any]]) -> list[tuple[str, int, int, int, int]]:
    """What is said where: code, line and character of start and end."""
    return [
        (
            each["code"],
            each["range"]["start"]["line"],
            each["range"]["start"]["character"],
            each["range"]["end"]["line"],
            each["range"]["end"]["character"],
        )
        for each in diagnostics
    ]
