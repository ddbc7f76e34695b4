//! Requests and results of the calls of facts.
use crate::answer::{all, answer, given};
use crate::memory::{Scope, scope_message};
use crate::names::{id_of, ids_of};
use crate::time::{instant, maybe_instant, stamp};
use crate::words::{AssertOutcome, TrustLevel};
use crate::{Error, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A fact to be asserted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewFact {
    /// Owner. Facts of different scopes do not supersede each other. Default: the whole namespace.
    pub scope: Option<Scope>,
    /// Subject, such as `user`, for the user, or a name. 1 to 256 bytes.
    pub subject: String,
    /// Attribute of the subject, such as `home_city` or `likes`. 1 to 128 bytes.
    pub attribute: String,
    /// The value. 1 to 4,096 bytes.
    pub value: String,
    /// A sentence that states it; recall searches it. Default: made of subject, attribute and value.
    pub text: Option<String>,
    /// Confidence, 0 to 1. Default 1.
    pub confidence: Option<f64>,
    /// Resource names of messages or memories, or URIs of documents, that state it; at most 64.
    pub sources: Vec<String>,
    /// Instant from which it holds. Default: now.
    pub valid_from: Option<Timestamp>,
    /// Instant from which it no longer holds, if that is known.
    pub valid_until: Option<Timestamp>,
}

impl NewFact {
    /// A subject has a value of an attribute.
    #[must_use]
    pub fn new(subject: impl Into<String>, attribute: impl Into<String>, value: impl Into<String>) -> Self {
        Self { subject: subject.into(), attribute: attribute.into(), value: value.into(), ..Self::default() }
    }

    pub(crate) fn message(self) -> pb::Fact {
        pb::Fact {
            scope: scope_message(self.scope.as_ref()),
            subject: self.subject,
            attribute: self.attribute,
            value: self.value,
            text: self.text.unwrap_or_default(),
            confidence: self.confidence,
            sources: self.sources,
            valid_from: self.valid_from.map(stamp),
            valid_until: self.valid_until.map(stamp),
            ..pb::Fact::default()
        }
    }
}

answer! {
    /// A fact as the server knows it.
    pub struct Fact(pb::Fact as message) {
        /// Resource name of its memory.
        pub name: String = message.name.clone(),
        /// Id of its memory.
        pub id: String = id_of(&message.name),
        /// Owner.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// Its subject.
        pub subject: String = message.subject,
        /// What of the subject it states, in lower case, with words joined by `_`, and one name for synonyms.
        pub attribute: String = message.attribute,
        /// The value.
        pub value: String = message.value,
        /// A sentence that states it.
        pub text: String = message.text,
        /// Confidence, 0 to 1, with decay since it was last asserted.
        pub confidence: f64 = message.confidence.unwrap_or(1.0),
        /// Number of times that it was repeated by other sources.
        pub reinforcement_count: i32 = message.reinforcement_count,
        /// Its sources: the first and the 63 most recent.
        pub sources: Vec<String> = message.sources,
        /// Trust in its source.
        pub trust: TrustLevel = TrustLevel::of(message.trust),
        /// Instant from which it holds.
        pub valid_from: Option<Timestamp> = maybe_instant(message.valid_from),
        /// Instant from which it no longer holds.
        pub valid_until: Option<Timestamp> = maybe_instant(message.valid_until),
        /// Id of the memory of the fact that superseded it.
        pub superseded_by: Option<String> = given(id_of(&message.superseded_by)),
        /// When the server learned of it.
        pub record_time: Timestamp = instant(message.record_time),
        /// When it was last asserted.
        pub assert_time: Timestamp = instant(message.assert_time),
        /// Version of its memory.
        pub version: i64 = message.version,
    }
}

/// How a fact is asserted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssertOptions {
    /// Ends the other values of an attribute that has several values at a time.
    pub replaces: bool,
    /// States that the value no longer holds from `valid_from` on; without a value, that no value does.
    pub retracts: bool,
}

answer! {
    /// Result of an assertion.
    pub struct AssertResult(pb::AssertFactResponse as message) {
        /// The fact as it is known now; of a retraction, the first fact that it ended. None when there is none.
        pub fact: Option<Fact> = message.fact.map(Into::into),
        /// Effect of the assertion.
        pub outcome: AssertOutcome = AssertOutcome::of(message.outcome),
        /// Ids of the memories of facts that it ended.
        pub superseded_ids: Vec<String> = ids_of(&message.superseded),
        /// Revision of the change log.
        pub revision: i64 = message.revision,
    }
}

/// Which facts are listed. By default all that hold now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactQuery {
    /// Owner; parts that are absent match any.
    pub scope: Option<Scope>,
    /// Subject. With a scope, the user is found by name too.
    pub subject: Option<String>,
    /// Attribute.
    pub attribute: Option<String>,
    /// Facts that held at this instant. Default: `as_of_recorded`, otherwise now.
    pub as_of: Option<Timestamp>,
    /// Facts as they were known at this instant. Default: as they are known now.
    pub as_of_recorded: Option<Timestamp>,
    /// Also facts that do not hold at the instant.
    pub include_superseded: bool,
    /// Maximum number of facts that are read at a time, 1 to 1,000. Default 200.
    pub page_size: Option<i32>,
}

answer! {
    /// The recorded state of a fact from an instant on.
    pub struct FactState(pb::FactState as message) {
        /// Instant from which this was known.
        pub record_time: Timestamp = instant(message.record_time),
        /// Instant from which the fact was known to hold.
        pub valid_from: Option<Timestamp> = maybe_instant(message.valid_from),
        /// Instant from which it was known to hold no longer.
        pub valid_until: Option<Timestamp> = maybe_instant(message.valid_until),
        /// Id of the memory of the fact that superseded it.
        pub superseded_by: Option<String> = given(id_of(&message.superseded_by)),
    }
}

/// A fact with its recorded states.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FactHistory {
    /// The fact as it is known now.
    pub fact: Fact,
    /// When it was known to hold, oldest first: the first state and the 31 most recent ones.
    pub states: Vec<FactState>,
    /// Whether `undo_supersession` took it back.
    pub withdrawn: bool,
}

/// Every fact that one attribute of one subject had.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttributeFacts {
    /// By the instant from which they hold, at most 1,000.
    pub facts: Vec<FactHistory>,
    /// Number of facts that were forgotten.
    pub forgotten_count: i32,
    /// Whether the attribute has one value at a time.
    pub single_valued: bool,
}

impl TryFrom<pb::FactHistory> for FactHistory {
    type Error = Error;

    fn try_from(message: pb::FactHistory) -> Result<Self> {
        let fact = crate::answer::required(message.fact, "fact")?;
        Ok(Self { fact, states: all(message.states), withdrawn: message.withdrawn })
    }
}

/// Result of an undo.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UndoResult {
    /// The fact, which holds again.
    pub fact: Fact,
    /// Id of the memory of the fact that was taken back.
    pub withdrawn_id: Option<String>,
    /// Revision of the change log.
    pub revision: i64,
}

/// Which facts are erased: those of `ids`, or all that the other fields select, of which at least one is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForgetFactsQuery {
    /// Ids of the memories of facts, at most 100.
    pub ids: Vec<String>,
    /// Owner; parts that are absent match any.
    pub scope: Option<Scope>,
    /// Subject. With a scope, the user is found by name too.
    pub subject: Option<String>,
    /// Attribute.
    pub attribute: Option<String>,
    /// Value.
    pub value: Option<String>,
    /// Only counts.
    pub dry_run: bool,
}

answer! {
    /// Erased facts, or those that would be erased.
    pub struct ForgottenFacts(pb::ForgetFactsResponse as message) {
        /// How many.
        pub forgotten_count: i64 = message.forgotten_count,
        /// Ids of the memories of the first 1,000 of them.
        pub ids: Vec<String> = ids_of(&message.names),
        /// Revision of the change log.
        pub revision: i64 = message.revision,
    }
}
