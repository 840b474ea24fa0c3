"""`pglint-locks lsp`: the language server, on standard input and output or on a port."""

from __future__ import annotations

from functools import partial

from pglint_locks.commands.layers import configurations
from pglint_locks.errors import UsageError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def serve(tcp: str | None) -> int:
    """Serve one editor until it says that it is done.

    Raises:
        UsageError: the extra is not installed, or the address is wrong.
    """
    address = None if tcp is None else _address(tcp)
    try:
        from pglint_locks.lsp.server import make_server
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in ("pygls", "lsprotocol"):
            raise UsageError(
                "the language server needs one more package: pip install 'pglint-locks[lsp]'"
            ) from error
        raise
    server = make_server(partial(configurations, {}))
    if address is None:
        server.start_io()
    else:
        server.start_tcp(*address)
    return 0


def _address(tcp: str) -> tuple[str, int]:
    host, _, port = tcp.rpartition(":")
    host = host.strip("[]")
    if not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--tcp: {tcp!r} is no HOST:PORT, such as localhost:2087")
    if host not in _LOOPBACK:
        raise UsageError(
            f"--tcp: {host!r} is not this machine; the server listens on localhost only"
        )
    return host, int(port)
