"""One server for all tests of adapters; a namespace of its own for each test."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from mneme.testing import Server, start_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with the default embedder."""
    with start_server("--embedder", "static") as running:
        yield running


@pytest.fixture
def namespace() -> str:
    return f"n-{uuid.uuid4()}"
