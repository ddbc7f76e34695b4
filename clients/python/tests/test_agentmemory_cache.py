"""`cacheable`: time to live, least recently used, keys, methods, coroutines."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
from typing import Any

import numpy
import pytest

from mneme.agentmemory import MemoryConfigException, cacheable, make_hashable
from mneme.agentmemory._cache import DEFAULT_TTL_S, clear_caches, set_default_ttl


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_result_is_kept_for_its_time() -> None:
    clock, calls = Clock(), []

    @cacheable(ttl=60, clock=clock)
    def search(agent: str, query: str) -> str:
        calls.append(query)
        return f"{agent} {query} {len(calls)}"

    assert search("a", "wood") == search("a", "wood") == "a wood 1"
    assert search("a", query="wood") == "a wood 2"  # another form of the call
    assert search("a", "stone") == "a stone 3"
    clock.now = 59.9
    assert search("a", "wood") == "a wood 1"
    clock.now = 60
    assert search("a", "wood") == "a wood 4"


def test_the_least_recently_used_goes_first() -> None:
    calls: list[int] = []

    @cacheable(ttl=60, max_entries=2)
    def double(number: int) -> int:
        calls.append(number)
        return 2 * number

    double(1), double(2), double(1), double(3), double(1)
    assert calls == [1, 2, 3]
    double(2)
    assert calls == [1, 2, 3, 2]


def test_keys_have_types_and_take_what_has_no_hash() -> None:
    calls: list[Any] = []

    @cacheable(ttl=60)
    def seen(value: Any) -> int:
        calls.append(value)
        return len(calls)

    assert [seen(1), seen(1.0), seen(True), seen("1"), seen([1]), seen((1,)), seen({1})] == [1, 2, 3, 4, 5, 6, 7]
    assert seen({"a": [1, {"b": 2}], "c": {3}}) == seen({"c": {3}, "a": [1, {"b": 2}]}) == 8
    assert seen(numpy.array([1.0, 2.0])) == seen(numpy.array([1.0, 2.0])) == 9
    assert seen(numpy.array([1.0, 2.5])) == 10


def test_an_argument_without_a_key_is_computed_every_time() -> None:
    class Odd:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            return True

    calls: list[int] = []

    @cacheable(ttl=60)
    def seen(value: Any) -> int:
        calls.append(1)
        return len(calls)

    loop: list[Any] = []
    loop.append(loop)
    assert [seen(Odd()), seen(Odd()), seen(loop), seen(loop)] == [1, 2, 3, 4]
    with pytest.raises(TypeError, match="Odd defines equality but no hash"):
        make_hashable(Odd())


def test_methods_are_kept_by_object_and_keep_no_object_alive() -> None:
    @dataclasses.dataclass
    class Point:
        x: int

    class Agent:
        def __init__(self, name: str) -> None:
            self.name = name
            self.calls = 0

        @cacheable(ttl=60)
        def find(self, at: Point) -> str:
            self.calls += 1
            return f"{self.name} {self.calls}"

        @cacheable(ttl=60)
        @staticmethod
        def shared(number: int) -> list[int]:
            return [number]

    one, two = Agent("one"), Agent("two")
    assert one.find(Point(1)) == one.find(Point(1)) == "one 1"
    assert two.find(Point(1)) == "two 1"
    assert one.find(Point(2)) == "one 2"
    assert Agent.shared(1) == one.shared(1) == [1]
    gone: list[bool] = []
    import weakref

    weakref.finalize(one, gone.append, True)
    del one
    gc.collect()
    assert gone == [True]


def test_functions_of_the_same_name_have_results_of_their_own() -> None:
    def made(value: str) -> Any:
        @cacheable(ttl=60)
        def same() -> str:
            return value

        return same

    assert (made("a")(), made("b")()) == ("a", "b")


def test_coroutines_are_kept_by_their_results() -> None:
    calls: list[str] = []

    @cacheable(ttl=60)
    async def find(query: str) -> str:
        calls.append(query)
        await asyncio.sleep(0)
        if query == "bad":
            raise ValueError(query)
        return query.upper()

    async def run() -> None:
        assert await find("wood") == await find("wood") == "WOOD"
        assert calls == ["wood"]
        for _ in range(2):
            with pytest.raises(ValueError, match="bad"):
                await find("bad")
        assert calls == ["wood", "bad", "bad"]
        cancelled = asyncio.ensure_future(find("stone"))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert await find("stone") == "STONE"
        assert calls[3:] == ["stone", "stone"]

    asyncio.run(run())


def test_results_are_not_shared() -> None:
    @cacheable(ttl=60)
    def found() -> dict[str, list[int]]:
        return {"steps": [1]}

    found()["steps"].append(2)
    found()["steps"].append(3)
    assert found() == {"steps": [1]}


def test_clearing_removes_results_also_of_a_call_under_way() -> None:
    value = ["old"]

    @cacheable(ttl=60)
    def read(clear: bool) -> str:
        before = value[0]
        if clear:
            value[0] = "new"
            clear_caches()
        return before

    assert read(True) == "old"
    assert read(True) == "new"
    read.clear_cache()  # type: ignore[attr-defined]
    value[0] = "newer"
    assert read(False) == "newer"


def test_the_default_time_applies_where_none_is_given() -> None:
    clock, calls = Clock(), []

    @cacheable(clock=clock)
    def count() -> int:
        calls.append(1)
        return len(calls)

    try:
        count()
        set_default_ttl(5)
        clock.now = 5
        assert count() == 2
    finally:
        set_default_ttl(DEFAULT_TTL_S)
    clock.now = 60
    assert count() == 2


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), "60", True])
def test_a_time_that_is_none_is_refused(ttl: Any) -> None:
    with pytest.raises(MemoryConfigException, match="ttl: must be a number of seconds above 0"):
        cacheable(ttl=ttl)
    with pytest.raises(ValueError, match="ttl"):
        set_default_ttl(ttl)


def test_a_generator_is_refused() -> None:
    def each() -> Any:
        yield 1

    with pytest.raises(TypeError, match="each is a generator"):
        cacheable(ttl=60)(each)
