"""The suite that LangGraph publishes for checkpointers, whole."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator

from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from mneme.langgraph import MnemeSaver
from mneme.testing import Server


def test_every_capability_passes(server: Server) -> None:
    async def savers() -> AsyncIterator[MnemeSaver]:
        with MnemeSaver(server.address, namespace=f"n-{uuid.uuid4()}") as saver:
            yield saver

    report = asyncio.run(validate(checkpointer_test(name="MnemeSaver")(savers)))
    results = {name: (result.passed, result.failures) for name, result in report.results.items()}
    assert results == {capability.value: (True, []) for capability in Capability}
    assert sum(result.tests_passed for result in report.results.values()) == 81
