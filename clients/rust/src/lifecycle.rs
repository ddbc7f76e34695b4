//! The lives of sessions: spawn, pause, resume, terminate, delete.
use crate::answer::{all, answer, given, required};
use crate::checkpoints::Checkpoint;
use crate::client::{Caller, Items, Page};
use crate::memory::{Scope, scope_message};
use crate::names::id_of;
use crate::time::{duration, instant, maybe_duration, maybe_instant, maybe_millis, millis, span, stamp};
use crate::words::{CheckpointKind, HookResult, LifecyclePhase, RestoreMode, SessionOutcome, SessionState};
use crate::working_memory::Ttl;
use crate::{Client, Result, pb};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;

mod requests;
mod results;

pub use requests::*;
use results::transition;
pub use results::*;

/// Notes of a caller.
pub type Metadata = BTreeMap<String, String>;

answer! {
    /// One run or conversation of an agent.
    pub struct Session(pb::Session as message) {
        /// Resource name, `namespaces/{namespace}/sessions/{id}`.
        pub name: String = message.name.clone(),
        /// Id; it may hold slashes.
        pub id: String = message.name.split_once("/sessions/").map(|(_, id)| id.to_owned()).unwrap_or_default(),
        /// Whose it is.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// Where in its life it is.
        pub state: SessionState = SessionState::of(message.state),
        /// Number of its transitions.
        pub version: i64 = message.version,
        /// Notes of its callers.
        pub metadata: Metadata = message.metadata.into_iter().collect(),
        /// When it was made.
        pub create_time: Timestamp = instant(message.create_time),
        /// When its last transition was.
        pub update_time: Timestamp = instant(message.update_time),
        /// How long it has been active, pauses left out.
        #[serde(rename = "active_duration_ms", with = "millis")]
        pub active_duration: Duration = duration(message.active_duration),
        /// True while it is paused and its working memory is read-only.
        pub frozen: bool = message.frozen,
        /// Made by its last pause, or restored by its last resume.
        pub checkpoint_id: Option<String> = given(message.checkpoint_id),
        /// Snapshot of its agent's memories, taken by its last pause.
        pub agent_snapshot_id: Option<String> = given(message.agent_snapshot_id),
        /// Its outcome, once it has ended.
        pub outcome: Option<SessionOutcome> = Some(message.outcome).filter(|code| *code != 0).map(SessionOutcome::of),
        /// Id of the memory that it was consolidated into.
        pub episode_id: Option<String> = given(id_of(&message.episode)),
        /// When a terminated session is forgotten.
        pub expire_time: Option<Timestamp> = maybe_instant(message.expire_time),
        /// Time to live of values that are set without an expiry; none: they stay.
        #[serde(rename = "default_ttl_ms", with = "maybe_millis")]
        pub default_ttl: Option<Duration> = maybe_duration(message.default_ttl),
        /// Time without a write after which it ends by itself; none: it does not.
        #[serde(rename = "idle_ttl_ms", with = "maybe_millis")]
        pub idle_ttl: Option<Duration> = maybe_duration(message.idle_ttl),
        /// Time at which it ends unless it is written to.
        pub idle_expire_time: Option<Timestamp> = maybe_instant(message.idle_expire_time),
    }
}

answer! {
    /// Result of calling a hook.
    pub struct HookReport(pb::HookReport as message) {
        /// Its name.
        pub hook: String = message.hook,
        /// When it was asked.
        pub phase: LifecyclePhase = LifecyclePhase::of(message.phase),
        /// Its outcome.
        pub result: HookResult = HookResult::of(message.result),
        /// Why.
        pub reason: String = message.reason,
        /// How long it took.
        #[serde(rename = "duration_ms", with = "millis")]
        pub duration: Duration = duration(message.duration),
    }
}

/// LifecycleService. A session is named by its id or its full resource name.
#[derive(Debug, Clone)]
pub struct Lifecycle {
    pub(crate) caller: Caller,
}

impl Client {
    /// The lives of sessions.
    pub fn lifecycle(&self) -> Lifecycle {
        Lifecycle { caller: self.caller.clone() }
    }
}

impl Lifecycle {
    /// Makes a session that is active, with the values it starts with.
    pub async fn spawn(&self, query: SpawnRequest) -> Result<SpawnResult> {
        use pb::spawn_session_request::{DefaultExpiry, IdleExpiry};
        let values = query.initial_values.into_iter().map(|(key, value)| pb::InitialValue {
            key,
            value: Some(value.message()),
            ..pb::InitialValue::default()
        });
        let request = pb::SpawnSessionRequest {
            parent: self.caller.parent(),
            session_id: query.session_id.unwrap_or_default(),
            scope: scope_message(query.scope.as_ref()),
            initial_values: values.collect(),
            metadata: query.metadata.into_iter().collect(),
            request_id: String::new(),
            default_expiry: query.default_ttl.map(|ttl| match ttl {
                Ttl::After(after) => DefaultExpiry::DefaultTtl(span(after)),
                Ttl::Never => DefaultExpiry::NoDefaultTtl(true),
            }),
            idle_expiry: query.idle_ttl.map(|ttl| match ttl {
                Ttl::After(after) => IdleExpiry::IdleTtl(span(after)),
                Ttl::Never => IdleExpiry::NoIdleTtl(true),
            }),
        };
        let answer = self.caller.unary(request).await?;
        Ok(SpawnResult {
            session: required(answer.session, "session")?,
            value_count: answer.value_count,
            transition: transition(answer.hook_reports, answer.duration),
        })
    }

    /// Pauses a session, with a checkpoint of its contents.
    pub async fn pause(&self, session: &str, query: PauseRequest) -> Result<PauseResult> {
        let request = pb::PauseSessionRequest {
            session: self.caller.session_name(session),
            checkpoint_id: query.checkpoint_id.unwrap_or_default(),
            description: query.description.unwrap_or_default(),
            checkpoint_ttl: query.checkpoint_ttl.map(span),
            pin: query.pin,
            allow_writes: query.allow_writes,
            metadata: query.metadata.into_iter().collect(),
            if_version: query.if_version,
            request_id: String::new(),
            include_memories: query.include_memories,
        };
        let answer = self.caller.unary(request).await?;
        Ok(PauseResult {
            session: required(answer.session, "session")?,
            checkpoint: required(answer.checkpoint, "checkpoint")?,
            transition: transition(answer.hook_reports, answer.duration),
        })
    }

    /// Resumes a session with the contents of a checkpoint.
    pub async fn resume(&self, session: &str, query: ResumeRequest) -> Result<ResumeResult> {
        let request = pb::ResumeSessionRequest {
            session: self.caller.session_name(session),
            checkpoint_id: query.checkpoint_id.unwrap_or_default(),
            mode: query.mode.unwrap_or(RestoreMode::Replace).code(),
            metadata: query.metadata.into_iter().collect(),
            if_version: query.if_version,
            request_id: String::new(),
            restore_memories: query.restore_memories,
        };
        let answer = self.caller.unary(request).await?;
        Ok(ResumeResult {
            session: required(answer.session, "session")?,
            checkpoint: required(answer.checkpoint, "checkpoint")?,
            restored_count: answer.restored_count,
            expired_count: answer.expired_count,
            transition: transition(answer.hook_reports, answer.duration),
        })
    }

    /// Ends a session: its history becomes a memory of type `episode`, and its contents are deleted.
    pub async fn terminate(&self, session: &str, query: TerminateRequest) -> Result<TerminateResult> {
        let actions = query.actions.into_iter();
        let request = pb::TerminateSessionRequest {
            session: self.caller.session_name(session),
            outcome: query.outcome.unwrap_or(SessionOutcome::Success).code(),
            task_description: query.task_description.unwrap_or_default(),
            lessons: query.lessons,
            actions: actions
                .map(|SessionAction { description, time }| pb::SessionAction { description, time: time.map(stamp) })
                .collect(),
            importance: query.importance,
            tokens_used: query.tokens_used,
            redact_keys: query.redact_keys,
            skip_episode: query.skip_episode,
            keep_working_memory: query.keep_working_memory,
            metadata: query.metadata.into_iter().collect(),
            if_version: query.if_version,
            request_id: String::new(),
        };
        let answer = self.caller.unary(request).await?;
        self.caller.connection.seen(answer.memory_revision);
        Ok(TerminateResult {
            session: required(answer.session, "session")?,
            episode_id: given(id_of(&answer.episode)),
            consolidated_count: answer.consolidated_count,
            truncated: answer.truncated,
            cleared_count: answer.cleared_count,
            cleared_checkpoint_count: answer.cleared_checkpoint_count,
            transition: transition(answer.hook_reports, answer.duration),
        })
    }

    /// Deletes a session with all its contents and frees its id. An active one only with `force`.
    pub async fn delete(&self, session: &str, query: DeleteSessionRequest) -> Result<DeleteSessionResult> {
        let request = pb::DeleteSessionRequest {
            session: self.caller.session_name(session),
            force: query.force,
            metadata: query.metadata.into_iter().collect(),
            if_version: query.if_version,
            request_id: String::new(),
        };
        let answer = self.caller.unary(request).await?;
        Ok(DeleteSessionResult {
            cleared_count: answer.cleared_count,
            cleared_note_count: answer.cleared_note_count,
            cleared_checkpoint_count: answer.cleared_checkpoint_count,
            transition: transition(answer.hook_reports, answer.duration),
        })
    }

    /// Reads a session. With a scope: fails if the session belongs to another scope.
    pub async fn get(&self, session: &str, scope: Option<&Scope>) -> Result<Session> {
        let request = pb::GetSessionRequest { session: self.caller.session_name(session), scope: scope_message(scope) };
        required(self.caller.unary(request).await?.session, "session")
    }

    /// In the order of their ids; all states where none is named.
    pub fn list(&self, scope: Option<&Scope>, states: &[SessionState]) -> Items<Session> {
        let request = pb::ListSessionsRequest {
            parent: self.caller.parent(),
            scope: scope_message(scope),
            states: states.iter().map(|state| state.code()).collect(),
            ..pb::ListSessionsRequest::default()
        };
        self.caller.pages("sessions", Ok(request), |answer| {
            Ok(Page { items: all(answer.sessions), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Checkpoints that pauses have made, newest first.
    pub fn list_checkpoints(&self, session: &str) -> Items<Checkpoint> {
        let client = Client { caller: self.caller.clone() };
        client.session(session).list_checkpoints(Some(CheckpointKind::Lifecycle))
    }

    /// Notes that a consumer is done with an event and all before it: its `resume_token`.
    pub async fn acknowledge_events(&self, consumer: &str, resume_token: &str) -> Result<()> {
        let request = pb::AcknowledgeLifecycleEventsRequest {
            parent: self.caller.parent(),
            consumer: consumer.into(),
            resume_token: resume_token.into(),
        };
        self.caller.unary(request).await.map(drop)
    }
}
