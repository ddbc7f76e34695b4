//! Times to live.
use crate::time::span;
use crate::{Result, pb};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Duration;

/// A time to live, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ttl {
    /// For so long.
    After(Duration),
    /// It stays.
    Never,
}

/// When a key expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyExpiry {
    /// After so long.
    After(Duration),
    /// Never.
    Never,
    /// When it would have before.
    Keep,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Spelled {
    Millis(f64),
    After { ttl_ms: f64 },
    Word(String),
}

fn millis_of<E: serde::de::Error>(millis: f64) -> Result<Duration, E> {
    Duration::try_from_secs_f64(millis / 1000.0).map_err(E::custom)
}

impl Serialize for Ttl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::After(after) => serializer.serialize_f64(after.as_secs_f64() * 1000.0),
            Self::Never => serializer.serialize_str("never"),
        }
    }
}

impl<'de> Deserialize<'de> for Ttl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Spelled::deserialize(deserializer)? {
            Spelled::Millis(ttl_ms) | Spelled::After { ttl_ms } => Ok(Self::After(millis_of(ttl_ms)?)),
            Spelled::Word(word) if word == "never" => Ok(Self::Never),
            Spelled::Word(word) => Err(serde::de::Error::custom(format!("no time to live: {word}"))),
        }
    }
}

impl Serialize for KeyExpiry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::After(after) => Spelled::After { ttl_ms: after.as_secs_f64() * 1000.0 }.serialize(serializer),
            Self::Never => serializer.serialize_str("never"),
            Self::Keep => serializer.serialize_str("keep"),
        }
    }
}

impl<'de> Deserialize<'de> for KeyExpiry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Spelled::deserialize(deserializer)? {
            Spelled::Millis(ttl_ms) | Spelled::After { ttl_ms } => Ok(Self::After(millis_of(ttl_ms)?)),
            Spelled::Word(word) if word == "never" => Ok(Self::Never),
            Spelled::Word(word) if word == "keep" => Ok(Self::Keep),
            Spelled::Word(word) => Err(serde::de::Error::custom(format!("no expiry: {word}"))),
        }
    }
}

impl KeyExpiry {
    pub(super) fn message(self) -> pb::Expiry {
        use pb::expiry::Kind;
        let kind = match self {
            Self::After(after) => Kind::Ttl(span(after)),
            Self::Never => Kind::Never(true),
            Self::Keep => Kind::Keep(true),
        };
        pb::Expiry { kind: Some(kind) }
    }
}
