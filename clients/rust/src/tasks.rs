//! Task state and scratchpad of a session.
use crate::answer::{all, answer, required};
use crate::client::{Items, Page};
use crate::content::Content;
use crate::time::instant;
use crate::words::{ScratchpadOrder, TaskStatus};
use crate::working_memory::WorkingMemory;
use crate::{Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Progress of a task. In an update, absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaskProgress {
    /// Id of the task; of `set_task_state` only.
    pub task_id: Option<String>,
    /// Description of the task.
    pub description: Option<String>,
    /// Its status.
    pub status: Option<TaskStatus>,
    /// Details of the status.
    pub detail: Option<String>,
    /// The step that it is at.
    pub current_step: Option<i64>,
    /// 0: not known.
    pub total_steps: Option<i64>,
    /// 0 to 100; other values are clamped.
    pub progress_percent: Option<f64>,
}

answer! {
    /// The task of a session.
    pub struct TaskState(pb::TaskState as message) {
        /// Its id.
        pub task_id: String = message.task_id,
        /// Description of the task.
        pub description: String = message.description,
        /// Its status.
        pub status: TaskStatus = TaskStatus::of(message.status),
        /// Details of the status.
        pub detail: String = message.detail,
        /// The step that it is at.
        pub current_step: i64 = message.current_step,
        /// 0: not known.
        pub total_steps: i64 = message.total_steps,
        /// 0 to 100.
        pub progress_percent: f64 = message.progress_percent,
        /// When it was set first.
        pub start_time: Timestamp = instant(message.start_time),
        /// When it was changed last.
        pub update_time: Timestamp = instant(message.update_time),
        /// For changes on condition.
        pub version: i64 = message.version,
    }
}

answer! {
    /// A note of the scratchpad.
    pub struct ScratchpadNote(pb::ScratchpadNote as message) {
        /// From 1; never used again in a session.
        pub sequence: i64 = message.sequence,
        /// When it was appended.
        pub time: Timestamp = instant(message.time),
        /// Its content.
        pub content: Content = message.content.unwrap_or_default().into(),
    }
}

answer! {
    /// Where notes were appended.
    pub struct AppendedNotes(pb::AppendScratchpadResponse as message) {
        /// Number of the first of them.
        pub first_sequence: i64 = message.first_sequence,
        /// Notes dropped because the limit was reached.
        pub dropped_count: i64 = message.dropped_count,
    }
}

answer! {
    /// The result of clearing.
    pub struct ClearedNotes(pb::ClearScratchpadResponse as message) {
        /// Notes.
        pub note_count: i32 = message.note_count,
    }
}

/// Task state and scratchpad.
impl WorkingMemory {
    /// Sets the whole task. `Aborted` when `if_version` is not its version.
    pub async fn set_task_state(&self, task: TaskProgress, if_version: Option<i64>) -> Result<TaskState> {
        let task = pb::TaskState {
            task_id: task.task_id.unwrap_or_default(),
            description: task.description.unwrap_or_default(),
            status: task.status.unwrap_or(TaskStatus::Pending).code(),
            detail: task.detail.unwrap_or_default(),
            current_step: task.current_step.unwrap_or_default(),
            total_steps: task.total_steps.unwrap_or_default(),
            progress_percent: task.progress_percent.unwrap_or_default(),
            ..pb::TaskState::default()
        };
        let (session, task) = (self.name(), Some(task));
        let request = pb::SetTaskStateRequest { session, task, if_version, request_id: String::new() };
        required(self.caller.unary(request).await?.task, "task state")
    }

    /// None when there is no task.
    pub async fn get_task_state(&self) -> Result<Option<TaskState>> {
        let request = pb::GetTaskStateRequest { session: self.name() };
        Ok(self.caller.unary(request).await?.task.map(Into::into))
    }

    /// Changes the fields that are set. `NotFound` when there is no task.
    pub async fn update_task_progress(&self, progress: TaskProgress, if_version: Option<i64>) -> Result<TaskState> {
        let request = pb::UpdateTaskProgressRequest {
            session: self.name(),
            current_step: progress.current_step,
            progress_percent: progress.progress_percent,
            status: progress.status.map_or(0, TaskStatus::code),
            detail: progress.detail,
            description: progress.description,
            total_steps: progress.total_steps,
            if_version,
            request_id: String::new(),
        };
        required(self.caller.unary(request).await?.task, "task state")
    }

    /// Appends notes to the scratchpad; texts are plain text.
    pub async fn append_scratchpad<N: Into<Content>>(
        &self,
        notes: impl IntoIterator<Item = N>,
    ) -> Result<AppendedNotes> {
        let notes = notes.into_iter().map(|note| note.into().message()).collect();
        let request = pb::AppendScratchpadRequest { session: self.name(), notes, request_id: String::new() };
        Ok(self.caller.unary(request).await?.into())
    }

    /// All notes. Default: oldest first.
    pub fn list_scratchpad(&self, order: Option<ScratchpadOrder>) -> Items<ScratchpadNote> {
        let (session, order) = (self.name(), order.unwrap_or(ScratchpadOrder::Oldest).code());
        let request = pb::ListScratchpadRequest { session, order, ..pb::ListScratchpadRequest::default() };
        self.caller.pages("notes", Ok(request), |answer| {
            Ok(Page { items: all(answer.notes), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Removes all notes.
    pub async fn clear_scratchpad(&self) -> Result<ClearedNotes> {
        let request = pb::ClearScratchpadRequest { session: self.name(), request_id: String::new() };
        Ok(self.caller.unary(request).await?.into())
    }
}
