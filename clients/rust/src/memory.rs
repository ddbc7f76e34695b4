//! Memories, as they are given and as they come back.
use crate::answer::{answer, given};
use crate::content::Content;
use crate::names::{id_of, memory_name, namespace_of};
use crate::time::{instant, maybe_instant, stamp};
use crate::words::Tier;
use crate::{Error, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Whose memory it is inside its namespace, from the widest to the narrowest. Absent parts mean "not said".
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Scope {
    /// The project.
    pub project: Option<String>,
    /// The kind of agent.
    pub agent_type: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// One conversation or run. Memories of one session are neighbours of one another in recall.
    pub session: Option<String>,
}

impl Scope {
    /// The scope of an agent.
    pub fn agent(agent: impl Into<String>) -> Self {
        Self { agent: Some(agent.into()), ..Self::default() }
    }

    /// The scope of a project.
    pub fn project(project: impl Into<String>) -> Self {
        Self { project: Some(project.into()), ..Self::default() }
    }

    pub(crate) fn message(&self) -> pb::Scope {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        pb::Scope {
            namespace: String::new(),
            project: text(&self.project),
            agent_type: text(&self.agent_type),
            agent: text(&self.agent),
            session: text(&self.session),
        }
    }
}

impl From<pb::Scope> for Scope {
    fn from(message: pb::Scope) -> Self {
        Self {
            project: given(message.project),
            agent_type: given(message.agent_type),
            agent: given(message.agent),
            session: given(message.session),
        }
    }
}

pub(crate) fn scope_message(scope: Option<&Scope>) -> Option<pb::Scope> {
    scope.map(Scope::message)
}

/// A point in a Cartesian world of one's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// First coordinate.
    pub x: f64,
    /// Second coordinate.
    pub y: f64,
    /// Third coordinate, where there is one.
    #[serde(default)]
    pub z: Option<f64>,
}

impl From<Point> for pb::Point {
    fn from(Point { x, y, z }: Point) -> Self {
        Self { x, y, z }
    }
}

/// A point on Earth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct GeoPoint {
    /// North of the equator, -90 to 90.
    pub latitude_deg: f64,
    /// East of Greenwich, -180 to 180.
    pub longitude_deg: f64,
}

impl From<GeoPoint> for pb::GeoPoint {
    fn from(GeoPoint { latitude_deg, longitude_deg }: GeoPoint) -> Self {
        Self { latitude_deg, longitude_deg }
    }
}

/// Where something happened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// In a world of one's own.
    pub point: Option<Point>,
    /// On Earth.
    pub geo: Option<GeoPoint>,
    /// Name of a location.
    pub location: Option<String>,
    /// Name of a room.
    pub room: Option<String>,
    /// Name of a region.
    pub region: Option<String>,
}

impl Place {
    fn message(self) -> pb::Place {
        pb::Place {
            point: self.point.map(Into::into),
            geo: self.geo.map(Into::into),
            location: self.location.unwrap_or_default(),
            room: self.room.unwrap_or_default(),
            region: self.region.unwrap_or_default(),
        }
    }
}

impl From<pb::Place> for Place {
    fn from(message: pb::Place) -> Self {
        Self {
            point: message.point.map(|pb::Point { x, y, z }| Point { x, y, z }),
            geo: message.geo.map(|geo| GeoPoint { latitude_deg: geo.latitude_deg, longitude_deg: geo.longitude_deg }),
            location: given(message.location),
            room: given(message.room),
            region: given(message.region),
        }
    }
}

/// Where a memory comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Who said or did it. Searched by recall beside the text.
    pub speaker: Option<String>,
    /// Where it can be found. Not searched.
    pub uri: Option<String>,
    /// What put it there.
    pub origin: Option<String>,
}

/// A vector and the model it was made with. The first one of a namespace fixes model and dimension for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// The numbers, all of them finite.
    pub values: Vec<f32>,
    /// Name of the model.
    pub model: String,
}

impl Embedding {
    /// Of a slice or a vector.
    pub fn new(values: impl Into<Vec<f32>>, model: impl Into<String>) -> Self {
        Self { values: values.into(), model: model.into() }
    }

    pub(crate) fn message(&self) -> Result<pb::Embedding> {
        if !self.values.iter().all(|value| value.is_finite()) {
            return Err(Error::bad_input("embedding.values", "every number must be finite"));
        }
        Ok(pb::Embedding {
            data_f32le: bytes_of_vector(&self.values),
            dimension: u32::try_from(self.values.len()).unwrap_or(u32::MAX),
            model: self.model.clone(),
        })
    }
}

/// As the wire carries them: little-endian.
fn bytes_of_vector(values: &[f32]) -> Vec<u8> {
    if cfg!(target_endian = "little") {
        bytemuck::cast_slice(values).to_vec()
    } else {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }
}

impl From<pb::Embedding> for Embedding {
    fn from(message: pb::Embedding) -> Self {
        let (numbers, _) = message.data_f32le.as_chunks::<4>();
        Self { values: numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(), model: message.model }
    }
}

/// A memory to be stored. At least one of `text`, `content` and `embedding` must be given.
///
/// ```
/// use mneme_client::{Content, NewMemory};
///
/// let memory = NewMemory::text("The museum is closed on Mondays.").tags(["museum"]).importance(0.8);
/// let state = NewMemory::default().kind("state").step(3).content(Content::json(&serde_json::json!({"room": "hall"}))?);
/// # Ok::<(), mneme_client::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewMemory {
    /// Last part of the resource name. Default: a new UUID version 7.
    pub id: Option<String>,
    /// Whose it is.
    pub scope: Option<Scope>,
    /// `message`, `fact`, `episode` or any word. Default: `message` when there is a speaker, otherwise `fact`.
    pub r#type: Option<String>,
    /// Step of the agent's run in which it happened, 0 to 2^53 - 1.
    pub step: Option<i64>,
    /// When it happened. Default: when it is stored.
    pub event_time: Option<Timestamp>,
    /// What is searched, in plain language. Derived from `content` when absent.
    pub text: Option<String>,
    /// The thing itself.
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
    /// First instant at which what it says is true.
    pub valid_from: Option<Timestamp>,
    /// First instant at which what it says is true no longer.
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

/// A memory as it was in another server: keeps its times and counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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
    /// What it has lost for good, where its namespace asked for lossy compaction.
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

/// What `export_memories` gives can be imported as it is.
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

/// What to change of a memory: every field that is given; what is cleared has its default again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryChanges {
    to: NewMemory,
    cleared: BTreeSet<MemoryField>,
}

/// A field that can be cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum MemoryField {
    Scope,
    Type,
    Step,
    EventTime,
    Text,
    Content,
    Tags,
    Embedding,
    Place,
    Importance,
    Priority,
    Source,
    ExpireTime,
    ValidFrom,
    ValidUntil,
    SupersededBy,
}

impl From<NewMemory> for MemoryChanges {
    fn from(to: NewMemory) -> Self {
        Self { to, cleared: BTreeSet::new() }
    }
}

impl MemoryChanges {
    /// Clears a field.
    #[must_use]
    pub fn clear(mut self, field: MemoryField) -> Self {
        self.cleared.insert(field);
        self
    }

    pub(crate) fn message(&self, namespace: &str) -> Result<(pb::Memory, Vec<String>)> {
        let to = &self.to;
        let mut mask: Vec<String> = Vec::new();
        let mut set = |name: &str, is_given: bool| {
            if is_given {
                mask.push(name.into());
            }
        };
        set("type", to.r#type.is_some());
        set("step", to.step.is_some());
        set("event_time", to.event_time.is_some());
        set("text", to.text.is_some());
        set("content", to.content.is_some());
        set("tags", to.tags.is_some());
        set("embedding", to.embedding.is_some());
        set("place", to.place.is_some());
        set("importance", to.importance.is_some());
        set("priority", to.priority.is_some());
        set("source", to.source.is_some());
        set("expire_time", to.expire_time.is_some());
        set("valid_from", to.valid_from.is_some());
        set("valid_until", to.valid_until.is_some());
        set("superseded_by", to.superseded_by.is_some());
        if let Some(scope) = &to.scope {
            set("scope.project", scope.project.is_some());
            set("scope.agent_type", scope.agent_type.is_some());
            set("scope.agent", scope.agent.is_some());
            set("scope.session", scope.session.is_some());
        }
        for field in &self.cleared {
            if *field == MemoryField::Scope {
                mask.extend(["project", "agent_type", "agent", "session"].map(|part| format!("scope.{part}")));
            } else if let Ok(serde_json::Value::String(name)) = serde_json::to_value(field) {
                mask.push(name);
            }
        }
        Ok((to.message(namespace)?, mask))
    }
}

answer! {
    /// A memory as the server has it. What the view leaves out is empty or absent.
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
        /// What is searched.
        pub text: String = message.text,
        /// The thing itself.
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
        /// First instant at which what it says is true.
        pub valid_from: Option<Timestamp> = maybe_instant(message.valid_from),
        /// First instant at which what it says is true no longer.
        pub valid_until: Option<Timestamp> = maybe_instant(message.valid_until),
        /// Id of the memory that replaces this one.
        pub superseded_by: Option<String> = given(id_of(&message.superseded_by)),
        /// SHA-256 of text and content, as lower-case hexadecimal.
        pub checksum: String = message.checksum,
        /// Version for changes on condition: greater after each change.
        pub version: i64 = message.version,
        /// What it has lost for good.
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

/// What a memory lost when it came to a tier that drops keys or rounds fractions of JSON contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compaction {
    /// Checksum of the memory as it was given.
    pub checksum: String,
    /// Bytes of the content as it was given.
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
