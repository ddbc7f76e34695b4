"""Items of the OpenAI Agents SDK as messages of a conversation of Mneme."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from agents.items import TResponseInputItem

from .._adapters import cut
from ..content import Content
from ..conversations import ConversationMessage
from ..errors import invalid

#: Media type of the block with the exact item.
ITEM_TYPE = "application/vnd.openai.agents.item+json"
#: Limit of the JSON of one item: its block has at most 1,048,576 bytes in base64, beside readable blocks of tools.
ITEM_BYTES = 700_000
_TEXT_BYTES = 1_048_576
_TOOL_BYTES = 32_768
_ID_BYTES = 128
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


def message_of(item: TResponseInputItem, at: str) -> dict[str, Any]:
    """The message for `conversations.append`: readable blocks, then the exact item. `at` names the item in errors."""
    if not isinstance(item, Mapping):
        raise invalid(at, f"must be a dict, not {type(item).__name__}")
    try:
        exact = json.dumps(item, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid(at, f"JSON cannot carry it: {error}") from None
    if len(exact) > ITEM_BYTES:
        raise invalid(at, f"has {len(exact):,} bytes as JSON; at most {ITEM_BYTES:,}: store large files elsewhere")
    given = cast("Mapping[str, Any]", item)
    blocks = [*_readable(given), {"data": Content(ITEM_TYPE, exact)}]
    return {"role": _role(given), "blocks": blocks}


def item_of(message: ConversationMessage) -> TResponseInputItem:
    """The exact item of a message; of a message that another program has stored, its role and text."""
    for block in message.blocks:
        if block.data is not None and block.data.media_type == ITEM_TYPE:
            return cast(TResponseInputItem, block.data.json())
    texts = [message.text, *(block.tool_result.text for block in message.blocks if block.tool_result)]
    role = message.role if message.role in ("user", "system") else "assistant"
    return cast(TResponseInputItem, {"role": role, "content": "\n\n".join(text for text in texts if text)})


def _role(item: Mapping[str, Any]) -> str:
    role = item.get("role")
    if isinstance(role, str):
        return _ROLES.get(role, "assistant")
    return "tool" if _kind(item).endswith("_output") else "assistant"


def _kind(item: Mapping[str, Any]) -> str:
    kind = item.get("type")
    return kind if isinstance(kind, str) else ""


def _readable(item: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    kind = _kind(item)
    if kind.endswith("_output"):
        text = cut("\n".join(_texts(item.get("output"))), _TOOL_BYTES)
        yield {"tool_result": {"call_id": _short(item.get("call_id")), "text": text}}
    elif kind.endswith("_call"):
        call = {
            "id": _short(item.get("call_id") or item.get("id")),
            "name": _short(item.get("name")) or kind[:_ID_BYTES],
        }
        arguments = item.get("arguments")
        if isinstance(arguments, str):
            call["arguments_json"] = _arguments(arguments)
        yield {"tool_call": call}
    else:
        text = cut("\n\n".join(_texts(item.get("content"))), _TEXT_BYTES)
        if text:
            yield {"text": text}


def _texts(content: Any) -> Iterable[str]:
    """Texts of a content: a text, or a list of parts with `text` or `refusal`."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, (list, tuple)):
        for part in content:
            if isinstance(part, Mapping):
                text = part.get("text", part.get("refusal"))
                if isinstance(text, str) and text:
                    yield text


def _arguments(text: str) -> str:
    """Arguments as JSON: those that are not, or too long, as a text in JSON."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    try:
        json.loads(text, parse_constant=refuse)
        if len(text.encode()) <= _TOOL_BYTES:
            return text
    except (ValueError, RecursionError):
        pass  # The model has not written JSON.
    return json.dumps(cut(text, _TOOL_BYTES), ensure_ascii=False)


def _short(value: Any) -> str:
    return cut(value, _ID_BYTES) if isinstance(value, str) else ""
