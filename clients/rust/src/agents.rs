//! Memories of an agent: snapshots, branches and restores.
use crate::answer::{all, answer, required};
use crate::client::{Caller, Items, Page};
use crate::memory::Scope;
use crate::names::ids_of;
use crate::time::instant;
use crate::{Client, Result, pb};
use jiff::Timestamp;

answer! {
    /// An agent's memories at one moment.
    pub struct AgentSnapshot(pb::AgentSnapshot as message) {
        /// Id.
        pub id: String = message.id,
        /// The agent.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// Its purpose.
        pub description: String = message.description,
        /// When it was made.
        pub create_time: Timestamp = instant(message.create_time),
        /// Revision of the change log that it shows.
        pub revision: i64 = message.revision,
    }
}

answer! {
    /// Ids of memories, at most 1,000 of each; the counts are of all.
    pub struct AgentSnapshotDiff(pb::DiffAgentSnapshotsResponse as message) {
        /// Memories only in the later state.
        pub added_ids: Vec<String> = ids_of(&message.added_names),
        /// Memories only in the snapshot.
        pub removed_ids: Vec<String> = ids_of(&message.removed_names),
        /// Memories that differ.
        pub changed_ids: Vec<String> = ids_of(&message.changed_names),
        /// How many were added.
        pub added_count: i32 = message.added_count,
        /// How many were removed.
        pub removed_count: i32 = message.removed_count,
        /// How many differ.
        pub changed_count: i32 = message.changed_count,
    }
}

answer! {
    /// Result of restoring the memories of an agent.
    pub struct RestoredSnapshot(pb::RestoreAgentSnapshotResponse as message) {
        /// Memories that were brought back.
        pub restored_count: i32 = message.restored_count,
        /// Memories that were not there then, and are erased.
        pub erased_count: i32 = message.erased_count,
    }
}

answer! {
    /// Result of a branch.
    pub struct ForkedSnapshot(pb::ForkAgentSnapshotResponse as message) {
        /// Memories copied to the branch.
        pub copied_count: i32 = message.copied_count,
    }
}

/// State to compare a snapshot with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DiffTo {
    /// The present memories of the agent.
    #[default]
    Now,
    /// Another snapshot, by its id.
    Snapshot(String),
    /// The present memories of an agent, such as a branch.
    Scope(Scope),
}

/// AgentService: branches, compares and restores all memories of an agent. An agent is a scope whose `agent` is set;
/// project and agent type may be left unsaid.
#[derive(Debug, Clone)]
pub struct Agents {
    caller: Caller,
}

impl Client {
    /// Memories of agents.
    pub fn agents(&self) -> Agents {
        Agents { caller: self.caller.clone() }
    }
}

impl Agents {
    /// Takes a snapshot of an agent's memories. Without an id it gets a new one. `AlreadyExists` when the id exists.
    pub async fn create_snapshot(
        &self,
        scope: &Scope,
        snapshot_id: Option<&str>,
        description: Option<&str>,
    ) -> Result<AgentSnapshot> {
        let request = pb::CreateAgentSnapshotRequest {
            parent: self.caller.parent(),
            scope: Some(scope.message()),
            snapshot_id: snapshot_id.unwrap_or_default().into(),
            description: description.unwrap_or_default().into(),
            request_id: String::new(),
        };
        required(self.caller.unary(request).await?.snapshot, "snapshot")
    }

    /// In the order of their ids.
    pub fn list_snapshots(&self) -> Items<AgentSnapshot> {
        let parent = self.caller.parent();
        let request = pb::ListAgentSnapshotsRequest { parent, ..pb::ListAgentSnapshotsRequest::default() };
        self.caller.pages("snapshots", Ok(request), |answer| {
            Ok(Page { items: all(answer.snapshots), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Deletes a snapshot.
    pub async fn delete_snapshot(&self, id: &str) -> Result<()> {
        let (parent, snapshot_id) = (self.caller.parent(), id.into());
        let request = pb::DeleteAgentSnapshotRequest { parent, snapshot_id, request_id: String::new() };
        self.caller.unary(request).await.map(drop)
    }

    /// Changes since a snapshot.
    pub async fn diff_snapshots(&self, id: &str, to: DiffTo) -> Result<AgentSnapshotDiff> {
        use pb::diff_agent_snapshots_request::To;
        let to = match to {
            DiffTo::Now => None,
            DiffTo::Snapshot(id) => Some(To::ToSnapshotId(id)),
            DiffTo::Scope(scope) => Some(To::ToScope(pb::Scope { session: String::new(), ..scope.message() })),
        };
        let request = pb::DiffAgentSnapshotsRequest { parent: self.caller.parent(), snapshot_id: id.into(), to };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Restores the agent's memories to the snapshot, all of them or none.
    pub async fn restore_snapshot(&self, id: &str) -> Result<RestoredSnapshot> {
        let (parent, snapshot_id) = (self.caller.parent(), id.into());
        let request = pb::RestoreAgentSnapshotRequest { parent, snapshot_id, request_id: String::new() };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Copies the memories of a snapshot to another agent, all of them or none.
    pub async fn fork_snapshot(&self, id: &str, to: &Scope) -> Result<ForkedSnapshot> {
        let request = pb::ForkAgentSnapshotRequest {
            parent: self.caller.parent(),
            snapshot_id: id.into(),
            to_scope: Some(to.message()),
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }
}
