"""Mneme by the generated stubs, and an echo of its answers by the same stubs."""

from __future__ import annotations

import json
import socket

import grpc
from against_data import BATCH, DIMENSION, LIMIT, MODEL, Data, Memory, Narrowing, Steps, Vector, Zone
from bench_work import TIMEOUT_S, options_of_channel
from stubs import stub_of

from mneme.v1 import memory_pb2, memory_service_pb2, recall_service_pb2

PARENT = "namespaces/bench"
CONNECT_S = 1.0
BY_VECTOR_ALONE = recall_service_pb2.RecallWeights(keyword=0, vector=1, recency=0, importance=0, session=0)


class GrpcSystem:
    """One channel for all sessions, as a program has it. Where the machine is too busy to connect, calls wait."""

    def __init__(self, address: str, data: Data) -> None:
        self._address = address
        self._data = data
        self._channel = grpc.insecure_channel(address, options_of_channel())

    def session(self) -> GrpcSession:
        return GrpcSession(self._channel, self._data)

    def prepare(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def is_serving(self) -> bool:
        host, port = self._address.split(":")
        try:
            socket.create_connection((host, int(port)), CONNECT_S).close()
        except OSError:
            return False
        return True


class GrpcSession:
    def __init__(self, channel: grpc.Channel, data: Data) -> None:
        self._data = data
        self._memories = stub_of(channel, memory_service_pb2.DESCRIPTOR)
        self._recalls = stub_of(channel, recall_service_pb2.DESCRIPTOR)

    def add(self, at: int) -> None:
        self._memories.StoreMemory(self._store_request(at, parent=PARENT), timeout=TIMEOUT_S, wait_for_ready=True)

    def add_batch(self, first: int) -> None:
        requests = [self._store_request(first + i, parent="") for i in range(BATCH)]
        batch = memory_service_pb2.BatchStoreMemoriesRequest(parent=PARENT, requests=requests)
        self._memories.BatchStoreMemories(batch, timeout=TIMEOUT_S, wait_for_ready=True)

    def query(self, at: int, narrowing: Narrowing, by_vector_alone: bool = False) -> list[str]:
        request = recall_service_pb2.RecallRequest(
            parent=PARENT,
            embedding=_embedding_of(self._data.queries[at]),
            filter_text=filter_text_of(narrowing),
            limit=LIMIT,
            weights=BY_VECTOR_ALONE if by_vector_alone else None,
        )
        memories = [hit.memory for hit in self._recalls.Recall(request, timeout=TIMEOUT_S, wait_for_ready=True).hits]
        return [memory.name.rpartition("/")[2] for memory in memories if memory.text]

    def get(self, at: int) -> str:
        request = memory_service_pb2.GetMemoryRequest(name=f"{PARENT}/memories/{self._data.memory(at).id}")
        answer: memory_service_pb2.GetMemoryResponse = self._memories.GetMemory(
            request, timeout=TIMEOUT_S, wait_for_ready=True
        )
        return answer.memory.text

    def _store_request(self, at: int, parent: str) -> memory_service_pb2.StoreMemoryRequest:
        memory = self._data.memory(at)
        message = _message_of(memory, self._data.vector(at))
        return memory_service_pb2.StoreMemoryRequest(parent=parent, memory=message, memory_id=memory.id)


def filter_text_of(narrowing: Narrowing) -> str:
    match narrowing:
        case Steps(type, first, end):
            return f"type = {json.dumps(type)} AND step >= {first} AND step < {end}"
        case Zone(zone):
            return f"content.zone = {json.dumps(zone)}"
        case None:
            return ""


def _embedding_of(vector: Vector) -> memory_pb2.Embedding:
    return memory_pb2.Embedding(data_f32le=vector.tobytes(), dimension=DIMENSION, model=MODEL)


def _message_of(memory: Memory, vector: Vector) -> memory_pb2.Memory:
    message = memory_pb2.Memory(
        scope=memory_pb2.Scope(agent=memory.agent, session=memory.session),
        type=memory.type,
        step=memory.step,
        importance=memory.importance,
        tags=memory.tags,
        text=memory.text,
        content=memory_pb2.Content(json=memory.content),
        embedding=_embedding_of(vector),
    )
    message.event_time.seconds = memory.event_s
    return message
