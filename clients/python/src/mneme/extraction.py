"""Extraction by a client: jobs of the server, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict, Union

from ._names import conversation_id
from ._read import more
from .conversations import ConversationMessage
from .memory import Scope
from .options import Cancellation


@dataclass(frozen=True)
class ExtractionJob:
    """Messages of one conversation to extract from."""

    id: str
    conversation: str = field(metadata={"source": "conversation", "convert": conversation_id})
    """Id of the conversation."""
    scope: Scope
    """Owner of the messages."""
    messages: tuple[ConversationMessage, ...]
    """Messages to extract from, in order, at least one."""
    earlier: tuple[ConversationMessage, ...]
    """Up to 10 messages that precede them, cut at 4,096 bytes: for reference only."""
    attempt: int
    """Number of this attempt, from 1."""
    last_error: str
    """Why the attempt before failed; empty on the first one."""
    deadline: datetime
    """Time at which the server takes the job back."""
    model: str
    """Setting `extraction.model` of the namespace; empty when there is none."""
    cancel: Cancellation = field(metadata=more(), compare=False, repr=False)
    """Cancelled when the server takes the job back."""


class ExtractedClaim(TypedDict, total=False):
    """A fact that messages state or retract. `subject`, `attribute` and `sources` are required."""

    subject: str
    """What the fact is about, such as `user`, for the user, or a name."""
    attribute: str
    """What of the subject it states, such as `home_city`."""
    value: str
    """Its value; may be absent with `retracts`: then no value holds."""
    text: str
    """A sentence that states the fact. Default: made of subject, attribute and value."""
    confidence: float
    """0 to 1. Default 1."""
    valid_from: datetime
    """Default: the time of the latest source."""
    valid_until: datetime
    retracts: bool
    """The messages state that the fact no longer holds."""
    sources: Sequence[int]
    """Sequence numbers of the messages of the job that state it; at least one."""


class ExtractedNote(TypedDict, total=False):
    """Another memory that messages contain: an instruction, a decision, a lesson. `text` and `sources` are required."""

    type: Literal["fact", "episode", "procedure"]
    """Default `fact`."""
    text: str
    confidence: float
    """0 to 1. Default 1."""
    tags: Sequence[str]
    """At most 16."""
    sources: Sequence[int]
    """Sequence numbers of the messages of the job that contain it; at least one."""


class Extraction(TypedDict, total=False):
    """What messages state, or `failure`: nothing can be extracted from them, which counts as an attempt."""

    claims: Sequence[ExtractedClaim]
    notes: Sequence[ExtractedNote]
    failure: str


ExtractionAnswer = Union[Extraction, Mapping[str, Any], None]
"""Answer to a job; None states nothing."""

ExtractionHandler = Callable[[ExtractionJob], Any]
"""Answers a job with an `ExtractionAnswer`; for asyncio it may be a coroutine function. An exception is reported, and
the job comes again, later after each failure."""

OnRejected = Callable[[ExtractionJob, str], None]
"""Receives the reason why the server refused an answer. The job comes again."""
