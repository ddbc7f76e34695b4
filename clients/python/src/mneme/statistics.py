"""What namespaces and servers are and hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ._read import more, namespace_of, unspecified
from .memory import Scope, Tier


@dataclass(frozen=True)
class Namespace:
    """A namespace."""

    name: str
    """Resource name, `namespaces/{id}`."""
    id: str = field(metadata=namespace_of("name"))
    description: str
    create_time: datetime
    update_time: datetime
    embedding_model: str
    """Model of its vectors; empty until the first vector fixes it."""
    embedding_dimension: int
    """Dimension of its vectors; 0 until the first vector fixes it."""
    memory_limit: int
    """Most memories it may hold; 0 for no limit."""
    settings: Mapping[str, str]
    """Its own settings of tiers, by dotted key."""
    version: int
    """Version for conditional changes."""


@dataclass(frozen=True)
class NamespaceDeleted:
    """A namespace was deleted."""

    forgotten_count: int
    """Memories that were erased with it."""
    revision: int


@dataclass(frozen=True)
class ScopeCount:
    """A scope that memories have."""

    scope: Scope
    memory_count: int
    """How many memories have exactly this scope."""


@dataclass(frozen=True)
class TypeCount:
    """How many memories have a type."""

    type: str
    memory_count: int


@dataclass(frozen=True)
class TierStatistics:
    """The totals of a tier."""

    tier: Tier = field(metadata=unspecified("short_term"))
    memory_count: int
    content_bytes: int
    stored_bytes: int
    """Bytes as the tier keeps them: divided by `content_bytes` the ratio of compression."""
    importance_mean: float


@dataclass(frozen=True)
class MemoryAccess:
    """How often a memory was recalled."""

    name: str
    """Resource name of the memory."""
    retrieval_count: int
    last_access_time: datetime | None


@dataclass(frozen=True, kw_only=True)
class MemoryStatistics:
    """Totals of a namespace or of the whole server."""

    memory_count: int
    content_bytes: int
    """Bytes of text and content, before any compression."""
    embedded_count: int
    embedding_pending_count: int
    importance_mean: float
    retrieval_count: int
    """Sum of `retrieval_count` over the memories."""
    types: tuple[TypeCount, ...]
    """Most first."""
    tiers: tuple[TierStatistics, ...]
    most_accessed: tuple[MemoryAccess, ...]
    """Up to five memories with the most retrievals, at least one."""
    least_accessed: tuple[MemoryAccess, ...]
    """Up to five that were recalled least, the oldest first."""


@dataclass(frozen=True, kw_only=True)
class NamespaceStatistics(MemoryStatistics):
    """The totals of a namespace."""

    last_maintenance_time: datetime | None = field(default=None, metadata=more())
    """Time of the last requested maintenance, or of the last one that moved memories."""


@dataclass(frozen=True)
class AgentTierStatistics:
    """The totals of an agent in a tier."""

    tier: Tier = field(metadata=unspecified("short_term"))
    memory_count: int
    content_bytes: int


@dataclass(frozen=True)
class AgentStatistics:
    """What is held of one agent, by totals that the server keeps."""

    agent: str
    memory_count: int
    content_bytes: int
    """Bytes of text and content, before any compression."""
    types: tuple[TypeCount, ...]
    """Most first."""
    tiers: tuple[AgentTierStatistics, ...]


@dataclass(frozen=True)
class Backend:
    """What a part of a server is made of."""

    role: str
    technology: str
    durability: str


@dataclass(frozen=True)
class EmbedderInfo:
    """Embedder of texts."""

    kind: str
    model: str
    dimension: int
    lane_weight: float
    """Default weight of the vector lane in recall for texts that it embeds."""


@dataclass(frozen=True)
class StreamTerms:
    """Limits of a server's streams, and the number of open streams."""

    open: Mapping[str, int] = field(metadata=more())
    """Streams that are open: `watch`, `subscribe`, `consume`, `ingest`."""
    standing_query_count: int
    consumer_count: int
    """Consumers of durable subscriptions that are connected."""
    heartbeat_interval_ms: float
    """Longest silence of the server on a stream that does not ask for another one."""
    max_streams_per_caller: int
    max_stall_ms: float
    """Maximum time that a reader may stall."""
    max_ingest_bytes_in_flight: int
    max_log_entries: int
    """Entries up to which the change log is kept."""
    max_log_bytes: int
    max_log_age_ms: float


@dataclass(frozen=True)
class ServerInfo:
    """What a server is."""

    version: str
    start_time: datetime
    revision: int
    backends: tuple[Backend, ...]
    embedder: EmbedderInfo
    capabilities: tuple[str, ...]
    """Methods and options that this server has beyond version 1.0 of the API."""
    degraded: tuple[str, ...]
    """Parts that do not work, or not in full."""
    limits: Mapping[str, int] = field(metadata=more())
    """Limits in force by the name of the setting."""
    streams: StreamTerms = field(metadata=more())


@dataclass(frozen=True)
class RecallCacheStatistics:
    """Cache of recall answers; counts are since the server started."""

    max_entries: int
    """0: the cache is off."""
    max_bytes: int
    ttl_ms: float
    entry_count: int
    entry_bytes: int
    """Approximate size of the cached answers."""
    hit_count: int
    miss_count: int
    bypassed_count: int
    """Recalls that are never cached."""
    evicted_count: int


@dataclass(frozen=True)
class VectorIndexStatistics:
    """The vectors of a namespace."""

    namespace: str = field(metadata=namespace_of("namespace"))
    vector_count: int
    exact_count: int
    """Vectors that are not in the graph yet and are searched exactly."""
    revision: int


@dataclass(frozen=True)
class StreamStatistics:
    """Open streams, and the retained change log from which streams can start."""

    open: Mapping[str, int] = field(metadata=more())
    """Streams that are open: `watch`, `subscribe`, `consume`, `ingest`."""
    standing_query_count: int
    consumer_count: int
    """Consumers of durable subscriptions that are connected."""
    oldest_revision: int
    """Oldest revision that a watch can begin with."""
    newest_revision: int
    entry_count: int
    """Entries of the change log that are kept."""
    entry_bytes: int


@dataclass(frozen=True)
class MemoryUse:
    """How much is used of something that has a limit."""

    reason: Literal["redis_memory", "process_memory", "other"] = field(metadata=unspecified("other"))
    """Reason of the moves that it causes."""
    node: str
    """Which Redis, where there are several."""
    used_bytes: int
    limit_bytes: int
    threshold_bytes: int
    """Threshold above which memories are moved one tier down."""
    above_threshold: bool
    moves_stopped: bool
    """True when moves did not reduce the use, so that they are suspended until the use falls below the threshold."""


@dataclass(frozen=True)
class MemoryPressure:
    """Usage of memory resources with a limit, and memories moved down because of shortage."""

    uses: tuple[MemoryUse, ...]
    """At the server's last reading; empty where no resource has a limit."""
    moved_count: int
    """Since the server started."""
    last_move_time: datetime | None


@dataclass(frozen=True, kw_only=True)
class ServerStatistics(MemoryStatistics):
    """What a server holds."""

    namespace_count: int = field(metadata=more())
    disk_bytes: int = field(metadata=more())
    """Bytes of the store on disk."""
    revision: int = field(metadata=more())
    recall_cache: RecallCacheStatistics | None = field(default=None, metadata=more())
    vector_indexes: tuple[VectorIndexStatistics, ...] = field(metadata=more())
    streams: StreamStatistics = field(metadata=more())
    memory_pressure: MemoryPressure = field(metadata=more())
    degraded: tuple[str, ...] = field(metadata=more())
    """Parts that did not answer, and why: their last known numbers are counted."""


@dataclass(frozen=True)
class ReembedProgress:
    """How far the re-embedding of a namespace is."""

    namespace: str = field(metadata=namespace_of("namespace"))
    from_model: str
    """Empty when there are no vectors in use."""
    to_model: str
    done_count: int
    total_count: int
    start_time: datetime


@dataclass(frozen=True)
class ReembedStatus:
    """What is being re-embedded still."""

    namespaces: tuple[ReembedProgress, ...]
    failure: str
    """Why it does not go on; empty when it does."""


@dataclass(frozen=True)
class RecallCacheCleared:
    """Answers that were forgotten."""

    cleared_count: int
    cleared_bytes: int
