"""Pipelines: what agents ask in a loop, over one stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ._face import call, stream
from ._history_calls import HistoryCalls
from ._io import Signal
from ._memory_calls import MemoryCalls
from ._pipeline_caller import PipelineCaller
from ._recall_calls import RecallCalls

Item = TypeVar("Item")


@dataclass(frozen=True)
class PipelineOutcome(Generic[Item]):
    """The result of one item of `each`."""

    item: Item
    result: Any = None
    error: Exception | None = None
    """None for a success."""


class PipelineCalls(MemoryCalls, HistoryCalls, RecallCalls):
    """Calls over one stream: memories, states over time and recall. `session` and `lifecycle` do the same."""

    _caller: PipelineCaller

    @stream
    async def each(
        self,
        items: Iterable[Item] | AsyncIterable[Item],
        operation: Callable[[Any, Item], Any],
        *,
        concurrency: int = 64,
    ) -> AsyncGenerator[PipelineOutcome[Item], None]:
        """Processes items, several at a time, and yields each result when it is available, not in the order of the
        items. `operation` is called with the pipeline and the item; for asyncio it returns an awaitable, for a blocking
        client it runs in a thread. A failed item has its `error`; the others continue."""
        io = self._caller.connection.io
        signal, done, running = Signal(io), list[PipelineOutcome[Item]](), [0]

        async def work(item: Item) -> None:
            try:
                outcome = PipelineOutcome(item, await io.result_of(operation(self, item)))
            except Exception as error:
                outcome = PipelineOutcome(item, error=error)
            with signal.lock:
                running[0] -= 1
                done.append(outcome)
            signal.notify()

        def taken() -> list[PipelineOutcome[Item]]:
            with signal.lock:
                some = done[:]
                done.clear()
            return some

        async with aclosing(io.iterate(items)) as given:  # type: ignore[type-var]
            async for item in given:
                await signal.wait_for(lambda: running[0] < concurrency)
                with signal.lock:
                    running[0] += 1
                io.spawn(work(item))
                for outcome in taken():
                    yield outcome
        while running[0] > 0 or done:
            await signal.wait_for(lambda: bool(done))
            for outcome in taken():
                yield outcome

    @call
    async def close(self) -> None:
        """Refuses more calls, waits until all are answered, and ends the stream."""
        await self._caller.close()
