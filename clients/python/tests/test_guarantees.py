"""What every call has, seen from a server that notes what it is asked."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from opentelemetry import context, trace

import mneme
import mneme.aio
from mneme._names import namespace_of
from mneme.v1 import memory_service_pb2 as pb
from mneme.v1 import recall_service_pb2 as recall_pb
from mneme.v1.memory_pb2 import Memory


class Noting:
    """Notes requests, their metadata and their deadlines; answers as it is told."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.metadata: list[dict[str, Any]] = []
        self.seconds_left: list[float] = []
        self.revision = 0
        self.fail: Callable[[int, grpc.ServicerContext], None] = lambda attempt, context: None

    def note(self, request: Any, context: Any) -> None:
        self.asked.append(request)
        self.metadata.append(dict(context.invocation_metadata()))
        self.seconds_left.append(context.time_remaining())
        self.fail(len(self.asked), context)

    def store(self, request: Any, context: Any) -> Any:
        self.note(request, context)
        self.revision += 1
        receipt = pb.WriteReceipt(name=f"{request.parent}/memories/m")
        return pb.StoreMemoryResponse(memory=receipt, revision=self.revision)

    def count(self, request: Any, context: Any) -> Any:
        self.note(request, context)
        return pb.CountMemoriesResponse(count=1, revision=self.revision)

    def recall(self, request: Any, context: Any) -> Any:
        self.note(request, context)
        return recall_pb.RecallResponse(revision=self.revision)


@pytest.fixture
def noting() -> Noting:
    return Noting()


def served(handlers: dict[str, dict[str, Any]]) -> tuple[grpc.Server, str]:
    """A server with these methods by their services, and its address."""
    made = [grpc.method_handlers_generic_handler(f"mneme.v1.{name}", each) for name, each in handlers.items()]
    server = grpc.server(ThreadPoolExecutor(8), handlers=made)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, f"127.0.0.1:{port}"


@pytest.fixture
def address(noting: Noting) -> Iterator[str]:
    def method(answer: Any, request: Any, response: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(answer, request.FromString, response.SerializeToString)

    memories = {
        "StoreMemory": method(noting.store, pb.StoreMemoryRequest, pb.StoreMemoryResponse),
        "CountMemories": method(noting.count, pb.CountMemoriesRequest, pb.CountMemoriesResponse),
    }
    recalls = {"Recall": method(noting.recall, recall_pb.RecallRequest, recall_pb.RecallResponse)}
    server, found = served({"MemoryService": memories, "RecallService": recalls})
    yield found
    server.stop(None).wait()


def unavailable_until(attempt_that_succeeds: int) -> Callable[[int, grpc.ServicerContext], None]:
    def fail(attempt: int, context: grpc.ServicerContext) -> None:
        if attempt < attempt_that_succeeds:
            context.abort(grpc.StatusCode.UNAVAILABLE, "not now")

    return fail


def test_unavailable_is_retried_with_one_request_id(address: str, noting: Noting) -> None:
    noting.fail = unavailable_until(4)
    with mneme.connect(address) as client:
        client.store({"text": "t"})
    assert len(noting.asked) == 4
    assert len({request.request_id for request in noting.asked}) == 1
    assert len(noting.asked[0].request_id) == 36


def test_a_recall_is_tried_three_times(address: str, noting: Noting) -> None:
    noting.fail = unavailable_until(9)
    with mneme.connect(address) as client, pytest.raises(mneme.UnavailableError, match="not now"):
        client.recall("t")
    assert len(noting.asked) == 3


def test_nothing_is_sent_twice_without_retry(address: str, noting: Noting) -> None:
    noting.fail = unavailable_until(9)
    with mneme.connect(address, retry=False) as client, pytest.raises(mneme.UnavailableError):
        client.store({"text": "t"})
    assert len(noting.asked) == 1


def test_only_unavailable_is_retried(address: str, noting: Noting) -> None:
    noting.fail = lambda attempt, context: context.abort(grpc.StatusCode.INTERNAL, "broken")
    with mneme.connect(address) as client, pytest.raises(mneme.InternalError, match="broken") as caught:
        client.store({"text": "t"})
    assert len(noting.asked) == 1
    assert (caught.value.family, caught.value.reason, caught.value.retryable) == ("store", None, False)


def test_deadlines_by_default_and_for_one_call(address: str, noting: Noting) -> None:
    with mneme.connect(address, namespace="n") as client:
        client.store({"text": "t"})
        client.recall("t")
        client.store({"text": "t"}, timeout_ms=60_000)
    first, recall, long = noting.seconds_left
    assert first == pytest.approx(10, abs=1)
    assert recall == pytest.approx(5, abs=1)
    assert long == pytest.approx(60, abs=10)
    assert [request.parent for request in noting.asked] == ["namespaces/n"] * 3


def test_reads_see_what_this_client_has_seen(address: str, noting: Noting) -> None:
    with mneme.connect(address) as client:
        client.count()
        client.store({"text": "t"})
        client.with_namespace("other").count()
        client.count(min_revision=0)
        client.recall("t", min_revision=7)
    with mneme.connect(address, read_your_writes=False) as client:
        client.store({"text": "t"})
        client.count()
    revisions = [request.min_revision for request in noting.asked if not isinstance(request, pb.StoreMemoryRequest)]
    assert revisions == [0, 1, 0, 7, 0]


def test_token_scope_and_trace_context(address: str, noting: Noting) -> None:
    scope = mneme.CallerScope(agent_type="guide & co", agent="Zoë")
    with mneme.connect(address, token="secret", call_from=scope) as client:
        client.count(traceparent="00-11111111111111111111111111111111-2222222222222222-01", tracestate="a=1")
        span = trace.NonRecordingSpan(trace.SpanContext(3, 4, True, trace.TraceFlags(1)))
        token = context.attach(trace.set_span_in_context(span))
        client.count()
        context.detach(token)
        client.count()
    given, of_context, none = noting.metadata
    assert given["authorization"] == "Bearer secret"
    assert given["mneme-scope"] == "agent_type=guide%20%26%20co&agent=Zo%C3%AB"
    assert given["traceparent"] == "00-11111111111111111111111111111111-2222222222222222-01"
    assert given["tracestate"] == "a=1"
    assert of_context["traceparent"] == "00-00000000000000000000000000000003-0000000000000004-01"
    assert "traceparent" not in none
    assert str(given["user-agent"]).startswith("mneme-python/")


def test_calls_have_the_header_of_their_namespace(address: str, noting: Noting) -> None:
    with mneme.connect(address, namespace="a") as client:
        client.count()
        client.with_namespace("b").store({"text": "t"})
        client.with_namespace("not æ name").count()
    assert [each.get("mneme-namespace") for each in noting.metadata] == ["a", "b", None]
    assert namespace_of(pb.UpdateMemoryRequest(memory=Memory(name="namespaces/c/memories/m"))) == "c"
    assert namespace_of(pb.GetMemoryRequest(name="namespaces/c/memories/m")) == "c"


def test_raw_calls_have_the_same_guarantees(address: str, noting: Noting) -> None:
    noting.fail = unavailable_until(2)
    with mneme.connect(address) as client:
        answer = client.raw.call(pb.StoreMemoryRequest(parent="namespaces/n"), pb.StoreMemoryResponse)
        assert answer.revision == 1
        assert client.count().count == 1
        with pytest.raises(TypeError, match="answers with"):
            client.raw.call(pb.StoreMemoryRequest(), pb.GetMemoryResponse)
        with pytest.raises(TypeError, match="is not the request of an RPC"):
            client.raw.call(pb.WriteReceipt(), pb.GetMemoryResponse)
    assert noting.asked[0].request_id == noting.asked[1].request_id != ""
    assert noting.asked[2].min_revision == 1


def test_an_answer_that_cannot_be_read() -> None:
    garbage: Any = grpc.unary_unary_rpc_method_handler(lambda request, context: b"\xff\xff\xff")
    server, address = served({"MemoryService": {"CountMemories": garbage}})
    with mneme.connect(address) as client:
        with pytest.raises(mneme.InternalError):
            client.count()
        with pytest.raises(mneme.UnimplementedError) as caught:
            client.store({"text": "t"})
        assert caught.value.family == "store"
    server.stop(None).wait()


def test_calls_under_way_end_before_the_client_does(address: str, noting: Noting) -> None:
    asked = threading.Event()

    def slow(attempt: int, context: grpc.ServicerContext) -> None:
        asked.set()
        time.sleep(0.2)

    noting.fail = slow
    client = mneme.connect(address)
    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(client.count)
        asked.wait()
        client.close()
        assert counting.result().count == 1
    with pytest.raises(mneme.CancelledError, match="the client is closed"):
        client.count()


def test_closing_is_bounded(address: str, noting: Noting) -> None:
    asked, release = threading.Event(), threading.Event()

    def stuck(attempt: int, context: grpc.ServicerContext) -> None:
        asked.set()
        release.wait(20)

    noting.fail = stuck
    client = mneme.connect(address)
    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(client.count)
        asked.wait()
        client.close(timeout_ms=50)
        with pytest.raises(mneme.CancelledError, match="the client is closed"):
            counting.result()
        release.set()


def test_asyncio_has_them_too(address: str, noting: Noting) -> None:
    async def main() -> None:
        noting.fail = unavailable_until(4)
        async with mneme.aio.connect(address, token="secret") as client:
            await client.store({"text": "t"})
            await client.count()
            noting.fail = lambda attempt, context: time.sleep(0.5)
            counting = asyncio.ensure_future(client.count())
            await asyncio.sleep(0.1)
            counting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await counting
            cancel = mneme.Cancellation()
            threading.Timer(0.1, cancel.cancel).start()
            with pytest.raises(mneme.CancelledError, match="cancelled by the caller"):
                await client.count(cancel=cancel)
            with pytest.raises(mneme.DeadlineExceededError):
                await client.count(timeout_ms=100)
        with pytest.raises(mneme.CancelledError, match="the client is closed"):
            await client.count()

    asyncio.run(main())
    assert len({request.request_id for request in noting.asked[:4]}) == 1
    assert noting.asked[4].min_revision == 1
    assert noting.metadata[0]["authorization"] == "Bearer secret"
