//! Times of messages as programs write them.
use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, fmt::rfc2822, tz::TimeZone};
use serde_json::Value;

/// ISO 8601, a date in letters, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, as a number or as text. A
/// time without a zone is UTC. None for anything else.
pub(super) fn time_of(value: &Value) -> Option<Timestamp> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'))
        && text.parse::<f64>().is_ok();
    if is_number { of_number(&text) } else { of_text(&text) }
}

/// Numbers of this size and more count a smaller unit: as seconds they are in the year 5138 or later.
const UNITS: [(i128, i128); 3] =
    [(100_000_000_000_000_000, 1), (100_000_000_000_000, 1_000), (100_000_000_000, 1_000_000)];

fn of_number(text: &str) -> Option<Timestamp> {
    let nanos_of = |size: i128| UNITS.iter().find(|(from, _)| size >= *from).map_or(1_000_000_000, |(_, nanos)| *nanos);
    if let Ok(whole) = text.parse::<i128>() {
        return Timestamp::from_nanosecond(whole.checked_mul(nanos_of(whole.checked_abs()?))?).ok();
    }
    let number = text.parse::<f64>().ok().filter(|number| number.abs() < 1e19)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // Below 1e19, and the units are exact.
    let micros = (number * (nanos_of(number.abs() as i128) as f64) / 1000.0).round() as i64;
    Timestamp::from_microsecond(micros).ok()
}

fn of_text(text: &str) -> Option<Timestamp> {
    let civil = |at: DateTime| TimeZone::UTC.to_timestamp(at).ok();
    let iso = text.strip_suffix(" UTC").or(text.strip_suffix(" GMT")).unwrap_or(text);
    if let Ok(time) = iso.parse::<Timestamp>() {
        return Some(time);
    }
    if let Ok(zoned) = rfc2822::parse(text) {
        return Some(zoned.timestamp());
    }
    if let Ok(at) = iso.parse::<DateTime>() {
        return civil(at);
    }
    let days = ["%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y"];
    let day = days.iter().find_map(|format| Date::strptime(format, iso).ok());
    day.and_then(|day| civil(day.at(0, 0, 0, 0)))
}
