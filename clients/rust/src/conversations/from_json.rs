//! Messages in the JSON of other programs.
use super::parts::{Fields, MessageParts, first_text, text_of, tool_call, tool_result};
use super::times::time_of;
use super::{ConversationMessage, MessageBlock};
use crate::words::MessageRole;
use crate::{Error, Result};
use serde_json::Value;

/// A message that was read from the JSON of another program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MessageFrom {
    /// The message, to be appended.
    pub message: ConversationMessage,
    /// Kinds of the parts that hold no text, one for each part, such as `image`.
    pub skipped: Vec<String>,
    /// Keys with a value that are not read.
    pub unread_keys: Vec<String>,
    /// A time that cannot be read, as it is written; the message has none then.
    pub unreadable_time: Option<String>,
}

const KNOWN_ROLES: &str = "user, human, assistant, ai, model, bot, chatbot, gpt, system, developer, tool, function";
const KEYS_OF_ITEMS: [&str; 6] = ["call_id", "arguments", "output", "summary", "input", "content"];
const KEYS_OF_WRAPPING: [&str; 5] = ["lc", "id", "type", "data", "kwargs"];
const AUTHOR_KEYS: [&str; 5] = ["speaker", "username", "author", "sender", "from"];
/// Parts come first: a program that writes both repeats the texts of its parts in `content`.
const BODY_KEYS: [&str; 6] = ["blocks", "parts", "content", "text", "value", "message"];
const TIME_KEYS: [&str; 14] = [
    "time",
    "timestamp",
    "eventTime",
    "event_time",
    "created_at",
    "createdAt",
    "create_time",
    "createTime",
    "created",
    "ts",
    "date",
    "datetime",
    "sent_at",
    "sentAt",
];
const OTHER_KEYS: [&str; 15] = [
    "role",
    "name",
    "sequence",
    "type",
    "data",
    "kwargs",
    "refusal",
    "audio",
    "attachments",
    "files",
    "tool_calls",
    "toolInvocations",
    "function_call",
    "tool_call_id",
    "toolCallId",
];

fn role_of_word(word: &str) -> Option<MessageRole> {
    Some(match word.to_lowercase().as_str() {
        "user" | "human" => MessageRole::User,
        "assistant" | "ai" | "model" | "bot" | "chatbot" | "gpt" => MessageRole::Assistant,
        "system" | "developer" => MessageRole::System,
        "tool" | "function" => MessageRole::Tool,
        _ => return None,
    })
}

/// Of items of the Responses API, which have a type alone.
fn role_of_item(kind: &str) -> Option<MessageRole> {
    match kind {
        "function_call" | "custom_tool_call" | "reasoning" => Some(MessageRole::Assistant),
        "function_call_output" | "custom_tool_call_output" => Some(MessageRole::Tool),
        _ => None,
    }
}

impl MessageFrom {
    /// Reads a message in the shape of Mneme, OpenAI (chat completions and Responses), Anthropic, Google, Bedrock, the AI SDK of
    /// Vercel or LangChain. `InvalidArgument` for a value that is no message.
    pub fn json(json: &str) -> Result<Self> {
        let fault = |error: serde_json::Error| Error::bad_input("message", format!("must be JSON: {error}"));
        Self::value(&serde_json::from_str(json).map_err(fault)?)
    }

    /// The same of JSON that is parsed already.
    pub fn value(value: &Value) -> Result<Self> {
        let Some(outer) = value.as_object() else {
            return Err(Error::bad_input("message", format!("must be an object with role and text, got {value}")));
        };
        let (fields, kind) = unwrapped(outer);
        let role = role_of(fields, &kind)?;
        let parts = parts_of(fields, &kind, role);
        let time_key = first_filled(fields, &TIME_KEYS);
        let time = time_key.and_then(|key| time_of(&fields[key]));
        let beside =
            outer.keys().filter(|key| !std::ptr::eq(outer, fields) && !KEYS_OF_WRAPPING.contains(&key.as_str()));
        let unread = fields.keys().filter(|key| is_unread(fields, key, &kind, &parts.blocks));
        let unread_keys = beside.chain(unread).cloned().collect();
        let mut message = ConversationMessage::new(role, parts.blocks.clone());
        message.sequence = fields.get("sequence").and_then(Value::as_i64);
        message.event_time = time;
        if role_of_item(&kind).is_none() {
            message.name = name_of(fields);
        }
        let unreadable_time = time_key.filter(|_| time.is_none()).map(|key| fields[key].to_string());
        Ok(Self { message, skipped: parts.skipped, unread_keys, unreadable_time })
    }
}

/// Message of LangChain: in `data` or in `kwargs` of what it serializes. Its class or type is the role.
fn unwrapped(outer: &Fields) -> (&Fields, String) {
    let path = outer.get("id").and_then(Value::as_array).and_then(|path| path.last()).and_then(Value::as_str);
    let kind = path.map_or_else(|| first_text(outer, &["type"]), str::to_owned);
    let word = kind.strip_suffix("MessageChunk").or(kind.strip_suffix("Message")).unwrap_or(&kind).to_lowercase();
    let kind = if word.is_empty() { kind } else { word };
    let has_role = outer.get("role").is_some_and(|role| !role.is_null());
    let data = outer.get("data").and_then(Value::as_object).filter(|_| !has_role);
    (outer.get("kwargs").and_then(Value::as_object).or(data).unwrap_or(outer), kind)
}

fn role_of(fields: &Fields, kind: &str) -> Result<MessageRole> {
    let of_author = fields.get("author").and_then(|author| author.get("role"));
    if let Some(written) = fields.get("role").filter(|role| !role.is_null()).or(of_author) {
        return written
            .as_str()
            .and_then(role_of_word)
            .ok_or_else(|| Error::bad_input("role", format!("expected one of {KNOWN_ROLES}, got {written}")));
    }
    let word = first_text(fields, &["sender", "from", "author", "speaker"]);
    // A person who is named without a role is a user.
    let of_person = if word.is_empty() { None } else { Some(MessageRole::User) };
    let found = role_of_word(&word).or_else(|| role_of_word(kind)).or_else(|| role_of_item(kind)).or(of_person);
    found.ok_or_else(|| Error::bad_input("role", format!("expected one of {KNOWN_ROLES}, got none")))
}

fn name_of(fields: &Fields) -> String {
    let name = first_text(fields, &["name"]);
    if !name.is_empty() {
        return name;
    }
    let author = first_text(fields, &AUTHOR_KEYS);
    if role_of_word(&author).is_some() { String::new() } else { author }
}

fn parts_of(fields: &Fields, kind: &str, role: MessageRole) -> MessageParts {
    if role_of_item(kind).is_some() {
        return MessageParts::of(&Value::Object(fields.clone()));
    }
    let body = first_filled(fields, &BODY_KEYS).map_or(&Value::Null, |key| &fields[key]);
    let call_id = first_text(fields, &["tool_call_id", "toolCallId"]);
    let is_answer = role == MessageRole::Tool && !body.is_null() && (!call_id.is_empty() || body.is_string());
    if is_answer && !items(body).iter().any(is_of_tool) {
        let mut result = fields.clone();
        result.retain(|key, _| key != "text" && key != "callId" && key != "call_id");
        result.insert("content".into(), body.clone());
        result.insert("id".into(), call_id.into());
        let skipped = if body.is_array() { MessageParts::of(body).skipped } else { Vec::new() };
        return MessageParts { blocks: vec![tool_result(&result)], skipped };
    }
    let mut read = MessageParts::of(body);
    read.add(MessageParts::of(fields.get("refusal").unwrap_or(&Value::Null)));
    if let Some(audio) = fields.get("audio").and_then(Value::as_object).filter(|audio| !audio.is_empty()) {
        // An audio answer of OpenAI with its transcript.
        read.add(MessageParts::of(&typed("audio", audio, "data")));
    }
    for files in ["attachments", "files"] {
        for file in list_in(fields.get(files)) {
            read.add(MessageParts::of(&typed("file", file.as_object().unwrap_or(&Fields::new()), "")));
        }
    }
    let beside = tool_calls_beside(fields, &read.blocks);
    read.blocks.extend(beside);
    read
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_of_tool(part: &Value) -> bool {
    let start: String = part.to_string().chars().take(99).collect();
    let start = start.to_lowercase();
    start.contains("tool") || start.contains("function")
}

/// A part with a type where it has none, and without one of its keys.
fn typed(kind: &str, fields: &Fields, without: &str) -> Value {
    let mut part = fields.clone();
    part.remove(without);
    part.entry("type").or_insert_with(|| kind.into());
    Value::Object(part)
}

/// Calls beside the content; those that the content has already are not read twice.
fn tool_calls_beside(fields: &Fields, in_content: &[MessageBlock]) -> Vec<MessageBlock> {
    let is_known = |id: &str| {
        !id.is_empty() && in_content.iter().any(|block| matches!(block, MessageBlock::ToolCall(call) if call.id == id))
    };
    let mut blocks = Vec::new();
    for key in ["tool_calls", "function_call", "toolInvocations"] {
        for call in list_in(fields.get(key)).iter().filter_map(|call| call.as_object()) {
            let block = tool_call(call);
            if !matches!(&block, MessageBlock::ToolCall(call) if is_known(&call.id)) {
                blocks.push(block);
            }
            if call.contains_key("result") {
                blocks.push(tool_result(call));
            }
        }
    }
    blocks
}

fn is_unread(fields: &Fields, key: &str, kind: &str, blocks: &[MessageBlock]) -> bool {
    let is_of_item = role_of_item(kind).is_some() && KEYS_OF_ITEMS.contains(&key);
    if is_empty(&fields[key]) || is_of_item {
        return false;
    }
    if BODY_KEYS.contains(&key) {
        // Of two bodies one is read: the other must say nothing else.
        let said = ConversationMessage::new(MessageRole::User, blocks).text();
        return first_filled(fields, &BODY_KEYS) != Some(key) && !said.contains(&text_of(&fields[key]));
    }
    !OTHER_KEYS.contains(&key) && !AUTHOR_KEYS.contains(&key) && !TIME_KEYS.contains(&key)
}

fn first_filled(fields: &Fields, keys: &[&'static str]) -> Option<&'static str> {
    keys.iter().copied().find(|key| fields.get(*key).is_some_and(|value| !is_empty(value)))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// A list, or one object as a list.
fn list_in(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(list)) => list,
        Some(object @ Value::Object(fields)) if !fields.is_empty() => std::slice::from_ref(object),
        _ => &[],
    }
}
