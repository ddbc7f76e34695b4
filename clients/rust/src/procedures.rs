//! Episodes (tasks and their outcomes) and procedures (how to do a task).
use crate::answer::{all, answer, required};
use crate::client::Caller;
use crate::memory::{Scope, scope_message};
use crate::names::id_of;
use crate::reflection::{self, ReflectQuery, Reflection};
use crate::time::{maybe_millis, span, stamp};
use crate::words::TaskOutcome;
use crate::{Client, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A task, its actions and its outcome.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewEpisode {
    /// Owner. Default: the whole namespace.
    pub scope: Option<Scope>,
    /// The task. 1 to 2,048 bytes.
    pub task: String,
    /// How it went. Required.
    pub outcome: Option<TaskOutcome>,
    /// Lessons learned; at most 64.
    pub lessons: Vec<String>,
    /// Actions, in order; at most 64.
    pub actions: Vec<String>,
    /// How long it took, at most 3,650 days. Default: not known.
    #[serde(rename = "duration_ms", with = "maybe_millis")]
    pub duration: Option<Duration>,
    /// Tokens that it took. Default: not known.
    pub tokens_used: Option<i64>,
    /// Importance, 0 to 1. Default: by outcome, lessons and duration.
    pub importance: Option<f64>,
    /// When it ended. Default: now.
    pub event_time: Option<Timestamp>,
}

impl NewEpisode {
    /// A task and how it went.
    #[must_use]
    pub fn new(task: impl Into<String>, outcome: TaskOutcome) -> Self {
        Self { task: task.into(), outcome: Some(outcome), ..Self::default() }
    }
}

answer! {
    /// The memory of an episode.
    pub struct EpisodeResult(pb::RecordEpisodeResponse as message) {
        /// Resource name.
        pub name: String = message.name.clone(),
        /// Id.
        pub id: String = id_of(&message.name),
        /// Importance of the episode.
        pub importance: f64 = message.importance,
        /// Revision of the change log.
        pub revision: i64 = message.revision,
    }
}

/// How something is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewProcedure {
    /// Owner. Default: the whole namespace.
    pub scope: Option<Scope>,
    /// Title, such as `restart the indexer`. 1 to 256 bytes.
    pub title: String,
    /// When it applies. At most 2,048 bytes.
    pub situation: String,
    /// Steps in order, 1 to 100.
    pub steps: Vec<String>,
}

answer! {
    /// How something is done, and how that went so far.
    pub struct Procedure(pb::Procedure as message) {
        /// Resource name of its memory.
        pub name: String = message.name.clone(),
        /// Id of its memory.
        pub id: String = id_of(&message.name),
        /// Owner.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// Its title.
        pub title: String = message.title,
        /// When it applies.
        pub situation: String = message.situation,
        /// Steps in order.
        pub steps: Vec<String> = message.steps,
        /// Number of successes.
        pub success_count: i32 = message.success_count,
        /// Number of failures.
        pub failure_count: i32 = message.failure_count,
        /// Number of partial successes.
        pub partial_count: i32 = message.partial_count,
        /// (successes + partial successes / 2 + 1) / (outcomes + 2).
        pub success_rate: f64 = message.success_rate,
        /// Notes of the last 20 outcomes that had one, the newest last.
        pub notes: Vec<String> = message.notes,
        /// Version of its memory.
        pub version: i64 = message.version,
    }
}

/// A procedure as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProcedureResult {
    /// The procedure.
    pub procedure: Procedure,
    /// Whether it was not known before.
    pub created: bool,
    /// Revision of the change log.
    pub revision: i64,
}

/// Which procedures are found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProcedureQuery {
    /// Scope whose procedures are found, with the shared procedures of its ancestors. Default: all.
    pub scope: Option<Scope>,
    /// Maximum number of procedures, 1 to 50. Default 5.
    pub limit: Option<i32>,
}

answer! {
    /// A procedure that fits a situation.
    pub struct FoundProcedure(pb::FoundProcedure as message) {
        /// The procedure.
        pub procedure: Procedure = message.procedure.unwrap_or_default().into(),
        /// Probability that it applies, 0 to 1.
        pub relevance: f64 = message.relevance,
        /// Relevance times success rate.
        pub score: f64 = message.score,
    }
}

/// Records episodes: tasks, their actions and outcomes.
#[derive(Debug, Clone)]
pub struct Episodes {
    caller: Caller,
}

/// Records how things are done and how that went, and finds procedures that fit a situation. A procedure is named by the id or the
/// resource name of its memory.
#[derive(Debug, Clone)]
pub struct Procedures {
    caller: Caller,
}

impl Client {
    /// Episodes: tasks, their actions and outcomes.
    pub fn episodes(&self) -> Episodes {
        Episodes { caller: self.caller.clone() }
    }

    /// Procedures: how things are done, and how that went.
    pub fn procedures(&self) -> Procedures {
        Procedures { caller: self.caller.clone() }
    }
}

impl Episodes {
    /// Stores an episode as a memory of type `episode`, and resolves when it is durable.
    pub async fn record(&self, episode: NewEpisode) -> Result<EpisodeResult> {
        let request = pb::RecordEpisodeRequest {
            parent: self.caller.parent(),
            scope: scope_message(episode.scope.as_ref()),
            task: episode.task,
            outcome: episode.outcome.map_or(0, TaskOutcome::code),
            lessons: episode.lessons,
            actions: episode.actions,
            duration: episode.duration.map(span),
            tokens_used: episode.tokens_used,
            importance: episode.importance,
            event_time: episode.event_time.map(stamp),
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }
}

impl Episodes {
    /// Patterns of recorded episodes: what goes with success, what fails, what is unusual and what changes. Reads only, and asks
    /// a model only with [`ReflectQuery::phrase`].
    pub async fn reflect(&self, query: ReflectQuery) -> Result<Reflection> {
        reflection::reflect(&self.caller, query).await
    }
}

impl Procedures {
    /// Stores how something is done, as a memory of type `procedure`. A procedure of the same title in the same scope is merged
    /// with it: steps that it lacks are added where they belong.
    pub async fn record(&self, procedure: NewProcedure) -> Result<ProcedureResult> {
        let message = pb::Procedure {
            scope: scope_message(procedure.scope.as_ref()),
            title: procedure.title,
            situation: procedure.situation,
            steps: procedure.steps,
            ..pb::Procedure::default()
        };
        let (parent, request_id) = (self.caller.parent(), String::new());
        let request = pb::RecordProcedureRequest { parent, procedure: Some(message), request_id };
        let answer = self.caller.unary(request).await?;
        let procedure = required(answer.procedure, "procedure")?;
        Ok(ProcedureResult { procedure, created: answer.created, revision: answer.revision })
    }

    /// Procedures that fit a situation, the best first: relevance in recall times success rate.
    pub async fn find(&self, situation: &str, query: ProcedureQuery) -> Result<Vec<FoundProcedure>> {
        let request = pb::FindProceduresRequest {
            parent: self.caller.parent(),
            scope: scope_message(query.scope.as_ref()),
            situation: situation.into(),
            limit: query.limit.unwrap_or_default(),
        };
        Ok(all(self.caller.unary(request).await?.procedures))
    }

    /// Counts how a procedure went. `NotFound` also when the memory is not a procedure.
    pub async fn record_outcome(&self, id: &str, outcome: TaskOutcome, note: Option<&str>) -> Result<Procedure> {
        let request = pb::RecordOutcomeRequest {
            name: self.caller.memory_name(id),
            outcome: outcome.code(),
            note: note.unwrap_or_default().into(),
            request_id: String::new(),
        };
        required(self.caller.unary(request).await?.procedure, "procedure")
    }
}
