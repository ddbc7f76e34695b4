"""Answers of the calls that are about memories."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ._read import Brief, id_of, more, namespace_of, unspecified
from .memory import Memory, Tier

MemoryOrder = Literal[
    "create_time_desc",
    "create_time_asc",
    "event_time_desc",
    "event_time_asc",
    "importance_desc",
    "step_asc",
    "step_desc",
]
"""Order of a list. Memories of the same value are ordered by when they were stored."""

ChangeKind = Literal[
    "stored",
    "updated",
    "deleted",
    "expired",
    "embedded",
    "touched",
    "moved",
    "namespace_created",
    "namespace_updated",
    "namespace_deleted",
    "vectors_replaced",
    "other",
]
"""Change of a memory, or of its namespace. `other` is a kind that this version of the client does not know."""

ConflictPolicy = Literal["keep", "replace", "fail"]
"""Handling of a memory whose id exists."""

MoveReason = Literal[
    "ttl",
    "memory_limit",
    "bytes_limit",
    "type_ttl",
    "type_memory_limit",
    "flush",
    "redis_memory",
    "process_memory",
    "requested",
    "other",
]
"""Reason for a move. `other` is one that this version of the client does not know."""


@dataclass(frozen=True, kw_only=True)
class WriteReceipt:
    """What a write says of the memory it wrote."""

    name: str
    id: str = field(metadata=id_of("name"))
    version: int
    create_time: datetime
    checksum: str
    embedding_pending: bool
    """True when its vector is still to be computed: until then it is found by keywords and filters only."""
    revision: int = field(metadata=more())
    """Revision of the change log at which it was written."""


@dataclass(frozen=True, kw_only=True)
class SupersedeReceipt(WriteReceipt):
    """Of the new memory, and of the superseded one."""

    superseded: WriteReceipt = field(metadata=more())


@dataclass(frozen=True)
class TierCount:
    """How many there are in a tier."""

    tier: Tier = field(metadata=unspecified("short_term"))
    count: int


@dataclass(frozen=True)
class MemoryCount:
    """How many memories there are."""

    count: int
    tiers: tuple[TierCount, ...]
    revision: int


@dataclass(frozen=True, repr=False)
class BatchGetResult(Brief):
    """Memories that were read together, in the order asked for."""

    memories: tuple[Memory, ...]
    missing_ids: tuple[str, ...] = field(metadata=id_of("missing"))
    """Ids that lead to none."""
    damaged_ids: tuple[str, ...] = field(metadata=id_of("damaged"))
    """Ids of damaged memories."""
    revision: int


@dataclass(frozen=True, repr=False)
class ListPage(Brief):
    """A page of a list."""

    memories: tuple[Memory, ...]
    damaged_ids: tuple[str, ...] = field(metadata=id_of("damaged"))
    """Ids of memories of the page whose bytes are damaged."""
    next_page_token: str = field(metadata=more())
    """Empty on the last page. A page may be empty and still have a next one."""
    revision: int


@dataclass(frozen=True)
class MemoryRevision:
    """A state that a memory has had."""

    memory: Memory
    change: ChangeKind = field(metadata=unspecified("other"))


@dataclass(frozen=True)
class Deleted:
    """A memory was erased, or was not there."""

    revision: int


@dataclass(frozen=True)
class ForgetResult:
    """Deleted memories, or those that would be deleted."""

    forgotten_count: int
    tiers: tuple[TierCount, ...]
    ids: tuple[str, ...] = field(metadata=id_of("names"))
    """Ids of the first 1,000 of them."""
    revision: int


@dataclass(frozen=True)
class AttributeChange:
    """A change of a value from one state to the next."""

    id: str
    """Id of the state that has the new value, or has it no longer."""
    step: int
    event_time: datetime
    kind: Literal["appeared", "changed", "disappeared"]
    previous_value: Any
    """None when it appeared (and where it was null)."""
    new_value: Any
    """None when it disappeared (and where it is null)."""


@dataclass(frozen=True)
class AttributeHistory:
    """How a value has changed, by step."""

    changes: tuple[AttributeChange, ...]
    truncated: bool
    """There are more than the limit."""
    revision: int


@dataclass(frozen=True)
class StateAtStep:
    """The state at a step."""

    step: int
    memory: Memory | None


@dataclass(frozen=True)
class MemorySequence:
    """The events before and after a memory, both in the order of time."""

    before: tuple[Memory, ...]
    memory: Memory
    after: tuple[Memory, ...]


@dataclass(frozen=True)
class TierMove:
    """A memory that was moved to another tier, or would be."""

    id: str = field(metadata=id_of("name"))
    from_tier: Tier = field(metadata=unspecified("short_term"))
    to_tier: Tier = field(metadata=unspecified("short_term"))
    reason: MoveReason = field(metadata=unspecified("other"))
    score: float
    """Age factor × (1 − importance), by which memories above a limit are chosen."""


@dataclass(frozen=True)
class MoveResult:
    """The moves between tiers."""

    moves: tuple[TierMove, ...]
    damaged_ids: tuple[str, ...] = field(metadata=id_of("damaged"))
    """Ids of memories that stay because their bytes do not give their checksum."""
    revision: int


@dataclass(frozen=True)
class MaintenanceStep(MoveResult):
    """A batch of moves."""

    namespace: str = field(metadata=namespace_of("namespace"))
    moved_count: int
    """Moves so far, in all namespaces."""


@dataclass(frozen=True)
class ClearTierResult:
    """Memories deleted from a tier, or those that would be deleted."""

    cleared_count: int
    ids: tuple[str, ...] = field(metadata=id_of("names"))
    """Ids of the first 1,000 of them."""
    revision: int
