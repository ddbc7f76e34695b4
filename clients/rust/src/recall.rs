//! Recall: the memories that matter most for a cue.
use crate::answer::{all, answer, required};
use crate::memory::Memory;
use crate::names::ids_of;
use crate::words::{RecallLane, TrustLevel};
use crate::{Client, Result, pb};
use serde::Serialize;

mod query;

pub use query::*;

answer! {
    /// A part of a score.
    pub struct ScoreComponent(pb::ScoreComponent as message) {
        /// Name of the part.
        pub name: String = message.name,
        /// Unweighted value of the part, in its own unit.
        pub value: f64 = message.value,
        /// Its contribution to the score.
        pub contribution: f64 = message.contribution,
        /// Place of the memory in the lane, from 1; 0 where there is none.
        pub rank: i32 = message.rank,
    }
}

answer! {
    /// The part of a long text that answers best.
    pub struct MatchedPassage(pb::MatchedPassage as message) {
        /// The part.
        pub text: String = message.text,
        /// Where it begins in the memory's text, in bytes of UTF-8.
        pub offset_bytes: i32 = message.offset_bytes,
    }
}

/// A memory that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecallHit {
    /// The memory.
    pub memory: Memory,
    /// Determines the order: higher is better.
    pub score: f64,
    /// Probability that the memory answers the query, 0 to 1: comparable between queries and namespaces.
    pub relevance: f64,
    /// Further memories that are equal to this one, and therefore no hits of their own.
    pub equal_count: i32,
    /// Name of the hit that states a newer value of what this one states; empty without one.
    pub outdated_by: String,
    /// Parts of the score, with `explain`.
    pub components: Vec<ScoreComponent>,
    /// Features of the learned order, heaviest first, with `explain`.
    pub features: Vec<ScoreComponent>,
    /// Words of the query that it has, with `explain`.
    pub matched_terms: Vec<String>,
    /// With `explain`: whether text and content come from the compressed form of a lower tier.
    pub restored: bool,
    /// Trust in the source of the memory; of a derived memory the least of its sources.
    pub trust: TrustLevel,
    /// For a text of more than 2,400 characters, the part that answers best, by which the memory was found.
    pub passage: Option<MatchedPassage>,
    /// Memories of its session before it, nearest last.
    pub before: Vec<Memory>,
    /// Memories of its session after it, nearest first.
    pub after: Vec<Memory>,
}

impl RecallHit {
    pub(crate) fn of(message: pb::RecallHit) -> Result<Self> {
        Ok(Self {
            memory: required(message.memory, "memory")?,
            score: message.score,
            relevance: message.relevance,
            equal_count: message.equal_count,
            outdated_by: message.outdated_by,
            components: all(message.components),
            features: all(message.features),
            matched_terms: message.matched_terms,
            restored: message.restored,
            trust: TrustLevel::of(message.trust),
            passage: message.passage.map(Into::into),
            before: all(message.before),
            after: all(message.after),
        })
    }
}

answer! {
    /// A part that could not be searched, or not in full.
    pub struct Degradation(pb::Degradation as message) {
        /// Which part.
        pub part: String = message.part,
        /// Why.
        pub reason: String = message.reason,
    }
}

answer! {
    /// A hit, or several of one session that follow one another, as one text.
    pub struct Passage(pb::Passage as message) {
        /// The text.
        pub text: String = message.text,
        /// Tokens that it has.
        pub token_count: i32 = message.token_count,
        /// Ids of the memories, in the order of the text.
        pub ids: Vec<String> = ids_of(&message.names),
        /// Score of the best of them.
        pub score: f64 = message.score,
    }
}

/// Result of a recall.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecallResult {
    /// Best first.
    pub hits: Vec<RecallHit>,
    /// Lanes that were searched.
    pub lanes: Vec<RecallLane>,
    /// Parts that could not be searched, or not in full.
    pub degraded: Vec<Degradation>,
    /// How many memories were ranked before the limit was applied.
    pub candidate_count: i64,
    /// Of the first `limit` memories, those left out because they are less relevant than `min_relevance`.
    pub low_relevance_count: i32,
    /// With a budget of tokens: the hits as texts to read, best first.
    pub passages: Vec<Passage>,
    /// Tokens that the passages have together.
    pub token_count: i32,
    /// Ids of the hits that were moved one tier up, with `focus`.
    pub promoted_ids: Vec<String>,
    /// Ids of hits, and of neighbours of hits, whose bytes are damaged: they are missing from `hits`.
    pub damaged_ids: Vec<String>,
    /// Revision that was read.
    pub revision: i64,
}

impl RecallResult {
    pub(crate) fn of(answer: pb::RecallResponse) -> Result<Self> {
        Ok(Self {
            hits: answer.hits.into_iter().map(RecallHit::of).collect::<Result<_>>()?,
            lanes: answer.lanes.into_iter().map(RecallLane::of).collect(),
            degraded: all(answer.degraded),
            candidate_count: answer.candidate_count,
            low_relevance_count: answer.low_relevance_count,
            passages: all(answer.passages),
            token_count: answer.token_count,
            promoted_ids: ids_of(&answer.promoted),
            damaged_ids: ids_of(&answer.damaged),
            revision: answer.revision,
        })
    }
}

answer! {
    /// A parameter of a preset.
    pub struct PresetParameter(pb::RecallPresetParameter as message) {
        /// Its name.
        pub name: String = message.name,
        /// Its meaning.
        pub description: String = message.description,
        /// Its type.
        pub r#type: String = message.r#type,
        /// As JSON; empty when there is none.
        pub default_json: String = message.default_json,
        /// Its allowed values.
        pub limits: String = message.limits,
        /// Whether it is required.
        pub required: bool = message.required,
    }
}

answer! {
    /// Description of a preset and its parameters.
    pub struct RecallPresetDescription(pb::RecallPresetDescription as message) {
        /// Its name.
        pub name: String = message.name,
        /// Its description.
        pub description: String = message.description,
        /// Its parameters.
        pub parameters: Vec<PresetParameter> = all(message.parameters),
    }
}

/// Recall.
impl Client {
    /// The most relevant memories for a cue: a text, or any combination of `RecallQuery`.
    pub async fn recall(&self, query: impl Into<RecallQuery>) -> Result<RecallResult> {
        let request = query.into().message(self)?;
        RecallResult::of(self.caller.unary(request).await?)
    }

    /// The retrieval forms that [`RecallQuery::preset`] takes, with their parameters.
    pub async fn list_recall_presets(&self) -> Result<Vec<RecallPresetDescription>> {
        Ok(all(self.caller.unary(pb::ListRecallPresetsRequest {}).await?.presets))
    }
}
