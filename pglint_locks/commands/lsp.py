"""`pglint-locks lsp`: the language server, on standard input and output or on a port."""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO, cast

from pglint_locks.commands.streams import tell
from pglint_locks.errors import UsageError
from pglint_locks.lsp.greeting import greet
from pglint_locks.lsp.wire import Input

if TYPE_CHECKING:
    from pglint_locks.config import Config
    from pglint_locks.discovery import FoundFile
    from pglint_locks.findings import Finding
    from pglint_locks.lsp.server import Server

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def serve(tcp: str | None) -> int:
    """Serve one editor until it says that it is done; 1 if it went without.

    Raises:
        UsageError: the extra is not installed, or the address is wrong.
    """
    address = None if tcp is None else _address(tcp)
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise UsageError(
            "the language server needs one more package: pip install 'pglint-locks[lsp]'"
        )
    stream, outgoing = _standard_streams() if address is None else _accepted(*address)
    incoming = Input(stream)
    greeted = greet(incoming, outgoing)
    server = _loaded()
    server.protocol.greeted = greeted
    try:
        server.start_io(cast("BinaryIO", incoming), outgoing)
    finally:
        server.is_ending.set()
    return 0 if server.protocol.is_shut_down else 1


def _loaded() -> Server:
    """The server, which takes loading; what is loaded stays, and is not to be collected."""
    gc.disable()
    try:
        from pglint_locks.commands.layers import configurations
        from pglint_locks.lsp.features import make_server

        return make_server(partial(configurations, {}), _unknown)
    finally:
        gc.freeze()
        gc.enable()


def _unknown(config: Config, file: FoundFile) -> Callable[[Sequence[Finding]], Sequence[Finding]]:
    from pglint_locks.commands.known import Known

    return Known(config, [file], []).unknown


def _standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output; what anything else prints goes to standard error from now on."""
    sys.stdout.flush()
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return sys.stdin.buffer, outgoing


def _accepted(host: str, port: int) -> tuple[BinaryIO, BinaryIO]:
    """The streams of the first client that connects."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        name, number = listener.getsockname()[:2]
        tell(f"listening on {name}:{number}")
        connection, _ = listener.accept()
    with connection:  # closed when both streams are
        return connection.makefile("rb"), connection.makefile("wb")


def _address(tcp: str) -> tuple[str, int]:
    host, _, port = tcp.rpartition(":")
    host = host.strip("[]")
    if not (host and port.isdigit()) or int(port) > 65535:
        raise UsageError(f"--tcp: {tcp!r} is no HOST:PORT, such as localhost:2087")
    if host not in _LOOPBACK:
        raise UsageError(
            f"--tcp: {host!r} is not this machine; the server listens on localhost only"
        )
    return host, int(port)
