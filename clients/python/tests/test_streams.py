"""Streams against a real server that is killed and started again, blocking and with asyncio."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

import mneme
import mneme.aio
from mneme import where
from mneme.testing import Server, start_server


class Restarting:
    """A server that can be killed and comes back with its data on the same address."""

    def __init__(self, data: Path) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{found.getsockname()[1]}"
        self.data = data
        self.server = self.start()

    def start(self) -> Server:
        return start_server("--embedder", "static", listen=self.address, data=self.data)

    def kill(self) -> None:
        self.server.process.kill()
        self.server.stop()

    def restart(self) -> None:
        self.kill()
        self.server = self.start()


@pytest.fixture
def restarting(tmp_path: Path) -> Iterator[Restarting]:
    running = Restarting(tmp_path)
    yield running
    running.kill()


def test_a_watch_goes_on_after_the_server_was_killed(restarting: Restarting) -> None:
    broken: list[mneme.MnemeError] = []
    opened: list[bool] = []
    with mneme.connect(restarting.address, timeout_ms=30_000) as client:
        client.store({"id": "m0", "text": "before"})
        events = client.watch(
            start_revision=1, on_broken=broken.append, on_open=lambda: opened.append(True), filter=where.id.equals("m1")
        )
        client.store({"id": "m1", "text": "one"})
        stored = next(event for event in events if event.kind == "stored")
        assert isinstance(stored, mneme.WatchedChange)
        assert (stored.id, stored.memory and stored.memory.text) == ("m1", "one")
        restarting.restart()
        client.update("m1", {"text": "two"})
        updated = next(event for event in events if event.kind == "updated")
        assert isinstance(updated, mneme.WatchedChange)
        assert updated.revision > stored.revision
        events.close()
        with client.watch(resume_token=stored.resume_token, filter=where.id.equals("m1")) as again:
            assert [next(again).kind] == ["updated"]
    assert all(isinstance(error, mneme.UnavailableError) for error in broken)
    assert len(broken) >= 1
    assert len(opened) >= 2


def test_a_subscription_to_a_recall(client: mneme.Mneme) -> None:
    client.store({"id": "m1", "text": "the museum is closed on Mondays", "tags": ["closed"]})
    answers = client.subscribe(filter=where.tag.equals("closed"))
    first = next(answers)
    assert ([hit.memory.id for hit in first.entered], first.is_progress) == (["m1"], False)
    client.store({"id": "m2", "text": "the market is closed on Sundays", "tags": ["closed"]})
    second = next(answer for answer in answers if not answer.is_progress)
    assert ([hit.memory.id for hit in second.entered], len(second.hits)) == (["m2"], 2)
    client.delete("m1")
    third = next(answer for answer in answers if not answer.is_progress)
    assert (third.left_ids, [hit.memory.id for hit in third.hits]) == (("m1",), ["m2"])
    answers.close()
    with pytest.raises(mneme.InvalidArgumentError, match="limt"):
        next(client.subscribe(limt=3))  # type: ignore[call-arg]


def test_a_recall_tier_by_tier(client: mneme.Mneme) -> None:
    client.store({"id": "m1", "text": "the museum is closed on Mondays"})
    events = list(client.recall_stream("When is the museum closed?"))
    merged = events[-1]
    assert isinstance(merged, mneme.Merged)
    assert [hit.memory.id for hit in merged.answer.hits] == ["m1"]
    assert {event.tier for event in events if isinstance(event, mneme.TierHits)} >= {"short_term"}
    assert merged.answer.hits == client.recall("When is the museum closed?").hits


def test_deliveries_come_until_they_are_acknowledged(client: mneme.Mneme) -> None:
    client.store({"text": "before"})
    made = client.subscriptions.create("feed", filter='type = "fact"', ack_deadline_ms=60_000)
    assert (made.id, made.mode, made.filter) == ("feed", "broadcast", 'type = "fact"')
    for number in range(3):
        client.store({"id": f"m{number}", "text": "t", "type": "fact"})
    deliveries = client.subscriptions.consume("feed", "ada")
    first, second = next(deliveries), next(deliveries)
    assert [first.id, second.id] == ["m0", "m1"]
    first.acknowledge()
    deliveries.close()
    with client.subscriptions.consume("feed", "ada") as again:
        delivery = next(again)
        assert delivery.id == "m1"
    cursors = client.subscriptions.get("feed").cursors
    assert [(each.consumer, each.acknowledged_revision) for each in cursors] == [("ada", first.revision)]
    assert [each.id for each in client.subscriptions.list()] == ["feed"]
    client.subscriptions.delete("feed")
    with pytest.raises(mneme.NotFoundError):
        next(client.subscriptions.consume("feed", "ada"))


def test_an_ingest_goes_on_after_the_server_was_killed(restarting: Restarting) -> None:
    vectors = numpy.random.default_rng(1).standard_normal((4_000, 8), dtype=numpy.float32)
    killed = threading.Event()

    def memories() -> Iterator[dict[str, Any]]:
        for number, vector in enumerate(vectors):
            if number == 2_000:
                restarting.restart()
                killed.set()
            yield {"id": f"m{number}", "text": f"{number}", "embedding": {"values": vector, "model": "m"}}

    with mneme.connect(restarting.address, timeout_ms=30_000) as client:
        last = None
        for progress in client.ingest(memories()):
            last = progress
        assert last is not None
        assert (last.acknowledged_sequence, last.refused_count) == (4_000, 0)
        assert last.stored_count + last.existing_count == 4_000
        assert client.count().count == 4_000
        found = client.get("m2500", view="full").embedding
        assert found is not None
        assert numpy.array_equal(found.numpy(), vectors[2_500])
    assert killed.is_set()


def test_what_an_ingest_refuses_and_tells(client: mneme.Mneme) -> None:
    client.store({"id": "b", "text": "kept"})
    given: list[dict[str, Any]] = [
        {"id": "a", "text": "one"},
        {"text": "x", "importance": 7},
        {"id": "b", "text": "again"},
    ]
    progress = list(client.ingest(given, receipts=True))
    refused = [each for step in progress for each in step.refused]
    receipts = [each for step in progress for each in step.receipts]
    assert [(each.sequence, each.error.reason) for each in refused] == [(2, "FIELD_INVALID")]
    assert (receipts[0].sequence, receipts[0].id) == (1, "a")
    assert (progress[-1].stored_count, progress[-1].existing_count, progress[-1].refused_count) == (1, 1, 1)
    assert list(client.ingest([])) == []
    with pytest.raises(mneme.InvalidArgumentError, match=r"memories\[1\]\.text: must be a string"):
        wrong: list[dict[str, Any]] = [{"text": "fine"}, {"text": 3}]
        list(client.ingest(wrong))
    with pytest.raises(ZeroDivisionError):
        list(client.ingest({"text": str(1 // number)} for number in (1, 0)))


def test_a_slow_source_is_sent_as_it_comes(client: mneme.Mneme) -> None:
    go_on = threading.Event()

    def memories() -> Iterator[dict[str, Any]]:
        yield {"id": "first", "text": "t"}
        assert go_on.wait(10)
        yield {"id": "second", "text": "t"}

    progress = client.ingest(memories())
    assert next(progress).stored_count == 1
    go_on.set()
    assert [step.stored_count for step in progress][-1] == 2


def test_closing_sends_what_an_ingest_has_read(server: Server, namespace: str) -> None:
    client = mneme.connect(server.address, namespace=namespace)
    read, never = threading.Event(), threading.Event()
    outcome: list[BaseException] = []

    def memories() -> Iterator[dict[str, Any]]:
        for number in range(500):
            yield {"text": f"{number}"}
        read.set()
        never.wait(20)

    def work() -> None:
        try:
            list(client.ingest(memories()))
        except mneme.CancelledError as error:
            outcome.append(error)

    working = threading.Thread(target=work)
    working.start()
    read.wait(10)
    client.close()
    working.join(10)
    never.set()
    assert str(outcome[0]) == "the client is closed"
    with mneme.connect(server.address, namespace=namespace) as other:
        assert other.count().count == 500


def test_export_and_import(client: mneme.Mneme) -> None:
    given = [{"id": f"m{number}", "text": f"{number}", "tags": ["t"], "importance": 0.3} for number in range(600)]
    steps: list[mneme.ImportProgress] = []
    assert client.import_memories(given, on_progress=steps.append).stored_count == 600
    assert steps[-1].stored_count == 600
    told: list[mneme.ExportProgress] = []
    exported = list(client.export_memories(on_progress=told.append))
    assert (len(exported), told[-1].sent_count) == (600, 600)
    other = client.with_namespace(f"{client.namespace}-copy")
    assert other.import_memories(exported).stored_count == 600
    assert other.get("m7") == client.get("m7").__class__(**{**vars(client.get("m7")), **_own(other.get("m7"))})
    assert client.import_memories(given).skipped_count == 600
    with pytest.raises(mneme.AlreadyExistsError):
        client.import_memories(given, conflict_policy="fail")
    refused: list[mneme.RefusedMemory] = []
    mixed: list[dict[str, Any]] = [{"id": "new", "text": "t"}, {"id": "bad", "text": "t", "importance": 7}]
    assert client.import_memories(mixed, on_refused=refused.append).stored_count == 1
    assert [(each.memory["id"], each.error.violations[0].field) for each in refused] == [("bad", "importance")]


def _own(memory: mneme.Memory) -> dict[str, Any]:
    """What a copy has of its own."""
    return {name: getattr(memory, name) for name in ("name", "namespace", "version")}


def test_patience_and_no_retry(tmp_path: Path) -> None:
    running = Restarting(tmp_path)
    with mneme.connect(running.address, timeout_ms=300) as client:
        client.store({"text": "t"}, timeout_ms=30_000)
        events = client.watch(patience_ms=200, progress=True)
        next(events)
        with mneme.connect(running.address, retry=False) as once:
            alone = once.watch(progress=True)
            next(alone)
            running.kill()
            with pytest.raises(mneme.MnemeError):
                next(alone)
        with pytest.raises(mneme.UnavailableError):
            next(events)


def test_leaving_a_loop_ends_the_stream_on_the_server(client: mneme.Mneme) -> None:
    client.store({"text": "t"})
    for _ in client.watch(progress=True):
        break
    late = time.monotonic() + 10
    while client.admin.get_server_info().streams.open.get("watch", 0) > 0:
        assert time.monotonic() < late, "the watch is still open"


def test_asyncio_does_the_same(server: Server, namespace: str) -> None:
    async def memories() -> AsyncIterator[dict[str, Any]]:
        for number in range(700):
            yield {"id": f"m{number}", "text": f"{number}"}

    async def main() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            steps = [step async for step in client.ingest(memories())]
            assert steps[-1].stored_count == 700
            assert [step async for step in client.ingest({"id": "m1", "text": "t"} for _ in range(2))]
            assert (await client.import_memories(memories())).skipped_count == 700
            assert len([memory async for memory in client.export_memories()]) == 700
            watching = client.watch(start_revision=1)
            assert (await watching.__anext__()).kind == "namespace_created"
            waiting = asyncio.ensure_future(_last(client.watch()))
            await asyncio.sleep(0.05)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            got = await asyncio.gather(*(client.get(f"m{number}") for number in range(50)))
            assert [memory.id for memory in got] == [f"m{number}" for number in range(50)]
        with pytest.raises(mneme.CancelledError, match="the client is closed"):
            await _last(watching)

    asyncio.run(main())


async def _last(stream: Any) -> None:
    async for _ in stream:
        pass


def test_closing_ends_streams_that_are_read(server: Server, namespace: str) -> None:
    client = mneme.connect(server.address, namespace=namespace)
    client.store({"text": "t"})
    opened = threading.Semaphore(0)
    reading: list[Any] = [
        each(on_open=opened.release)
        for each in (client.watch, client.session("s").watch, client.lifecycle.watch_events)
    ]
    errors: list[str] = []

    def work(stream: Any) -> None:
        with pytest.raises(mneme.CancelledError) as caught:
            list(stream)
        errors.append(str(caught.value))

    threads = [threading.Thread(target=work, args=(each,)) for each in reading]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert opened.acquire(timeout=10)
    client.close()
    for thread in threads:
        thread.join(10)
    assert errors == ["the client is closed"] * 3

    async def main() -> None:
        other = mneme.aio.connect(server.address, namespace=namespace)
        ready: asyncio.Queue[None] = asyncio.Queue()
        streams: list[Any] = [
            each(on_open=lambda: ready.put_nowait(None))
            for each in (other.watch, other.session("s").watch, other.lifecycle.watch_events)
        ]
        tasks = [asyncio.ensure_future(_last(each)) for each in streams]
        for _ in tasks:
            await asyncio.wait_for(ready.get(), 10)
        await other.close()
        ended = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        assert [str(each) for each in ended] == ["the client is closed"] * 3

    asyncio.run(main())
