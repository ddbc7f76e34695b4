//! Jobs of extraction and their answers.
use crate::answer::{all, answer};
use crate::memory::Scope;
use crate::names::conversation_id;
use crate::pb::{self, extraction_answer};
use crate::time::{instant, stamp};
use crate::{ConversationMessage, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

answer! {
    /// Messages of one conversation to extract from.
    pub struct ExtractionJob(pb::ExtractionJob as message) {
        /// The same in the reports about it.
        pub id: String = message.id,
        /// Id of the conversation.
        pub conversation: String = conversation_id(&message.conversation),
        /// Owner of the messages.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// Messages to extract from, in order, at least one.
        pub messages: Vec<ConversationMessage> = all(message.messages),
        /// Up to 10 messages that precede them, cut at 4,096 bytes: for reference only.
        pub earlier: Vec<ConversationMessage> = all(message.earlier),
        /// Number of this attempt, from 1.
        pub attempt: i32 = message.attempt,
        /// Why the attempt before failed; empty on the first one.
        pub last_error: String = message.last_error,
        /// Time at which the server takes the job back.
        pub deadline: Timestamp = instant(message.deadline),
        /// Setting `extraction.model` of the namespace; empty when there is none.
        pub model: String = message.model,
    }
}

/// A fact that messages state or retract.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractedClaim {
    /// Subject, such as `user`, for the user, or a name. 1 to 256 bytes.
    pub subject: String,
    /// Attribute of the subject, such as `home_city`. 1 to 128 bytes.
    pub attribute: String,
    /// The value. 1 to 4,096 bytes; may be empty with `retracts`: then no value holds.
    pub value: String,
    /// A sentence that states the fact, at most 4,096 bytes. Default: made of subject, attribute and value.
    pub text: Option<String>,
    /// Confidence, 0 to 1. Default 1.
    pub confidence: Option<f64>,
    /// Instant from which the fact holds. Default: the time of the latest source.
    pub valid_from: Option<Timestamp>,
    /// Instant from which the fact no longer holds. Default: not known.
    pub valid_until: Option<Timestamp>,
    /// The messages state that the fact no longer holds.
    pub retracts: bool,
    /// Sequence numbers of the messages of the job that state it; at least one.
    pub sources: Vec<i64>,
}

impl ExtractedClaim {
    /// A subject has a value of an attribute, as these messages state.
    #[must_use]
    pub fn new(
        subject: impl Into<String>,
        attribute: impl Into<String>,
        value: impl Into<String>,
        sources: impl IntoIterator<Item = i64>,
    ) -> Self {
        let sources = sources.into_iter().collect();
        Self { subject: subject.into(), attribute: attribute.into(), value: value.into(), sources, ..Self::default() }
    }

    fn message(self) -> pb::ExtractedClaim {
        pb::ExtractedClaim {
            subject: self.subject,
            attribute: self.attribute,
            value: self.value,
            text: self.text.unwrap_or_default(),
            confidence: self.confidence,
            valid_from: self.valid_from.map(stamp),
            valid_until: self.valid_until.map(stamp),
            retracts: self.retracts,
            sources: self.sources,
        }
    }
}

/// Another memory that messages contain: an instruction, a decision, a lesson.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractedNote {
    /// `fact`, `episode` or `procedure`. Default: `fact`.
    pub r#type: Option<String>,
    /// Text of the memory. 1 to 4,096 bytes.
    pub text: String,
    /// Confidence, 0 to 1. Default 1.
    pub confidence: Option<f64>,
    /// Words to find it by, at most 16.
    pub tags: Vec<String>,
    /// Sequence numbers of the messages of the job that contain it; at least one.
    pub sources: Vec<i64>,
}

impl ExtractedNote {
    /// A memory that these messages contain.
    #[must_use]
    pub fn new(text: impl Into<String>, sources: impl IntoIterator<Item = i64>) -> Self {
        Self { text: text.into(), sources: sources.into_iter().collect(), ..Self::default() }
    }

    fn message(self) -> pb::ExtractedNote {
        pb::ExtractedNote {
            r#type: self.r#type.unwrap_or_default(),
            text: self.text,
            confidence: self.confidence,
            tags: self.tags,
            sources: self.sources,
        }
    }
}

/// Memories that messages contain: at most 1,000 claims and notes. By default none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractedMemories {
    /// Facts. A fact that the same messages both state and retract is left out.
    pub claims: Vec<ExtractedClaim>,
    /// Other memories.
    pub notes: Vec<ExtractedNote>,
}

/// Answer of a handler to a job.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtractionAnswer {
    /// Memories to be stored; may be none.
    Extracted(ExtractedMemories),
    /// Nothing can be extracted from the messages, for this reason. It counts as an attempt: after several of them the
    /// messages are given up.
    Refused(String),
}

impl From<ExtractedMemories> for ExtractionAnswer {
    fn from(extracted: ExtractedMemories) -> Self {
        Self::Extracted(extracted)
    }
}

impl ExtractionAnswer {
    pub(super) fn result(self) -> extraction_answer::Result {
        match self {
            Self::Extracted(ExtractedMemories { claims, notes }) => {
                extraction_answer::Result::Extracted(pb::ExtractedMemories {
                    claims: claims.into_iter().map(ExtractedClaim::message).collect(),
                    notes: notes.into_iter().map(ExtractedNote::message).collect(),
                })
            }
            Self::Refused(message) => {
                extraction_answer::Result::Failure(pb::ExtractionFailure { message, retryable: false })
            }
        }
    }
}

type OnRejected = Arc<dyn Fn(&ExtractionJob, &str) + Send + Sync>;

/// How a client serves extraction.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractorOptions {
    /// Name in errors and in the origin of notes, such as that of the model. Default: none.
    pub name: Option<String>,
    /// Maximum number of jobs at once, 1 to 64. Default 4.
    pub max_jobs: Option<i32>,
    /// Called with the reason when the server rejected an answer. The job comes again, with the reason in `last_error`.
    #[serde(skip)]
    pub on_rejected: Option<OnRejected>,
}

impl fmt::Debug for ExtractorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractorOptions")
            .field("name", &self.name)
            .field("max_jobs", &self.max_jobs)
            .finish_non_exhaustive()
    }
}
