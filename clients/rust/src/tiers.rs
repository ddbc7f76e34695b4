//! Moves of memories between tiers.
use crate::answer::{all, answer};
use crate::client::{Caller, Items};
use crate::memory::{Scope, scope_message};
use crate::names::{id_of, ids_of, namespace_name, namespace_of};
use crate::words::{MoveReason, Tier};
use crate::{Client, Result, pb};
use serde::{Deserialize, Serialize};

answer! {
    /// A move of a memory from one tier to another.
    pub struct TierMove(pb::TierMove as message) {
        /// Id of the memory.
        pub id: String = id_of(&message.name),
        /// Where it was.
        pub from_tier: Tier = Tier::of(message.from_tier),
        /// Where it is.
        pub to_tier: Tier = Tier::of(message.to_tier),
        /// Why.
        pub reason: MoveReason = MoveReason::of(message.reason),
        /// Age factor × (1 − importance), by which memories above a limit are chosen.
        pub score: f64 = message.score,
    }
}

answer! {
    /// Result of a move.
    pub struct MoveResult(pb::DemoteMemoriesResponse as message) {
        /// The moves.
        pub moves: Vec<TierMove> = all(message.moves),
        /// Ids of memories that stay because their bytes do not give their checksum.
        pub damaged_ids: Vec<String> = ids_of(&message.damaged),
        /// Revision after it.
        pub revision: i64 = message.revision,
    }
}

/// Selects the memories of a tier to erase: a scope or all, not both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClearTierRequest {
    /// The memories of this scope.
    pub scope: Option<Scope>,
    /// All of them.
    pub all: bool,
    /// Only counts.
    pub dry_run: bool,
}

answer! {
    /// Deleted memories; with a dry run, memories that would be deleted.
    pub struct ClearTierResult(pb::ClearTierResponse as message) {
        /// So many.
        pub cleared_count: i64 = message.cleared_count,
        /// Ids of the first 1,000 of them.
        pub ids: Vec<String> = ids_of(&message.names),
        /// Revision after it.
        pub revision: i64 = message.revision,
    }
}

/// Parts of maintenance to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaintainRequest {
    /// Default: all namespaces.
    pub namespace: Option<String>,
    /// Moves only memories of this agent.
    pub agent: Option<String>,
    /// Only reports which memories would be moved, and why.
    pub dry_run: bool,
    /// Moves everything to long-term memory.
    pub flush: bool,
    /// Moves memories of any type to long-term memory.
    pub any_type: bool,
}

answer! {
    /// A batch of moves.
    pub struct MaintenanceStep(pb::MaintainTiersResponse as message) {
        /// The moves.
        pub moves: Vec<TierMove> = all(message.moves),
        /// Ids of memories that stay because their bytes do not give their checksum.
        pub damaged_ids: Vec<String> = ids_of(&message.damaged),
        /// Revision after it.
        pub revision: i64 = message.revision,
        /// Id of the namespace.
        pub namespace: String = namespace_of(&message.namespace),
        /// Moves so far, in all namespaces.
        pub moved_count: i64 = message.moved_count,
    }
}

/// Moves that a caller asks for.
impl Client {
    /// Moves up to 1,000 memories one tier down, or to `to_tier`. `NotFound`, and nothing moved, when one does not
    /// exist.
    pub async fn demote<I: AsRef<str>>(&self, ids: &[I], to_tier: Option<Tier>) -> Result<MoveResult> {
        let names = ids.iter().map(|id| self.caller.memory_name(id.as_ref())).collect();
        let to_tier = to_tier.map_or(0, Tier::code);
        Ok(self.caller.unary(pb::DemoteMemoriesRequest { parent: self.caller.parent(), names, to_tier }).await?.into())
    }

    /// Moves up to 1,000 memories one tier up, or to `to_tier`.
    pub async fn promote<I: AsRef<str>>(&self, ids: &[I], to_tier: Option<Tier>) -> Result<MoveResult> {
        let names = ids.iter().map(|id| self.caller.memory_name(id.as_ref())).collect();
        let to_tier = to_tier.map_or(0, Tier::code);
        let request = pb::PromoteMemoriesRequest { parent: self.caller.parent(), names, to_tier };
        let pb::PromoteMemoriesResponse { moves, damaged, revision } = self.caller.unary(request).await?;
        Ok(pb::DemoteMemoriesResponse { moves, damaged, revision }.into())
    }

    /// Erases the memories of one tier, of a scope or all of them.
    pub async fn clear_tier(&self, tier: Tier, query: ClearTierRequest) -> Result<ClearTierResult> {
        let request = pb::ClearTierRequest {
            parent: self.caller.parent(),
            tier: tier.code(),
            scope: scope_message(query.scope.as_ref()),
            all: query.all,
            dry_run: query.dry_run,
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }
}

/// Moves memories down that exceeded their tier's time to live or limits, and reports each batch.
pub(crate) fn maintain_tiers(caller: &Caller, query: MaintainRequest) -> Items<MaintenanceStep> {
    let caller = caller.clone();
    Box::pin(async_stream::try_stream! {
        let request = pb::MaintainTiersRequest {
            parent: query.namespace.as_deref().map(namespace_name).unwrap_or_default(),
            agent: query.agent.unwrap_or_default(),
            dry_run: query.dry_run,
            flush: query.flush,
            any_type: query.any_type,
        };
        let mut messages = caller.connection.read(request, &caller.options).await?;
        while let Some(message) = messages.next().await? {
            caller.connection.seen(message.revision);
            if message.done {
                break;
            }
            yield message.into();
        }
    })
}
