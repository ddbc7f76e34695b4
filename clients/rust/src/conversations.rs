//! Conversations: durable intake of messages.
use crate::answer::{all, answer, required};
use crate::client::{Caller, Items, Page};
use crate::memory::{Scope, scope_message};
use crate::names::{conversation_name, id_of, ids_of};
use crate::{Client, Result, pb};
use serde::{Deserialize, Serialize};

mod extraction;
mod extractor;
mod from_json;
mod message;
mod parts;
mod times;

pub use extraction::*;
pub use extractor::*;
pub use from_json::MessageFrom;
pub use message::*;

const PAGE_SIZE: i32 = 200;

answer! {
    /// Consecutive sequence numbers, both ends included.
    pub struct SequenceRange(pb::SequenceRange as message) {
        /// The first one.
        pub first: i64 = message.first,
        /// The last one.
        pub last: i64 = message.last,
    }
}

answer! {
    /// Result of appending one message.
    pub struct AppendedMessage(pb::AppendedMessage as message) {
        /// Place in the conversation.
        pub sequence: i64 = message.sequence,
        /// Id of the memory that stores it.
        pub memory_id: String = id_of(&message.memory),
        /// The same message was stored before; nothing was changed.
        pub already_stored: bool = message.already_stored,
    }
}

answer! {
    /// Result of appending messages.
    pub struct AppendResult(pb::AppendMessagesResponse as message) {
        /// In the order of the call.
        pub messages: Vec<AppendedMessage> = all(message.messages),
        /// Sequence numbers that the call left out; at most 1,000.
        pub gaps: Vec<SequenceRange> = all(message.gaps),
        /// Revision of the change log.
        pub revision: i64 = message.revision,
    }
}

answer! {
    /// Result of a replacement.
    pub struct SuffixResult(pb::ReplaceSuffixResponse as message) {
        /// Messages that were removed or replaced.
        pub replaced_count: i32 = message.replaced_count,
        /// Highest sequence number of the new messages.
        pub last_sequence: Option<i64> = message.last_sequence,
        /// Revision of the change log.
        pub revision: i64 = message.revision,
    }
}

answer! {
    /// Result of a removal.
    pub struct ClearedMessages(pb::ClearMessagesResponse as message) {
        /// Number of messages.
        pub cleared_count: i64 = message.cleared_count,
        /// Revision of the change log.
        pub revision: i64 = message.revision,
    }
}

/// How messages are appended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AppendOptions {
    /// Owner of the messages: project, agent type and agent. The session must be absent.
    pub scope: Option<Scope>,
    /// Starts extraction right after the answer, independent of the namespace's triggers.
    pub end_of_invocation: bool,
}

/// Which messages are listed. By default all, from the first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListMessagesQuery {
    /// First sequence number to list.
    pub from_sequence: i64,
    /// The highest sequence numbers first.
    pub descending: bool,
    /// Maximum number of messages that are read at a time, 1 to 1,000. Default 200.
    pub page_size: Option<i32>,
}

/// Which messages are replaced, and by which.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SuffixQuery {
    /// Sequence number of the first message to replace. Default 0: the whole conversation.
    pub first_sequence: i64,
    /// Number of messages that the conversation must have from there on: `Aborted` when it has not.
    pub expected_count: i32,
    /// Messages that take their place, without sequence numbers, at most 1,000. Default: none, which removes the suffix.
    pub messages: Vec<ConversationMessage>,
    /// Owner of the messages. The session must be absent.
    pub scope: Option<Scope>,
}

/// ConversationService: stores conversations message by message, and reports the extraction from them. A conversation is
/// named by its id or its full resource name. It needs no creation: it exists while it has messages.
///
/// A message is stored whole, as a memory of the type `message`, before a call is answered. Extraction runs after that, on the
/// server.
#[derive(Debug, Clone)]
pub struct Conversations {
    caller: Caller,
}

impl Client {
    /// Conversations, and the extraction of memories from them.
    pub fn conversations(&self) -> Conversations {
        Conversations { caller: self.caller.clone() }
    }
}

impl Conversations {
    fn name(&self, conversation: &str) -> String {
        conversation_name(&self.caller.namespace, conversation)
    }

    /// Appends 1 to 1,000 messages, all of them or none, and resolves when they are durable. The namespace is created on first
    /// use. A message that is stored already under its sequence number is not stored again; `AlreadyExists` when a different
    /// one has that number.
    ///
    /// ```no_run
    /// # use mneme_client::{Client, ConversationMessage};
    /// # async fn example(client: Client) -> mneme_client::Result<()> {
    /// let said = [ConversationMessage::user("I moved to Bern in May."), ConversationMessage::assistant("Noted.")];
    /// client.conversations().append("monday", said, Default::default()).await?;
    /// # Ok(()) }
    /// ```
    pub async fn append(
        &self,
        conversation: &str,
        messages: impl IntoIterator<Item = ConversationMessage>,
        options: AppendOptions,
    ) -> Result<AppendResult> {
        let request = pb::AppendMessagesRequest {
            conversation: self.name(conversation),
            messages: messages.into_iter().map(ConversationMessage::message).collect::<Result<_>>()?,
            scope: scope_message(options.scope.as_ref()),
            end_of_invocation: options.end_of_invocation,
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Messages by sequence number, page by page as they are asked for. Fails with `DataLoss` after all the others where some
    /// cannot be read.
    pub fn list(&self, conversation: &str, query: &ListMessagesQuery) -> Items<ConversationMessage> {
        let request = pb::ListMessagesRequest {
            conversation: self.name(conversation),
            from_sequence: query.from_sequence,
            descending: query.descending,
            page_size: query.page_size.unwrap_or(PAGE_SIZE),
            page_token: String::new(),
            min_revision: 0,
        };
        self.caller.pages("messages", Ok(request), |answer| {
            Ok(Page {
                items: all(answer.messages),
                damaged_ids: ids_of(&answer.damaged),
                next_page_token: answer.next_page_token,
            })
        })
    }

    /// Removes the message with the highest sequence number and gives it. `Aborted` when that is not `expected_sequence`,
    /// `NotFound` when the conversation has none.
    pub async fn pop(&self, conversation: &str, expected_sequence: Option<i64>) -> Result<ConversationMessage> {
        let conversation = self.name(conversation);
        let request = pb::PopMessageRequest { conversation, expected_sequence, request_id: String::new() };
        required(self.caller.unary(request).await?.message, "message")
    }

    /// Replaces the messages from a sequence number on, for example after the user has edited a turn. A call that was cut off
    /// is completed by a repetition with the same [`CallOptions::request_id`](crate::CallOptions::request_id).
    pub async fn replace_suffix(&self, conversation: &str, query: SuffixQuery) -> Result<SuffixResult> {
        let request = pb::ReplaceSuffixRequest {
            conversation: self.name(conversation),
            first_sequence: query.first_sequence,
            expected_count: query.expected_count,
            messages: query.messages.into_iter().map(ConversationMessage::message).collect::<Result<_>>()?,
            scope: scope_message(query.scope.as_ref()),
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Removes all messages. Memories that were extracted from them stay.
    pub async fn clear(&self, conversation: &str) -> Result<ClearedMessages> {
        let conversation = self.name(conversation);
        let request = pb::ClearMessagesRequest { conversation, request_id: String::new() };
        Ok(self.caller.unary(request).await?.into())
    }
}
