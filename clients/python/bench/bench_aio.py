"""Makes the calls that `make bench BENCH=clients` measures, by the asyncio client and by its bare stubs."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

import grpc.aio
from bench_work import (
    TIMEOUT_S,
    Job,
    Vectors,
    count_of,
    get_request,
    ingest_requests,
    memories_of,
    memory_of,
    options_of_channel,
    say,
    sentence,
    store_request,
    vectors_of,
)
from stubs import stub_of

from mneme import aio
from mneme.v1 import ingest_service_pb2
from mneme.v1 import memory_service_pb2 as pb


class Side(Protocol):
    """The work of the client, or of the stubs alone. Streams tell how many memories they carried."""

    async def get(self, namespace: str, id: str) -> str: ...
    async def store(self, namespace: str, text: str) -> object: ...
    async def ingest(self, namespace: str, vectors: Vectors) -> int: ...
    async def export(self, namespace: str) -> int: ...


class Client:
    def __init__(self, address: str) -> None:
        client = aio.connect(address)
        self._of = {name: client.with_namespace(name) for name in ("bench", "stored", "ingested")}

    async def get(self, namespace: str, id: str) -> str:
        return (await self._of[namespace].get(id)).text

    async def store(self, namespace: str, text: str) -> object:
        return await self._of[namespace].store(memory_of(text))

    async def ingest(self, namespace: str, vectors: Vectors) -> int:
        stored = 0
        async for progress in self._of[namespace].ingest(memories_of(vectors)):
            stored = progress.stored_count
        return stored

    async def export(self, namespace: str) -> int:
        count = 0
        async for each in self._of[namespace].export_memories():
            if each.text and each.embedding is not None:
                count += 1
        return count


class Stubs:
    def __init__(self, address: str) -> None:
        channel = grpc.aio.insecure_channel(address, options_of_channel())
        self._memories = stub_of(channel, pb.DESCRIPTOR)
        self._ingests = stub_of(channel, ingest_service_pb2.DESCRIPTOR)

    async def get(self, namespace: str, id: str) -> str:
        answer: pb.GetMemoryResponse = await self._memories.GetMemory(get_request(namespace, id), timeout=TIMEOUT_S)
        return answer.memory.text

    async def store(self, namespace: str, text: str) -> object:
        return await self._memories.StoreMemory(store_request(namespace, text), timeout=TIMEOUT_S)

    async def ingest(self, namespace: str, vectors: Vectors) -> int:
        stored = 0
        async for answer in self._ingests.IngestMemories(ingest_requests(namespace, vectors)):
            if answer.HasField("acknowledgement"):
                stored = answer.acknowledgement.stored_count
        return stored

    async def export(self, namespace: str) -> int:
        count = 0
        async for answer in self._memories.ExportMemories(pb.ExportMemoriesRequest(parent=f"namespaces/{namespace}")):
            count += count_of(answer)
        return count


class Driver:
    def __init__(self, address: str) -> None:
        self._sides: dict[str, Side] = {"client": Client(address), "stub": Stubs(address)}
        self._numbers = itertools.count()

    async def do(self, job: Job) -> None:
        side, namespace, count = self._sides[job["by"]], job["namespace"], job["count"]
        match job["work"]:
            case "get":
                await self._repeat(job, lambda: side.get(namespace, f"turn-{next(self._numbers) % count}"))
            case "store":
                await self._repeat(job, lambda: side.store(namespace, sentence(next(self._numbers))))
            case "ingest":
                vectors = vectors_of(count)
                await _time(lambda: side.ingest(namespace, vectors))
            case "export":
                await _time(lambda: side.export(namespace))

    async def _repeat(self, job: Job, call: Callable[[], Awaitable[object]]) -> None:
        """Keeps so many calls in flight until the time is over."""
        until = time.perf_counter() + job["duration_ms"] / 1000

        async def work() -> int:
            done = 0
            while time.perf_counter() < until:
                await call()
                done += 1
            return done

        async def all_of_them() -> int:
            return sum(await asyncio.gather(*(work() for _ in range(job["in_flight"]))))

        await _time(all_of_them)


async def _time(work: Callable[[], Awaitable[int]]) -> None:
    started = time.perf_counter()
    count = await work()
    say(count, time.perf_counter() - started)


async def main() -> None:
    driver = Driver(sys.argv[1])
    while line := await asyncio.to_thread(sys.stdin.readline):
        await driver.do(json.loads(line))


asyncio.run(main())
