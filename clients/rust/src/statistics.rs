//! Statistics of namespaces and servers.
use crate::answer::{all, answer};
use crate::names::namespace_of;
use crate::time::{duration, instant, maybe_instant, millis};
use crate::words::{MoveReason, Tier};
use crate::{Error, Result, pb};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

answer! {
    /// Memories of a type.
    pub struct TypeCount(pb::TypeCount as message) {
        /// The type.
        pub r#type: String = message.r#type,
        /// How many.
        pub memory_count: i64 = message.memory_count,
    }
}

answer! {
    /// The totals of a tier.
    pub struct TierStatistics(pb::TierStatistics as message) {
        /// The tier.
        pub tier: Tier = Tier::of(message.tier),
        /// How many memories.
        pub memory_count: i64 = message.memory_count,
        /// Bytes of text and content, before any compression.
        pub content_bytes: i64 = message.content_bytes,
        /// Bytes as the tier keeps them: divided by `content_bytes` the ratio of compression.
        pub stored_bytes: i64 = message.stored_bytes,
        /// Mean of the importances.
        pub importance_mean: f64 = message.importance_mean,
    }
}

answer! {
    /// How often a memory was recalled.
    pub struct MemoryAccess(pb::MemoryAccess as message) {
        /// Resource name of the memory.
        pub name: String = message.name,
        /// How often.
        pub retrieval_count: i64 = message.retrieval_count,
        /// When last.
        pub last_access_time: Option<Timestamp> = maybe_instant(message.last_access_time),
    }
}

answer! {
    /// Totals of a namespace or of the whole server.
    pub struct MemoryStatistics(pb::MemoryStatistics as message) {
        /// How many memories.
        pub memory_count: i64 = message.memory_count,
        /// Bytes of text and content, before any compression.
        pub content_bytes: i64 = message.content_bytes,
        /// Memories with a vector.
        pub embedded_count: i64 = message.embedded_count,
        /// Memories whose vector is still to be computed.
        pub embedding_pending_count: i64 = message.embedding_pending_count,
        /// Mean of the importances.
        pub importance_mean: f64 = message.importance_mean,
        /// Sum of `retrieval_count` over the memories.
        pub retrieval_count: i64 = message.retrieval_count,
        /// Most first.
        pub types: Vec<TypeCount> = all(message.types),
        /// By tier.
        pub tiers: Vec<TierStatistics> = all(message.tiers),
        /// Up to five memories with the most retrievals, at least one.
        pub most_accessed: Vec<MemoryAccess> = all(message.most_accessed),
        /// Up to five that were recalled least, the oldest first.
        pub least_accessed: Vec<MemoryAccess> = all(message.least_accessed),
    }
}

/// The totals of a namespace.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NamespaceStatistics {
    /// The counts.
    #[serde(flatten)]
    pub statistics: MemoryStatistics,
    /// Time of the last requested maintenance, or of the last one that moved memories.
    pub last_maintenance_time: Option<Timestamp>,
}

answer! {
    /// The totals of an agent in a tier.
    pub struct AgentTierStatistics(pb::AgentTierStatistics as message) {
        /// The tier.
        pub tier: Tier = Tier::of(message.tier),
        /// How many memories.
        pub memory_count: i64 = message.memory_count,
        /// Bytes of text and content, before any compression.
        pub content_bytes: i64 = message.content_bytes,
    }
}

answer! {
    /// Statistics of one agent, from totals that the server maintains: importance, retrievals and vectors are not
    /// counted by agent.
    pub struct AgentStatistics(pb::AgentStatistics as message) {
        /// The agent.
        pub agent: String = message.agent,
        /// How many memories.
        pub memory_count: i64 = message.memory_count,
        /// Bytes of text and content, before any compression.
        pub content_bytes: i64 = message.content_bytes,
        /// Most first.
        pub types: Vec<TypeCount> = all(message.types),
        /// By tier.
        pub tiers: Vec<AgentTierStatistics> = all(message.tiers),
    }
}

/// An empty name would ask for all agents.
pub(crate) fn named(agent: &str) -> Result<String> {
    if agent.is_empty() { Err(Error::bad_input("agent", "must not be empty")) } else { Ok(agent.into()) }
}

answer! {
    /// Cache of recall answers; counts are since the server started.
    pub struct RecallCacheStatistics(pb::RecallCacheStatistics as message) {
        /// 0: the cache is off.
        pub max_entries: i64 = message.max_entries,
        /// Most bytes.
        pub max_bytes: i64 = message.max_bytes,
        /// How long an answer is kept.
        #[serde(rename = "ttl_ms", with = "millis")]
        pub ttl: Duration = duration(message.ttl),
        /// Answers that are kept.
        pub entry_count: i64 = message.entry_count,
        /// Approximate size of the cached answers.
        pub entry_bytes: i64 = message.entry_bytes,
        /// Recalls that were answered from it.
        pub hit_count: i64 = message.hit_count,
        /// Recalls that were not.
        pub miss_count: i64 = message.miss_count,
        /// Recalls that are never cached.
        pub bypassed_count: i64 = message.bypassed_count,
        /// Evicted answers.
        pub evicted_count: i64 = message.evicted_count,
    }
}

answer! {
    /// An index of vectors.
    pub struct VectorIndexStatistics(pb::VectorIndexStatistics as message) {
        /// Id of the namespace.
        pub namespace: String = namespace_of(&message.namespace),
        /// How many vectors.
        pub vector_count: i64 = message.vector_count,
        /// Vectors that are not in the graph yet and are searched exactly.
        pub exact_count: i64 = message.exact_count,
        /// Revision that it shows.
        pub revision: i64 = message.revision,
    }
}

fn counts(open: Vec<pb::OpenStreamCount>) -> BTreeMap<String, i32> {
    open.into_iter().map(|each| (each.kind, each.count)).collect()
}

answer! {
    /// Open streams, and the retained change log from which streams can start.
    pub struct StreamStatistics(pb::StreamStatistics as message) {
        /// Streams that are open, by kind: `watch`, `subscribe`, `consume`, `ingest`.
        pub open: BTreeMap<String, i32> = counts(message.open),
        /// Standing queries.
        pub standing_query_count: i32 = message.standing_query_count,
        /// Consumers of durable subscriptions that are connected.
        pub consumer_count: i32 = message.consumer_count,
        /// Oldest revision that a watch can begin with.
        pub oldest_revision: i64 = message.oldest_revision,
        /// Newest revision.
        pub newest_revision: i64 = message.newest_revision,
        /// Entries of the change log that are kept.
        pub entry_count: i64 = message.entry_count,
        /// Bytes that they take.
        pub entry_bytes: i64 = message.entry_bytes,
    }
}

answer! {
    /// Limits of a server's streams, and the number of open streams.
    pub struct StreamTerms(pb::StreamTerms as message) {
        /// Streams that are open, by kind.
        pub open: BTreeMap<String, i32> = counts(message.open),
        /// Standing queries.
        pub standing_query_count: i32 = message.standing_query_count,
        /// Consumers of durable subscriptions that are connected.
        pub consumer_count: i32 = message.consumer_count,
        /// Longest silence of the server on a stream that does not ask for another one.
        #[serde(rename = "heartbeat_interval_ms", with = "millis")]
        pub heartbeat_interval: Duration = duration(message.heartbeat_interval),
        /// Most streams of one caller.
        pub max_streams_per_caller: i32 = message.max_streams_per_caller,
        /// Maximum time that a reader may stall.
        #[serde(rename = "max_stall_ms", with = "millis")]
        pub max_stall: Duration = duration(message.max_stall),
        /// Bytes of memories of an ingestion that are not acknowledged.
        pub max_ingest_bytes_in_flight: i64 = message.max_ingest_bytes_in_flight,
        /// Entries up to which the change log is kept.
        pub max_log_entries: i64 = message.max_log_entries,
        /// Bytes up to which it is kept.
        pub max_log_bytes: i64 = message.max_log_bytes,
        /// Age up to which it is kept.
        #[serde(rename = "max_log_age_ms", with = "millis")]
        pub max_log_age: Duration = duration(message.max_log_age),
    }
}

answer! {
    /// A memory with a limit.
    pub struct MemoryUse(pb::MemoryUse as message) {
        /// Reason of the moves that it causes.
        pub reason: MoveReason = MoveReason::of(message.reason),
        /// Which Redis, where there are several.
        pub node: String = message.node,
        /// Bytes in use.
        pub used_bytes: i64 = message.used_bytes,
        /// Bytes that there are.
        pub limit_bytes: i64 = message.limit_bytes,
        /// Threshold above which memories are moved one tier down.
        pub threshold_bytes: i64 = message.threshold_bytes,
        /// Whether it is above.
        pub above_threshold: bool = message.above_threshold,
        /// True when moves did not reduce the use, so that they are suspended until the use falls below the threshold.
        pub moves_stopped: bool = message.moves_stopped,
    }
}

answer! {
    /// Usage of memory resources with a limit, and memories moved down because of shortage.
    pub struct MemoryPressure(pb::MemoryPressureStatistics as message) {
        /// At the server's last reading; empty where no resource has a limit.
        pub uses: Vec<MemoryUse> = all(message.uses),
        /// Moves since the server started.
        pub moved_count: i64 = message.moved_count,
        /// When the last move was.
        pub last_move_time: Option<Timestamp> = maybe_instant(message.last_move_time),
    }
}

/// Statistics of the whole server.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ServerStatistics {
    /// The counts.
    #[serde(flatten)]
    pub statistics: MemoryStatistics,
    /// How many namespaces.
    pub namespace_count: i64,
    /// Bytes of the store on disk.
    pub disk_bytes: i64,
    /// Revision that was read.
    pub revision: i64,
    /// Cache of recall answers.
    pub recall_cache: Option<RecallCacheStatistics>,
    /// By namespace.
    pub vector_indexes: Vec<VectorIndexStatistics>,
    /// Open streams.
    pub streams: StreamStatistics,
    /// Memory resources with a limit, and memories moved down because of shortage.
    pub memory_pressure: MemoryPressure,
    /// Parts that did not answer, and why: their last known numbers are counted.
    pub degraded: Vec<String>,
}

answer! {
    /// How far the re-embedding of a namespace is.
    pub struct ReembedProgress(pb::ReembedProgress as message) {
        /// Id of the namespace.
        pub namespace: String = namespace_of(&message.namespace),
        /// Empty when there are no vectors in use.
        pub from_model: String = message.from_model,
        /// The new model.
        pub to_model: String = message.to_model,
        /// Vectors that are made.
        pub done_count: i64 = message.done_count,
        /// Vectors that are to be made.
        pub total_count: i64 = message.total_count,
        /// When it began.
        pub start_time: Timestamp = instant(message.start_time),
    }
}
