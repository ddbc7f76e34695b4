//! Results of transitions.
use super::{HookReport, Session};
use crate::answer::all;
use crate::checkpoints::Checkpoint;
use crate::pb;
use crate::time::{duration, millis};
use serde::Serialize;
use std::time::Duration;

/// Common part of all answers to transitions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Transition {
    /// Of the hooks that were asked.
    pub hook_reports: Vec<HookReport>,
    /// Duration until it was durable, including the hooks called before it.
    #[serde(rename = "duration_ms", with = "millis")]
    pub duration: Duration,
}

pub(super) fn transition(reports: Vec<pb::HookReport>, took: Option<prost_types::Duration>) -> Transition {
    Transition { hook_reports: all(reports), duration: duration(took) }
}

/// A session that has begun.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SpawnResult {
    /// The session.
    pub session: Session,
    /// Values that it starts with.
    pub value_count: i32,
    /// Common part of all answers to transitions.
    #[serde(flatten)]
    pub transition: Transition,
}

/// A session at rest.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PauseResult {
    /// The session.
    pub session: Session,
    /// Checkpoint made by the pause.
    pub checkpoint: Checkpoint,
    /// Common part of all answers to transitions.
    #[serde(flatten)]
    pub transition: Transition,
}

/// A resumed session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResumeResult {
    /// The session.
    pub session: Session,
    /// The checkpoint from which it was resumed.
    pub checkpoint: Checkpoint,
    /// Values that were brought back.
    pub restored_count: i32,
    /// Values of the checkpoint that have expired since and were left out.
    pub expired_count: i32,
    /// Common part of all answers to transitions.
    #[serde(flatten)]
    pub transition: Transition,
}

/// A session that has ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TerminateResult {
    /// The session.
    pub session: Session,
    /// Id of the memory that describes it.
    pub episode_id: Option<String>,
    /// Values that the episode tells of.
    pub consolidated_count: i32,
    /// True when parts were omitted from the episode because of its size.
    pub truncated: bool,
    /// Values that were erased.
    pub cleared_count: i32,
    /// Checkpoints that were erased.
    pub cleared_checkpoint_count: i32,
    /// Common part of all answers to transitions.
    #[serde(flatten)]
    pub transition: Transition,
}

/// A deleted session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeleteSessionResult {
    /// Values that were erased.
    pub cleared_count: i32,
    /// Notes that were erased.
    pub cleared_note_count: i32,
    /// Checkpoints that were erased.
    pub cleared_checkpoint_count: i32,
    /// Common part of all answers to transitions.
    #[serde(flatten)]
    pub transition: Transition,
}
