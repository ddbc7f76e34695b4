//! Parts of messages, in any of the shapes that programs write.
use super::{MessageBlock, ToolCall, ToolResult};
use crate::content::Content;
use serde_json::{Map, Value};

pub(super) type Fields = Map<String, Value>;

/// What the parts of a message hold.
#[derive(Default)]
pub(super) struct MessageParts {
    pub blocks: Vec<MessageBlock>,
    /// Kinds of the parts that hold no text.
    pub skipped: Vec<String>,
}

const TEXTS_DEPTH_MAX: usize = 12;
const PART_WITHOUT_TEXT: &str = "part without text";
/// Keys under which parts have their text, in the order in which it is read.
const TEXT_KEYS: [&str; 25] = [
    "text",
    "thinking",
    "reasoning",
    "refusal",
    "transcript",
    "transcription",
    "extracted_content",
    "extractedContent",
    "content",
    "parts",
    "summary",
    "thoughts",
    "snippet",
    "result",
    "output",
    "value",
    "body",
    "markdown",
    "caption",
    "description",
    "alt",
    "reasoningContent",
    "reasoningText",
    "user_profile",
    "user_instructions",
];
const TITLE_KEYS: [&str; 2] = ["title", "url"];
const TOOL_CALLS: [&str; 10] = [
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "tool-call",
    "tool_call",
    "function_call",
    "custom_tool_call",
    "function",
    "custom",
    "mcp_call",
];
const TOOL_RESULTS: [&str; 4] =
    ["tool-result", "function_call_output", "custom_tool_call_output", "computer_call_output"];
const MARKS: [&str; 4] = ["step-start", "step-finish", "start-step", "finish-step"];
/// Kinds without text, by words of their type.
const KINDS: [(&[&str], &str); 8] = [
    (&["image", "photo", "picture"], "image"),
    (&["audio", "voice"], "audio"),
    (&["video"], "video"),
    (&["sticker"], "sticker"),
    (&["redacted"], "redacted thinking"),
    (&["thinking", "reasoning", "thoughts"], "thinking"),
    (&["source", "citation"], "source"),
    (&["file", "document", "pdf", "attachment"], "file"),
];

impl MessageParts {
    /// Of parts in order: nothing that holds a text is left out.
    pub(super) fn of(parts: &Value) -> Self {
        let mut read = Self::default();
        for part in parts.as_array().map_or(std::slice::from_ref(parts), Vec::as_slice) {
            match part {
                Value::Null => {}
                Value::Object(fields) => read.add_part(fields),
                Value::String(text) if text.is_empty() => {}
                other => read.blocks.push(MessageBlock::Text(tool_text(other))),
            }
        }
        read
    }

    pub(super) fn add(&mut self, other: Self) {
        self.blocks.extend(other.blocks);
        self.skipped.extend(other.skipped);
    }

    fn add_part(&mut self, part: &Fields) {
        let kind = kind_of(part);
        if let Some(data) = part.get("data").filter(|data| !data.is_null() && !is_text(part.get("type"))) {
            self.blocks.push(MessageBlock::Data(Content::new("application/json", data.to_string())));
            return;
        }
        if MARKS.contains(&kind.as_str()) {
            return;
        }
        if let Some(tools) = tool_blocks(part, &kind) {
            if tools.iter().any(|block| matches!(block, MessageBlock::ToolResult(_))) {
                self.skipped.extend(skipped_in_result(part));
            }
            self.blocks.extend(tools);
            return;
        }
        let text = texts_in_part(part, 0).join("\n\n");
        if text.is_empty() {
            self.skipped.push(word_of(part, &kind));
        } else {
            self.blocks.push(MessageBlock::Text(text));
        }
    }
}

/// Kinds of the parts of a tool's answer that hold no text.
fn skipped_in_result(part: &Fields) -> Vec<String> {
    let part = object_at(part, &["toolResult", "tool_result"]).unwrap_or(part);
    let output = value_at(part, &["content", "output"]).filter(|output| output.is_array());
    let skipped = output.map(|output| MessageParts::of(output).skipped).unwrap_or_default();
    skipped.into_iter().filter(|kind| kind != PART_WITHOUT_TEXT).collect()
}

fn kind_of(part: &Fields) -> String {
    let keys = ["type", "content_type", "block_type", "kind"];
    keys.iter().find_map(|key| part.get(*key)?.as_str()).unwrap_or_default().to_owned()
}

fn known_kind(words: &str) -> Option<&'static str> {
    let words = words.to_lowercase();
    KINDS.iter().find(|(known, _)| known.iter().any(|word| words.contains(word))).map(|(_, kind)| *kind)
}

fn word_of(part: &Fields, kind: &str) -> String {
    let keys = part.keys().map(String::as_str);
    let media = ["mediaType", "media_type", "mimeType", "mime_type"].iter().filter_map(|key| part.get(*key)?.as_str());
    let about = std::iter::once(kind).chain(keys).chain(media).collect::<Vec<_>>().join(" ");
    let first = if kind == "file" { about.replace("file", "") } else { kind.to_owned() };
    let otherwise = if kind.is_empty() { PART_WITHOUT_TEXT } else { kind };
    known_kind(&first).or_else(|| known_kind(&about)).unwrap_or(otherwise).to_owned()
}

/// A call of a tool, its result, or both; none where the part is about no tool.
fn tool_blocks(part: &Fields, kind: &str) -> Option<Vec<MessageBlock>> {
    if let Some(invocation) =
        part.get("toolInvocation").and_then(Value::as_object).filter(|_| kind == "tool-invocation")
    {
        return Some(invocation_blocks(invocation));
    }
    let is_typed = kind.starts_with("tool-") && is_text(part.get("toolCallId")) && part.contains_key("state");
    if kind == "dynamic-tool" || is_typed {
        let mut whole = part.clone();
        whole.entry("toolName").or_insert_with(|| kind.trim_start_matches("tool-").into());
        return Some(invocation_blocks(&whole));
    }
    if let Some(result) = object_at(part, &["toolResult", "tool_result", "functionResponse", "function_response"]) {
        return Some(vec![tool_result(result)]);
    }
    if TOOL_RESULTS.contains(&kind) || kind.ends_with("tool_result") {
        return Some(vec![tool_result(part)]);
    }
    let is_call = TOOL_CALLS.contains(&kind);
    let call = object_at(part, &["toolCall", "tool_call", "toolUse", "functionCall"]);
    call.or(is_call.then_some(part)).map(|call| vec![tool_call(call)])
}

/// A call and, once there is one, its result.
fn invocation_blocks(part: &Fields) -> Vec<MessageBlock> {
    let mut blocks = vec![tool_call(part)];
    if value_at(part, &["output", "result", "errorText"]).is_some() {
        blocks.push(tool_result(part));
    }
    blocks
}

/// A call of a tool, in the shape of any provider.
pub(super) fn tool_call(call: &Fields) -> MessageBlock {
    let named = object_at(call, &["function", "custom"]).unwrap_or(call);
    let name = first_text(named, &["name", "toolName", "tool_name"]);
    let input = value_at(named, &["argumentsJson", "arguments_json", "arguments", "input", "args", "rawInput"]);
    MessageBlock::ToolCall(ToolCall {
        id: first_text(call, &["id", "toolUseId", "toolCallId", "call_id", "tool_call_id"]),
        name: if name.is_empty() { "tool".into() } else { name },
        arguments_json: input.map(raw).unwrap_or_default(),
    })
}

/// The answer of a tool, in the shape of any provider.
pub(super) fn tool_result(result: &Fields) -> MessageBlock {
    let is_true = |key: &str| result.get(key) == Some(&Value::Bool(true));
    let output = value_at(result, &["text", "content", "output", "result", "response", "errorText"]);
    MessageBlock::ToolResult(ToolResult {
        call_id: first_text(
            result,
            &["callId", "call_id", "toolUseId", "tool_use_id", "toolCallId", "tool_call_id", "id"],
        ),
        text: output.map(tool_text).unwrap_or_default(),
        is_error: is_true("isError")
            || is_true("is_error")
            || first_text(result, &["status"]) == "error"
            || !first_text(result, &["errorText"]).is_empty(),
    })
}

/// Output of a tool as text: texts of its parts, or JSON where it is other data.
fn tool_text(output: &Value) -> String {
    match output {
        Value::Object(fields) if is_text(fields.get("type")) && fields.contains_key("value") => {
            tool_text(&fields["value"])
        }
        Value::Array(items) => {
            let texts = items.iter().map(|item| {
                let is_part = item.is_string()
                    || item.as_object().is_some_and(|part| !kind_of(part).is_empty() || is_text(part.get("text")));
                if is_part { text_of(item) } else { raw(item) }
            });
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
        }
        other => raw(other),
    }
}

/// All texts of a value, with blank lines between them; empty when it has none.
pub(super) fn text_of(value: &Value) -> String {
    texts_in(value, 0).join("\n\n")
}

fn texts_in(value: &Value, depth: usize) -> Vec<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => vec![text.clone()],
        Value::Array(items) if depth <= TEXTS_DEPTH_MAX => {
            items.iter().flat_map(|item| texts_in(item, depth + 1)).collect()
        }
        Value::Object(part) if depth <= TEXTS_DEPTH_MAX => texts_in_part(part, depth),
        _ => Vec::new(),
    }
}

fn texts_in_part(part: &Fields, depth: usize) -> Vec<String> {
    let at = |keys: &[&str]| -> Vec<String> {
        keys.iter().filter_map(|key| part.get(*key)).flat_map(|value| texts_in(value, depth + 1)).collect()
    };
    let mut texts = at(&TEXT_KEYS);
    if let Some(source) = part.get("source").and_then(Value::as_object) {
        // A document of Anthropic: its data are a text, the content of a block, or bytes.
        let key = if first_text(source, &["type"]) == "text" { "data" } else { "content" };
        texts.extend(source.get(key).map(|value| texts_in(value, depth + 1)).unwrap_or_default());
    }
    if !texts.is_empty() {
        return at(&TITLE_KEYS).into_iter().chain(texts).collect();
    }
    if known_kind(&kind_of(part)).is_some() {
        return texts;
    }
    // Of a part of a kind of its own, what reads like a sentence is its text.
    for (key, value) in part {
        match value {
            Value::String(text) => {
                let key = key.to_lowercase();
                let is_name = key == "id" || key.ends_with("_id") || key.ends_with("type");
                if text.trim().contains(' ') && !is_name {
                    texts.push(text.clone());
                }
            }
            other => texts.extend(texts_in(other, depth + 1)),
        }
    }
    texts
}

fn is_text(value: Option<&Value>) -> bool {
    value.is_some_and(Value::is_string)
}

/// The first of these keys with a text; empty without one.
pub(super) fn first_text(fields: &Fields, keys: &[&str]) -> String {
    let mut texts = keys.iter().filter_map(|key| fields.get(*key)?.as_str());
    texts.find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}

fn object_at<'a>(fields: &'a Fields, keys: &[&str]) -> Option<&'a Fields> {
    keys.iter().find_map(|key| fields.get(*key)?.as_object())
}

fn value_at<'a>(fields: &'a Fields, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| fields.get(*key).filter(|value| !value.is_null()))
}

/// A text as it is, and the JSON of other data.
fn raw(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
