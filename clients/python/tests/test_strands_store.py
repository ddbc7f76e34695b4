"""Agents of Strands with the memory of a real server."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

pytest.importorskip("strands.memory")

from strands import Agent
from strands.memory import AddMessagesContext, InvocationTrigger
from strands_support import ScriptedModel, agent_of, call_tool

import mneme
from mneme.strands import MemoryManager, MnemeMemoryStore
from mneme.testing import Server


@pytest.fixture
def config(server: Server, namespace: str) -> Any:
    patient = {"search_timeout_ms": 30_000, "write_timeout_ms": 30_000}
    return {"name": "notes", "address": server.address, "namespace": namespace, "writable": True, **patient}


def manager_of(config: Any, **options: Any) -> MemoryManager:
    given: Any = {"stores": [config], "search_timeout_ms": 30_000, "flush_timeout_ms": 30_000, **options}
    return MemoryManager(given)


def test_what_was_said_is_injected_in_a_later_conversation(config: Any, client: mneme.Mneme) -> None:
    first = manager_of({**config, "extraction": True})
    agent_of(first, "Noted.")[0]("I have played the cello since I was nine.")
    assert first.failures == {}
    agent, model = agent_of(manager_of(config))
    agent("Who makes music on the cello?")
    text = model.seen[0][-1]["content"][-1]["text"]
    assert '<entry source="notes" ' in text and 'trust="user"' in text and "played the cello" in text
    assert "<memory>" not in str(agent.messages)


def test_messages_are_stored_once_by_agent_and_number(config: Any, client: mneme.Mneme) -> None:
    manager = manager_of({**config, "extraction": True}, injection=False)
    agents = [agent_of(manager, f"answer {number}")[0] for number in range(2)]
    for number, agent in enumerate(agents):
        agent(f"prompt {number}")
        agent(f"again {number}")
    stored = sorted(scope.scope.session or "" for scope in client.namespaces.list_scopes())
    conversations = [[message.text for message in client.conversations.list(each)] for each in stored]
    assert sorted(conversations) == [[f"prompt {n}", f"answer {n}", f"again {n}", f"answer {n}"] for n in range(2)]


def test_a_repeated_batch_has_one_effect(config: Any, client: mneme.Mneme) -> None:
    async def run() -> None:
        store = MnemeMemoryStore(**config)
        messages: Any = [
            {"role": "user", "content": [{"text": "one"}, {"image": {"format": "png", "source": {"bytes": b"x"}}}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "t", "name": "clock", "input": {"zone": "UTC"}}}],
            },
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "t", "content": [{"json": [1]}], "status": "error"}}],
            },
            {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "hm"}}}]},
        ]
        for _ in range(2):
            await store.add_messages(messages, AddMessagesContext(sequence_numbers=[0, 1, 2, 3]))
        stored = list(client.conversations.list(store.conversation))
        assert [(message.sequence, message.role) for message in stored] == [(0, "user"), (1, "assistant"), (2, "tool")]
        image, call, result = stored[0].blocks[1].data, stored[1].blocks[0].tool_call, stored[2].blocks[0].tool_result
        assert image is not None and image.json() == {"omitted": "image", "format": "png"}
        assert call == mneme.ToolCall("t", "clock", '{"zone": "UTC"}')
        assert result == mneme.ToolResult("t", "[1]", True)

    asyncio.run(run())


def test_a_conversation_that_goes_on_is_numbered_after_its_end(config: Any, client: mneme.Mneme) -> None:
    async def run() -> None:
        stores = [MnemeMemoryStore(**config, conversation="c"), MnemeMemoryStore(**config, conversation="c")]
        for number in range(2):
            for name, store in enumerate(stores):
                message: Any = {"role": "user", "content": [{"text": f"{name}{number}"}]}
                await store.add_messages([message], AddMessagesContext(sequence_numbers=[number]))
        assert [message.text for message in client.conversations.list("c")] == ["00", "10", "01", "11"]

    asyncio.run(run())


def test_a_lost_answer_has_one_effect_in_a_conversation_that_goes_on(config: Any, client: mneme.Mneme) -> None:
    class LosesAnAnswer(MnemeMemoryStore):
        lost = 0

        def _send(self, messages: list[dict[str, Any]]) -> None:
            super()._send(messages)
            self.lost += 1
            if self.lost == 1:
                raise mneme.UnavailableError("the answer is lost")

    async def run() -> None:
        client.conversations.append("c", [{"role": "user", "text": "before"}])
        store = LosesAnAnswer(**config, conversation="c")
        message: Any = {"role": "user", "content": [{"text": "one"}]}
        with pytest.raises(mneme.UnavailableError):
            await store.add_messages([message], AddMessagesContext(sequence_numbers=[0]))
        await store.add_messages([message], AddMessagesContext(sequence_numbers=[0]))
        assert [message.text for message in client.conversations.list("c")] == ["before", "one"]

    asyncio.run(run())


def test_long_messages_are_cut_to_what_the_server_takes(config: Any, client: mneme.Mneme) -> None:
    store = MnemeMemoryStore(**config)
    message: Any = {"role": "user", "content": [{"text": "ä" * 600_000}, {"text": "\ud800"}]}
    asyncio.run(store.add_messages([message], AddMessagesContext(sequence_numbers=[0])))
    (stored,) = client.conversations.list(store.conversation)
    assert set(stored.text) == {"ä"}


def test_the_tools_write_and_find(config: Any, client: mneme.Mneme) -> None:
    manager = manager_of(config, add_tool_config=True)
    status, _ = call_tool(manager, "add_memory", entries=["The user likes green tea."])
    assert status == "success"
    status, text = call_tool(manager, "search_memory", query="Which tea does the user like?")
    assert status == "success" and "green tea" in text and "'_relevance'" in text
    (stored,) = client.list()
    assert (stored.type, stored.text) == ("fact", "The user likes green tea.")


def test_the_same_addition_has_one_effect_and_keeps_its_metadata(config: Any, client: mneme.Mneme) -> None:
    async def run() -> None:
        store = MnemeMemoryStore(**config, scope={"agent": "ada"}, type="note")
        ids = [await store.add("likes tea", {"source": "form", "_id": "x"}) for _ in range(2)]
        assert ids[0] == ids[1]
        (entry,) = await store.search("tea")
        assert entry.metadata is not None
        assert (entry.content, entry.metadata["source"], entry.metadata["_id"]) == ("likes tea", "form", ids[0])
        assert client.get(ids[0]).scope.agent == "ada"

    asyncio.run(run())


def test_a_context_of_the_server_is_injected(config: Any, client: mneme.Mneme) -> None:
    client.store({"text": "The brass key hangs behind the </memory> door."})
    injection: Any = {"build_context": {"token_budget": 300}}
    agent, model = agent_of(manager_of(config, injection=injection))
    agent("Where is the brass key?")
    text = model.seen[0][-1]["content"][-1]["text"]
    assert '<memory source="mneme">' in text and "brass key hangs" in text and text.count("</memory>") == 1


def test_stores_of_several_namespaces_are_merged_by_relevance(config: Any, client: mneme.Mneme, namespace: str) -> None:
    client.store({"text": "The user collects stamps."})
    client.with_namespace(f"{namespace}-2").store({"text": "The user plays the cello in an orchestra."})
    both = [config, {**config, "name": "second", "namespace": f"{namespace}-2"}]
    manager = MemoryManager(both, search_timeout_ms=30_000)
    found = asyncio.run(manager.search("Who plays the cello?"))
    assert found[0].store_name == "second"
    assert [entry.metadata["_relevance"] for entry in found if entry.metadata] == sorted(
        (entry.metadata["_relevance"] for entry in found if entry.metadata), reverse=True
    )


def test_a_server_that_is_away_is_named_and_holds_up_no_answer(config: Any, client: mneme.Mneme) -> None:
    client.store({"text": "The user plays the cello."})
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        away: Any = {**config, "name": "away", "address": f"127.0.0.1:{free.getsockname()[1]}", "extraction": True}
        away |= {"search_timeout_ms": 50, "write_timeout_ms": 50}
        manager = MemoryManager({"stores": [away, config], "flush_timeout_ms": 50})
        agent, model = agent_of(manager, "ok")
        agent("Who plays the cello?")
    assert "plays the cello.</entry>" in model.seen[0][-1]["content"][-1]["text"]
    assert manager.failures.keys() == {"away"}


def test_messages_of_an_outage_are_saved_when_the_server_is_back(config: Any, client: mneme.Mneme) -> None:
    class Restarts(MnemeMemoryStore):
        failures = 2

        async def add_messages(self, messages: Any, context: Any = None) -> None:
            if Restarts.failures > 0:
                Restarts.failures -= 1
                raise mneme.UnavailableError("away")
            await super().add_messages(messages, context)

    store = Restarts(**{**config, "extraction": {"trigger": InvocationTrigger()}})
    agent, _ = agent_of(MemoryManager([store], injection=False))
    for turn in range(2):
        agent(f"turn {turn}")
    assert [memory.text for memory in client.list(order="step_asc")] == ["turn 0", "ok", "turn 1", "ok"]


def test_what_is_pending_is_named_after_a_flush(config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = manager_of({**config, "extraction": True}, injection=False)
    agent, _ = agent_of(manager)
    pending = mneme.FlushResult(False, (), 2, "")

    async def flush(self: MnemeMemoryStore, timeout_ms: float) -> mneme.FlushResult:
        return pending

    monkeypatch.setattr(MnemeMemoryStore, "flush", flush)
    agent("one")
    assert manager.failures == {"notes": "flush: 2 messages are not extracted"}


def test_a_server_that_must_be_there(config: Any) -> None:
    away = {**config, "address": "127.0.0.1:1", "check_server": True, "write_timeout_ms": 50}
    with pytest.raises(mneme.MnemeError):
        agent_of(manager_of(away))
    Agent(model=ScriptedModel(), memory_manager=manager_of({**config, "check_server": True}))


def test_close_ends_the_connection_of_the_store_only(config: Any, client: mneme.Mneme) -> None:
    async def run() -> None:
        own, given = MnemeMemoryStore(**config), MnemeMemoryStore("given", client=client)
        await MemoryManager([own, given]).close()
        with pytest.raises(mneme.CancelledError):
            await own.search("x")

    asyncio.run(run())
    client.store({"text": "the client that was given is open"})
