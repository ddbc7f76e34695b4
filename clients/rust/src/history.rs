//! States over time: the calls of MemoryService that look at what was before and after.
use crate::answer::{all, required};
use crate::filter::{Filter, filter_fields};
use crate::memory::{Memory, Scope, scope_message};
use crate::names::id_of;
use crate::time::{instant, maybe_millis, span};
use crate::words::{AttributeChangeKind, MemoryView, view_code};
use crate::{Client, Error, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Whose changes of an attribute.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AttributeHistoryQuery {
    /// Scope of the states: parts that are set must be equal. Default: all.
    pub scope: Option<Scope>,
    /// Type of the memories that are states. Default `state`.
    pub r#type: Option<String>,
    /// Which memories. Default: all.
    pub filter: Option<Filter>,
    /// First step.
    pub start_step: Option<i64>,
    /// Last step.
    pub end_step: Option<i64>,
    /// Most changes, 1 to 10,000. Default 1,000.
    pub limit: Option<i32>,
}

/// A change of a value from one state to the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttributeChange {
    /// Id of the state that has the new value, or has it no longer.
    pub id: String,
    /// Step of the state.
    pub step: i64,
    /// When it happened.
    pub event_time: Timestamp,
    /// How it changed.
    pub kind: AttributeChangeKind,
    /// Absent when it appeared.
    pub previous_value: Option<serde_json::Value>,
    /// Absent when it disappeared.
    pub new_value: Option<serde_json::Value>,
}

/// How a value changed over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttributeHistory {
    /// By step.
    pub changes: Vec<AttributeChange>,
    /// True when there are more.
    pub truncated: bool,
    /// Revision that was read.
    pub revision: i64,
}

/// Whose states.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StatesQuery {
    /// Scope of the states: parts that are set must be equal. Default: all.
    pub scope: Option<Scope>,
    /// Type of the memories that are states. Default `state`.
    pub r#type: Option<String>,
    /// Which memories. Default: all.
    pub filter: Option<Filter>,
    /// Gives the nearest state before a step that has none of its own.
    pub carry_forward: bool,
    /// Default [`MemoryView::Basic`].
    pub view: Option<MemoryView>,
}

/// The state at a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StateAtStep {
    /// The step.
    pub step: i64,
    /// None where there is no state.
    pub memory: Option<Memory>,
}

/// Events before and after a memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SequenceQuery {
    /// Most memories before it. Default 2, and 1,000 with a window.
    pub before_count: Option<i32>,
    /// Most memories after it. Default 2, and 1,000 with a window.
    pub after_count: Option<i32>,
    /// Only events at most this long before or after it.
    #[serde(rename = "time_window_ms", with = "maybe_millis")]
    pub time_window: Option<Duration>,
    /// Only memories of its type.
    pub same_type: bool,
    /// Only memories of its scope.
    pub same_scope: bool,
    /// Which memories. Default: all.
    pub filter: Option<Filter>,
    /// Default [`MemoryView::Basic`].
    pub view: Option<MemoryView>,
}

/// A memory and the events before and after it, in order of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sequence {
    /// Before it.
    pub before: Vec<Memory>,
    /// The memory.
    pub memory: Memory,
    /// After it.
    pub after: Vec<Memory>,
}

/// States over time.
impl Client {
    /// When the value at a path of JSON content appeared, changed and disappeared, by step.
    pub async fn get_attribute_history(&self, path: &str, query: AttributeHistoryQuery) -> Result<AttributeHistory> {
        let (filter, filter_text) = filter_fields(query.filter.as_ref())?;
        let request = pb::GetAttributeHistoryRequest {
            parent: self.caller.parent(),
            path: path.into(),
            scope: scope_message(query.scope.as_ref()),
            r#type: query.r#type.unwrap_or_default(),
            start_step: query.start_step,
            end_step: query.end_step,
            filter,
            filter_text,
            limit: query.limit.unwrap_or_default(),
            min_revision: 0,
        };
        let answer = self.caller.unary(request).await?;
        Ok(AttributeHistory {
            changes: answer.changes.into_iter().map(change_of).collect::<Result<_>>()?,
            truncated: answer.truncated,
            revision: answer.revision,
        })
    }

    /// The state at each of the steps.
    pub async fn get_states_at_steps(&self, steps: &[i64], query: StatesQuery) -> Result<Vec<StateAtStep>> {
        let (filter, filter_text) = filter_fields(query.filter.as_ref())?;
        let request = pb::GetStatesAtStepsRequest {
            parent: self.caller.parent(),
            steps: steps.to_vec(),
            carry_forward: query.carry_forward,
            scope: scope_message(query.scope.as_ref()),
            r#type: query.r#type.unwrap_or_default(),
            filter,
            filter_text,
            view: view_code(query.view),
            min_revision: 0,
        };
        let states = self.caller.unary(request).await?.states.into_iter();
        Ok(states.map(|state| StateAtStep { step: state.step, memory: state.memory.map(Into::into) }).collect())
    }

    /// The events before and after a memory.
    pub async fn get_sequence(&self, id: &str, query: SequenceQuery) -> Result<Sequence> {
        let (filter, filter_text) = filter_fields(query.filter.as_ref())?;
        let request = pb::GetMemorySequenceRequest {
            name: self.caller.memory_name(id),
            before_count: query.before_count,
            after_count: query.after_count,
            time_window: query.time_window.map(span),
            same_type: query.same_type,
            same_scope: query.same_scope,
            filter,
            filter_text,
            view: view_code(query.view),
            min_revision: 0,
        };
        let answer = self.caller.unary(request).await?;
        Ok(Sequence {
            before: all(answer.before),
            memory: required(answer.memory, "memory")?,
            after: all(answer.after),
        })
    }
}

fn change_of(message: pb::AttributeChange) -> Result<AttributeChange> {
    let value = |json: Option<String>| {
        let parsed = json.map(|json| serde_json::from_str(&json)).transpose();
        parsed.map_err(|_| Error::incomplete("value of JSON"))
    };
    Ok(AttributeChange {
        id: id_of(&message.name),
        step: message.step,
        event_time: instant(message.event_time),
        kind: AttributeChangeKind::of(message.kind),
        previous_value: value(message.previous_json)?,
        new_value: value(message.new_json)?,
    })
}
