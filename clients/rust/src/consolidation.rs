//! Consolidation: fewer memories of many, with a report and undo.
use crate::answer::{all, answer, given};
use crate::client::Caller;
use crate::memory::{Scope, scope_message};
use crate::names::{id_of, ids_of};
use crate::time::{maybe_millis, span};
use crate::words::ConsolidatedKind;
use crate::{Client, Result, pb};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is consolidated. By default the whole namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidateQuery {
    /// Owner of the memories; parts that are absent match any. Default: the whole namespace.
    pub scope: Option<Scope>,
    /// Says what would be made, and makes nothing.
    pub dry_run: bool,
    /// A conversation is finished when it had no message for this long; more than 0 and at most 365 days. Default 24 hours.
    #[serde(rename = "idle_ms", with = "maybe_millis")]
    pub idle: Option<Duration>,
    /// Maximum number of memories that the call makes, 1 to 1,000. Default 200.
    pub max_steps: Option<i32>,
}

answer! {
    /// A memory that consolidation made.
    pub struct ConsolidatedMemory(pb::ConsolidatedMemory as message) {
        /// Kind of the memory.
        pub kind: ConsolidatedKind = ConsolidatedKind::of(message.kind),
        /// Id of the memory.
        pub id: String = id_of(&message.name),
        /// Text of the memory.
        pub text: String = message.text,
        /// Ids of the memories that it cites.
        pub source_ids: Vec<String> = ids_of(&message.sources),
        /// Ids of the memories that recall does not return by default any more.
        pub hidden_ids: Vec<String> = ids_of(&message.hidden),
    }
}

answer! {
    /// What a consolidation made; with a dry run, what it would make.
    pub struct ConsolidateResult(pb::ConsolidateResponse as message) {
        /// Id of the report, for [`Consolidation::undo`]. None when nothing was made.
        pub report_id: Option<String> = given(id_of(&message.report)),
        /// The memories, at most 1,000.
        pub memories: Vec<ConsolidatedMemory> = all(message.memories),
        /// Number of memories that were not made because a source changed meanwhile or must not be changed.
        pub skipped_count: i32 = message.skipped_count,
        /// Whether `max_steps` was reached and another call makes more.
        pub has_more: bool = message.has_more,
        /// Revision of the change log.
        pub revision: i64 = message.revision,
    }
}

answer! {
    /// What an undo took back.
    pub struct UndoConsolidationResult(pb::UndoConsolidationResponse as message) {
        /// Ids of memories that recall returns again.
        pub restored_ids: Vec<String> = ids_of(&message.restored),
        /// Ids of memories that were deleted.
        pub deleted_ids: Vec<String> = ids_of(&message.deleted),
        /// Ids of memories that the consolidation made and that were changed since; they stay.
        pub kept_ids: Vec<String> = ids_of(&message.kept),
        /// Revision of the change log.
        pub revision: i64 = message.revision,
    }
}

/// Makes fewer memories of many: notes that say the same are merged, finished conversations get an episode.
#[derive(Debug, Clone)]
pub struct Consolidation {
    caller: Caller,
}

impl Client {
    /// Consolidation: fewer memories of many, with a report and undo.
    pub fn consolidation(&self) -> Consolidation {
        Consolidation { caller: self.caller.clone() }
    }
}

impl Consolidation {
    /// Consolidates memories, or with [`ConsolidateQuery::dry_run`] says what that would make. Deletes nothing. A call that was
    /// cut off has made some of the memories; repeating it makes the rest.
    pub async fn run(&self, query: ConsolidateQuery) -> Result<ConsolidateResult> {
        let request = pb::ConsolidateRequest {
            parent: self.caller.parent(),
            scope: scope_message(query.scope.as_ref()),
            dry_run: query.dry_run,
            idle_time: query.idle.map(span),
            max_steps: query.max_steps.unwrap_or_default(),
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Takes back what the consolidation of a report made. `NotFound` also when the memory is not a report; `FailedPrecondition`
    /// when a later consolidation has merged what this one made.
    pub async fn undo(&self, report_id: &str) -> Result<UndoConsolidationResult> {
        let request =
            pb::UndoConsolidationRequest { report: self.caller.memory_name(report_id), request_id: String::new() };
        Ok(self.caller.unary(request).await?.into())
    }
}
