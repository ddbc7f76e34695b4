"""Messages as programs have them, of OpenAI, Anthropic, Vercel, Google and LangChain, as messages of a conversation.

Texts stay texts, calls of tools and their results stay calls and results; every other part, such as an image, becomes a
data block that names its kind. A message without any part is refused.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ._known import unknown
from .errors import invalid

Block = dict[str, Any]

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
    "AIMessageChunk": "assistant",
    "HumanMessageChunk": "user",
}
_OWN = ("role", "text", "blocks", "name", "sequence", "event_time")
_OWN_KEYS = {*_OWN, "memory_id"}
_BODIES = (
    "content",
    "parts",
    "tool_calls",
    "tool_call_id",
    "refusal",
    "output",
    "timestamp",
    "created_at",
    "createdAt",
)
#: What frameworks note beside a message.
_NOTES = {
    "id",
    "type",
    "status",
    "object",
    "model",
    "usage",
    "stop_reason",
    "stop_sequence",
    "annotations",
    "audio",
    "function_call",
    "additional_kwargs",
    "response_metadata",
    "usage_metadata",
    "invalid_tool_calls",
    "example",
    "artifact",
    "metadata",
    "phase",
    "summary",
    "call_id",
    "namespace",
    "arguments",
    "experimental_attachments",
    "toolInvocations",
    "cache_control",
    "providerOptions",
    "chunk_position",
    "is_error",
}
_TEXTS = {"text", "input_text", "output_text", "refusal"}
_REASONING = {"reasoning", "thinking", "redacted_thinking"}
_CALLS = {"tool_use", "tool_call", "tool-call", "function_call", "server_tool_use", "custom_tool_call"}
_RESULTS = {"tool_result", "tool-result", "function_call_output", "custom_tool_call_output"}
#: Parts that only mark a place.
_MARKS = {"step-start"}
_TIMES = ("timestamp", "created_at", "createdAt")
#: A longer text of a part that is no text, such as the bytes of an image, is left out.
_DATA_LENGTH = 4_096


def message_values(message: object, at: str) -> dict[str, Any]:
    """The message with the keys of `NewConversationMessage`."""
    values = plain(message, at)
    if "blocks" in values or (values.keys().isdisjoint(_BODIES) and values.keys() <= _OWN_KEYS):
        return _own(values, at)
    is_object = not isinstance(message, Mapping)
    for key, value in values.items():
        if key not in _OWN and key not in _BODIES and key not in _NOTES and value is not None and not is_object:
            raise unknown(at, key, [*_OWN, *_BODIES])
    blocks = [*_blocks_of_message(values, at)]
    if not blocks:
        raise invalid(f"{at}.content", "is empty: a message needs a text, a tool call, a tool result or another part")
    found = {key: values[key] for key in ("name", "sequence", "event_time") if values.get(key) is not None}
    if "event_time" not in found and (time := _time_of(values, at)) is not None:
        found["event_time"] = time
    return {"role": _role_of(values, at), "blocks": blocks, **found}


def text_of(message: object, at: str) -> tuple[str, str]:
    """Role and texts of a message for a context, where only texts count."""
    values = plain(message, at)
    if isinstance(values.get("text"), str) and "content" not in values:
        return values.get("role", ""), values["text"]
    made = message_values(values, at)
    blocks = [block if isinstance(block, Mapping) else plain(block, at) for block in made["blocks"]]
    return made["role"], "\n\n".join(str(block["text"]) for block in blocks if block.get("text") is not None)


def plain(value: object, at: str) -> dict[str, Any]:
    """A message or a part of one as a dict: of a dict, a dataclass, or an object of an SDK."""
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    for method in ("model_dump", "dict"):  # pydantic 2 and 1
        dump = getattr(value, method, None)
        if callable(dump):
            dumped = dump()
            if isinstance(dumped, Mapping):
                return {key: each for key, each in dumped.items() if each is not None}
    raise invalid(at, f"must be a dict with role and content, or a message of an SDK, got {type(value).__name__}")


def _own(values: dict[str, Any], at: str) -> dict[str, Any]:
    values.pop("memory_id", None)
    text = values.pop("text", None)
    if text is not None:
        if values.get("blocks") is not None:
            raise invalid(f"{at}.text", "must be absent beside blocks")
        values["blocks"] = [{"text": text}]
    return values


def _role_of(values: Mapping[str, Any], at: str) -> str:
    kind = values.get("type")
    role = values.get("role") or {"function_call": "assistant", "reasoning": "assistant"}.get(str(kind))
    if role is None and (kind in _CALLS or kind in _REASONING):
        role = "assistant"
    if role is None and kind in _RESULTS:
        role = "tool"
    role = role if role is not None else kind
    if not isinstance(role, str) or not role:
        raise invalid(f"{at}.role", "is required: one of system, user, assistant, tool")
    return _ROLES.get(role, role)


def _time_of(values: Mapping[str, Any], at: str) -> datetime | None:
    name = next((name for name in _TIMES if values.get(name) is not None), None)
    if name is None:
        return None
    value = values[name]
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value[:-1] + "+00:00" if value.endswith("Z") else value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            value = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise invalid(f"{at}.{name}", f"must be a time such as 2026-05-01T09:00:00Z, got {value!r}") from None
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise invalid(f"{at}.{name}", f"must be a time with a time zone, got {value!r}")
    return value


def _blocks_of_message(values: Mapping[str, Any], at: str) -> Iterator[Block]:
    kind = values.get("type")
    if kind in _CALLS or kind in _RESULTS or (kind in _REASONING and "role" not in values):
        yield from _blocks_of_part(values, f"{at}")  # An item of the Responses API is a part without a message.
        return
    content = values.get("content") if values.get("content") is not None else values.get("parts")
    blocks = [*_blocks_of_content(content, f"{at}.content")]
    call_id = values.get("tool_call_id")
    if call_id is not None or _ROLES.get(str(values.get("role")), values.get("role")) == "tool":
        texts = [each["text"] for each in blocks if "text" in each]
        if texts or call_id is not None:
            failed = values.get("status") == "error" or values.get("is_error") is True
            answered = {"call_id": str(call_id or values.get("name") or ""), "text": "\n\n".join(texts)}
            blocks = [
                {"tool_result": {**answered, "is_error": failed}},
                *(each for each in blocks if "text" not in each),
            ]
    yield from blocks
    if isinstance(values.get("refusal"), str) and values["refusal"]:
        yield {"text": values["refusal"]}
    known = {each["tool_call"]["id"] for each in blocks if "tool_call" in each}
    for place, call in enumerate(_list(values.get("tool_calls"), f"{at}.tool_calls")):
        made = _call(plain(call, f"{at}.tool_calls[{place}]"))
        if not made["id"] or made["id"] not in known:
            yield {"tool_call": made}


def _list(value: object, at: str) -> Sequence[Any]:
    if value is None:
        return ()
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise invalid(at, f"must be a list, got {type(value).__name__}")
    return list(value)


def _blocks_of_content(content: object, at: str) -> Iterator[Block]:
    if content is None or content == "":
        return
    if isinstance(content, str):
        yield {"text": content}
        return
    if isinstance(content, Mapping):
        content = [content]
    for place, part in enumerate(_list(content, at)):
        if isinstance(part, str):
            yield from ({"text": part},) if part else ()
        else:
            yield from _blocks_of_part(plain(part, f"{at}[{place}]"), f"{at}[{place}]")


def _blocks_of_part(part: Mapping[str, Any], at: str) -> Iterator[Block]:
    kind = part.get("type") or next((key for key in part if part[key] is not None), "")
    text = part.get("text", part.get("refusal"))
    if kind in _TEXTS or (kind == "text" and isinstance(text, str)):
        if not isinstance(text, str):
            raise invalid(f"{at}.text", f"must be a string, got {type(text).__name__}")
        yield from ({"text": text},) if text else ()
    elif kind in _MARKS:
        return
    elif kind in _CALLS or kind == "functionCall":
        yield {"tool_call": _call(part.get("functionCall") or part)}
    elif kind in _RESULTS or kind == "functionResponse":
        yield {"tool_result": _result(part.get("functionResponse") or part)}
    elif isinstance(kind, str) and "toolCallId" in part:  # A part of a message of Vercel's interface.
        yield {"tool_call": _call({"name": kind.removeprefix("tool-"), **part})}
        if part.get("output") is not None or part.get("errorText") is not None:
            yield {"tool_result": _result(part)}
    else:
        yield {"data": {"kind": str(kind), **_shortened(part)}}


def _call(part: Mapping[str, Any]) -> dict[str, Any]:
    function = plain(part["function"], "function") if part.get("function") is not None else part
    name = function.get("name") or part.get("toolName") or ""
    arguments: Any = next(
        (function[key] for key in ("arguments", "args", "input") if function.get(key) is not None), {}
    )
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=str)
    return {"id": _id_of(part), "name": str(name), "arguments_json": text}


def _result(part: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("content", "output", "result", "response", "errorText")
    value = next((part[key] for key in keys if part.get(key) is not None), "")
    if isinstance(value, Mapping) and "value" in value and "type" in value:  # Vercel's typed output
        value = value["value"]
    failed = part.get("is_error") is True or part.get("isError") is True or part.get("errorText") is not None
    return {"call_id": _id_of(part), "text": _result_text(value), "is_error": failed}


def _id_of(part: Mapping[str, Any]) -> str:
    keys = ("tool_use_id", "tool_call_id", "call_id", "toolCallId", "id", "name")
    return str(next((part[key] for key in keys if part.get(key)), ""))


def _result_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(each, (str, Mapping)) for each in value):
        texts = [each if isinstance(each, str) else each.get("text") for each in value]
        return "\n\n".join(
            text if isinstance(text, str) else _json_of(_shortened(each))
            for text, each in zip(texts, value, strict=True)
        )
    return _json_of(value)


def _json_of(value: object) -> str:
    """The value as JSON text, with texts in place of what JSON does not know."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _shortened(value: Any) -> Any:
    """The value as JSON, without long texts and bytes."""
    if isinstance(value, Mapping):
        return {str(key): _shortened(each) for key, each in value.items() if each is not None}
    if isinstance(value, (list, tuple)):
        return [_shortened(each) for each in value]
    if isinstance(value, (bytes, bytearray)):
        return f"[{len(value)} bytes left out]"
    if isinstance(value, str) and len(value) > _DATA_LENGTH:
        return f"[{len(value)} characters left out]"
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(value)
