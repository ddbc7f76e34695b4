//! Contexts of model calls: memories that answer a query, quoted within a token budget.
use crate::answer::{all, answer};
use crate::memory::{Scope, scope_message};
use crate::pb::{self, build_context_request::Budget};
use crate::recall::Degradation;
use crate::time::stamp;
use crate::words::{ContextFormat, ContextKind, ContextOmissionReason, TrustLevel};
use crate::{Client, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One message of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextMessage {
    /// `user`, `assistant`, `system` or `tool`.
    pub role: String,
    /// Its text.
    pub text: String,
}

/// Limits of the memories of one kind; absent is the default of the kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextKindLimit {
    /// Maximum number of entries, 0 to 1,000.
    pub max_entries: Option<i32>,
    /// Maximum share of the budget, 0 to 1. Default: 0.25 for working memory and procedures, 0.4 for episodes, otherwise 1.
    pub max_share: Option<f64>,
}

/// Which context to build. By default without a query: only working memory goes in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextQuery {
    /// Query in natural language. Default: the text of the last of `messages`.
    pub query: Option<String>,
    /// Last messages of the conversation, oldest first, at most 100. A memory with the text of one of them is omitted.
    pub messages: Vec<ContextMessage>,
    /// Whose memories may go in, with its ancestors. Default: all memories of the namespace.
    pub scope: Option<Scope>,
    /// Id of the session whose working memory goes in. Default: that of `scope`.
    pub session: Option<String>,
    /// Maximum number of tokens, 1 to 100,000. Default: `model_tokens` × `share`, otherwise 1,500.
    pub token_budget: Option<i32>,
    /// Size of the context window of the model in tokens. Used without `token_budget`.
    pub model_tokens: Option<i32>,
    /// Share of `model_tokens` for the context. Default 0.15.
    pub share: Option<f64>,
    /// Limits of single kinds, in place of their defaults.
    pub kind_limits: BTreeMap<ContextKind, ContextKindLimit>,
    /// Default [`ContextFormat::Xml`].
    pub format: Option<ContextFormat>,
    /// Tokenizer that counts: `o200k_base` (the default), `cl100k_base` or `wordpiece`.
    pub tokenizer: Option<String>,
    /// Kinds that may go in. Default: all.
    pub kinds: Vec<ContextKind>,
    /// Time of the question. Default: now.
    pub reference_time: Option<Timestamp>,
    /// Time zone of the user, an IANA name or an offset such as `+09:00`: "yesterday" is a day there. Default: UTC.
    pub time_zone: Option<String>,
    /// Lowest relevance of a memory, 0 to 1. Default: the setting of the namespace (0.07).
    pub min_relevance: Option<f64>,
    /// Appends the context to the last message of the user, in [`BuiltContext::messages`].
    pub fold: bool,
}

impl From<&str> for ContextQuery {
    fn from(query: &str) -> Self {
        Self { query: Some(query.into()), ..Self::default() }
    }
}

answer! {
    /// An entry of a context.
    pub struct ContextEntry(pb::ContextEntry as message) {
        /// Resource name of the memory, or of the session for working memory.
        pub name: String = message.name,
        /// Kind of the memory.
        pub kind: ContextKind = ContextKind::of(message.kind),
        /// Relevance to the query, 0 to 1; 1 for working memory.
        pub relevance: f64 = message.relevance,
        /// Number of tokens of the entry.
        pub tokens: i32 = message.tokens,
        /// Why it went in, in a sentence.
        pub reason: String = message.reason,
        /// Trust in the source of the memory.
        pub trust: TrustLevel = TrustLevel::of(message.trust),
        /// Part of the working memory, such as `task`; empty for memories.
        pub part: String = message.part,
    }
}

answer! {
    /// A memory that was found and did not go in.
    pub struct ContextOmission(pb::ContextOmission as message) {
        /// Resource name of the memory, or of the session for working memory.
        pub name: String = message.name,
        /// Why it did not go in.
        pub reason: ContextOmissionReason = ContextOmissionReason::of(message.reason),
        /// Resource name of the memory that says the same; empty without one.
        pub duplicate_of: String = message.duplicate_of,
        /// Part of the working memory, such as `task`; empty for memories.
        pub part: String = message.part,
    }
}

answer! {
    /// Text for the context window of a model, and its sources.
    pub struct BuiltContext(pb::BuildContextResponse as message) {
        /// Empty when nothing went in.
        pub text: String = message.text,
        /// With `fold` the messages of the query, with the context in the last user message; otherwise one message of the role `user`,
        /// or none when nothing went in.
        pub messages: Vec<ContextMessage> = all(message.messages),
        /// In the order of the text.
        pub entries: Vec<ContextEntry> = all(message.entries),
        /// Memories that were found and did not go in, best first, at most 100.
        pub omitted: Vec<ContextOmission> = all(message.omitted),
        /// Number of all memories that were found and did not go in.
        pub omitted_total: i32 = message.omitted_total,
        /// Number of tokens of the context; at most `budget`.
        pub tokens: i32 = message.tokens,
        /// Budget in tokens that applied.
        pub budget: i32 = message.budget,
        /// Tokenizer that counted.
        pub tokenizer: String = message.tokenizer,
        /// Parts that failed, were late or worked only partly.
        pub degraded: Vec<Degradation> = all(message.degraded),
        /// Whether every part was read in full.
        pub complete: bool = message.complete,
        /// The searched text; empty without a query.
        pub query: String = message.query,
        /// Revision that the memories reflect; 0 when no memory was searched.
        pub revision: i64 = message.revision,
    }
}

impl From<pb::ContextMessage> for ContextMessage {
    fn from(message: pb::ContextMessage) -> Self {
        Self { role: message.role, text: message.text }
    }
}

impl ContextQuery {
    fn budget(&self) -> Option<Budget> {
        let window = |model_tokens| Budget::Window(pb::ContextWindow { model_tokens, share: self.share });
        self.token_budget.map(Budget::TokenBudget).or_else(|| self.model_tokens.map(window))
    }
}

impl Client {
    /// Text for the context window of a model: the working memory of a session and the memories that answer a query, quoted as
    /// data, within a budget of tokens. A part that fails or is late is named in `degraded` and is no error.
    ///
    /// ```no_run
    /// # use mneme_client::{Client, ContextQuery};
    /// # async fn example(client: Client) -> mneme_client::Result<()> {
    /// let query = ContextQuery { token_budget: Some(500), ..ContextQuery::from("Where does the user live?") };
    /// println!("{}", client.build_context(query).await?.text);
    /// # Ok(()) }
    /// ```
    pub async fn build_context(&self, query: impl Into<ContextQuery>) -> Result<BuiltContext> {
        let query = query.into();
        let limit = |(kind, limit): (ContextKind, ContextKindLimit)| pb::ContextKindLimit {
            kind: kind.code(),
            max_entries: limit.max_entries,
            max_share: limit.max_share,
        };
        let request = pb::BuildContextRequest {
            parent: self.caller.parent(),
            scope: scope_message(query.scope.as_ref()),
            budget: query.budget(),
            query: query.query.unwrap_or_default(),
            messages: query
                .messages
                .into_iter()
                .map(|ContextMessage { role, text }| pb::ContextMessage { role, text })
                .collect(),
            session: query.session.unwrap_or_default(),
            kind_limits: query.kind_limits.into_iter().map(limit).collect(),
            format: query.format.map_or(0, ContextFormat::code),
            tokenizer: query.tokenizer.unwrap_or_default(),
            kinds: query.kinds.into_iter().map(ContextKind::code).collect(),
            reference_time: query.reference_time.map(stamp),
            time_zone: query.time_zone.unwrap_or_default(),
            min_relevance: query.min_relevance,
            fold: query.fold,
            min_revision: 0,
        };
        Ok(self.caller.unary(request).await?.into())
    }
}
