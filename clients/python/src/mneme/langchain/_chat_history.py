"""A chat history of LangChain as a conversation of Mneme."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
    messages_from_dict,
)

from .._adapters import REQUEST_BYTES, batches, cut, guarded, in_thread, message_bytes
from .._known import strict
from ..client import Mneme
from ..content import Content, json_text
from ..conversations import ConversationMessage
from ..errors import MnemeError
from ..options import Cancellation
from ._document import refused_as_value_errors

_TEXT_BYTES = 1_048_576
#: A block with the message as LangChain writes it, beside its text.
_MESSAGE = "application/vnd.langchain.message+json"
#: What a usage must have to be read again: LangChain marks answers from its cache with one that it cannot read.
_USAGE = {"input_tokens", "output_tokens", "total_tokens"}
_ROLES: tuple[tuple[type[BaseMessage], Literal["user", "assistant", "system", "tool"]], ...] = (
    (HumanMessage, "user"),
    (AIMessage, "assistant"),
    (SystemMessage, "system"),
    (ToolMessage, "tool"),
)


class MnemeChatMessageHistory(BaseChatMessageHistory):
    """Messages of one conversation, from which the server extracts memories by itself.

    Messages that others have appended are read as well, as far as they have texts. The messages of a call are stored
    all or none, up to 1,000 messages and 1.5 MB.
    """

    @strict
    def __init__(self, client: Mneme, conversation: str, *, scope: Any = None, timeout_ms: float = 10_000) -> None:
        """`conversation`: its id. `scope`: project, agent type and agent that own the messages."""
        self._client = guarded(client)
        self._conversation = conversation
        self._scope = scope
        self._timeout_ms = timeout_ms

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """All messages, oldest first."""
        return self._read(Cancellation())

    async def aget_messages(self) -> list[BaseMessage]:
        """As `messages`."""
        return await in_thread(self._read)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Appends messages. `ValueError` when one is not JSON."""
        self._append(messages, Cancellation())

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """As `add_messages`."""
        await in_thread(lambda cancel: self._append(messages, cancel))

    def clear(self) -> None:
        """Removes all messages."""
        self._clear(Cancellation())

    async def aclear(self) -> None:
        """As `clear`."""
        await in_thread(self._clear)

    def _options(self, cancel: Cancellation) -> Any:
        return {"timeout_ms": self._timeout_ms, "cancel": cancel}

    def _read(self, cancel: Cancellation) -> list[BaseMessage]:
        try:
            with self._client.conversations.list(self._conversation, **self._options(cancel)) as found:
                return [_read(each) for each in found]
        except MnemeError as error:
            _pass_unless_absent(error)
            return []

    def _append(self, messages: Sequence[BaseMessage], cancel: Cancellation) -> None:
        with refused_as_value_errors():
            made = [_message(each) for each in messages]
            for part in batches(made, message_bytes, REQUEST_BYTES):
                options = self._options(cancel)
                self._client.conversations.append(
                    self._conversation, part, scope=self._scope, end_of_invocation=True, **options
                )

    def _clear(self, cancel: Cancellation) -> None:
        try:
            self._client.conversations.clear(self._conversation, **self._options(cancel))
        except MnemeError as error:
            _pass_unless_absent(error)


def _message(message: BaseMessage) -> dict[str, Any]:
    role = next((role for kind, role in _ROLES if isinstance(message, kind)), "user")
    written = message_to_dict(message)
    usage = written["data"].get("usage_metadata")
    if isinstance(usage, dict) and not usage.keys() >= _USAGE:
        written["data"]["usage_metadata"] = None
    data = Content(_MESSAGE, json_text(written, "message").encode())
    text = cut(str(message.text), _TEXT_BYTES)
    blocks: list[dict[str, Any]] = [{"text": text}] if text.strip() else []
    found: dict[str, Any] = {"role": role, "blocks": [*blocks, {"data": data}]}
    if message.name:
        found["name"] = message.name
    return found


def _read(message: ConversationMessage) -> BaseMessage:
    for block in message.blocks:
        if block.data is not None and block.data.media_type == _MESSAGE:
            return messages_from_dict([json.loads(block.data.data)])[0]
    if message.role == "assistant":
        return AIMessage(message.text)
    if message.role == "system":
        return SystemMessage(message.text)
    results = [block.tool_result for block in message.blocks if block.tool_result is not None]
    if results:
        return ToolMessage("\n\n".join(each.text for each in results), tool_call_id=results[0].call_id)
    return HumanMessage(message.text)


def _pass_unless_absent(error: MnemeError) -> None:
    if error.reason not in ("NAMESPACE_NOT_FOUND", "CONVERSATION_NOT_FOUND"):
        raise error
