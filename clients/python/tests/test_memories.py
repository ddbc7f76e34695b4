"""Memories and recall against a real server, blocking and with asyncio."""

from __future__ import annotations

import asyncio
import socket
import threading
import uuid

import pytest

import mneme
import mneme.aio
from mneme import where
from mneme.testing import Server


def test_store_get_update_delete(client: mneme.Mneme) -> None:
    receipt = client.store({"id": "m1", "text": "the museum is closed on Mondays", "tags": ["city"]})
    assert receipt.id == "m1"
    memory = client.get("m1")
    assert (memory.text, memory.tags, memory.version) == ("the museum is closed on Mondays", ("city",), receipt.version)
    changed = client.update("m1", {"text": "it is closed on Tuesdays", "tags": None, "scope": {"project": "p"}})
    memory = client.get("m1")
    assert (memory.text, memory.tags, memory.scope.project) == ("it is closed on Tuesdays", (), "p")
    with pytest.raises(mneme.AbortedError) as caught:
        client.update("m1", {"text": "late"}, if_version=receipt.version)
    assert (caught.value.reason, caught.value.family) == ("VERSION_MISMATCH", "store")
    assert client.set_importance("m1", 0.9, if_version=changed.version).version > changed.version
    assert [revision.change for revision in client.list_revisions("m1")][-1] == "stored"
    client.delete("m1")
    with pytest.raises(mneme.NotFoundError) as missing:
        client.get("m1")
    assert (missing.value.reason, missing.value.family) == ("MEMORY_NOT_FOUND", "retrieval")
    client.delete("m1", allow_missing=True)


def test_lists_counts_and_selections(client: mneme.Mneme) -> None:
    receipts = client.batch_store([{"text": f"note {number}", "type": "fact", "step": number} for number in range(7)])
    assert len(receipts) == 7
    assert [memory.step for memory in client.list(order="step_asc", page_size=3)] == list(range(7))
    page = client.list_page(order="step_asc", page_size=5)
    rest = client.list_page(order="step_asc", page_size=5, page_token=page.next_page_token)
    assert [len(page.memories), len(rest.memories), rest.next_page_token] == [5, 2, ""]
    assert client.count(filter=where.step.less(3)).count == 3
    got = client.batch_get([receipts[0].id, "nobody"])
    assert ([memory.step for memory in got.memories], got.missing_ids) == ([0], ("nobody",))
    superseded = client.supersede(receipts[0].id, {"text": "note 0, again"})
    assert superseded.superseded.id == receipts[0].id
    assert client.forget(filter=where.step.greater(4), dry_run=True).forgotten_count == 2
    assert client.forget(all=True).forgotten_count == 8
    with pytest.raises(mneme.InvalidArgumentError):
        client.forget()


def test_recall_finds_what_was_stored_just_now(client: mneme.Mneme) -> None:
    client.store({"text": "I have played the cello since I was nine.", "source": {"speaker": "Caroline"}})
    client.store({"text": "The tower is forty metres high.", "type": "fact"})
    answer = client.recall("Who makes music?", limit=1, explain=True, filter=where.speaker.equals("Caroline"))
    assert [hit.memory.source.speaker for hit in answer.hits] == ["Caroline"]
    assert answer.hits[0].components
    assert answer.candidate_count >= 1
    assert "attribute" in [preset.name for preset in client.list_recall_presets()]
    with pytest.raises(mneme.InvalidArgumentError) as caught:
        client.recall()
    assert caught.value.reason == "FIELD_INVALID"


def test_asyncio_does_the_same(server: Server, namespace: str) -> None:
    async def main() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            await asyncio.gather(*(client.store({"text": f"note {number}"}) for number in range(20)))
            assert (await client.count()).count == 20
            assert len([memory async for memory in client.list(page_size=6)]) == 20
            with pytest.raises(mneme.NotFoundError):
                await client.get("nobody")
            with pytest.raises(mneme.InvalidArgumentError):
                await client.store({"text": 3})

    asyncio.run(main())


def test_a_request_id_makes_repeating_safe(client: mneme.Mneme) -> None:
    request_id = str(uuid.uuid4())
    first = client.store({"text": "once"}, request_id=request_id)
    assert client.store({"text": "once"}, request_id=request_id) == first
    assert client.count().count == 1


def test_another_namespace_over_the_same_connection(client: mneme.Mneme) -> None:
    other = client.with_namespace(f"{client.namespace}-other")
    other.batch_store([{"text": "here"}, {"text": "and here"}])
    client.store({"text": "there"})
    assert (client.count().count, other.count().count) == (1, 2)


def test_deadlines_and_no_connection() -> None:
    late = pytest.raises(mneme.DeadlineExceededError, match=r"connection refused at 127\.0\.0\.1:1: is it running")
    with mneme.connect("127.0.0.1:1", timeout_ms=300, wait_for_ready=True) as client, late:
        client.count()
    with mneme.connect("127.0.0.1:1", wait_for_ready=False) as client:
        with pytest.raises(
            mneme.UnavailableError, match=r"connection refused at 127\.0\.0\.1:1: is it running"
        ) as caught:
            client.count()
        assert caught.value.retryable
    with mneme.connect("127.0.0.1:1") as client, pytest.raises(mneme.InvalidArgumentError, match="timeout_ms"):
        client.count(timeout_ms=-1)


@pytest.mark.parametrize("scheme", ["http://", "https://", "GRPC://"])
def test_an_address_that_is_a_url_is_refused(scheme: str) -> None:
    with pytest.raises(mneme.InvalidArgumentError, match=f"address: expected host:port without {scheme}, got "):
        mneme.connect(f"{scheme}a:50051")


def test_cancelling_from_another_thread() -> None:
    # It takes connections and never answers, so that a call lasts until it is cancelled.
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        mneme.connect(f"127.0.0.1:{silent.getsockname()[1]}") as client,
    ):
        cancel = mneme.Cancellation()
        threading.Timer(0.1, cancel.cancel).start()
        with pytest.raises(mneme.CancelledError, match="cancelled by the caller"):
            client.count(cancel=cancel)
        with pytest.raises(mneme.CancelledError, match="cancelled by the caller"):
            client.count(cancel=cancel)


def test_a_closed_client_refuses_calls(server: Server) -> None:
    client = mneme.connect(server.address)
    client.store({"text": "here"})
    client.close()
    client.close()
    with pytest.raises(mneme.CancelledError, match="the client is closed"):
        client.count()


def test_many_threads_share_one_client(client: mneme.Mneme) -> None:
    def work(number: int) -> None:
        for each in range(10):
            client.store({"text": f"note {number} {each}"})
            assert client.count().count >= each + 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.count().count == 80
