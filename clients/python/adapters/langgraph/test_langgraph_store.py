"""MnemeStore beyond the suite: expiry, bad input, cancelled tasks, the server away and killed."""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp
from langgraph_support import free_port, restarted_server

import mneme
from mneme.errors import DeadlineExceededError, InvalidArgumentError, UnavailableError
from mneme.langgraph import FoundItem, MnemeStore
from mneme.testing import Server

_MINUTE = timedelta(minutes=1)


@pytest.fixture
def store(server: Server, namespace: str) -> Iterator[MnemeStore]:
    with MnemeStore(server.address, namespace=namespace) as made:
        yield made


@pytest.fixture
def client(server: Server, namespace: str) -> Iterator[mneme.Mneme]:
    with mneme.connect(server.address, namespace=namespace) as made:
        yield made


class Clock:
    """The present, moved."""

    def __init__(self) -> None:
        self.minutes = 0.0

    def __call__(self) -> datetime:
        return datetime.now(timezone.utc) + self.minutes * _MINUTE


def _expiry(client: mneme.Mneme) -> datetime | None:
    (memory,) = client.list()
    return memory.expire_time


class TestExpiry:
    def test_an_expired_item_is_gone_and_can_be_put_again(self, server: Server, namespace: str) -> None:
        clock = Clock()
        with MnemeStore(server.address, namespace=namespace, now=clock) as store:
            # Three seconds from now: the server refuses an expiry that is over.
            clock.minutes = -4.95
            store.put(("a",), "k", {"text": "old tea"}, ttl=5)
            while store.get(("a",), "k", refresh_ttl=False) is not None:
                pass
            assert store.search(("a",)) == [] and store.search(("a",), query="tea") == []
            assert store.list_namespaces() == []
            clock.minutes = 0
            store.put(("a",), "k", {"text": "new tea"}, ttl=5)
            found = store.get(("a",), "k")
            assert found is not None and found.value == {"text": "new tea"}

    @pytest.mark.parametrize("read", ["get", "search", "query", "aget"])
    def test_a_read_begins_the_time_anew(self, server: Server, client: mneme.Mneme, read: str) -> None:
        clock = Clock()
        with MnemeStore(server.address, namespace=client.namespace, now=clock) as store:
            reads: dict[str, Callable[[bool | None], Any]] = {
                "get": lambda refresh: store.get(("a",), "k", refresh_ttl=refresh),
                "search": lambda refresh: store.search(("a",), refresh_ttl=refresh),
                "query": lambda refresh: store.search(("a",), query="tea", refresh_ttl=refresh),
                "aget": lambda refresh: asyncio.run(store.aget(("a",), "k", refresh_ttl=refresh)),
            }
            clock.minutes = -4
            store.put(("a",), "k", {"text": "tea"}, ttl=5)
            first = _expiry(client)
            clock.minutes = 0
            before = store.get(("a",), "k", refresh_ttl=False)
            reads[read](False)
            assert _expiry(client) == first
            assert reads[read](None)
            second, now = _expiry(client), clock()
            assert first is not None and second is not None
            assert now + 4.9 * _MINUTE < second <= now + 5 * _MINUTE
            after = store.get(("a",), "k", refresh_ttl=False)
            assert before is not None and after is not None and after.updated_at == before.updated_at

    def test_a_put_without_a_time_to_live_ends_it(self, store: MnemeStore, client: mneme.Mneme) -> None:
        store.put(("a",), "k", {}, ttl=5)
        store.put(("a",), "k", {}, ttl=None)
        assert _expiry(client) is None
        store.get(("a",), "k")
        assert _expiry(client) is None

    def test_a_refresh_does_not_touch_an_item_that_was_put_meanwhile(
        self, store: MnemeStore, client: mneme.Mneme
    ) -> None:
        store.put(("a",), "k", {"n": 1}, ttl=5)
        (read,) = client.list()
        store.put(("a",), "k", {"n": 2})
        store._refresh([read], None)
        assert _expiry(client) is None
        store.delete(("a",), "k")
        store._refresh([read], None)
        assert store.get(("a",), "k") is None

    def test_defaults_are_those_of_the_configuration(self, server: Server, client: mneme.Mneme) -> None:
        clock = Clock()
        ttl: Any = {"default_ttl": 3.5, "refresh_on_read": False}
        with MnemeStore(server.address, namespace=client.namespace, ttl=ttl, now=clock) as store:
            store.put(("a",), "k", {})
            first = _expiry(client)
            assert first is not None and clock() + 3.4 * _MINUTE < first < clock() + 3.5 * _MINUTE
            store.get(("a",), "k")
            assert _expiry(client) == first
            store.get(("a",), "k", refresh_ttl=True)
            assert _expiry(client) != first

    @pytest.mark.parametrize("ttl", [0, -1, math.nan, math.inf, 1e12, "5", True])
    def test_a_time_to_live_that_is_none_is_refused(self, store: MnemeStore, ttl: Any) -> None:
        with pytest.raises((ValueError, TypeError), match="ttl: must"):
            store.batch([PutOp(("a",), "good", {}), PutOp(("a",), "k", {}, ttl=ttl)])
        assert store.search(()) == []


class TestBadInput:
    @pytest.mark.parametrize(
        "value", [{"x": math.nan}, {"x": b"bytes"}, {"x": datetime.now(timezone.utc)}, {"x": "\ud800"}, {"x": {1, 2}}]
    )
    def test_a_value_that_is_no_json_is_refused(self, store: MnemeStore, value: Any) -> None:
        with pytest.raises(InvalidArgumentError, match="content"):
            store.batch([PutOp(("a",), "good", {}), PutOp(("a",), "k", value)])
        assert store.search(()) == []

    def test_a_value_above_a_limit_is_refused_by_its_name(self, store: MnemeStore) -> None:
        deep: dict[str, Any] = {}
        for _ in range(70):
            deep = {"in": deep}
        with pytest.raises(InvalidArgumentError, match="64 levels"):
            store.put(("a",), "deep", deep)
        with pytest.raises(InvalidArgumentError, match="at most 1048576 bytes"):
            store.put(("a",), "large", {"text": "x" * 1_048_576})
        store.put(("a",), "largest", {"text": "x" * 1_040_000})
        assert [item.key for item in store.search(())] == ["largest"]

    def test_a_value_that_is_no_mapping_is_refused(self, store: MnemeStore) -> None:
        value: Any = ["a", "list"]
        with pytest.raises(TypeError, match="value: must be a mapping, got list"):
            store.put(("a",), "k", value)

    def test_an_address_that_is_too_long_is_refused(self, store: MnemeStore) -> None:
        store.put(("a", "n" * 500), "k" * 500, {"n": 1})
        assert store.search(("a",))[0].key == "k" * 500
        calls: list[Callable[[], object]] = [
            lambda: store.put(("a",), "ü" * 511, {}),
            lambda: store.get(("a",), "k" * 1_022),
        ]
        for call in calls:
            with pytest.raises(ValueError, match="namespace and key: must have at most 1024 bytes together, got 102"):
                call()

    def test_odd_labels_do_not_reach_other_namespaces(self, store: MnemeStore) -> None:
        labels = ["a%2eb", "%", "a\nb", "a\tb", "*", "a b", "а", "-", "_", "x" * 200, "select *", "'", '"']
        for label in labels:
            store.put((label,), "k", {"label": label})
        for label in labels:
            assert [item.value["label"] for item in store.search((label,))] == [label]
        assert store.list_namespaces() == sorted((label,) for label in labels)
        with pytest.raises(InvalidNamespaceError):
            store.batch([PutOp((), "k", {})])

    def test_limits_and_offsets_are_checked(self, store: MnemeStore) -> None:
        store.put(("a",), "k", {})
        assert store.search(("a",), limit=0) == []
        calls: list[Callable[[], object]] = [
            lambda: store.search(("a",), limit=-1),
            lambda: store.list_namespaces(offset=-1),
        ]
        for call in calls:
            with pytest.raises(ValueError, match="must be 0 or more, got -1"):
                call()

    def test_paths_must_be_a_list(self, store: MnemeStore) -> None:
        index: Any = "text"
        with pytest.raises(TypeError, match="must be False or a list of paths"):
            store.put(("a",), "k", {}, index=index)
        with pytest.raises(TypeError, match="fields"):
            MnemeStore(fields="text")

    def test_filters_beyond_the_server_are_exact(self, store: MnemeStore) -> None:
        store.put(("f",), "a", {"n": 2**53, "s": "x" * 5_000, "list": [1, 2], "k" * 600: 1, "": {"": 7}})
        store.put(("f",), "b", {"n": 2**53 + 1, "s": "x" * 5_000 + "y", "list": [2], "date": "2026-11-27"})
        wanted: list[tuple[dict[str, Any], list[str]]] = [
            ({"n": 2**53 + 1}, ["b"]),
            ({"n": {"$gt": 2**53}}, ["b"]),
            ({"s": "x" * 5_000}, ["a"]),
            ({"list": 2}, []),
            ({"list": [2]}, ["b"]),
            ({"k" * 600: 1}, ["a"]),
            ({"": {"": 7}}, ["a"]),
            ({"date": {"$gte": "2026-01-01", "$lt": "2027"}}, ["b"]),
            ({"date": {"$gt": 5}}, []),
            ({"n": {"$gt": None}}, []),
            ({"n": {"$lt": math.inf}}, ["a", "b"]),
            ({"n": math.nan}, []),
            ({"n": {"$gt": True}}, []),
            ({f"m{n}": None for n in range(400)}, ["a", "b"]),
            ({f"m{n}": "x" for n in range(400)}, []),
            ({"\ud800": 1, "s": "\x00"}, []),
        ]
        for each, keys in wanted:
            assert sorted(item.key for item in store.search(("f",), filter=each)) == keys, str(each)[:200]


class TestTasks:
    def test_a_cancelled_task_ends_its_call(self) -> None:
        async def main(address: str) -> None:
            with MnemeStore(address, timeout_ms=60_000) as store:
                tasks = [asyncio.create_task(store.aget(("a",), "k")), asyncio.create_task(store.aput(("a",), "k", {}))]
                await asyncio.sleep(0)
                for task in tasks:
                    task.cancel()
                results = await asyncio.gather(*tasks, return_exceptions=True)
                assert [type(result) for result in results] == [asyncio.CancelledError] * 2

        begun = time.monotonic()
        with socket.socket() as silent:  # Accepts connections and never answers.
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            # The end of the loop waits for its threads: they end because their calls are cancelled.
            asyncio.run(main(f"127.0.0.1:{silent.getsockname()[1]}"))
        assert time.monotonic() - begun < 30

    def test_threads_and_loops_share_a_store(self, store: MnemeStore) -> None:
        async def put_all(worker: int) -> None:
            await asyncio.gather(*(store.aput(("w", str(worker)), str(n), {"n": n}) for n in range(10)))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda worker: asyncio.run(put_all(worker)), range(6)))
            list(pool.map(lambda n: store.put(("shared",), "k", {"n": n}), range(30)))
        assert len(store.search(("w",), limit=100)) == 60
        assert len(store.search(("shared",))) == 1


class TestLargeItems:
    def test_a_search_returns_more_than_one_answer_carries(self, store: MnemeStore) -> None:
        value = {"text": "tea", "more": "x" * 450_000}
        puts = [PutOp(("a",), f"k{place}", value, index=["text"]) for place in range(40)]
        store.batch(puts)
        found = store.search(("a",), query="tea", limit=40)
        assert sorted(item.key for item in found) == sorted(put.key for put in puts)
        assert all(item.score is not None and len(item.value["more"]) == 450_000 for item in found)


class TestEqualTexts:
    def test_each_is_an_answer_of_its_own_before_items_that_answer_less(self, store: MnemeStore) -> None:
        for key in "abc":
            store.put(("users", key), "drink", {"text": "drinks tea"})
        store.put(("users", "d"), "drink", {"text": "the old clock is on the shelf"})
        found = store.search(("users",), query="Who drinks tea?", limit=3)
        assert sorted(item.namespace[1] for item in found) == ["a", "b", "c"]
        assert all(item.score is not None for item in found)


class TestRelevance:
    def test_items_have_it_and_a_store_may_leave_out_the_others(self, client: mneme.Mneme) -> None:
        with MnemeStore(client=client) as store:
            store.put(("users",), "drink", {"text": "Ada drinks green tea."})
            store.put(("users",), "clock", {"text": "the old clock is on the shelf"})
            found = store.search((), query="Who drinks tea?")
            relevances = {item.key: item.relevance for item in found if isinstance(item, FoundItem)}
            assert list(relevances) == ["drink", "clock"]
            assert (relevances["drink"] or 0) > 0.5 and (relevances["clock"] or 0) < 0.07
        with MnemeStore(client=client, min_relevance=0.07) as strict:
            assert [item.key for item in strict.search((), query="Who drinks tea?")] == ["drink"]
            assert len(strict.search(())) == 2


class TestServer:
    def test_a_server_that_is_away_is_said_in_time_and_comes_back(self, tmp_path: Path) -> None:
        with MnemeStore(f"127.0.0.1:{free_port()}", timeout_ms=300) as store:
            calls: list[Callable[[], object]] = [
                lambda: store.get(("a",), "k"),
                lambda: store.put(("a",), "k", {}),
                lambda: store.search(()),
            ]
            for call in calls:
                with pytest.raises((UnavailableError, DeadlineExceededError)):
                    call()
        with restarted_server(tmp_path) as server, MnemeStore(server.address, timeout_ms=20_000) as store:
            store.put(("a",), "k", {"n": 1})
            server.kill()
            with ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(store.put, ("a",), "while away", {"n": 2})
                server.start()
                waiting.result()
            assert sorted(item.key for item in store.search(("a",))) == ["k", "while away"]

    def test_acknowledged_items_survive_kills(self, tmp_path: Path) -> None:
        with restarted_server(tmp_path) as server, MnemeStore(server.address, timeout_ms=20_000) as store:
            for run in range(3):
                puts = [PutOp(("a", str(n % 3)), f"k{n}", {"run": run, "n": n}) for n in range(40)]
                store.batch([*puts, PutOp(("a", "1"), "k1", None if run == 1 else {"run": run, "n": 1})])
                server.kill_and_start()
                results = store.batch([GetOp(put.namespace, put.key) for put in puts])
                found = {item.key: item.value["run"] for item in results if item is not None}  # type: ignore[union-attr]
                assert found == {f"k{n}": run for n in range(40) if run != 1 or n != 1}

    def test_items_are_memories_of_the_namespace(self, server: Server, client: mneme.Mneme) -> None:
        with MnemeStore(client=client) as store:
            store.put(("users", "ada"), "drink", {"text": "Ada drinks tea without milk"})
            store.put(("users", "ada"), "pin", {"text": "walrus"}, index=False)
            client.store({"text": "tea is grown in Assam"})
            client.store({"text": "tea", "source": {"origin": "langgraph", "uri": "users.ada..not-json"}})
            client.store({"content": {"text": "tea"}, "source": {"origin": "langgraph", "uri": "elsewhere"}})
            assert [item.key for item in store.search((), query="tea")] == ["drink", "pin"]
            assert store.list_namespaces() == [("users", "ada")]
        hits = client.recall("tea without milk").hits  # Closing the store has left the client open.
        assert hits[0].memory.source.uri == "users.ada..drink"
        assert all("walrus" not in hit.memory.text for hit in hits)
