"""Messages as SDKs have them become messages of a conversation; nothing is stored empty."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime, timezone
from typing import Any

import pytest

import mneme

PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR" * 2000}}


def shown(message: mneme.ConversationMessage) -> tuple[str, list[Any]]:
    """Role, and each block in a short form."""
    blocks: list[Any] = []
    for block in message.blocks:
        if block.text is not None:
            blocks.append(block.text)
        elif block.tool_call is not None:
            call = block.tool_call
            blocks.append(("call", call.id, call.name, json.loads(call.arguments_json)))
        elif block.tool_result is not None:
            result = block.tool_result
            blocks.append(("result", result.call_id, result.text, result.is_error))
        elif block.data is not None:
            blocks.append(("data", block.data.json()["kind"]))
    return message.role, blocks


CASES: dict[str, tuple[Any, tuple[str, list[Any]]]] = {
    "text": ({"role": "user", "content": "Hi"}, ("user", ["Hi"])),
    "own": ({"role": "user", "text": "Hi"}, ("user", ["Hi"])),
    "developer": ({"role": "developer", "content": "Be short."}, ("system", ["Be short."])),
    "openai blocks": (
        {
            "role": "user",
            "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
        ("user", ["See", ("data", "image_url")]),
    ),
    "openai call": (
        {
            "role": "assistant",
            "content": None,
            "refusal": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
        },
        ("assistant", [("call", "c1", "f", {"a": 1})]),
    ),
    "openai result": (
        {"role": "tool", "tool_call_id": "c1", "content": "22 degrees"},
        ("tool", [("result", "c1", "22 degrees", False)]),
    ),
    "openai refusal": ({"role": "assistant", "content": None, "refusal": "No."}, ("assistant", ["No."])),
    "responses message": (
        {"type": "message", "id": "m", "status": "completed", "role": "assistant",
         "content": [{"type": "output_text", "text": "Hello", "annotations": []}]},
        ("assistant", ["Hello"]),
    ),
    "responses call": (
        {"type": "function_call", "id": "fc", "call_id": "c2", "name": "f", "arguments": "{}"},
        ("assistant", [("call", "c2", "f", {})]),
    ),
    "responses result": (
        {"type": "function_call_output", "call_id": "c2", "output": "done"},
        ("tool", [("result", "c2", "done", False)]),
    ),
    "responses reasoning": (
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Think"}]},
        ("assistant", [("data", "reasoning")]),
    ),
    "anthropic": (
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm", "signature": "s"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "door"}},
            ],
        },
        ("assistant", [("data", "thinking"), "I look.", ("call", "t1", "look", {"at": "door"})]),
    ),
    "anthropic result": (
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
             "content": [{"type": "text", "text": "closed"}]},
            PNG,
        ]},
        ("user", [("result", "t1", "closed", True), ("data", "image")]),
    ),
    "vercel parts": (
        {"id": "m", "role": "assistant", "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "Hm"},
            {"type": "text", "text": "Done", "state": "done"},
            {"type": "tool-weather", "toolCallId": "v1", "state": "output-available",
             "input": {"c": "x"}, "output": "hot"},
        ]},
        ("assistant", [
            ("data", "reasoning"), "Done", ("call", "v1", "weather", {"c": "x"}), ("result", "v1", "hot", False),
        ]),
    ),
    "vercel model message": (
        {"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "v2", "toolName": "f", "output": {"type": "json", "value": {"n": 1}}},
        ]},
        ("tool", [("result", "v2", '{"n": 1}', False)]),
    ),
    "langchain dict": (
        {"type": "ai", "content": "Yes",
         "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "l1", "type": "tool_call"}],
         "additional_kwargs": {}, "response_metadata": {}},
        ("assistant", ["Yes", ("call", "l1", "f", {"a": 1})]),
    ),
    "google": ({"role": "model", "parts": [{"text": "Hallo"}]}, ("assistant", ["Hallo"])),
    "texts in a list": ({"role": "user", "content": ["one", "two"]}, ("user", ["one", "two"])),
}  # fmt: skip


def test_messages_of_all_sdks_keep_every_part(client: mneme.Mneme) -> None:
    client.conversations.append("c", [message for message, _ in CASES.values()])
    stored = [shown(message) for message in client.conversations.list("c")]
    assert dict(zip(CASES, stored, strict=True)) == {name: expected for name, (_, expected) in CASES.items()}


class Dumped:
    """As a message of pydantic is."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def model_dump(self) -> dict[str, Any]:
        return self._values


@dataclasses.dataclass
class Said:
    role: str
    content: str


def test_objects_of_sdks_are_taken_as_they_are(client: mneme.Mneme) -> None:
    part = Dumped(type="text", text="parts too")
    answer = Dumped(role="assistant", content="It is.", function_call=None, tool_calls=None, odd_field=1)
    human = Dumped(type="human", content="From LangChain.", additional_kwargs={}, id=None)
    given: list[Any] = [answer, human, Said("user", "a dataclass"), {"role": "user", "content": [part]}]
    client.conversations.append("c", given)
    assert [shown(message) for message in client.conversations.list("c")] == [
        ("assistant", ["It is."]),
        ("user", ["From LangChain."]),
        ("user", ["a dataclass"]),
        ("user", ["parts too"]),
    ]


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"role": "user", "content": None}, r"messages\[1\].content: is empty"),
        ({"role": "user", "content": ""}, r"messages\[1\].content: is empty"),
        ({"role": "user", "content": []}, r"messages\[1\].content: is empty"),
        ({"role": "user", "content": [{"type": "text", "text": ""}]}, r"messages\[1\].content: is empty"),
        ({"content": "x"}, r"messages\[1\].role: is required"),
        ({"role": "user", "content": 5}, r"messages\[1\].content: must be a list, got int"),
        ({"role": "user", "content": "x", "contnt": "y"}, r"messages\[1\].contnt: is not known"),
        ({"role": "user", "content": "x", "timestamp": "May"}, r"messages\[1\].timestamp: must be a time"),
        ({"role": "user", "content": [{"type": "text", "text": 5}]}, r"messages\[1\].content\[0\].text: must be"),
        ("Hi", r"messages\[1\]: must be a dict"),
    ],
)
def test_a_message_without_anything_is_refused_and_nothing_is_stored(
    client: mneme.Mneme, message: Any, problem: str
) -> None:
    with pytest.raises(mneme.InvalidArgumentError, match=problem):
        client.conversations.append("c", [{"role": "user", "content": "first"}, message])
    client.store("x")
    assert not list(client.conversations.list("c"))


def test_times_that_sdks_note(client: mneme.Mneme) -> None:
    at = datetime(2026, 5, 1, 9, tzinfo=timezone.utc)
    given: list[dict[str, Any]] = [
        {"timestamp": "2026-05-01T09:00:00Z"},
        {"created_at": at.timestamp()},
        {"createdAt": at},
    ]
    client.conversations.append("c", [{"role": "user", "content": "x", **time} for time in given])
    assert [message.event_time for message in client.conversations.list("c")] == [at] * 3


def test_a_context_takes_the_same_messages(client: mneme.Mneme) -> None:
    client.store("Ann plays the cello.")
    messages = [message for message, _ in CASES.values()]
    asked = [*messages, {"role": "user", "content": [{"type": "text", "text": "What does Ann play?"}, PNG]}]
    found = client.build_context(messages=asked)
    assert found.query.endswith("What does Ann play?") and "cello" in found.text
