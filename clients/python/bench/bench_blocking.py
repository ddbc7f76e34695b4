"""Makes the calls that `make bench BENCH=clients` measures, by the blocking client and by its bare stubs."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import grpc
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

import mneme
from mneme.v1 import ingest_service_pb2
from mneme.v1 import memory_service_pb2 as pb


class Side(Protocol):
    """The work of the client, or of the stubs alone. Streams tell how many memories they carried."""

    def get(self, namespace: str, id: str) -> str: ...
    def store(self, namespace: str, text: str) -> object: ...
    def ingest(self, namespace: str, vectors: Vectors) -> int: ...
    def export(self, namespace: str) -> int: ...


class Client:
    def __init__(self, address: str) -> None:
        client = mneme.connect(address)
        self._of = {name: client.with_namespace(name) for name in ("bench", "stored", "ingested")}

    def get(self, namespace: str, id: str) -> str:
        return self._of[namespace].get(id).text

    def store(self, namespace: str, text: str) -> object:
        return self._of[namespace].store(memory_of(text))

    def ingest(self, namespace: str, vectors: Vectors) -> int:
        stored = 0
        for progress in self._of[namespace].ingest(memories_of(vectors)):
            stored = progress.stored_count
        return stored

    def export(self, namespace: str) -> int:
        return sum(1 for each in self._of[namespace].export_memories() if each.text and each.embedding is not None)


class Stubs:
    def __init__(self, address: str) -> None:
        channel = grpc.insecure_channel(address, options_of_channel())
        self._memories = stub_of(channel, pb.DESCRIPTOR)
        self._ingests = stub_of(channel, ingest_service_pb2.DESCRIPTOR)

    def get(self, namespace: str, id: str) -> str:
        answer: pb.GetMemoryResponse = self._memories.GetMemory(get_request(namespace, id), timeout=TIMEOUT_S)
        return answer.memory.text

    def store(self, namespace: str, text: str) -> object:
        return self._memories.StoreMemory(store_request(namespace, text), timeout=TIMEOUT_S)

    def ingest(self, namespace: str, vectors: Vectors) -> int:
        stored = 0
        for answer in self._ingests.IngestMemories(ingest_requests(namespace, vectors)):
            if answer.HasField("acknowledgement"):
                stored = answer.acknowledgement.stored_count
        return stored

    def export(self, namespace: str) -> int:
        request = pb.ExportMemoriesRequest(parent=f"namespaces/{namespace}")
        return sum(map(count_of, self._memories.ExportMemories(request)))


class Driver:
    def __init__(self, address: str) -> None:
        self._sides: dict[str, Side] = {"client": Client(address), "stub": Stubs(address)}
        self._numbers = itertools.count()

    def do(self, job: Job) -> None:
        side, namespace, count = self._sides[job["by"]], job["namespace"], job["count"]
        match job["work"]:
            case "get":
                self._repeat(job, lambda: side.get(namespace, f"turn-{next(self._numbers) % count}"))
            case "store":
                self._repeat(job, lambda: side.store(namespace, sentence(next(self._numbers))))
            case "ingest":
                vectors = vectors_of(count)
                _time(lambda: side.ingest(namespace, vectors))
            case "export":
                _time(lambda: side.export(namespace))

    def _repeat(self, job: Job, call: Callable[[], Any]) -> None:
        """Keeps so many calls in flight until the time is over."""
        until = time.perf_counter() + job["duration_ms"] / 1000

        def work() -> int:
            done = 0
            while time.perf_counter() < until:
                call()
                done += 1
            return done

        with ThreadPoolExecutor(job["in_flight"]) as threads:
            _time(lambda: sum(each.result() for each in [threads.submit(work) for _ in range(job["in_flight"])]))


def _time(work: Callable[[], int]) -> None:
    started = time.perf_counter()
    count = work()
    say(count, time.perf_counter() - started)


def main() -> None:
    driver = Driver(sys.argv[1])
    for line in sys.stdin:
        driver.do(json.loads(line))


main()
