"""One server for all tests; a namespace of its own for each."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

import mneme
from mneme.agentmemory import AgentMemoryAPI, MemoryConfig
from mneme.testing import Server, start_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with start_server("--embedder", "static") as running:
        yield running


@pytest.fixture(scope="session")
def vector_server() -> Iterator[Server]:
    """A server that stores a vector of each memory."""
    with start_server("--embedder", "hashing") as running:
        yield running


@pytest.fixture
def api(vector_server: Server, namespace: str) -> Iterator[AgentMemoryAPI]:
    with AgentMemoryAPI(MemoryConfig(address=vector_server.address, namespace=namespace)) as connected:
        yield connected


@pytest.fixture
def namespace() -> str:
    return f"n-{uuid.uuid4()}"


@pytest.fixture
def client(server: Server, namespace: str) -> Iterator[mneme.Mneme]:
    with mneme.connect(server.address, namespace=namespace) as connected:
        yield connected
