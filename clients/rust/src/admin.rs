//! AdminService: information about the server, and its maintenance.
use crate::answer::{all, answer, required};
use crate::client::{Caller, Items};
use crate::names::namespace_name;
use crate::namespaces::{Settings, settings_message};
use crate::statistics::{AgentStatistics, ReembedProgress, ServerStatistics, StreamTerms, named};
use crate::tiers::{MaintainRequest, MaintenanceStep, maintain_tiers};
use crate::time::instant;
use crate::{Client, Result, pb};
use jiff::Timestamp;
use std::collections::BTreeMap;

answer! {
    /// A backend of the server.
    pub struct Backend(pb::Backend as message) {
        /// Its role.
        pub role: String = message.role,
        /// Its technology.
        pub technology: String = message.technology,
        /// Failures that it survives.
        pub durability: String = message.durability,
    }
}

answer! {
    /// Embedder of texts.
    pub struct EmbedderInfo(pb::EmbedderInfo as message) {
        /// Such as `static`; `none` where there is none.
        pub kind: String = if message.kind.is_empty() { "none".into() } else { message.kind },
        /// Name of the model.
        pub model: String = message.model,
        /// Numbers of a vector.
        pub dimension: u32 = message.dimension,
        /// Default weight of the vector lane in recall for texts that it embeds.
        pub lane_weight: f64 = message.lane_weight,
    }
}

answer! {
    /// Version, state and limits of the server.
    pub struct ServerInfo(pb::GetServerInfoResponse as message) {
        /// Its version.
        pub version: String = message.version,
        /// When it started.
        pub start_time: Timestamp = instant(message.start_time),
        /// Newest revision.
        pub revision: i64 = message.revision,
        /// Its parts.
        pub backends: Vec<Backend> = all(message.backends),
        /// Embedder of texts.
        pub embedder: EmbedderInfo = message.embedder.unwrap_or_default().into(),
        /// Methods and options that this server has beyond version 1.0 of the API.
        pub capabilities: Vec<String> = message.capabilities,
        /// Parts that do not work, or not in full.
        pub degraded: Vec<String> = message.degraded,
        /// Limits in force by the name of the setting.
        pub limits: BTreeMap<String, i64> = message.limits.into_iter().map(|limit| (limit.name, limit.value)).collect(),
        /// Limits of its streams.
        pub streams: StreamTerms = message.streams.unwrap_or_default().into(),
    }
}

answer! {
    /// Progress of re-embedding.
    pub struct Reembedding(pb::GetReembedProgressResponse as message) {
        /// Namespaces in progress.
        pub namespaces: Vec<ReembedProgress> = all(message.namespaces),
        /// Why it does not go on; empty when it does.
        pub failure: String = message.failure,
    }
}

answer! {
    /// Result of clearing the recall cache.
    pub struct ClearedCache(pb::ClearRecallCacheResponse as message) {
        /// Answers.
        pub cleared_count: i64 = message.cleared_count,
        /// Bytes that they took.
        pub cleared_bytes: i64 = message.cleared_bytes,
    }
}

/// AdminService. Where a namespace is left out, all of them are meant.
#[derive(Debug, Clone)]
pub struct Admin {
    caller: Caller,
}

impl Client {
    /// The server.
    pub fn admin(&self) -> Admin {
        Admin { caller: self.caller.clone() }
    }
}

fn parent(namespace: Option<&str>) -> String {
    namespace.map(namespace_name).unwrap_or_default()
}

impl Admin {
    /// Version, backends and degraded parts of the server.
    pub async fn get_server_info(&self) -> Result<ServerInfo> {
        Ok(self.caller.unary(pb::GetServerInfoRequest {}).await?.into())
    }

    /// Totals of the whole server; `simplified` leaves out types and accesses.
    pub async fn get_server_statistics(&self, simplified: bool) -> Result<ServerStatistics> {
        let request = pb::GetServerStatisticsRequest { simplified, agent: String::new() };
        let answer = self.caller.unary(request).await?;
        Ok(ServerStatistics {
            statistics: required(answer.statistics, "statistics")?,
            namespace_count: answer.namespace_count,
            disk_bytes: answer.disk_bytes,
            revision: answer.revision,
            recall_cache: answer.recall_cache.map(Into::into),
            vector_indexes: all(answer.vector_indexes),
            streams: answer.streams.unwrap_or_default().into(),
            memory_pressure: answer.memory_pressure.unwrap_or_default().into(),
            degraded: answer.degraded,
        })
    }

    /// Totals of one agent in all namespaces.
    pub async fn get_agent_statistics(&self, agent: &str, simplified: bool) -> Result<AgentStatistics> {
        let request = pb::GetServerStatisticsRequest { simplified, agent: named(agent)? };
        required(self.caller.unary(request).await?.agent_statistics, "statistics of the agent")
    }

    /// Starts to recompute the vectors with the server's embedder; returns the progress. Recall uses the former vectors
    /// until all are computed.
    pub async fn reembed(&self, namespace: Option<&str>) -> Result<Vec<ReembedProgress>> {
        let request = pb::ReembedMemoriesRequest { parent: parent(namespace) };
        Ok(all(self.caller.unary(request).await?.namespaces))
    }

    /// Progress of re-embedding, and the reason when it is stopped.
    pub async fn get_reembed_progress(&self, namespace: Option<&str>) -> Result<Reembedding> {
        let request = pb::GetReembedProgressRequest { parent: parent(namespace) };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Moves memories down that exceeded their tier's time to live or limits, and reports each batch.
    pub fn maintain_tiers(&self, query: MaintainRequest) -> Items<MaintenanceStep> {
        maintain_tiers(&self.caller, query)
    }

    /// Forgets answers of recall that the server keeps to give them again.
    pub async fn clear_recall_cache(&self, namespace: Option<&str>) -> Result<ClearedCache> {
        let request = pb::ClearRecallCacheRequest { parent: parent(namespace) };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Server-wide settings of tiers, which apply to namespaces without their own, by dotted key.
    pub async fn get_config(&self) -> Result<BTreeMap<String, String>> {
        Ok(self.caller.unary(pb::GetConfigRequest {}).await?.settings.into_iter().collect())
    }

    /// Sets server-wide settings, all or none; `None` removes one. Returns the current ones. A limit below the contents
    /// of a namespace is refused unless `allow_demotion` is set, which moves the excess down.
    pub async fn update_config(&self, settings: Settings, allow_demotion: bool) -> Result<BTreeMap<String, String>> {
        let request = pb::UpdateConfigRequest { settings: settings_message(settings), allow_demotion };
        Ok(self.caller.unary(request).await?.settings.into_iter().collect())
    }
}
