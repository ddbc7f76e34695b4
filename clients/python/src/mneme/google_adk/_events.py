"""Events of ADK as messages of conversations of Mneme."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

from google.adk.events import Event
from google.genai import types

from .._adapters import cut
from ..content import Content
from ..conversations import ConversationMessage
from ..errors import invalid

#: Media type of the block with what is stored of an event, a JSON object.
STORED_TYPE = "application/vnd.google.adk+json"
#: Limit of that JSON: its block has at most 1,048,576 bytes in base64, beside readable blocks of tools.
STORED_BYTES = 700_000
_TEXT_BYTES = 1_048_576
_TOOL_BYTES = 4_096
_TOOL_BLOCKS = 16
_ID_BYTES = 128


def owner(service: str, app_name: str, user_id: str | None = None) -> dict[str, str]:
    """Scope of what a service stores for a user of an app, or for the app."""
    scope = {"project": _short(app_name), "agent_type": service}
    return scope if user_id is None else {**scope, "agent": _short(user_id)}


def place(service: str, *names: str) -> str:
    """Id of a conversation or session, different for all names."""
    readable = "/".join([service, *(quote(name, safe="") for name in names)])
    return readable if len(readable) <= _ID_BYTES else f"{service}/{_digest(readable)}"


def message_of(event: Event, stored: Mapping[str, Any], sequence: int) -> dict[str, Any]:
    """The message for `conversations.append`: readable blocks, then what is stored exactly."""
    exact = json.dumps(stored, separators=(",", ":")).encode()
    if len(exact) > STORED_BYTES:
        raise invalid("event", f"has {len(exact):,} bytes as JSON; at most {STORED_BYTES:,}: store files as artifacts")
    parts = (event.content.parts if event.content else None) or []
    made = {
        "role": _role(event.author, parts),
        "name": cut(event.author, _ID_BYTES),
        "blocks": [*_readable(parts), {"data": Content(STORED_TYPE, exact)}],
        "sequence": sequence,
    }
    if event.timestamp > 0:
        made["event_time"] = datetime.fromtimestamp(event.timestamp, timezone.utc)
    return made


def stored_of(message: ConversationMessage) -> dict[str, Any]:
    """What is stored of an event; empty for messages of other programs."""
    for block in message.blocks:
        if block.data is not None and block.data.media_type == STORED_TYPE:
            found = block.data.json()
            return found if isinstance(found, dict) else {}
    return {}


def text_of(content: types.Content | None) -> str:
    """Texts of a content, without those that the model has only thought."""
    parts = (content.parts if content else None) or []
    return cut("\n\n".join(part.text for part in parts if part.text and not part.thought), _TEXT_BYTES)


def _role(author: str, parts: Iterable[types.Part]) -> str:
    if author == "user":
        return "user"
    listed = list(parts)
    return "tool" if listed and all(part.function_response for part in listed) else "assistant"


def _readable(parts: list[types.Part]) -> Iterable[dict[str, Any]]:
    text = text_of(types.Content(parts=parts))
    if text:
        yield {"text": text}
    for part in parts[:_TOOL_BLOCKS]:
        if part.function_call is not None:
            call = part.function_call
            arguments = _json(call.args or {})
            yield {
                "tool_call": {
                    "id": cut(call.id or "", _ID_BYTES),
                    "name": cut(call.name or "", _ID_BYTES) or "function",
                    "arguments_json": arguments if len(arguments) <= _TOOL_BYTES else json.dumps(arguments[:1_000]),
                }
            }
        if part.function_response is not None:
            answer = part.function_response
            result = cut(_json(answer.response or {}), _TOOL_BYTES)
            yield {"tool_result": {"call_id": cut(answer.id or "", _ID_BYTES), "text": result}}


def _json(value: object) -> str:
    try:
        return json.dumps(value, allow_nan=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(repr(value)[:1_000])


def _short(name: str) -> str:
    """A name as a part of a scope."""
    return name if 0 < len(name.encode(errors="replace")) <= _ID_BYTES else _digest(name)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
