"""Extraction of the memory manager with agents of Strands: rows of the reference's sections 7.2 and 7.3, by number."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("strands.memory")

from strands import tool
from strands.memory import (
    ExtractionResult,
    ExtractorContext,
    IntervalTrigger,
    InvocationTrigger,
    MemoryMessageFilter,
    ModelExtractor,
)
from strands_support import AddStore, BothStore, MessageStore, ScriptedModel, agent_of, manager_of, texts_of

Each = {"trigger": InvocationTrigger()}


async def _invoke(store: Any, *prompts: str, turns: Sequence[Any] = ("ok",), tools: Sequence[Any] = ()) -> Any:
    """Invokes an agent with each prompt, and flushes at the end."""
    manager = manager_of(store, injection=False)
    agent, _ = agent_of(manager, *turns, tools=list(tools))
    for prompt in prompts:
        await agent.invoke_async(prompt)
        await _idle()
    await manager.flush()
    return manager


async def _idle() -> None:
    """Lets saves that wait for nothing else take place."""
    for _ in range(10):
        await asyncio.sleep(0)


class Extracts:
    """An extractor that gives the facts it was made with."""

    def __init__(self, *facts: str) -> None:
        self.facts = facts
        self.calls = 0

    async def extract(self, messages: Any, context: Any = None) -> list[ExtractionResult]:
        self.calls += 1
        return [ExtractionResult(fact) for fact in self.facts]


@pytest.mark.parametrize("extraction", [False, None])
def test_1_without_extraction_nothing_is_written(extraction: Any) -> None:
    store = MessageStore(extraction=extraction)
    asyncio.run(_invoke(store, "one"))
    assert store.batches == []


def test_2_with_both_sinks_the_messages_are_passed_on() -> None:
    store = BothStore(extraction=Each)
    asyncio.run(_invoke(store, "one"))
    assert (texts_of(store), store.added) == ([["one", "ok"]], [])


clock = tool(name="clock", description="d")(lambda: "noon")
CALL = {"tool": "clock", "input": {}, "text": "a moment"}


@pytest.mark.parametrize(
    ("turns", "numbers"),
    [
        pytest.param(("ok",), [[0, 1], [2, 3]], id="3, 6, 13"),
        # The call of the tool has a text, its result is dropped.
        pytest.param((CALL, "ok", "ok"), [[0, 1, 3], [4, 5]], id="4, 11"),
    ],
)
def test_numbers_belong_to_messages(turns: Any, numbers: list[list[int]]) -> None:
    store = MessageStore(extraction=Each)
    asyncio.run(_invoke(store, "one", "two", turns=turns, tools=[clock]))
    assert [context.sequence_numbers for _, context in store.batches] == numbers
    assert [len(batch) for batch, _ in store.batches] == [len(each) for each in numbers]
    assert all(vars(context).keys() == {"sequence_numbers"} for _, context in store.batches)
    assert "noon" not in str(store.batches)


class FailsOnce(MessageStore):
    """Fails once, or so many times, and remembers all batches."""

    failures = 1

    async def add_messages(self, messages: Any, context: Any = None) -> None:
        self.batches.append((messages, context))
        if len(self.batches) <= self.failures:
            raise RuntimeError("away")


def test_5_15_a_batch_that_failed_is_sent_again_with_its_numbers() -> None:
    store = FailsOnce(extraction=Each)
    asyncio.run(_invoke(store, "one", "two"))
    assert [context.sequence_numbers for _, context in store.batches] == [[0, 1], [0, 1, 2, 3]]


def test_7_each_store_has_numbers_of_the_same_messages() -> None:
    async def run() -> None:
        all_blocks = MessageStore("all", extraction={**Each, "filter": MemoryMessageFilter(exclude=[])})
        texts = MessageStore("texts", extraction=Each)
        manager = manager_of(all_blocks, texts, injection=False)
        agent, _ = agent_of(manager, CALL, "ok", tools=[clock])
        await agent.invoke_async("one")
        await manager.flush()
        assert all_blocks.batches[0][1].sequence_numbers == [0, 1, 2, 3]
        assert texts.batches[0][1].sequence_numbers == [0, 1, 3]

    asyncio.run(run())


def test_8_9_facts_are_written_at_once_and_without_numbers() -> None:
    async def run() -> None:
        store = AddStore(extraction={**Each, "extractor": Extracts("one", "two")})
        store.gate = asyncio.Event()
        begun: list[str] = []
        add = AddStore.add

        class Notes(AddStore):
            async def add(self, content: str, metadata: Any = None) -> None:
                begun.append(content)
                await add(self, content, metadata)

        store.__class__ = Notes
        manager = manager_of(store, injection=False)
        agent, _ = agent_of(manager)
        await agent.invoke_async("hello")
        await _idle()
        assert (begun, store.added) == (["one", "two"], [])
        store.gate.set()
        await manager.flush()
        assert store.added == [("one", None), ("two", None)]

    asyncio.run(run())


def test_10_one_fact_that_failed_sends_the_batch_again() -> None:
    class Picky(AddStore):
        async def add(self, content: str, metadata: Any = None) -> None:
            self.added.append((content, metadata))
            if content == "bad" and len(self.added) <= 2:
                raise RuntimeError("full")

    extractor = Extracts("good", "bad")
    store = Picky(extraction={**Each, "extractor": extractor})
    asyncio.run(_invoke(store, "one"))
    assert (len(store.added), extractor.calls) == (4, 2)


@pytest.mark.parametrize(
    ("exclude", "batches"),
    [
        pytest.param(["toolUse", "toolResult"], 1, id="11"),
        pytest.param(["text"], 0, id="12"),
        pytest.param([], 1, id="12b"),
    ],
)
def test_filters(exclude: Any, batches: int) -> None:
    store = MessageStore(extraction={**Each, "filter": MemoryMessageFilter(exclude=exclude)})
    asyncio.run(_invoke(store, "one"))
    assert len(store.batches) == batches


def test_14_without_new_messages_nothing_is_written() -> None:
    async def run() -> None:
        store = MessageStore(extraction=Each)
        manager = await _invoke(store, "one")
        await manager.flush()
        assert len(store.batches) == 1

    asyncio.run(run())


def test_16_17_20_after_ten_failures_every_third_turn_is_tried_and_the_backlog_is_saved(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run() -> None:
        store = FailsOnce(extraction=Each)
        store.failures = 11
        manager = manager_of(store, injection=False)
        agent, _ = agent_of(manager)
        attempts = []
        for turn in range(16):
            await agent.invoke_async(str(turn))
            await _idle()
            attempts.append(len(store.batches))
        assert attempts[9:] == [10, 10, 10, 11, 11, 11, 12]
        assert len(store.batches[-1][0]) == 32
        store.failures = 1_000
        for _ in range(11):
            await agent.invoke_async("again")
            await _idle()
        before = len(store.batches)
        await manager.flush()  # It waits for no turn, and does not fail.
        assert len(store.batches) == before + 1

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    assert "failing repeatedly" in caplog.text


def test_18_19_a_store_that_fails_holds_up_no_other() -> None:
    async def run() -> None:
        bad, good = (
            MessageStore("bad", extraction=Each, fault=RuntimeError("away")),
            MessageStore("good", extraction=Each),
        )
        manager = manager_of(bad, good, injection=False)
        agent, _ = agent_of(manager)
        await agent.invoke_async("one")
        await manager.flush()
        assert (len(bad.batches), len(good.batches)) == (0, 1)

    asyncio.run(run())


def test_21_a_turn_of_nothing_to_save_ends_no_streak() -> None:
    async def run() -> None:
        only_tools: Any = ["text"]
        store = MessageStore(extraction={**Each, "filter": MemoryMessageFilter(exclude=only_tools)})
        manager = manager_of(store, injection=False)
        agent, _ = agent_of(manager)
        await agent.invoke_async("one")
        await manager.flush()
        (coordinator,) = manager._coordinators
        assert coordinator._consecutive_failures == {}

    asyncio.run(run())


@pytest.mark.parametrize("turns", [0, -1])
def test_22_intervals_are_positive(turns: int) -> None:
    with pytest.raises(ValueError, match="turns"):
        IntervalTrigger(turns=turns)


def test_23_24_a_turn_does_not_wait_for_a_save_and_flush_does() -> None:
    async def run() -> None:
        store = MessageStore(extraction=Each)
        store.gate = asyncio.Event()
        manager = manager_of(store, injection=False)
        agent, _ = agent_of(manager)
        await agent.invoke_async("one")
        flush = asyncio.ensure_future(manager.flush())
        await _idle()
        assert not flush.done()
        store.gate.set()
        await flush
        assert len(store.batches) == 1

    asyncio.run(run())


def test_the_private_parts_of_strands_that_the_manager_uses() -> None:
    """When this fails, Strands has changed: see docs/decisions/integrations.md."""
    manager = manager_of(MessageStore(extraction=Each))
    (binding,) = manager._extraction_stores
    assert binding.store.name == "a"
    assert manager._coordinator is None
    for name in ("_provide_memory_context", "_resolve_injection_query"):
        assert callable(getattr(super(type(manager), manager), name))


# The extractor that asks a model: section 7.3

MESSAGES: Any = [{"role": "user", "content": [{"text": "I like tea"}]}]


def _extracted(answer: Any) -> list[tuple[str, Any]]:
    found = asyncio.run(ModelExtractor(model=ScriptedModel(answer)).extract(MESSAGES))
    return [(each.content, each.metadata) for each in found]


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        pytest.param('[{"content": "likes tea"}]', [("likes tea", None)], id="1"),
        pytest.param('Here:\n```json\n[{"content": "likes tea"}]\n```', [("likes tea", None)], id="2"),
        pytest.param('[{"content": " x ", "metadata": {"k": 1}}]', [("x", {"k": 1})], id="3"),
        pytest.param("[{", [], id="4"),
        pytest.param("nothing", [], id="4b"),
        pytest.param(json.dumps([{"content": 1}, {"content": " "}, "loose", {"content": "x"}]), [("x", None)], id="5"),
    ],
)
def test_answers_of_the_model(answer: str, facts: Any) -> None:
    assert _extracted(answer) == facts


def test_6_7_8_the_model_of_the_extractor() -> None:
    model = ScriptedModel('[{"content": "x"}]')
    assert asyncio.run(ModelExtractor(model=model).extract([])) == []
    assert model.seen == []
    assert len(asyncio.run(ModelExtractor().extract(MESSAGES, ExtractorContext(default_model=model)))) == 1
    with pytest.raises(ValueError, match="no model"):
        asyncio.run(ModelExtractor().extract(MESSAGES))


def test_9_11_a_model_that_fails_fails_the_extraction() -> None:
    with pytest.raises(RuntimeError, match="away"):
        _extracted(RuntimeError("away"))


def test_the_prompt_of_the_extractor() -> None:
    model = ScriptedModel("[]")
    asyncio.run(ModelExtractor(model=model, system_prompt="only drinks").extract(MESSAGES))
    assert "user: I like tea" in model.seen[0][0]["content"][0]["text"]
    assert (model.systems[0] or "").startswith("only drinks")
