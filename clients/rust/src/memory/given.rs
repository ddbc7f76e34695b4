//! Memories in the form of requests.
use super::{Compaction, Embedding, Memory, Place, Scope, Source};
use crate::content::Content;
use crate::names::memory_name;
use crate::time::stamp;
use crate::{Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A memory to be stored. At least one of `text`, `content` and `embedding` is required.
///
/// ```
/// use mneme_client::{Content, NewMemory};
///
/// let memory = NewMemory::text("The museum is closed on Mondays.").tags(["museum"]).importance(0.8);
/// let state = NewMemory::default().kind("state").step(3).content(Content::json(&serde_json::json!({"room": "hall"}))?);
/// # Ok::<(), mneme_client::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewMemory {
    /// Last part of the resource name. Default: a new UUID version 7.
    pub id: Option<String>,
    /// Whose it is.
    pub scope: Option<Scope>,
    /// `message`, `fact`, `episode` or any word. Default: `message` when there is a speaker, otherwise `statement`.
    pub r#type: Option<String>,
    /// Step of the agent's run in which it happened, 0 to 2^53 - 1.
    pub step: Option<i64>,
    /// When it happened. Default: when it is stored.
    pub event_time: Option<Timestamp>,
    /// Searched text, in plain language. Derived from `content` when absent.
    pub text: Option<String>,
    /// The content.
    pub content: Option<Content>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// Its vector. Default: computed by the server, where it has an embedder.
    pub embedding: Option<Embedding>,
    /// Where it happened.
    pub place: Option<Place>,
    /// How much it matters, 0 to 1. Default 0.5.
    pub importance: Option<f64>,
    /// The caller's own priority, 0 to 1. Default 1.
    pub priority: Option<f64>,
    /// Where it comes from.
    pub source: Option<Source>,
    /// When it is to be forgotten.
    pub expire_time: Option<Timestamp>,
    /// First instant of its validity.
    pub valid_from: Option<Timestamp>,
    /// First instant after its validity.
    pub valid_until: Option<Timestamp>,
    /// Id of the memory that replaces this one.
    pub superseded_by: Option<String>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $method:ident => $field:ident: $type:ty;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $method(mut self, $field: impl Into<$type>) -> Self {
            self.$field = Some($field.into());
            self
        })*
    };
}

impl NewMemory {
    /// A memory of a text.
    #[allow(clippy::self_named_constructors)]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    setters! {
        /// Sets `id`.
        id => id: String;
        /// Sets `scope`.
        scope => scope: Scope;
        /// Sets `type`.
        kind => r#type: String;
        /// Sets `step`.
        step => step: i64;
        /// Sets `event_time`.
        event_time => event_time: Timestamp;
        /// Sets `content`.
        content => content: Content;
        /// Sets `embedding`.
        embedding => embedding: Embedding;
        /// Sets `place`.
        place => place: Place;
        /// Sets `importance`.
        importance => importance: f64;
        /// Sets `priority`.
        priority => priority: f64;
        /// Sets `source`.
        source => source: Source;
        /// Sets `expire_time`.
        expire_time => expire_time: Timestamp;
        /// Sets `valid_from`.
        valid_from => valid_from: Timestamp;
        /// Sets `valid_until`.
        valid_until => valid_until: Timestamp;
        /// Sets `superseded_by`.
        superseded_by => superseded_by: String;
    }

    /// Sets the speaker of `source`.
    #[must_use]
    pub fn speaker(mut self, speaker: impl Into<String>) -> Self {
        self.source.get_or_insert_default().speaker = Some(speaker.into());
        self
    }

    /// Sets the session of `scope`.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.scope.get_or_insert_default().session = Some(session.into());
        self
    }

    /// Sets `tags`.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags = Some(tags.into_iter().map(Into::into).collect());
        self
    }

    /// As the wire carries it, without a name: the id goes beside it.
    pub(crate) fn message(&self, namespace: &str) -> Result<pb::Memory> {
        let memory = self.clone();
        Ok(pb::Memory {
            scope: memory.scope.map(|scope| scope.message()),
            r#type: memory.r#type.unwrap_or_default(),
            step: memory.step,
            event_time: memory.event_time.map(stamp),
            text: memory.text.unwrap_or_default(),
            content: memory.content.map(Content::message),
            tags: memory.tags.unwrap_or_default(),
            embedding: memory.embedding.map(|embedding| embedding.message()).transpose()?,
            place: memory.place.map(Place::message),
            importance: memory.importance,
            priority: memory.priority,
            source: memory.source.map(|source| pb::Source {
                speaker: source.speaker.unwrap_or_default(),
                uri: source.uri.unwrap_or_default(),
                origin: source.origin.unwrap_or_default(),
            }),
            expire_time: memory.expire_time.map(stamp),
            valid_from: memory.valid_from.map(stamp),
            valid_until: memory.valid_until.map(stamp),
            superseded_by: memory.superseded_by.map(|id| memory_name(namespace, &id)).unwrap_or_default(),
            ..pb::Memory::default()
        })
    }
}

impl From<&str> for NewMemory {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for NewMemory {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&String> for NewMemory {
    fn from(text: &String) -> Self {
        Self::text(text)
    }
}

impl From<&Self> for NewMemory {
    fn from(memory: &Self) -> Self {
        memory.clone()
    }
}

/// A memory as it was in another server: keeps its times and counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImportedMemory {
    /// What any memory has.
    #[serde(flatten)]
    pub memory: NewMemory,
    /// When it was stored.
    pub create_time: Option<Timestamp>,
    /// When it was changed last.
    pub update_time: Option<Timestamp>,
    /// When it was recalled last.
    pub last_access_time: Option<Timestamp>,
    /// How often it was recalled.
    pub retrieval_count: Option<i64>,
    /// Data removed permanently, where its namespace is configured for lossy compaction.
    pub compaction: Option<Compaction>,
}

impl ImportedMemory {
    /// As the wire carries it, under the name of its id.
    pub(crate) fn message(&self, namespace: &str, id: &str) -> Result<pb::Memory> {
        Ok(pb::Memory {
            name: memory_name(namespace, id),
            create_time: self.create_time.map(stamp),
            update_time: self.update_time.map(stamp),
            last_access_time: self.last_access_time.map(stamp),
            retrieval_count: self.retrieval_count.unwrap_or_default(),
            compaction: self.compaction.clone().map(|compaction| pb::Compaction {
                checksum: compaction.checksum,
                content_bytes: compaction.content_bytes,
                dropped_keys: compaction.dropped_keys,
                decimals: compaction.decimals,
            }),
            ..self.memory.message(namespace)?
        })
    }
}

impl From<NewMemory> for ImportedMemory {
    fn from(memory: NewMemory) -> Self {
        Self { memory, ..Self::default() }
    }
}

/// The output of `export_memories` can be imported unchanged.
impl From<Memory> for ImportedMemory {
    fn from(from: Memory) -> Self {
        Self {
            create_time: Some(from.create_time),
            update_time: Some(from.update_time),
            last_access_time: from.last_access_time,
            retrieval_count: Some(from.retrieval_count),
            compaction: from.compaction,
            memory: NewMemory {
                id: Some(from.id),
                scope: Some(from.scope),
                r#type: Some(from.r#type),
                step: from.step,
                event_time: Some(from.event_time),
                text: Some(from.text),
                content: from.content,
                tags: Some(from.tags),
                embedding: from.embedding,
                place: from.place,
                importance: Some(from.importance),
                priority: Some(from.priority),
                source: Some(from.source),
                expire_time: from.expire_time,
                valid_from: from.valid_from,
                valid_until: from.valid_until,
                superseded_by: from.superseded_by,
            },
        }
    }
}
