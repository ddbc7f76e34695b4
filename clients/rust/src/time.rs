//! Instants and spans of time, on the wire and in JSON.
use jiff::Timestamp;
use std::time::Duration;

/// The last microsecond of 9999, the last instant of the server. `Timestamp::MAX` ends a day earlier and stands for all after it.
const LAST: prost_types::Timestamp = prost_types::Timestamp { seconds: 253_402_300_799, nanos: 999_999_000 };

pub(crate) fn stamp(time: Timestamp) -> prost_types::Timestamp {
    if time == Timestamp::MAX {
        return LAST;
    }
    // Nanoseconds of the wire count forward, also before 1970.
    let nanos = time.as_nanosecond();
    prost_types::Timestamp {
        seconds: i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or_default(),
        nanos: i32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or_default(),
    }
}

pub(crate) fn instant(time: Option<prost_types::Timestamp>) -> Timestamp {
    maybe_instant(time).unwrap_or_default()
}

pub(crate) fn maybe_instant(time: Option<prost_types::Timestamp>) -> Option<Timestamp> {
    let time = time?;
    let is_late = time.seconds > Timestamp::MAX.as_second() && time.seconds <= LAST.seconds;
    if is_late { Some(Timestamp::MAX) } else { Timestamp::new(time.seconds, time.nanos).ok() }
}

pub(crate) fn span(duration: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(duration.subsec_nanos()).unwrap_or_default(),
    }
}

/// 0 where there is none.
pub(crate) fn duration(span: Option<prost_types::Duration>) -> Duration {
    maybe_duration(span).unwrap_or_default()
}

pub(crate) fn maybe_duration(span: Option<prost_types::Duration>) -> Option<Duration> {
    span.and_then(|span| Duration::try_from(span).ok())
}

/// Spans as numbers of milliseconds.
pub(crate) mod millis {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use std::time::Duration;

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        (duration.as_secs_f64() * 1000.0).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let millis = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(millis / 1000.0).map_err(D::Error::custom)
    }
}

/// The same where there may be none.
pub(crate) mod maybe_millis {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use std::time::Duration;

    #[allow(clippy::ref_option)] // As serde calls it.
    pub(crate) fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        duration.map(|duration| duration.as_secs_f64() * 1000.0).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let millis = Option::<f64>::deserialize(deserializer)?;
        millis.map(|millis| Duration::try_from_secs_f64(millis / 1000.0).map_err(D::Error::custom)).transpose()
    }
}
