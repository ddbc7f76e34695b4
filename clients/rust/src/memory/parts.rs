//! Parts of memories: whose, where, from where, and their vectors.
use crate::answer::given;
use crate::{Error, Result, pb};
use serde::{Deserialize, Serialize};

/// Owner of the memory inside its namespace, from the widest to the narrowest. Absent parts are not specified.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
#[serde(default, deny_unknown_fields)]
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
    pub(super) fn message(self) -> pb::Place {
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
#[serde(default, deny_unknown_fields)]
pub struct Source {
    /// Speaker or actor. Searched by recall in addition to the text.
    pub speaker: Option<String>,
    /// Where it can be found. Not searched.
    pub uri: Option<String>,
    /// Component that stored it.
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
