"""`pglint-locks lsp`: the language server, on standard input and output or on a port."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import BinaryIO, cast

from pglint_locks.commands.known import Known
from pglint_locks.commands.layers import configurations
from pglint_locks.commands.streams import tell
from pglint_locks.config import Config
from pglint_locks.discovery import FoundFile
from pglint_locks.errors import UsageError
from pglint_locks.findings import Finding

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def serve(tcp: str | None) -> int:
    """Serve one editor until it says that it is done; 1 if it went without.

    Raises:
        UsageError: the extra is not installed, or the address is wrong.
    """
    address = None if tcp is None else _address(tcp)
    try:
        from pglint_locks.lsp.features import make_server
        from pglint_locks.lsp.protocol import Input
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in ("pygls", "lsprotocol"):
            raise UsageError(
                "the language server needs one more package: pip install 'pglint-locks[lsp]'"
            ) from error
        raise
    server = make_server(partial(configurations, {}), _unknown)
    incoming, outgoing = _standard_streams() if address is None else _accepted(*address)
    server.start_io(cast("BinaryIO", Input(incoming)), outgoing)
    return 0 if server.protocol.is_shut_down else 1


def _unknown(config: Config, file: FoundFile) -> Callable[[Sequence[Finding]], Sequence[Finding]]:
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
