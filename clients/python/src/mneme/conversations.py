"""Conversations, and the extraction of memories from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypedDict, Union

from ._names import conversation_id
from ._read import Brief, id_of, namespace_of, unspecified
from .content import Content

MessageRole = Literal["system", "user", "assistant", "tool", "other"]
"""Author of a message. `other`: a role that this version of the client does not know."""

ExtractionState = Literal["idle", "pending", "extracting", "retrying", "failed", "other"]
"""State of the extraction of a conversation. `other`: a state that this version of the client does not know."""


@dataclass(frozen=True)
class ToolCall:
    """Call of a tool by the agent."""

    id: str = ""
    """Id of the call, which the result refers to."""
    name: str = ""
    arguments_json: str = ""
    """Arguments as JSON text."""


@dataclass(frozen=True)
class ToolResult:
    """Answer of a tool."""

    call_id: str = ""
    """Id of the call that it answers."""
    text: str = ""
    is_error: bool = False
    """Whether the tool failed."""


@dataclass(frozen=True)
class MessageBlock:
    """One part of a message: one of these."""

    text: str | None = None
    tool_call: ToolCall | None = None
    tool_result: ToolResult | None = None
    data: Content | None = None
    """Any other content, such as an image."""


class NewConversationMessage(TypedDict, total=False):
    """A message to be stored. `role` is required."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    """A message of one text, in place of `blocks`."""
    content: str | Sequence[Any] | None
    """The same as OpenAI, Anthropic, Vercel and LangChain have it: a text, or a list of their parts."""
    blocks: Sequence[MessageBlock | Mapping[str, Any]]
    """Parts of the message in order, at most 64: `{"text": …}`, `{"tool_call": {…}}`, `{"tool_result": {…}}` or
    `{"data": …}`."""
    name: str
    """Name of the author, such as `Caroline`."""
    sequence: int
    """Place in the conversation, 0 or more. Default: after the last one. All messages of a call have one or none."""
    event_time: datetime
    """Time at which it was said. Default: the time at which it is stored."""


@dataclass(frozen=True, repr=False)
class ConversationMessage(Brief):
    """A message that is stored."""

    sequence: int
    role: MessageRole = field(metadata=unspecified("other"))
    name: str
    """Empty when the author has no name."""
    blocks: tuple[MessageBlock, ...]
    event_time: datetime
    memory_id: str = field(metadata=id_of("memory"))
    """Id of the memory that stores the message."""

    @property
    def text(self) -> str:
        """Its texts, joined by an empty line."""
        return "\n\n".join(block.text for block in self.blocks if block.text is not None)


class SdkMessage(Protocol):
    """A message of an SDK with models of pydantic, such as those of OpenAI, Anthropic and LangChain."""

    def model_dump(self) -> dict[str, Any]: ...


ConversationMessageLike = Union[NewConversationMessage, ConversationMessage, Mapping[str, Any], SdkMessage]
"""A message to be stored, one that was read, or one of an SDK."""


@dataclass(frozen=True)
class SequenceRange:
    """Consecutive sequence numbers, both ends included."""

    first: int
    last: int


@dataclass(frozen=True)
class AppendedMessage:
    """Outcome of one message."""

    sequence: int
    memory_id: str = field(metadata=id_of("memory"))
    """Id of the memory that stores the message."""
    already_stored: bool
    """The same message was stored before; nothing was changed."""


@dataclass(frozen=True)
class AppendMessagesResult:
    """What was done with the messages of a call, in their order."""

    messages: tuple[AppendedMessage, ...]
    gaps: tuple[SequenceRange, ...]
    """Sequence numbers that the call left out, at most 1,000."""
    revision: int


@dataclass(frozen=True)
class ReplaceSuffixResult:
    """Messages were replaced."""

    replaced_count: int
    last_sequence: int | None
    """Highest sequence number of the new messages; None when there are none."""
    revision: int


@dataclass(frozen=True)
class ClearMessagesResult:
    """The messages of a conversation were removed."""

    cleared_count: int
    revision: int


@dataclass(frozen=True)
class ConversationExtraction:
    """How far the extraction of a conversation has come."""

    conversation: str = field(metadata={"source": "conversation", "convert": conversation_id})
    """Id of the conversation."""
    state: ExtractionState = field(metadata=unspecified("other"))
    pending_count: int
    """Messages that are neither extracted nor given up."""
    last_extracted_sequence: int | None
    """Highest sequence number that was extracted since the server started; None when none was."""
    attempt_count: int
    """Attempts that have failed since the last success."""
    next_attempt_time: datetime | None
    """Time of the next attempt, in the state `retrying`."""
    error: str
    """Why the last attempt failed, or why none can be made; empty otherwise."""
    failed: tuple[SequenceRange, ...]
    """Messages that extraction has given up."""


@dataclass(frozen=True)
class FlushResult:
    """What a flush has reached at its deadline, or before it."""

    complete: bool
    """True when every message accepted before the call has been extracted without failures."""
    conversations: tuple[ConversationExtraction, ...]
    """Conversations with messages that are pending, being extracted or failed, at most 1,000."""
    pending_count: int
    degraded: str
    """Why the namespace is not read at the moment; empty in the normal case."""


@dataclass(frozen=True)
class ExtractionStatus:
    """How far extraction has come in a namespace."""

    namespace: str = field(metadata=namespace_of("namespace"))
    extractor: str
    """Extractor in use, such as `rules`."""
    pending_count: int
    failed_count: int
    """Messages that extraction has given up."""
    conversations: tuple[ConversationExtraction, ...]
    """Conversations that are not idle, at most 1,000; or the one of the call."""
    extracted_revision: int
    """Revision of the change log up to which every message is extracted or given up."""
    revision: int
    """Newest revision of the change log."""
    degraded: str
    """Why the namespace is not read at the moment; empty in the normal case."""


@dataclass(frozen=True)
class RetryExtractionResult:
    """Messages are tried again."""

    retried_count: int
