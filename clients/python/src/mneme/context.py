"""Contexts: what is remembered, as text for a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict

from ._read import Brief, unspecified
from .facts import TrustLevel
from .memory import Scope
from .recall import Degradation

ContextKind = Literal["working", "fact", "procedure", "episode", "message", "other"]
"""Kind of an entry of a context. `working`: working memory of the session; `other`: any other type of memory."""

ContextFormat = Literal["xml", "markdown", "json_messages"]
"""Format of a context."""

ContextOmissionReason = Literal[
    "budget", "kind_limit", "duplicate", "in_conversation", "secret", "no_text", "low_relevance", "other"
]
"""Reason why a memory did not go in."""


class KindLimit(TypedDict, total=False):
    """Limit of the entries of one kind."""

    max_entries: int
    max_share: float
    """Share of the budget, 0 to 1."""


@dataclass(frozen=True, repr=False)
class ContextMessage(Brief):
    """One message of a conversation."""

    role: str
    """`user`, `assistant`, `system` or `tool`."""
    text: str


class ContextQuery(TypedDict, total=False):
    """What a context is built from."""

    query: str
    """Query in natural language. Default: taken from `messages`."""
    messages: Sequence[ContextMessage | Mapping[str, Any] | Any]
    """Last messages of the conversation, oldest first, at most 100: `{"role", "text"}`, or as an SDK has them."""
    scope: Scope | Mapping[str, str]
    """Scope of the memories that may go in, with its ancestors. Default: all memories of the namespace."""
    session: str
    """Id of the session whose working memory goes in. Default: that of `scope`."""
    token_budget: int
    """Maximum number of tokens, 1 to 100,000. Default: `model_tokens` × `share`, otherwise 1,500."""
    model_tokens: int
    """Size of the model's context window in tokens."""
    share: float
    """Share of `model_tokens` for the context. Default 0.15."""
    kind_limits: Mapping[ContextKind, KindLimit]
    """Limits of single kinds."""
    format: ContextFormat
    """Default `xml`."""
    tokenizer: str
    """`o200k_base` (default), `cl100k_base` or `wordpiece`."""
    kinds: Sequence[ContextKind]
    """Kinds that may go in. Default: all."""
    reference_time: datetime
    """Time of the question. Default: now."""
    time_zone: str
    """Time zone of the user, an IANA name or an offset such as `+09:00`: "yesterday" is a day there. Default: that of
    `reference_time`, else UTC."""
    min_relevance: float
    """Lowest relevance of a memory, 0 to 1. Default: the setting of the namespace (0.07)."""
    fold: bool
    """Appends the context to the last message of the user, in `Context.messages`."""


@dataclass(frozen=True, repr=False)
class ContextEntry(Brief):
    """A memory that went in."""

    name: str
    """Resource name of the memory, or of the session for working memory."""
    kind: ContextKind = field(metadata=unspecified("other"))
    relevance: float
    tokens: int
    reason: str
    """Reason why it went in, in a sentence."""
    trust: TrustLevel = field(metadata=unspecified("untrusted"))
    part: str
    """Part of the working memory, such as `task`; empty for memories."""


@dataclass(frozen=True)
class ContextOmission:
    """A memory that was found and did not go in."""

    name: str
    reason: ContextOmissionReason = field(metadata=unspecified("other"))
    duplicate_of: str
    """Resource name of the memory that says the same; empty unless the reason is `duplicate`."""
    part: str


@dataclass(frozen=True, repr=False)
class Context(Brief):
    """Text for the context window of a model."""

    text: str
    """Empty when nothing went in."""
    messages: tuple[ContextMessage, ...]
    """With `fold`: the messages of the query with the context in the last one of the user; otherwise one message of a
    user, or none."""
    entries: tuple[ContextEntry, ...]
    """In the order of the text."""
    omitted: tuple[ContextOmission, ...]
    """At most 100."""
    omitted_total: int
    tokens: int
    budget: int
    tokenizer: str
    degraded: tuple[Degradation, ...]
    """Parts that failed, were late, or worked only partly."""
    complete: bool
    """True when every part was read in full."""
    query: str
    """Query that was searched; empty when there was none."""
    revision: int
