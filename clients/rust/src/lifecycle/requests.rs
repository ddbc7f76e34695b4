//! How sessions begin, rest, wake and end.
use super::Metadata;
use crate::Result;
use crate::content::Content;
use crate::memory::Scope;
use crate::time::maybe_millis;
use crate::words::{RestoreMode, SessionOutcome};
use crate::working_memory::Ttl;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// How a session begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpawnRequest {
    /// Default: a new id.
    pub session_id: Option<String>,
    /// Project, agent type and agent.
    pub scope: Option<Scope>,
    /// Values that it starts with: see [`SpawnRequest::value`].
    pub initial_values: BTreeMap<String, Content>,
    /// Notes.
    pub metadata: Metadata,
    /// Time to live of values that are set without an expiry. Default: the server's.
    #[serde(rename = "default_ttl_ms")]
    pub default_ttl: Option<Ttl>,
    /// Time without a write after which the session ends. Default: the server's.
    #[serde(rename = "idle_ttl_ms")]
    pub idle_ttl: Option<Ttl>,
}

impl SpawnRequest {
    /// Adds a value that it starts with, as JSON. Fails with `InvalidArgument` where JSON cannot carry it.
    pub fn value<T: Serialize + ?Sized>(mut self, key: &str, value: &T) -> Result<Self> {
        let content = Content::json_in(value, &format!("initial_values.{key}"))?;
        self.initial_values.insert(key.into(), content);
        Ok(self)
    }
}

/// How a session is laid to rest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PauseRequest {
    /// Default: a new id. An existing checkpoint is never overwritten.
    pub checkpoint_id: Option<String>,
    /// Description of the checkpoint.
    pub description: Option<String>,
    /// How long the checkpoint is kept once the pause has ended. Default 7 days.
    #[serde(rename = "checkpoint_ttl_ms", with = "maybe_millis")]
    pub checkpoint_ttl: Option<Duration>,
    /// Keeps the checkpoint until it is deleted or the session ends.
    pub pin: bool,
    /// Keeps working memory writable while the session is paused.
    pub allow_writes: bool,
    /// Also takes a snapshot of the memories of the session's agent.
    pub include_memories: bool,
    /// Notes.
    pub metadata: Metadata,
    /// When set, must be the session's version.
    pub if_version: Option<i64>,
}

/// How a session is woken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResumeRequest {
    /// Default: the checkpoint of the pause.
    pub checkpoint_id: Option<String>,
    /// Default [`RestoreMode::Replace`].
    pub mode: Option<RestoreMode>,
    /// Restores the memories of the session's agent from the snapshot of the pause.
    pub restore_memories: bool,
    /// Notes.
    pub metadata: Metadata,
    /// When set, must be the session's version.
    pub if_version: Option<i64>,
}

/// An action of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SpelledAction")]
pub struct SessionAction {
    /// Description of the action.
    pub description: String,
    /// When.
    pub time: Option<Timestamp>,
}

impl From<&str> for SessionAction {
    fn from(description: &str) -> Self {
        Self { description: description.into(), time: None }
    }
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum SpelledAction {
    Text(String),
    Timed {
        description: String,
        #[serde(default)]
        time: Option<Timestamp>,
    },
}

impl From<SpelledAction> for SessionAction {
    fn from(action: SpelledAction) -> Self {
        match action {
            SpelledAction::Text(description) => Self { description, time: None },
            SpelledAction::Timed { description, time } => Self { description, time },
        }
    }
}

/// How a session ends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TerminateRequest {
    /// Default [`SessionOutcome::Success`].
    pub outcome: Option<SessionOutcome>,
    /// Default: the description of the task state.
    pub task_description: Option<String>,
    /// Lessons learned.
    pub lessons: Vec<String>,
    /// The actions.
    pub actions: Vec<SessionAction>,
    /// 0 to 1. Default: from outcome, lessons and length.
    pub importance: Option<f64>,
    /// Tokens that were used.
    pub tokens_used: Option<i64>,
    /// Keys whose values are left out of the episode, as globs.
    pub redact_keys: Vec<String>,
    /// Makes no episode.
    pub skip_episode: bool,
    /// Leaves the contents of the session.
    pub keep_working_memory: bool,
    /// Notes.
    pub metadata: Metadata,
    /// When set, must be the session's version.
    pub if_version: Option<i64>,
}

/// How a session is deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeleteSessionRequest {
    /// Deletes a session that is active, too.
    pub force: bool,
    /// Notes for its event.
    pub metadata: Metadata,
    /// When set, must be the session's version.
    pub if_version: Option<i64>,
}
