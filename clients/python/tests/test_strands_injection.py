"""Injection into the input of the model, and spans of the memory manager, with agents of Strands: rows of sections 7.3
and 7.4 of the reference."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("strands.memory")

import strands.telemetry.tracer as telemetry
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from strands.memory import ModelExtractor
from strands.middleware import InvokeModelStage
from strands.vended_plugins.context_injector import ContextInjector
from strands_support import AddStore, ReadOnlyStore, ScriptedModel, agent_of, manager_of

TEA = '<memory>\n<entry source="a">likes tea</entry>\n</memory>'
PNG: Any = {"image": {"format": "png", "source": {"bytes": b"1"}}}
CACHE: Any = {"cachePoint": {"type": "default"}}
HELLO: Any = {"role": "user", "content": [{"text": "hello"}]}


def _called(messages: list[Any], injection: Any = True, **options: Any) -> tuple[Any, Any]:
    """An agent, and the input of its only call of the model."""
    manager = manager_of(ReadOnlyStore("a", ["likes tea"]), injection=injection)
    agent, _ = agent_of(manager, "ok", **options)
    calls: list[Any] = []

    async def remember(context: Any, next: Any) -> Any:
        calls.append(context)
        async for event in next(context):
            yield event

    agent.add_middleware(InvokeModelStage, remember)
    agent(messages)
    return agent, calls[0]


def _raises(_: Any) -> Any:
    raise RuntimeError("broken")


def test_the_text_stands_at_the_end_in_a_new_list_and_the_conversation_keeps_its_blocks() -> None:
    message = {**HELLO, "metadata": {"custom": {"k": 1}}}
    agent, call = _called([message])
    (seen,) = call.messages
    assert seen["content"] == [{"text": "hello"}, {"text": f"\n\n{TEA}"}]
    assert seen["metadata"] == {"custom": {"k": 1}}
    assert call.dynamic_trailing_blocks == 1
    assert agent.messages[0]["content"] == message["content"] == [{"text": "hello"}]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param([{"text": "hello"}], f"\n\n{TEA}", id="text"),
        pytest.param([PNG], TEA, id="image"),
        pytest.param([{"text": "hello"}, CACHE], f"\n\n{TEA}", id="cache point"),
        pytest.param([], TEA, id="nothing"),
    ],
)
def test_the_text_is_separated_from_text_and_no_cache_point_is_written(content: Any, text: str) -> None:
    _, call = _called([{"role": "user", "content": content}], {"query": lambda _: "q"})
    assert call.messages[-1]["content"] == [*content, {"text": text}]


def test_the_most_recent_message_of_the_user_is_taken() -> None:
    said: list[Any] = [
        {"role": "user", "content": [{"text": "one"}]},
        {"role": "user", "content": [{"text": "two"}]},
        {"role": "assistant", "content": [{"text": "three"}]},
    ]
    _, call = _called(said, {"trigger": "everyTurn"})
    assert [len(message["content"]) for message in call.messages] == [1, 2, 1]
    assert call.dynamic_trailing_blocks == 0


def test_without_a_message_of_the_user_nothing_changes() -> None:
    _, call = _called([{"role": "assistant", "content": [{"text": "welcome"}]}], {"trigger": "everyTurn"})
    assert [message["content"] for message in call.messages] == [[{"text": "welcome"}]]


def test_trailing_blocks_of_several_producers_are_counted_together() -> None:
    _, call = _called([HELLO], plugins=[ContextInjector(lambda _: "noon", name="clock")])
    assert len(call.messages[-1]["content"]) == 3
    assert call.dynamic_trailing_blocks == 2


@pytest.mark.parametrize(
    "injection",
    [
        pytest.param({"trigger": _raises}, id="condition"),
        pytest.param({"format": _raises}, id="format"),
        pytest.param({"format": lambda _: " \n "}, id="white space"),
    ],
)
def test_what_fails_or_is_empty_is_not_injected(injection: Any) -> None:
    _, call = _called([HELLO], injection)
    assert [message["content"] for message in call.messages] == [[{"text": "hello"}]]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Spans that Strands has ended."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = telemetry.Tracer()
    tracer.tracer = provider.get_tracer("test")
    monkeypatch.setattr(telemetry, "_tracer_instance", tracer)
    return exporter


def test_9_11_the_call_of_the_extractor_is_a_span(spans: InMemorySpanExporter) -> None:
    said: Any = [HELLO]
    asyncio.run(ModelExtractor(model=ScriptedModel("[]")).extract(said))
    with pytest.raises(RuntimeError, match="away"):
        asyncio.run(ModelExtractor(model=ScriptedModel(RuntimeError("away"))).extract(said))
    assert [span.status.is_ok for span in spans.get_finished_spans() if span.name == "chat"] == [True, False]


def test_10_without_a_tracer_of_spans_the_extractor_works() -> None:
    assert asyncio.run(ModelExtractor(model=ScriptedModel("[]")).extract([HELLO])) == []


def test_searches_and_additions_are_spans(spans: InMemorySpanExporter) -> None:
    manager = manager_of(AddStore("a", ["likes tea"]), ReadOnlyStore("b", fault=RuntimeError("away")))

    async def run() -> None:
        await manager.search("tea")
        await manager.add("likes tea")

    asyncio.run(run())
    found = {span.name: dict(span.attributes or {}) for span in spans.get_finished_spans()}
    assert found["memory.search"]["memory.store.count"] == 2
    assert found["memory.search"]["memory.result.count"] == 1
    assert found["memory.search"]["memory.store.failure_count"] == 1
    assert found["memory.add"]["memory.store.count"] == 1
