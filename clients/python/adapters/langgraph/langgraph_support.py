"""A server with a folder and an address of its own, which tests kill and start again."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mneme.testing import Server, start_server


class Restarted:
    """A server that comes back with its data."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.address = f"127.0.0.1:{free_port()}"
        self._server: Server | None = None

    def start(self) -> None:
        self._server = start_server("--embedder", "static", listen=self.address, data=self._data)

    def kill(self) -> None:
        """`kill -9`."""
        assert self._server is not None
        self._server.process.kill()
        self._server.process.wait()

    def kill_and_start(self) -> None:
        self.kill()
        self.start()


@contextmanager
def restarted_server(data: Path) -> Iterator[Restarted]:
    server = Restarted(data)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def free_port() -> int:
    """A port that no process listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
