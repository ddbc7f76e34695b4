//! Values of the protocol, as the client takes and gives them.
use base64::prelude::{BASE64_STANDARD, Engine as _};
use mneme_client::filter::{Comparable, Field, Textual, all_of, any_of, field, negate, path, within};
use mneme_client::{CallOptions, Content, Embedding, Error, Filter, ImportedMemory, RecallPreset, RecallQuery};
use mneme_client::{Timestamp, TraceContext, code_name};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

pub type Args = Map<String, Value>;

/// Why a request has no result.
pub enum Fault {
    Error(Box<Error>),
    Reported(Value),
    Unsupported(String),
    Driver(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Driver(error.to_string())
    }
}

pub type Answer<T = Value> = Result<T, Fault>;

pub fn driver_fault<T>(text: impl Into<String>) -> Answer<T> {
    Err(Fault::Driver(text.into()))
}

/// Texts and lists that are written in short, bytes and vectors.
pub fn expanded(value: Value) -> Answer {
    match value {
        Value::Array(items) => Ok(Value::Array(items.into_iter().map(expanded).collect::<Answer<_>>()?)),
        Value::Object(object) => {
            if let Some(text) = object.get("$repeat").and_then(Value::as_str) {
                return Ok(text.repeat(count_of(&object)).into());
            }
            if let Some(item) = object.get("$sequence") {
                let text = item.to_string();
                let numbered = (0..count_of(&object)).map(|n| serde_json::from_str(&text.replace('#', &n.to_string())));
                return Ok(Value::Array(numbered.collect::<Result<_, _>>()?));
            }
            if object.contains_key("$naive_time") {
                return Err(Fault::Unsupported("a Timestamp is an instant: it has no zone to be left out".into()));
            }
            for name in ["$float32", "$time", "$bytes"] {
                if let Some(inner) = object.get(name) {
                    return Ok(inner.clone());
                }
            }
            let expanded = object.into_iter().map(|(key, each)| Ok((key, expanded(each)?)));
            Ok(Value::Object(expanded.collect::<Answer<_>>()?))
        }
        other => Ok(other),
    }
}

fn count_of(object: &Args) -> usize {
    object.get("count").and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}

pub fn of<T: DeserializeOwned>(args: &Args) -> Answer<T> {
    let expanded = expanded(Value::Object(args.clone()))?;
    if has_specials(&expanded) {
        return Err(Fault::Unsupported("arguments are read from JSON, which has no such value".into()));
    }
    without_others(expanded)
}

/// Arguments of a call that its type has: the type refuses others, such as an id, which the call takes beside it.
fn without_others<T: DeserializeOwned>(mut args: Value) -> Answer<T> {
    loop {
        let error = match T::deserialize(&args) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let text = error.to_string();
        let unknown = text.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
        let removed = unknown.and_then(|name| args.as_object_mut()?.remove(name));
        if removed.is_none() {
            return Err(error.into());
        }
    }
}

/// A plain value, including values that JSON cannot represent.
pub struct Plain<'a>(pub &'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => serializer.collect_seq(items.iter().map(Plain)),
            Value::Object(object) if object.contains_key("$nan") => serializer.serialize_f64(f64::NAN),
            Value::Object(object) if object.contains_key("$inf") => serializer.serialize_f64(f64::INFINITY),
            Value::Object(object) if object.contains_key("$cycle") => serializer.collect_map([("self", Self(self.0))]),
            Value::Object(object) if object.contains_key("$deep") => {
                let levels = object.get("$deep").and_then(Value::as_u64).unwrap_or_default();
                Deep(levels).serialize(serializer)
            }
            Value::Object(object) if object.contains_key("$unserializable") => {
                // Keys of JSON are texts.
                BTreeMap::from([((1, 2), 3)]).serialize(serializer)
            }
            Value::Object(object) => serializer.collect_map(object.iter().map(|(key, each)| (key, Plain(each)))),
            other => other.serialize(serializer),
        }
    }
}

/// A list in a list, so many times. A `Value` so deep could not even be dropped.
struct Deep(u64);

impl Serialize for Deep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0 > 1).then(|| Self(self.0 - 1)))
    }
}

/// A plain value to be given as it is, or a content.
pub enum Given {
    Plain(Value),
    Content(Content),
}

pub fn given(value: &Value) -> Answer<Given> {
    let Value::Object(object) = value else { return Ok(Given::Content(Content::text(text_of(value)?))) };
    if object.contains_key("$repeat") {
        return Ok(Given::Content(Content::text(text_of(value)?)));
    }
    if let Some(plain) = object.get("json") {
        return Ok(Given::Plain(if has_specials(plain) { plain.clone() } else { expanded(plain.clone())? }));
    }
    let media_type = object.get("media_type").and_then(Value::as_str).unwrap_or("text/plain");
    let content = match (object.get("text"), object.get("data")) {
        (Some(text), _) => Content::new(media_type, text_of(text)?),
        (None, Some(data)) => Content::new(media_type, bytes_of(data)?),
        _ => return driver_fault("a content has text, json or data"),
    };
    Ok(Given::Content(content))
}

fn has_specials(value: &Value) -> bool {
    let text = value.to_string();
    ["\"$nan\"", "\"$inf\"", "\"$unserializable\"", "\"$cycle\"", "\"$deep\""]
        .iter()
        .any(|special| text.contains(special))
}

fn text_of(value: &Value) -> Answer<String> {
    match expanded(value.clone())? {
        Value::String(text) => Ok(text),
        other => driver_fault(format!("no text: {other}")),
    }
}

fn bytes_of(value: &Value) -> Answer<Vec<u8>> {
    let text = text_of(value)?;
    BASE64_STANDARD.decode(text).map_err(|error| Fault::Driver(error.to_string()))
}

pub fn content_of(value: &Value) -> Answer<Content> {
    match given(value)? {
        Given::Plain(plain) => Ok(Content::json(&Plain(&plain))?),
        Given::Content(content) => Ok(content),
    }
}

#[allow(clippy::cast_possible_truncation)]
fn embedding_of(value: &Value) -> Answer<Embedding> {
    let model = value.get("model").and_then(Value::as_str).unwrap_or_default();
    let values = value.get("values").cloned().unwrap_or_default();
    if values.get("$other").is_some() {
        return Err(Fault::Unsupported("a Vec<f32> holds nothing but numbers".into()));
    }
    let values = if values.is_object() { expanded(values)? } else { values };
    let numbers = values.as_array().into_iter().flatten();
    let number = |each: &Value| match each.as_f64() {
        Some(number) => number as f32,
        None if each.get("$nan").is_some() => f32::NAN,
        None => f32::INFINITY,
    };
    Ok(Embedding::new(numbers.map(number).collect::<Vec<_>>(), model))
}

/// A memory, also an imported one.
pub fn memory_of(value: &Value) -> Answer<ImportedMemory> {
    let Value::Object(mut object) = value.clone() else { return driver_fault("no memory") };
    let content = object.remove("content").filter(|content| !content.is_null());
    let embedding = object.remove("embedding").filter(|embedding| !embedding.is_null());
    let mut memory: ImportedMemory = of(&object)?;
    memory.memory.content = content.as_ref().map(content_of).transpose()?;
    memory.memory.embedding = embedding.as_ref().map(embedding_of).transpose()?;
    Ok(memory)
}

pub fn memories_of(value: Option<&Value>) -> Answer<Vec<ImportedMemory>> {
    let list = match value {
        Some(Value::Object(object)) => expanded(Value::Object(object.clone()))?,
        Some(other) => other.clone(),
        None => Value::Null,
    };
    list.as_array().into_iter().flatten().map(memory_of).collect()
}

pub fn query_of(args: &Args) -> Answer<RecallQuery> {
    let mut rest = args.clone();
    let embedding = rest.remove("embedding");
    let example = rest.remove("example");
    let filter = rest.remove("filter");
    let preset = rest.remove("preset");
    let mut query: RecallQuery = of(&rest)?;
    query.embedding = embedding.as_ref().map(embedding_of).transpose()?;
    query.example = example.as_ref().map(memory_of).transpose()?.map(|memory| memory.memory);
    query.filter = filter.as_ref().map(filter_of).transpose()?;
    query.preset = preset.as_ref().map(preset_of).transpose()?;
    Ok(query)
}

fn preset_of(value: &Value) -> Answer<RecallPreset> {
    let mut preset = RecallPreset::new(value.get("name").and_then(Value::as_str).unwrap_or_default());
    if let Some(parameters) = value.get("parameters") {
        let plain = if has_specials(parameters) { parameters.clone() } else { expanded(parameters.clone())? };
        preset = preset.parameters(&Plain(&plain))?;
    }
    preset.now = value.get("now").map(time_of).transpose()?;
    Ok(preset)
}

fn time_of(value: &Value) -> Answer<Timestamp> {
    Ok(serde_json::from_value(expanded(value.clone())?)?)
}

/// The arguments without the filter, and the filter.
pub fn with_filter<T: DeserializeOwned>(args: &Args) -> Answer<(T, Option<Filter>)> {
    let mut rest = args.clone();
    let filter = rest.remove("filter").as_ref().map(filter_of).transpose()?;
    Ok((of(&rest)?, filter))
}

pub fn filter_of(value: &Value) -> Answer<Filter> {
    let Value::Object(object) = value else { return Ok(Filter::from(text_of(value)?)) };
    let list = |list: &Value| list.as_array().into_iter().flatten().map(filter_of).collect::<Answer<Vec<_>>>();
    if object.contains_key("$repeat") {
        return Ok(Filter::from(text_of(value)?));
    }
    if let Some(filters) = object.get("all") {
        return Ok(all_of(list(filters)?));
    }
    if let Some(filters) = object.get("any") {
        return Ok(any_of(list(filters)?));
    }
    if let Some(inner) = object.get("not") {
        return Ok(negate(filter_of(inner)?));
    }
    if let Some(area) = object.get("within") {
        return Ok(within(serde_json::from_value(expanded(area.clone())?)?));
    }
    let op = object.get("op").and_then(Value::as_str).unwrap_or_default();
    let ignores_case = object.get("ignore_case") == Some(&Value::Bool(true));
    let value = object.get("value").cloned().unwrap_or_default();
    if let Some(dotted) = object.get("path").and_then(Value::as_str) {
        let mut target = path(dotted);
        if ignores_case {
            target = target.ignore_case();
        }
        return match op {
            "is_null" => Ok(target.is_null()),
            "equals" => Ok(target.equals(Plain(&value))),
            "in" => Ok(target.is_in(value.as_array().into_iter().flatten().map(Plain))),
            "contains" => Ok(target.contains(Plain(&value))),
            "starts_with" => Ok(target.starts_with(&text_of(&value)?)),
            "matches" => Ok(target.matches(&text_of(&value)?)),
            _ => compared(target, op, Plain(&value)),
        };
    }
    let name = object.get("field").and_then(Value::as_str).unwrap_or_default();
    of_field(name, op, &value, ignores_case)
}

fn of_field(name: &str, op: &str, value: &Value, ignores_case: bool) -> Answer<Filter> {
    macro_rules! texts {
        ($($field:ident),*) => { match name {
            $(stringify!($field) => Some(field::$field()),)*
            "type" => Some(field::kind()),
            _ => None,
        } };
    }
    let text = texts!(
        id,
        project,
        agent_type,
        agent,
        session,
        tier,
        tag,
        text,
        speaker,
        source_uri,
        source_origin,
        location,
        room,
        region,
        media_type,
        superseded_by
    );
    if let Some(mut target) = text {
        if ignores_case {
            target = target.ignore_case();
        }
        if op == "in" {
            let values = value.as_array().into_iter().flatten().map(text_of).collect::<Answer<Vec<_>>>()?;
            return Ok(target.is_in(values));
        }
        return if op == "exists" { Ok(target.exists()) } else { textual(target, op, text_of(value)?) };
    }
    let number = |value: &Value| match value.as_f64() {
        Some(number) => number,
        None if value.get("$nan").is_some() => f64::NAN,
        None => f64::INFINITY,
    };
    let numeric = match name {
        "step" => Some(field::step()),
        "importance" => Some(field::importance()),
        "priority" => Some(field::priority()),
        "retrieval_count" => Some(field::retrieval_count()),
        "version" => Some(field::version()),
        _ => None,
    };
    if let Some(target) = numeric {
        return match op {
            "in" => Ok(target.is_in(value.as_array().into_iter().flatten().map(number))),
            _ => compared(target, op, number(value)),
        };
    }
    let target = match name {
        "event_time" => field::event_time(),
        "create_time" => field::create_time(),
        "update_time" => field::update_time(),
        "last_access_time" => field::last_access_time(),
        "expire_time" => field::expire_time(),
        "valid_from" => field::valid_from(),
        "valid_until" => field::valid_until(),
        _ => return driver_fault(format!("no field {name}")),
    };
    match op {
        "exists" => Ok(target.exists()),
        "in" => {
            let values = value.as_array().into_iter().flatten().map(time_of).collect::<Answer<Vec<_>>>()?;
            Ok(target.is_in(values))
        }
        _ => compared(target, op, time_of(value)?),
    }
}

fn textual<Kind: Textual>(target: Field<Kind>, op: &str, value: String) -> Answer<Filter>
where
    String: Comparable<Kind>,
{
    match op {
        "contains" => Ok(target.contains(value)),
        "starts_with" => Ok(target.starts_with(&value)),
        "matches" => Ok(target.matches(&value)),
        _ => compared(target, op, value),
    }
}

fn compared<Kind>(target: Field<Kind>, op: &str, value: impl Comparable<Kind>) -> Answer<Filter> {
    match op {
        "equals" => Ok(target.equals(value)),
        "less" => Ok(target.less(value)),
        "less_or_equal" => Ok(target.less_or_equal(value)),
        "greater" => Ok(target.greater(value)),
        "greater_or_equal" => Ok(target.greater_or_equal(value)),
        "exists" => Ok(target.exists()),
        _ => driver_fault(format!("no comparison {op}")),
    }
}

pub fn options_of(args: &Args) -> CallOptions {
    let text = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_owned);
    CallOptions {
        timeout: millis_of(args.get("timeout_ms")),
        request_id: text("request_id"),
        min_revision: args.get("min_revision").and_then(Value::as_i64),
        trace: TraceContext { traceparent: text("traceparent"), tracestate: text("tracestate") },
    }
}

pub fn millis_of(value: Option<&Value>) -> Option<Duration> {
    value.and_then(Value::as_f64).and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok())
}

/// A result of the client in the form of the protocol.
pub fn result_of(result: &impl Serialize) -> Answer {
    Ok(said(serde_json::to_value(result)?, ""))
}

/// No nulls, times with six digits, bytes by their name.
pub fn said(value: Value, name: &str) -> Value {
    if ["metadata", "settings", "json", "previous_value", "new_value"].contains(&name) {
        return value;
    }
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(|each| said(each, name)).collect()),
        Value::Object(object) => {
            let is_content = object.contains_key("media_type");
            let known = object.into_iter().filter(|(key, each)| !each.is_null() || key == "json");
            let said = known.map(|(key, each)| {
                let each = if is_content && key == "data" { json!({ "$bytes": each }) } else { said(each, &key) };
                (key, each)
            });
            Value::Object(said.collect())
        }
        Value::String(text) if is_time(name) => match text.parse::<Timestamp>() {
            Ok(time) => format!("{time:.6}").into(),
            Err(_) => text.into(),
        },
        other => other,
    }
}

fn is_time(name: &str) -> bool {
    name.ends_with("_time") || ["time", "as_of", "valid_from", "valid_until", "now"].contains(&name)
}

pub fn error_result(error: &Error) -> Value {
    let reported = serde_json::to_value(error).unwrap_or_else(|_| json!({ "code": code_name(error.code()) }));
    said(reported, "")
}

/// What a caller knows of a call that it has dropped.
pub fn cancelled() -> Value {
    json!({ "code": "CANCELLED", "metadata": {}, "violations": [], "retryable": false, "family": "base",
        "message": "cancelled by its caller" })
}
