"""What both faces of the client are asked to do, as messages for the stubs and as values for the client."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any, TypedDict

import numpy

from mneme._channel import Option, channel_options
from mneme.options import ConnectOptions
from mneme.v1 import ingest_service_pb2, memory_pb2
from mneme.v1 import memory_service_pb2 as pb

DIMENSION = 384
BATCH = 256
TIMEOUT_S = 10.0

Vectors = Any


class Job(TypedDict):
    """A line of what is asked, see test/bench/load/client-program.ts."""

    work: str
    by: str
    namespace: str
    in_flight: int
    duration_ms: int
    count: int


def say(count: int, elapsed_s: float) -> None:
    """The answer to a job."""
    print(json.dumps({"count": count, "elapsed_ms": elapsed_s * 1000}), flush=True)


def options_of_channel() -> list[Option]:
    """The client's options."""
    return channel_options("127.0.0.1:50051", ConnectOptions())


def sentence(i: int) -> str:
    return f"{i} people were at the harbour when the {i % 977}th boat came in"


def vectors_of(count: int) -> Vectors:
    """A matrix with a row for each memory."""
    rows = 7 * numpy.arange(count)[:, None] + numpy.arange(DIMENSION)[None, :]
    return numpy.sin(rows).astype(numpy.float32)


def memory_of(text: str) -> dict[str, Any]:
    """A memory in the form of the client."""
    scope = {"agent": "scout", "session": "harbour"}
    return {"text": text, "type": "message", "scope": scope, "source": {"speaker": "Ada"}}


def memories_of(vectors: Vectors) -> Iterator[dict[str, Any]]:
    """Memories with vectors in the form of the client."""
    for i, vector in enumerate(vectors):
        yield {"text": sentence(i), "embedding": {"values": vector, "model": "bench"}}


def get_request(namespace: str, id: str) -> pb.GetMemoryRequest:
    return pb.GetMemoryRequest(name=f"namespaces/{namespace}/memories/{id}")


def store_request(namespace: str, text: str) -> pb.StoreMemoryRequest:
    memory = memory_pb2.Memory(
        text=text,
        type="message",
        scope=memory_pb2.Scope(agent="scout", session="harbour"),
        source=memory_pb2.Source(speaker="Ada"),
    )
    return pb.StoreMemoryRequest(parent=f"namespaces/{namespace}", memory=memory, request_id=str(uuid.uuid4()))


def ingest_requests(namespace: str, vectors: Vectors) -> Iterator[ingest_service_pb2.IngestMemoriesRequest]:
    start = ingest_service_pb2.IngestStart(
        parent=f"namespaces/{namespace}", stream_id=str(uuid.uuid4()), refusals_only=True
    )
    yield ingest_service_pb2.IngestMemoriesRequest(start=start)
    for first in range(0, len(vectors), BATCH):
        items = [_item_of(i, vectors[i]) for i in range(first, min(first + BATCH, len(vectors)))]
        batch = ingest_service_pb2.IngestBatch(first_sequence=first + 1, items=items)
        yield ingest_service_pb2.IngestMemoriesRequest(batch=batch)


def _item_of(i: int, vector: Vectors) -> ingest_service_pb2.IngestItem:
    embedding = memory_pb2.Embedding(data_f32le=vector.tobytes(), dimension=vector.size, model="bench")
    return ingest_service_pb2.IngestItem(memory=memory_pb2.Memory(text=sentence(i), embedding=embedding))


def count_of(answer: pb.ExportMemoriesResponse) -> int:
    """How many memories with text and vector a message has."""
    return sum(1 for memory in answer.memories if memory.text and memory.embedding.data_f32le)
