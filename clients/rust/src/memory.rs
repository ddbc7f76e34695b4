//! Memories in requests and in answers.
use crate::answer::{answer, given};
use crate::content::Content;
use crate::names::{id_of, namespace_of};
use crate::time::{instant, maybe_instant};
use crate::words::Tier;
use crate::{Error, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

mod changes;
mod given;
mod parts;

pub use changes::*;
pub use given::*;
pub use parts::*;

answer! {
    /// A memory as stored by the server. Parts outside of the view are empty or absent.
    pub struct Memory(pb::Memory as message) {
        /// Resource name, `namespaces/{namespace}/memories/{id}`.
        pub name: String = message.name.clone(),
        /// Id of its namespace.
        pub namespace: String = namespace_of(&message.name),
        /// Its own id.
        pub id: String = id_of(&message.name),
        /// Whose it is.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// `message`, `fact`, `episode` or any word.
        pub r#type: String = message.r#type,
        /// Step of the agent's run in which it happened.
        pub step: Option<i64> = message.step,
        /// When it happened.
        pub event_time: Timestamp = instant(message.event_time),
        /// When it was stored.
        pub create_time: Timestamp = instant(message.create_time),
        /// When it was changed last.
        pub update_time: Timestamp = instant(message.update_time),
        /// The searched text.
        pub text: String = message.text,
        /// The content.
        pub content: Option<Content> = message.content.map(Into::into),
        /// Words to find it by.
        pub tags: Vec<String> = message.tags,
        /// Its vector, with [`MemoryView::Full`](crate::MemoryView::Full).
        pub embedding: Option<Embedding> = message.embedding.map(Into::into),
        /// Where it happened.
        pub place: Option<Place> = message.place.map(Into::into),
        /// How much it matters, 0 to 1.
        pub importance: f64 = message.importance.unwrap_or(0.5),
        /// The caller's own priority, 0 to 1.
        pub priority: f64 = message.priority.unwrap_or(1.0),
        /// Where it comes from.
        pub source: Source = message.source.map(|source| Source {
            speaker: given(source.speaker),
            uri: given(source.uri),
            origin: given(source.origin),
        }).unwrap_or_default(),
        /// The tier that it is in.
        pub tier: Tier = Tier::of(message.tier),
        /// How often it was recalled with `touch`.
        pub retrieval_count: i64 = message.retrieval_count,
        /// When it was recalled last with `touch`.
        pub last_access_time: Option<Timestamp> = maybe_instant(message.last_access_time),
        /// When it is to be forgotten.
        pub expire_time: Option<Timestamp> = maybe_instant(message.expire_time),
        /// First instant of its validity.
        pub valid_from: Option<Timestamp> = maybe_instant(message.valid_from),
        /// First instant after its validity.
        pub valid_until: Option<Timestamp> = maybe_instant(message.valid_until),
        /// Id of the memory that replaces this one.
        pub superseded_by: Option<String> = given(id_of(&message.superseded_by)),
        /// SHA-256 of text and content, as lower-case hexadecimal.
        pub checksum: String = message.checksum,
        /// Version for changes on condition: greater after each change.
        pub version: i64 = message.version,
        /// Detail lost to compaction.
        pub compaction: Option<Compaction> = message.compaction.map(Into::into),
    }
}

impl Memory {
    /// The content as a value; fails with `InvalidArgument` where there is none, or none of JSON.
    pub fn deserialize<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        let content = self.content.as_ref().ok_or_else(|| Error::bad_input("content", "there is none"))?;
        content.deserialize()
    }
}

/// Data that a memory lost when it entered a tier that drops keys or rounds fractions of JSON contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compaction {
    /// Checksum of the original memory.
    pub checksum: String,
    /// Size of the original content in bytes.
    pub content_bytes: i64,
    /// Keys that were left out.
    pub dropped_keys: Vec<String>,
    /// Decimals that fractions were rounded to; absent when none was changed.
    pub decimals: Option<i32>,
}

impl From<pb::Compaction> for Compaction {
    fn from(message: pb::Compaction) -> Self {
        Self {
            checksum: message.checksum,
            content_bytes: message.content_bytes,
            dropped_keys: message.dropped_keys,
            decimals: message.decimals,
        }
    }
}
