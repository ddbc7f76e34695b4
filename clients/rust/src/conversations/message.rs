//! Messages of conversations.
use crate::answer::given;
use crate::content::Content;
use crate::names::id_of;
use crate::pb::{self, message_block::Block};
use crate::time::{maybe_instant, stamp};
use crate::words::MessageRole;
use crate::{Error, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ConversationMessage {
    /// Place in the conversation, 0 to 2^53 - 1. Default: one more than the highest that the conversation has. All messages of
    /// a call have one, or none has.
    #[serde(default)]
    pub sequence: Option<i64>,
    /// Author.
    pub role: MessageRole,
    /// Name of the author, such as `Caroline`, at most 128 bytes; empty: none.
    #[serde(default)]
    pub name: String,
    /// Parts in order, 1 to 64. [`MessageFrom`](crate::MessageFrom) reads messages of other programs.
    #[serde(default)]
    pub blocks: Vec<MessageBlock>,
    /// When it was said. Default: when it is stored.
    #[serde(default)]
    pub event_time: Option<Timestamp>,
    /// Id of the memory that stores it. Of answers; ignored in requests.
    #[serde(default)]
    pub memory_id: Option<String>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageBlock {
    /// Text in natural language. All texts of a message have at most 1,048,576 bytes.
    Text(String),
    /// Call of a tool by the agent.
    ToolCall(ToolCall),
    /// Answer of a tool.
    ToolResult(ToolResult),
    /// Any other content, such as an image.
    Data(Content),
}

/// Call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolCall {
    /// Id of the call, which the result refers to; at most 128 bytes.
    pub id: String,
    /// Name of the tool; 1 to 128 bytes.
    pub name: String,
    /// Arguments as JSON text; empty: none.
    pub arguments_json: String,
}

/// Answer of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolResult {
    /// Id of the call that it answers; at most 128 bytes.
    pub call_id: String,
    /// Output of the tool.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl ConversationMessage {
    /// A message of these blocks.
    #[must_use]
    pub fn new(role: MessageRole, blocks: impl Into<Vec<MessageBlock>>) -> Self {
        let blocks = blocks.into();
        Self { sequence: None, role, name: String::new(), blocks, event_time: None, memory_id: None }
    }

    /// A message of the user with one block of text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(MessageRole::User, [MessageBlock::Text(text.into())])
    }

    /// A message of the agent with one block of text.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(MessageRole::Assistant, [MessageBlock::Text(text.into())])
    }

    /// The same at this place.
    #[must_use]
    pub fn sequence(mut self, sequence: i64) -> Self {
        self.sequence = Some(sequence);
        self
    }

    /// The same with this name of the author.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same, said at this time.
    #[must_use]
    pub fn event_time(mut self, time: Timestamp) -> Self {
        self.event_time = Some(time);
        self
    }

    /// The text blocks, joined by an empty line.
    pub fn text(&self) -> String {
        let text = |block: &MessageBlock| if let MessageBlock::Text(text) = block { Some(text.clone()) } else { None };
        self.blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n\n")
    }

    pub(crate) fn message(self) -> Result<pb::ConversationMessage> {
        if self.blocks.iter().all(|block| matches!(block, MessageBlock::Text(text) if text.is_empty())) {
            let description = "a message has no text, tool call, tool result or data: leave it out";
            return Err(Error::bad_input("messages", description));
        }
        Ok(pb::ConversationMessage {
            sequence: self.sequence,
            role: self.role.code(),
            name: self.name,
            blocks: self.blocks.into_iter().map(MessageBlock::message).collect(),
            event_time: self.event_time.map(stamp),
            memory: String::new(),
        })
    }
}

impl From<pb::ConversationMessage> for ConversationMessage {
    fn from(message: pb::ConversationMessage) -> Self {
        Self {
            sequence: message.sequence,
            role: MessageRole::of(message.role),
            name: message.name,
            blocks: message.blocks.into_iter().map(MessageBlock::of).collect(),
            event_time: maybe_instant(message.event_time),
            memory_id: given(id_of(&message.memory)),
        }
    }
}

impl MessageBlock {
    fn message(self) -> pb::MessageBlock {
        let block = match self {
            Self::Text(text) => Block::Text(text),
            Self::ToolCall(ToolCall { id, name, arguments_json }) => {
                Block::ToolCall(pb::ToolCall { id, name, arguments_json })
            }
            Self::ToolResult(ToolResult { call_id, text, is_error }) => {
                Block::ToolResult(pb::ToolResult { call_id, text, is_error })
            }
            Self::Data(content) => Block::Data(content.message()),
        };
        pb::MessageBlock { block: Some(block) }
    }

    fn of(message: pb::MessageBlock) -> Self {
        match message.block {
            Some(Block::ToolCall(pb::ToolCall { id, name, arguments_json })) => {
                Self::ToolCall(ToolCall { id, name, arguments_json })
            }
            Some(Block::ToolResult(pb::ToolResult { call_id, text, is_error })) => {
                Self::ToolResult(ToolResult { call_id, text, is_error })
            }
            Some(Block::Data(content)) => Self::Data(content.into()),
            Some(Block::Text(text)) => Self::Text(text),
            None => Self::Text(String::new()),
        }
    }
}
