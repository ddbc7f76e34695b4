"""Messages of Strands as messages of a conversation of Mneme."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

#: Limit of the texts of a message, in bytes.
TEXT_BYTES = 1_048_576
_ID_BYTES = 128
_OMITTED = ("image", "document", "video")


def conversation_message(message: Mapping[str, Any]) -> dict[str, Any] | None:
    """The message for `conversations.append`; None when nothing of it is stored.

    Images, documents and videos are stored without their bytes; reasoning, guard contents and cache points are not
    stored. Texts beyond the limit of the server are cut off.
    """
    blocks: list[dict[str, Any]] = []
    room = TEXT_BYTES
    for block in message["content"]:
        for made in _blocks(block):
            if "text" in made:
                made["text"] = _cut(made["text"], max(0, room))
                room -= len(made["text"].encode()) + len("\n\n")
                if not made["text"]:
                    continue
            blocks.append(made)
    if not blocks:
        return None
    answers_tools = all("tool_result" in block for block in blocks)
    return {"role": "tool" if answers_tools else message["role"], "blocks": blocks}


def text_of(message: Mapping[str, Any]) -> str:
    """The text blocks of a message, joined by line breaks."""
    return "\n".join(block["text"] for block in message["content"] if "text" in block)


def _blocks(block: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    if "text" in block:
        yield {"text": block["text"]}
    elif "toolUse" in block:
        use = block["toolUse"]
        arguments = json.dumps(use.get("input"), ensure_ascii=False, default=str)
        yield {"tool_call": {"id": _id(use), "name": _cut(use["name"], _ID_BYTES), "arguments_json": arguments}}
    elif "toolResult" in block:
        result = block["toolResult"]
        text = "\n".join(_result_text(part) for part in result.get("content", ()))
        failed = result.get("status") == "error"
        yield {"tool_result": {"call_id": _id(result), "text": _cut(text, TEXT_BYTES // 2), "is_error": failed}}
    elif "citationsContent" in block:
        for part in block["citationsContent"].get("content", ()):
            if "text" in part:
                yield {"text": part["text"]}
    else:
        for kind in _OMITTED:
            if kind in block:
                yield {"data": {"omitted": kind, "format": block[kind].get("format")}}


def _id(block: Mapping[str, Any]) -> str:
    return _cut(block["toolUseId"], _ID_BYTES)


def _result_text(part: Mapping[str, Any]) -> str:
    if "text" in part:
        return str(part["text"])
    if "json" in part:
        return json.dumps(part["json"], ensure_ascii=False, default=str)
    return f"[{next(iter(part), 'nothing')}]"


def _cut(text: str, limit: int) -> str:
    """At most so many bytes of UTF-8; no character is cut in two, and lone surrogates become question marks."""
    return text.encode(errors="replace")[:limit].decode(errors="ignore")
