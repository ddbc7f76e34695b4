"""Behaviours of the memory manager with agents of Strands: the rows of the reference's section 7.1, by number."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("strands.memory")

from strands.memory import (
    AggregateMemoryError,
    IntervalTrigger,
    InvocationTrigger,
    MemoryAddToolConfig,
    MemoryEntry,
    MemoryStore,
)
from strands.memory import (
    MemoryManager as StrandsMemoryManager,
)
from strands.memory.extraction.model_extractor import ModelExtractor
from strands_support import (
    AddStore,
    BothStore,
    MessageStore,
    ReadOnlyStore,
    agent_of,
    call_tool,
    manager_of,
    texts_of,
)

from mneme.strands import MemoryManager

# Construction


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: manager_of(), "at least one store is required", id="1"),
        pytest.param(lambda: manager_of(AddStore("a"), AddStore("a")), "duplicate store name 'a'", id="3"),
        pytest.param(lambda: manager_of(ReadOnlyStore(writable=True)), "writable but has no add", id="4"),
        pytest.param(lambda: manager_of(ReadOnlyStore(), add_tool_config=True), "no writable stores", id="8"),
        pytest.param(lambda: _scoped("x"), "'x' not found", id="11"),
        pytest.param(lambda: _scoped("read"), "'read' is not writable", id="12"),
        pytest.param(lambda: _scoped("messages"), "'messages' has no add method", id="13"),
        pytest.param(lambda: _scoped(AddStore("other")), "'other' not found", id="15"),
        pytest.param(lambda: manager_of(ReadOnlyStore(extraction=True)), "not writable|no add_messages", id="16"),
        pytest.param(lambda: manager_of(BothStore(extraction={"trigger": []})), "no triggers", id="17"),
        pytest.param(lambda: manager_of(MessageStore(), add_tool_config=True), "no writable stores", id="19"),
        pytest.param(
            lambda: manager_of(MessageStore(extraction={"extractor": ModelExtractor()})), "no add method", id="20"
        ),
        pytest.param(
            lambda: manager_of(AddStore(), nope=True),
            "MemoryManager.nope: is not known; known are stores",
            id="options",
        ),
    ],
)
def test_misconfigurations_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def _scoped(store: Any) -> MemoryManager:
    stores = (AddStore("add"), ReadOnlyStore("read"), MessageStore("messages"))
    return manager_of(*stores, add_tool_config={"stores": [store]})


def test_2_a_valid_config() -> None:
    assert manager_of(ReadOnlyStore()).name == "strands:memory-manager"
    assert MemoryManager({"stores": [ReadOnlyStore("one")], "injection": False}).name == "strands:memory-manager"


def test_5_a_store_that_only_searches_is_read_only() -> None:
    manager = manager_of(ReadOnlyStore())
    assert _names(manager) == ["search_memory"]
    with pytest.raises(ValueError, match="no writable store matched"):
        asyncio.run(manager.add("x"))


def test_6_inherited_methods_are_no_capabilities() -> None:
    class Inherits(ReadOnlyStore, MemoryStore):
        pass

    with pytest.raises(ValueError, match="writable but has no add"):
        manager_of(Inherits(writable=True))


def test_7_inherited_methods_do_nothing_or_name_the_class() -> None:
    store = ReadOnlyStore()
    asyncio.run(store.initialize())
    assert store.get_tools() == []
    for call in (store.add("x"), store.add_messages([])):
        with pytest.raises(NotImplementedError, match="ReadOnlyStore"):
            asyncio.run(call)


@pytest.mark.parametrize("stores", [pytest.param(("a",), id="9"), pytest.param(("a", "b"), id="10")])
def test_the_add_tool_with_writable_stores(stores: tuple[str, ...]) -> None:
    assert _names(manager_of(*map(AddStore, stores), add_tool_config=True)) == ["search_memory", "add_memory"]


def test_14_the_add_tool_is_scoped_by_instances() -> None:
    one, two = AddStore("one"), AddStore("two")
    call_tool(manager_of(one, two, add_tool_config={"stores": [two]}), "add_memory", entries=["x"])
    assert (one.added, two.added) == ([], [("x", None)])


@pytest.mark.parametrize(
    "store",
    [
        pytest.param(MessageStore(), id="18"),
        pytest.param(MessageStore(extraction=True), id="22"),
        pytest.param(AddStore(extraction=True), id="23"),
        pytest.param(MessageStore(extraction={}), id="24"),
    ],
)
def test_these_stores_are_accepted(store: Any) -> None:
    manager_of(store)


@pytest.mark.parametrize(
    "extraction", [pytest.param({"trigger": InvocationTrigger()}, id="21"), pytest.param(True, id="26")]
)
def test_stores_without_messages_have_the_model_extract(extraction: Any) -> None:
    turns = 5 if extraction is True else 1
    store = AddStore(extraction=extraction)

    async def run() -> None:
        facts = '[{"content": "likes tea"}]'
        manager = manager_of(store, injection=False)
        agent, _ = agent_of(manager, *["hello"] * turns, facts)
        for _ in range(turns):
            await agent.invoke_async("I like tea")
        await manager.flush()

    asyncio.run(run())
    assert store.added == [("likes tea", None)]


def test_25_the_default_cadence_is_five_turns() -> None:
    async def run() -> None:
        store = MessageStore(extraction=True)
        agent, _ = agent_of(manager_of(store, injection=False))
        for turn in range(4):
            await agent.invoke_async(f"turn {turn}")
        assert store.batches == []
        await agent.invoke_async("turn 4")
        await _until(lambda: len(store.batches) == 1)
        assert texts_of(store) == [[text for turn in range(5) for text in (f"turn {turn}", "ok")]]

    asyncio.run(run())


# Tools


@pytest.mark.parametrize(
    ("options", "names"),
    [
        pytest.param({}, ["search_memory"], id="27, 29"),
        pytest.param({"add_tool_config": True}, ["search_memory", "add_memory"], id="28"),
        pytest.param({"search_tool_config": False}, [], id="30"),
        pytest.param(
            {"search_tool_config": {"name": "find"}, "add_tool_config": {"name": "keep"}}, ["find", "keep"], id="31"
        ),
    ],
)
def test_tools(options: Any, names: list[str]) -> None:
    assert _names(manager_of(AddStore(), **options)) == names


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [
        pytest.param(0, "target one or more memory stores by name", id="32"),
        pytest.param(1, "target a specific store by name", id="33"),
    ],
)
def test_descriptions_name_the_stores(tool: int, sentence: str) -> None:
    manager = manager_of(AddStore("a", description="about work"), AddStore("b"), add_tool_config=True)
    description = manager.tools[tool].tool_spec["description"]
    assert "- a: about work" in description and sentence in description and "- b" not in description


@pytest.mark.parametrize(
    ("options", "names"),
    [
        pytest.param({}, ["search_memory", "of_a", "of_b"], id="34"),
        pytest.param({"add_tool_config": True}, ["search_memory", "add_memory", "of_a", "of_b"], id="35"),
        pytest.param({"search_tool_config": False}, ["of_a", "of_b"], id="36"),
    ],
)
def test_tools_of_stores_follow_in_their_order(options: Any, names: list[str]) -> None:
    from strands import tool

    class WithTools(AddStore):
        def get_tools(self) -> Any:
            return [tool(name=f"of_{self.name}", description="d")(lambda: "x")]

    assert _names(manager_of(WithTools("a"), WithTools("b"), **options)) == names


# Search


def test_37_43_all_stores_in_order_with_their_names() -> None:
    found = _search(manager_of(ReadOnlyStore("a", ["1", "2"]), ReadOnlyStore("b", ["3"])))
    assert [(entry.content, entry.store_name) for entry in found] == [("1", "a"), ("2", "a"), ("3", "b")]


def test_results_with_a_relevance_are_in_one_order() -> None:
    def entry(text: str, relevance: float) -> MemoryEntry:
        return MemoryEntry(text, metadata={"_relevance": relevance})

    low, high = ReadOnlyStore("low", [entry("l1", 0.4), entry("l2", 0.1)]), ReadOnlyStore("high", [entry("h", 0.9)])
    found = _search(manager_of(ReadOnlyStore("none", ["n"]), low, high))
    assert [each.content for each in found] == ["h", "l1", "l2", "n"]


@pytest.mark.parametrize(
    ("default", "options", "limit"),
    [
        pytest.param(7, None, 7, id="38"),
        pytest.param(7, {"max_search_results": 2}, 2, id="39"),
        pytest.param(None, None, 3, id="40"),
    ],
)
def test_limits_of_a_search(default: int | None, options: Any, limit: int) -> None:
    store = ReadOnlyStore(max_search_results=default)
    _search(manager_of(store), options)
    assert store.searched == [("q", {"max_search_results": limit})]


@pytest.mark.parametrize(
    ("stores", "searched"), [pytest.param(["b", "b"], "b", id="41"), pytest.param([], "", id="44")]
)
def test_a_search_of_named_stores(stores: list[str], searched: str) -> None:
    both = [ReadOnlyStore("a", ["x"]), ReadOnlyStore("b", ["y"])]
    assert [each.store_name for each in _search(manager_of(*both), {"stores": stores})] == list(searched)
    assert "".join(store.name for store in both if store.searched) == searched


def test_42_a_failing_store_is_left_out_and_named(caplog: pytest.LogCaptureFixture) -> None:
    class Throws(ReadOnlyStore):
        def search(self, query: str, options: Any = None) -> Any:
            raise RuntimeError("thrown at once")

    manager = manager_of(
        ReadOnlyStore("bad", fault=RuntimeError("away")), Throws("worse"), ReadOnlyStore("good", ["x"])
    )
    assert [each.content for each in _search(manager)] == ["x"]
    assert manager.failures == {"bad": "search: away", "worse": "search: thrown at once"}
    assert "store=<bad>, reason=<away>" in caplog.text


def test_a_slow_store_is_bounded_and_named() -> None:
    async def run() -> None:
        slow, good = ReadOnlyStore("slow"), ReadOnlyStore("good", ["x"])
        slow.gate = asyncio.Event()
        manager = manager_of(slow, good, search_timeout_ms=20)
        assert [each.content for each in await manager.search("q")] == ["x"]
        assert manager.failures == {"slow": "search: no answer within 20 ms"}
        slow.gate.set()
        await manager.search("q")
        assert manager.failures == {}

    asyncio.run(run())


def test_45_an_unknown_store_fails_before_any_search() -> None:
    store = ReadOnlyStore("a")
    with pytest.raises(ValueError, match="'x' not found"):
        _search(manager_of(store), {"stores": ["a", "x"]})
    assert store.searched == []


# Add


@pytest.mark.parametrize(
    ("options", "written"),
    [
        pytest.param(None, "ab", id="46"),
        pytest.param({"stores": ["b"]}, "b", id="48"),
        pytest.param({"stores": ["b", "b"]}, "b", id="49"),
    ],
)
def test_targets_of_an_add(options: Any, written: str) -> None:
    stores = [AddStore("a"), AddStore("b"), MessageStore("c"), ReadOnlyStore("d")]
    asyncio.run(manager_of(*stores).add("x", options))
    assert "".join(store.name for store in stores for _ in store.added) == written


def test_47_metadata_is_passed_on() -> None:
    store = AddStore()
    asyncio.run(manager_of(store).add("x", {"metadata": {"k": 1}}))
    assert store.added == [("x", {"k": 1})]


@pytest.mark.parametrize(
    ("stores", "message"),
    [
        pytest.param([], "no writable store matched", id="50"),
        pytest.param(["x"], "'x' not found", id="51"),
        pytest.param(["read"], "'read' is read-only", id="52"),
        pytest.param(["messages"], "'messages' has no add method", id="capability"),
    ],
)
def test_adds_without_a_target(stores: list[str], message: str) -> None:
    manager = manager_of(AddStore("a"), ReadOnlyStore("read"), MessageStore("messages"))
    with pytest.raises(ValueError, match=message):
        asyncio.run(manager.add("x", {"stores": stores}))


def test_53_failed_stores_are_named_and_the_others_written() -> None:
    good, bad = AddStore("good"), AddStore("bad", fault=RuntimeError("full"))
    with pytest.raises(AggregateMemoryError, match="bad"):
        asyncio.run(manager_of(good, bad).add("x"))
    assert good.added == [("x", None)]


# The search tool


@pytest.mark.parametrize(
    ("input", "searched"),
    [
        pytest.param({}, "ab", id="54"),
        pytest.param({"stores": []}, "ab", id="55"),
        pytest.param({"stores": ["b"]}, "b", id="56"),
        pytest.param({"stores": ["b", "x"]}, "b", id="58"),
        pytest.param({"stores": ["x"]}, "", id="59"),
    ],
)
def test_stores_of_the_search_tool(input: Any, searched: str, caplog: pytest.LogCaptureFixture) -> None:
    stores = [ReadOnlyStore("a", ["1"]), ReadOnlyStore("b", ["2"])]
    status, text = call_tool(manager_of(*stores, injection=False), "search_memory", query="q", **input)
    assert "".join(store.name for store in stores if store.searched) == searched
    assert status == ("success" if searched else "error")
    if not searched:
        assert "available stores: a, b" in text
    assert ("ignoring memory stores" in caplog.text) == (input.get("stores") == ["b", "x"])


def test_57_results_of_the_search_tool_have_their_store() -> None:
    store = ReadOnlyStore("a", [MemoryEntry("tea", metadata={"k": 1})])
    manager = manager_of(store, injection=False)
    _, text = call_tool(manager, "search_memory", query="q", max_search_results=9)
    assert "'content': 'tea'" in text and "'store_name': 'a'" in text and "'k': 1" in text
    assert store.searched == [("q", {"max_search_results": 9})]


# The add tool


@pytest.mark.parametrize(
    ("input", "written"),
    [
        pytest.param({}, "ab", id="60, 64"),
        pytest.param({"stores": []}, "ab", id="61"),
        pytest.param({"stores": ["a", "x"]}, "a", id="65"),
        pytest.param({"stores": ["out"]}, "", id="63, 66"),
        pytest.param({"stores": ["read"]}, "", id="64"),
    ],
)
def test_stores_of_the_add_tool(input: Any, written: str) -> None:
    stores = [AddStore("a"), AddStore("b"), AddStore("out"), ReadOnlyStore("read")]
    manager = manager_of(*stores, add_tool_config={"stores": ["a", "b"]}, injection=False)  # 62
    status, text = call_tool(manager, "add_memory", entries=["x"], **input)
    assert "".join(store.name for store in stores for _ in store.added) == written
    assert status == ("success" if written else "error")
    assert "'stored': 1" in text if written else "available stores: a, b" in text  # 68


def test_67_no_entries_are_refused() -> None:
    store = AddStore()
    status, text = call_tool(manager_of(store, add_tool_config=True), "add_memory", entries=[])
    assert (status, store.added) == ("error", [])
    assert "at least one entry" in text


def test_69_failures_of_the_add_tool_have_their_reasons() -> None:
    store = AddStore(fault=RuntimeError("full"))
    status, text = call_tool(manager_of(store, add_tool_config=True, injection=False), "add_memory", entries=["x", "y"])
    assert status == "error"
    assert "failed to add 2 of 2 entries: full; full" in text


@pytest.mark.parametrize("fault", [pytest.param(None, id="70"), pytest.param(RuntimeError("full"), id="71")])
def test_the_add_tool_without_waiting(fault: Exception | None) -> None:
    store = AddStore(fault=fault)
    config: MemoryAddToolConfig = {"wait_for_writes": False}
    status, text = call_tool(
        manager_of(store, add_tool_config=config, injection=False), "add_memory", entries=["x", "y"]
    )
    assert (status, "'accepted': 2" in text) == ("success", True)
    # Strands itself does not wait for these writes in `flush`.
    assert len(store.added) == (2 if fault is None else 0)


def test_flush_waits_for_writes_that_were_not_waited_for() -> None:
    async def run() -> None:
        store = AddStore()
        store.gate = asyncio.Event()
        manager = manager_of(store, add_tool_config={"wait_for_writes": False}, injection=False)
        agent, _ = agent_of(manager, {"tool": "add_memory", "input": {"entries": ["x"]}}, "done")
        await agent.invoke_async("go")
        flushing = asyncio.ensure_future(manager.flush())
        await asyncio.sleep(0)
        assert store.added == []
        store.gate.set()
        await flushing
        assert store.added == [("x", None)]

    asyncio.run(run())


# Lifecycle and flush


def test_an_instance_or_a_config_is_given_to_the_agent() -> None:
    store = ReadOnlyStore("a", ["tea"])
    manager = manager_of(store)
    assert agent_of(manager)[0].memory_manager is manager
    agent, model = agent_of({"stores": [store]})
    assert isinstance(agent.memory_manager, StrandsMemoryManager)
    agent("hello")
    assert "tea" in str(model.seen[0])


def test_a_manager_that_is_given_twice_is_refused() -> None:
    manager = manager_of(ReadOnlyStore())
    with pytest.raises(ValueError, match="memory_manager parameter"):
        agent_of(manager, plugins=[manager])


@pytest.mark.parametrize("fault", [None, RuntimeError("the model is away")])
def test_the_synchronous_entry_point_flushes_after_every_invocation(fault: Exception | None) -> None:
    store = MessageStore(extraction=True)
    agent, _ = agent_of(manager_of(store, injection=False), *([fault] if fault else []))
    for turn in range(2):
        if fault:
            with pytest.raises(RuntimeError, match="away"):
                agent(f"turn {turn}")
        else:
            agent(f"turn {turn}")
    assert [batch[0] for batch in texts_of(store)] == ["turn 0", "turn 1"]


def test_the_asynchronous_entry_points_never_flush() -> None:
    async def run() -> None:
        store = MessageStore(extraction=True)
        manager = manager_of(store, injection=False)
        agent, _ = agent_of(manager)
        await agent.invoke_async("one")
        async for _ in agent.stream_async("two"):
            pass
        assert store.batches == []
        await manager.flush()
        assert texts_of(store) == [["one", "ok", "two", "ok"]]

    asyncio.run(run())


@pytest.mark.parametrize("store", [pytest.param(ReadOnlyStore(), id="72"), pytest.param(AddStore(), id="73, 80")])
def test_without_extraction_nothing_is_written(store: ReadOnlyStore) -> None:
    agent, _ = agent_of(manager_of(store))
    agent("hello")
    assert (store.added, store.batches) == ([], [])


def test_74_the_messages_come_with_their_roles() -> None:
    store = MessageStore(extraction={"trigger": InvocationTrigger()})
    agent, _ = agent_of(manager_of(store, injection=False), "hi")
    agent("hello")
    assert [message["role"] for message in store.batches[0][0]] == ["user", "assistant"]


def test_75_76_an_extractor_uses_add_and_gets_the_model() -> None:
    models: list[Any] = []

    class Extracts:
        async def extract(self, messages: Any, context: Any = None) -> Any:
            from strands.memory import ExtractionResult

            models.append(context.default_model)
            return [ExtractionResult("fact", {"k": 1})]

    store = BothStore(extraction={"extractor": Extracts(), "trigger": InvocationTrigger()})
    agent, model = agent_of(manager_of(store, injection=False))
    agent("hello")
    assert (store.added, store.batches, models) == ([("fact", {"k": 1})], [], [model])


@pytest.mark.parametrize(
    "trigger",
    [
        pytest.param(IntervalTrigger(turns=2), id="77, 78"),
        pytest.param([IntervalTrigger(turns=2), IntervalTrigger(turns=100)], id="79"),
    ],
)
def test_triggers_deliver_the_whole_backlog(trigger: Any) -> None:
    async def run() -> None:
        store = MessageStore(extraction={"trigger": trigger})
        agent, _ = agent_of(manager_of(store, injection=False))
        await agent.invoke_async("one")
        assert store.batches == []
        await agent.invoke_async("two")
        await _until(lambda: len(store.batches) > 0)
        assert texts_of(store) == [["one", "ok", "two", "ok"]]

    asyncio.run(run())


def test_81_82_flush_saves_what_no_trigger_has_and_nothing_twice() -> None:
    store = MessageStore(extraction={"trigger": IntervalTrigger(turns=100)})
    manager = manager_of(store, injection=False)
    agent, _ = agent_of(manager)
    agent("one")
    asyncio.run(manager.flush())
    assert texts_of(store) == [["one", "ok"]]


def test_83_a_save_does_not_block_and_flush_waits_for_it() -> None:
    async def run() -> None:
        store = MessageStore(extraction={"trigger": InvocationTrigger()})
        store.gate = asyncio.Event()
        manager = manager_of(store, injection=False)
        agent, _ = agent_of(manager)
        await agent.invoke_async("one")
        flushing = asyncio.ensure_future(manager.flush())
        await asyncio.sleep(0)
        assert not flushing.done()
        store.gate.set()
        await flushing
        assert texts_of(store) == [["one", "ok"]]

    asyncio.run(run())


def test_two_agents_share_a_manager() -> None:
    async def run() -> None:
        store = MessageStore(extraction=True)
        manager = manager_of(store, injection=False)
        one, two = agent_of(manager)[0], agent_of(manager)[0]
        await one.invoke_async("one")
        await two.invoke_async("two")
        await manager.flush()
        assert sorted(batch[0] for batch in texts_of(store)) == ["one", "two"]

    asyncio.run(run())


# Injection


@pytest.mark.parametrize(
    ("options", "injects"),
    [
        pytest.param({}, True, id="84, 89"),
        pytest.param({"injection": False}, False, id="85, 88"),
        pytest.param({"injection": True}, True, id="86"),
        pytest.param({"injection": {"max_entries": 2}}, True, id="87"),
    ],
)
def test_injection(options: Any, injects: bool) -> None:
    agent, model = agent_of(manager_of(ReadOnlyStore("a", ["tea"]), **options))
    agent("hello")
    assert ("<memory>" in str(model.seen[0])) == injects
    assert "<memory>" not in str(agent.messages)


def test_90_93_101_a_hit_stands_behind_the_text_of_the_user() -> None:
    store = ReadOnlyStore("a", ["likes tea"])
    agent, model = agent_of(manager_of(store))
    agent("what do I like?")
    blocks = model.seen[0][0]["content"]
    assert [block["text"] for block in blocks] == [
        "what do I like?",
        '\n\n<memory>\n<entry source="a">likes tea</entry>\n</memory>',
    ]
    assert store.searched == [("what do I like?", {"max_search_results": 5})]


@pytest.mark.parametrize(
    ("trigger", "said", "queries"),
    [
        pytest.param("everyTurn", "let me see", ["go", "let me see"], id="91, 94"),
        pytest.param(None, "let me see", ["go"], id="92"),
        pytest.param("everyTurn", "", ["go"], id="98"),
    ],
)
def test_turns_with_the_result_of_a_tool(trigger: Any, said: str, queries: list[str]) -> None:
    from strands import tool

    store = ReadOnlyStore("a", ["likes tea"])
    injection = {"trigger": trigger} if trigger else True
    clock = tool(name="clock", description="d")(lambda: "noon")
    turn = {"tool": "clock", "input": {}, "text": said}
    agent, model = agent_of(manager_of(store, injection=injection), turn, "done", tools=[clock])
    agent("go")
    assert [query for query, _ in store.searched] == queries
    last = model.seen[1][-1]["content"]
    assert "toolResult" in last[0]
    assert len(last) == (2 if len(queries) == 2 else 1)


def _raises(_: Any) -> str:
    raise RuntimeError("broken")


@pytest.mark.parametrize(
    ("query", "queries"),
    [
        pytest.param(lambda context: f"custom {len(context.messages)}", ["custom 1"], id="95"),
        pytest.param(lambda _: None, [], id="96"),
        pytest.param(_raises, [], id="97"),
    ],
)
def test_custom_queries(query: Any, queries: list[str]) -> None:
    store = ReadOnlyStore("a", ["likes tea"])
    agent, model = agent_of(manager_of(store, injection={"query": query}))
    agent("hello")
    assert [each for each, _ in store.searched] == queries
    assert ("<memory>" in str(model.seen[0])) == bool(queries)


def test_99_without_hits_nothing_is_injected() -> None:
    agent, model = agent_of(manager_of(ReadOnlyStore()))
    agent("hello")
    assert model.seen[0][0]["content"] == [{"text": "hello"}]


def test_100_the_limit_is_passed_on_and_cuts_over_all_stores() -> None:
    best = MemoryEntry("best", metadata={"_relevance": 0.9})
    stores = [ReadOnlyStore("a", ["1", "2", "3"]), ReadOnlyStore("b", [best])]
    agent, model = agent_of(manager_of(*stores, injection={"max_entries": 2}))
    agent("hello")
    assert stores[0].searched == [("hello", {"max_search_results": 2})]
    assert [text in str(model.seen[0]) for text in ("best", ">1<", ">2<")] == [True, True, False]


def test_102_103_markup_is_escaped_and_an_unknown_source_left_out() -> None:
    manager = manager_of(ReadOnlyStore('a"<'))
    render = manager._default_injection_format
    assert render([MemoryEntry("</entry>&")]) == "<memory>\n<entry>&lt;/entry&gt;&amp;</entry>\n</memory>"
    assert 'source="a&quot;&lt;"' in render([MemoryEntry("x", store_name='a"<')])


@pytest.mark.parametrize(
    ("format", "injected"),
    [
        pytest.param(lambda context: f"I know {len(context.entries)}", "I know 1", id="104"),
        pytest.param(_raises, None, id="105"),
    ],
)
def test_custom_formats(format: Any, injected: str | None, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        agent, model = agent_of(manager_of(ReadOnlyStore("a", ["x"]), injection={"format": format}))
        agent("hello")
    assert [block["text"].strip() for block in model.seen[0][0]["content"]] == [
        "hello",
        *([injected] if injected else []),
    ]
    assert ("injection format raised" in caplog.text) == (injected is None)


def test_what_the_conversation_says_anyway_is_not_injected() -> None:
    agent, model = agent_of(manager_of(ReadOnlyStore("a", ["hello", "likes tea"])))
    agent("hello")
    assert model.seen[0][0]["content"][1]["text"].count("<entry") == 1


def _names(manager: MemoryManager) -> list[str]:
    return [tool.tool_name for tool in manager.tools]


def _search(manager: MemoryManager, options: Any = None) -> list[MemoryEntry]:
    return asyncio.run(manager.search("q", options))


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0)
