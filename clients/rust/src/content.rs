//! Contents: values in their own format.
use crate::json::json_of;
use crate::pb::{self, content::Body};
use crate::{Error, Result};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const JSON: &str = "application/json";

/// Content in its own format: bytes and their media type. The server returns them bit for bit.
///
/// Serialized it is `{"media_type", "json"}`, `{"media_type", "text"}` or `{"media_type", "data"}`, data as base64.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    media_type: String,
    data: Vec<u8>,
}

impl Content {
    /// Bytes of a media type, such as `image/png`.
    pub fn new(media_type: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        Self { media_type: media_type.into(), data: data.into() }
    }

    /// A value as JSON. Fails with `InvalidArgument` where JSON cannot carry it, such as a number that is not finite.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self> {
        Self::json_in(value, "content")
    }

    pub(crate) fn json_in<T: Serialize + ?Sized>(value: &T, field: &str) -> Result<Self> {
        Ok(Self::new(JSON, json_of(value, field)?))
    }

    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new("text/plain", text.into())
    }

    /// Media type of the bytes, such as `application/json`.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The bytes.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The bytes as text; fails with `InvalidArgument` when they are not UTF-8.
    pub fn as_text(&self) -> Result<&str> {
        std::str::from_utf8(&self.data).map_err(|error| Error::bad_input("content", error.to_string()))
    }

    /// The value that the bytes are JSON of; fails with `InvalidArgument` when they are not, or of another type.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.data).map_err(|error| Error::bad_input("content", error.to_string()))
    }

    pub(crate) fn message(self) -> pb::Content {
        let media_type = self.media_type.trim_start().to_ascii_lowercase();
        let body = if is_json(&media_type) || media_type.starts_with("text/") {
            match String::from_utf8(self.data) {
                Ok(text) if is_json(&media_type) => Body::Json(text),
                Ok(text) => Body::Text(text),
                Err(error) => Body::Data(error.into_bytes()),
            }
        } else {
            Body::Data(self.data)
        };
        pb::Content { media_type: self.media_type, body: Some(body) }
    }
}

fn is_json(media_type: &str) -> bool {
    media_type.strip_prefix(JSON).is_some_and(|rest| rest.trim_start().is_empty() || rest.trim_start().starts_with(';'))
}

impl From<pb::Content> for Content {
    fn from(message: pb::Content) -> Self {
        let data = match message.body {
            Some(Body::Json(text) | Body::Text(text)) => text.into_bytes(),
            Some(Body::Data(data)) => data,
            None => Vec::new(),
        };
        Self { media_type: message.media_type, data }
    }
}

/// Texts are plain text.
impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

#[derive(Serialize, Deserialize)]
struct Spelled {
    media_type: String,
    /// JSON null is a value, which differs from an absent field.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "present")]
    json: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
}

mod present {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    #[allow(clippy::ref_option)] // As serde calls it.
    pub(super) fn serialize<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        Value::deserialize(deserializer).map(Some)
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut spelled = Spelled { media_type: self.media_type.clone(), json: None, text: None, data: None };
        let kind = self.media_type.trim_start().to_ascii_lowercase();
        if is_json(&kind) {
            spelled.json = serde_json::from_slice(&self.data).ok();
        } else if kind.starts_with("text/") {
            spelled.text = String::from_utf8(self.data.clone()).ok();
        }
        if spelled.json.is_none() && spelled.text.is_none() {
            spelled.data = Some(BASE64_STANDARD.encode(&self.data));
        }
        spelled.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spelled { media_type, json, text, data } = Spelled::deserialize(deserializer)?;
        let data = match (json, text, data) {
            (Some(value), None, None) => value.to_string().into_bytes(),
            (None, Some(text), None) => text.into_bytes(),
            (None, None, Some(data)) => BASE64_STANDARD.decode(data).map_err(D::Error::custom)?,
            _ => return Err(D::Error::custom("a content has one of json, text and data")),
        };
        Ok(Self { media_type, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_go_in_and_come_out() {
        let content = Content::json(&json!({"room": "kitchen", "x": [1, null]})).expect("JSON");
        assert_eq!(content.media_type(), "application/json");
        assert_eq!(content.deserialize::<serde_json::Value>().expect("JSON")["room"], "kitchen");
        assert!(content.deserialize::<Vec<i32>>().is_err());
        assert_eq!(Content::from(content.clone().message()), content);
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let content = Content::new("text/plain", vec![0xff, 0x00]);
        assert!(content.as_text().is_err());
        assert_eq!(content.clone().message().body, Some(Body::Data(vec![0xff, 0x00])));
    }

    #[test]
    fn it_is_spelled_by_its_media_type() {
        for content in
            [Content::json(&json!(null)).expect("JSON"), Content::text("a"), Content::new("image/png", [1, 2, 3])]
        {
            let spelled = serde_json::to_value(&content).expect("JSON");
            assert_eq!(serde_json::from_value::<Content>(spelled).expect("content"), content);
        }
    }
}
