//! Checkpoints of a session.
use crate::answer::{all, answer, required};
use crate::client::{Items, Page};
use crate::tasks::TaskState;
use crate::time::{instant, maybe_instant, span};
use crate::words::{CheckpointKind, KeyDifference, RestoreMode};
use crate::working_memory::WorkingMemory;
use crate::{Result, pb};
use jiff::Timestamp;
use std::time::Duration;

answer! {
    /// The contents of a session at one moment.
    pub struct Checkpoint(pb::Checkpoint as message) {
        /// Id.
        pub id: String = message.id,
        /// Its purpose.
        pub description: String = message.description,
        /// Who made it.
        pub kind: CheckpointKind = CheckpointKind::of(message.kind),
        /// The session's preceding checkpoint; empty for the first.
        pub parent_checkpoint_id: String = message.parent_checkpoint_id,
        /// When it was made.
        pub create_time: Timestamp = instant(message.create_time),
        /// None: it is kept.
        pub expire_time: Option<Timestamp> = maybe_instant(message.expire_time),
        /// Revision of the session that it shows.
        pub session_revision: i64 = message.session_revision,
        /// Revision of the change log at that moment.
        pub memory_revision: i64 = message.memory_revision,
        /// Keys.
        pub key_count: i32 = message.key_count,
        /// Notes.
        pub note_count: i32 = message.note_count,
        /// Whether there is a task.
        pub has_task_state: bool = message.has_task_state,
        /// Bytes that it holds.
        pub bytes: i64 = message.bytes,
        /// Compressed, without parts shared with other checkpoints.
        pub stored_bytes: i64 = message.stored_bytes,
        /// Checksum of its contents.
        pub checksum: String = message.checksum,
    }
}

/// Result of a restore.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct RestoredCheckpoint {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Keys that were brought back.
    pub restored_count: i32,
    /// Keys of the checkpoint that have expired since and were left out.
    pub expired_count: i32,
    /// Keys that went.
    pub removed_count: i32,
    /// Notes that were brought back.
    pub note_count: i32,
    /// Revision of the session after it.
    pub revision: i64,
}

answer! {
    /// Contents of the new session.
    pub struct ForkedCheckpoint(pb::ForkCheckpointResponse as message) {
        /// Keys.
        pub key_count: i32 = message.key_count,
        /// Notes.
        pub note_count: i32 = message.note_count,
        /// Keys of the checkpoint that have expired since and were left out.
        pub expired_count: i32 = message.expired_count,
    }
}

answer! {
    /// How a key differs.
    pub struct KeyDiff(pb::KeyDiff as message) {
        /// The key.
        pub key: String = message.key,
        /// How.
        pub difference: KeyDifference = KeyDifference::of(message.difference),
        /// Bytes in the earlier one.
        pub from_bytes: i64 = message.from_bytes,
        /// Bytes in the later one.
        pub to_bytes: i64 = message.to_bytes,
    }
}

answer! {
    /// How two checkpoints differ.
    pub struct CheckpointDiff(pb::DiffCheckpointsResponse as message) {
        /// At most 1,000.
        pub keys: Vec<KeyDiff> = all(message.keys),
        /// May exceed the number of listed keys.
        pub differing_count: i32 = message.differing_count,
        /// Keys that are equal.
        pub equal_count: i32 = message.equal_count,
        /// Whether the tasks differ.
        pub task_differs: bool = message.task_differs,
        /// Task of the earlier one.
        pub from_task: Option<TaskState> = message.from_task.map(Into::into),
        /// Task of the later one.
        pub to_task: Option<TaskState> = message.to_task.map(Into::into),
        /// Notes that only the later one has.
        pub added_note_count: i32 = message.added_note_count,
        /// Notes that only the earlier one has.
        pub removed_note_count: i32 = message.removed_note_count,
    }
}

/// Checkpoints.
impl WorkingMemory {
    /// Keeps the contents of the session, for so long, or until it is deleted. Without an id it gets a new one.
    /// `AlreadyExists` when the id exists.
    pub async fn create_checkpoint(
        &self,
        checkpoint_id: Option<&str>,
        description: Option<&str>,
        ttl: Option<Duration>,
    ) -> Result<Checkpoint> {
        let request = pb::CreateCheckpointRequest {
            session: self.name(),
            checkpoint_id: checkpoint_id.unwrap_or_default().into(),
            description: description.unwrap_or_default().into(),
            ttl: ttl.map(span),
            request_id: String::new(),
        };
        required(self.caller.unary(request).await?.checkpoint, "checkpoint")
    }

    /// Restores the contents of a checkpoint atomically. Default [`RestoreMode::Replace`].
    pub async fn restore_checkpoint(&self, id: &str, mode: Option<RestoreMode>) -> Result<RestoredCheckpoint> {
        let request = pb::RestoreCheckpointRequest {
            session: self.name(),
            checkpoint_id: id.into(),
            mode: mode.unwrap_or(RestoreMode::Replace).code(),
            request_id: String::new(),
        };
        let answer = self.caller.unary(request).await?;
        Ok(RestoredCheckpoint {
            checkpoint: required(answer.checkpoint, "checkpoint")?,
            restored_count: answer.restored_count,
            expired_count: answer.expired_count,
            removed_count: answer.removed_count,
            note_count: answer.note_count,
            revision: answer.revision,
        })
    }

    /// Newest first; of one kind if it is set.
    pub fn list_checkpoints(&self, kind: Option<CheckpointKind>) -> Items<Checkpoint> {
        let (session, kind) = (self.name(), kind.map_or(0, CheckpointKind::code));
        let request = pb::ListCheckpointsRequest { session, kind, ..pb::ListCheckpointsRequest::default() };
        self.caller.pages("checkpoints", Ok(request), |answer| {
            Ok(Page { items: all(answer.checkpoints), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Reads the properties of a checkpoint, without its contents.
    pub async fn get_checkpoint(&self, id: &str) -> Result<Checkpoint> {
        let request = pb::GetCheckpointRequest { session: self.name(), checkpoint_id: id.into() };
        required(self.caller.unary(request).await?.checkpoint, "checkpoint")
    }

    /// Sets how long a checkpoint is kept from now on; none: until it is deleted.
    pub async fn keep_checkpoint(&self, id: &str, ttl: Option<Duration>) -> Result<Checkpoint> {
        let (session, checkpoint_id, ttl) = (self.name(), id.into(), ttl.map(span));
        let request = pb::KeepCheckpointRequest { session, checkpoint_id, ttl, request_id: String::new() };
        required(self.caller.unary(request).await?.checkpoint, "checkpoint")
    }

    /// Deletes a checkpoint.
    pub async fn delete_checkpoint(&self, id: &str) -> Result<()> {
        let (session, checkpoint_id) = (self.name(), id.into());
        let request = pb::DeleteCheckpointRequest { session, checkpoint_id, request_id: String::new() };
        self.caller.unary(request).await.map(drop)
    }

    /// Creates a session with the contents of a checkpoint. `AlreadyExists` when it is there.
    pub async fn fork_checkpoint(&self, id: &str, target: &str) -> Result<ForkedCheckpoint> {
        let request = pb::ForkCheckpointRequest {
            session: self.name(),
            checkpoint_id: id.into(),
            target_session: self.caller.session_name(target),
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Compares a checkpoint with another one, of another session where that is named, or with the current contents of
    /// a session.
    pub async fn diff_checkpoints(
        &self,
        from: &str,
        to_checkpoint_id: Option<&str>,
        to_session: Option<&str>,
    ) -> Result<CheckpointDiff> {
        let request = pb::DiffCheckpointsRequest {
            session: self.name(),
            checkpoint_id: from.into(),
            to_checkpoint_id: to_checkpoint_id.unwrap_or_default().into(),
            to_session: to_session.map(|id| self.caller.session_name(id)).unwrap_or_default(),
        };
        Ok(self.caller.unary(request).await?.into())
    }
}
