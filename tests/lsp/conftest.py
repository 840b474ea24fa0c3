from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lsp_client import Client


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """Start servers in a folder of their own; the last line of each log is looked at."""
    clients: list[Client] = []

    def start(*arguments: str) -> Client:
        clients.append(Client(tmp_path, *arguments))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


@pytest.fixture
def client(connect: Callable[..., Client]) -> Client:
    """A server that is started and not yet initialized."""
    return connect()
