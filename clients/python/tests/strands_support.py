"""Agents of Strands with a scripted model, and memory stores that remember their calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterable, Mapping
from typing import Any

from strands import Agent
from strands.memory import AddMessagesContext, MemoryEntry, MemoryStore, SearchOptions
from strands.models.model import Model

from mneme.strands import MemoryManager

Turn = str | Mapping[str, Any] | Exception


class ScriptedModel(Model):
    """Answers with a text, or with the call of a tool (`{"tool": name, "input": {…}}`), turn by turn; the last turn is
    repeated. `seen` has the messages of each call."""

    def __init__(self, *turns: Turn) -> None:
        self.turns = list(turns or ("ok",))
        self.seen: list[Any] = []
        self.systems: list[str | None] = []

    def update_config(self, **model_config: Any) -> None:
        raise NotImplementedError

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: str | None = None, **kwargs: Any
    ) -> AsyncIterable[Any]:
        self.seen.append([{**message, "content": list(message["content"])} for message in messages])
        self.systems.append(system_prompt)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Exception):
            raise turn
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(turn, str):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": turn}}}
        else:
            import json

            use = {"toolUseId": f"t{len(self.seen)}", "name": turn["tool"]}
            if turn.get("text"):
                yield {"contentBlockDelta": {"delta": {"text": turn["text"]}}}
                yield {"contentBlockStop": {}}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(turn["input"])}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(turn, str) else "tool_use"}}
        yield {
            "metadata": {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}
        }


class ReadOnlyStore(MemoryStore):
    """Finds the same entries whatever is searched."""

    def __init__(self, name: str = "a", entries: Iterable[Any] = (), **fields: Any) -> None:
        self.name = name
        self.description: str | None = fields.pop("description", None)
        self.max_search_results: int | None = fields.pop("max_search_results", None)
        self.writable: bool = fields.pop("writable", False)
        self.extraction: Any = fields.pop("extraction", False)
        self.entries = [MemoryEntry(each) if isinstance(each, str) else each for each in entries]
        self.fault: Exception | None = fields.pop("fault", None)
        self.gate: asyncio.Event | None = None
        self.searched: list[tuple[str, Any]] = []
        self.added: list[tuple[str, Any]] = []
        self.batches: list[tuple[list[Any], Any]] = []
        assert not fields, fields

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        self.searched.append((query, dict(options or {})))
        await self._meet()
        return self.entries

    async def _meet(self) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault


class AddStore(ReadOnlyStore):
    """Takes single memories."""

    def __init__(self, name: str = "a", entries: Iterable[Any] = (), **fields: Any) -> None:
        super().__init__(name, entries, **{"writable": True, **fields})

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> None:
        await self._meet()
        self.added.append((content, metadata))


class MessageStore(ReadOnlyStore):
    """Takes messages."""

    def __init__(self, name: str = "a", entries: Iterable[Any] = (), **fields: Any) -> None:
        super().__init__(name, entries, **{"writable": True, **fields})

    async def add_messages(self, messages: list[Any], context: AddMessagesContext | None = None) -> None:
        await self._meet()
        self.batches.append((messages, context))


class BothStore(AddStore, MessageStore):
    """Takes both."""


def manager_of(*stores: Any, **options: Any) -> MemoryManager:
    return MemoryManager(list(stores), **options)


def agent_of(manager: Any, *turns: Turn, **options: Any) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(*turns)
    return Agent(model=model, memory_manager=manager, callback_handler=None, **options), model


def call_tool(manager: Any, tool: str, **input: Any) -> tuple[str, Any]:
    """Has the model call a tool; gives the status of the result, and its text."""
    agent, _ = agent_of(manager, {"tool": tool, "input": input}, "done")
    agent("go")
    results = [
        block["toolResult"] for message in agent.messages for block in message["content"] if "toolResult" in block
    ]
    text = "\n".join(part.get("text", str(part.get("json"))) for part in results[0]["content"])
    return results[0]["status"], text.replace('"', "'")


def texts_of(store: ReadOnlyStore) -> list[list[str]]:
    """Texts of the batches of messages that a store was given."""
    return [[block["text"] for message in batch for block in message["content"]] for batch, _ in store.batches]
