//! Extraction of memories from conversations.
use super::{Conversations, SequenceRange};
use crate::answer::{all, answer, required};
use crate::client::{Caller, Items};
use crate::names::{conversation_id, namespace_of};
use crate::streams::{Attempt, Runs, StreamOptions, resuming};
use crate::time::{maybe_instant, maybe_millis, span};
use crate::words::ExtractionState;
use crate::{Result, pb};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

answer! {
    /// How far the extraction of a conversation has come.
    pub struct ConversationExtraction(pb::ConversationExtraction as message) {
        /// Id of the conversation.
        pub conversation: String = conversation_id(&message.conversation),
        /// State.
        pub state: ExtractionState = ExtractionState::of(message.state),
        /// Messages that are neither extracted nor failed.
        pub pending_count: i32 = message.pending_count,
        /// Highest sequence number that was extracted since the server started.
        pub last_extracted_sequence: Option<i64> = message.last_extracted_sequence,
        /// Attempts that have failed since the last success.
        pub attempt_count: i32 = message.attempt_count,
        /// Time of the next attempt.
        pub next_attempt_time: Option<Timestamp> = maybe_instant(message.next_attempt_time),
        /// Why the last attempt failed; empty without a failure.
        pub error: String = message.error,
        /// Messages whose extraction failed for good.
        pub failed: Vec<SequenceRange> = all(message.failed),
    }
}

answer! {
    /// Result of a flush.
    pub struct FlushResult(pb::FlushResponse as message) {
        /// Everything that was accepted before the call has been extracted, without failures.
        pub complete: bool = message.complete,
        /// Conversations with pending, extracting or failed messages; at most 1,000.
        pub conversations: Vec<ConversationExtraction> = all(message.conversations),
        /// Messages accepted before the call that are not extracted.
        pub pending_count: i64 = message.pending_count,
        /// Why the namespace is not read at the moment; empty in the normal case.
        pub degraded: String = message.degraded,
    }
}

answer! {
    /// How far extraction has come in a namespace.
    pub struct ExtractionStatus(pb::ExtractionStatus as message) {
        /// The namespace.
        pub namespace: String = namespace_of(&message.namespace),
        /// Extractor in use, such as `rules`.
        pub extractor: String = message.extractor,
        /// Messages that are neither extracted nor failed.
        pub pending_count: i64 = message.pending_count,
        /// Messages whose extraction failed for good.
        pub failed_count: i64 = message.failed_count,
        /// Conversations that are not idle, at most 1,000; or the requested one.
        pub conversations: Vec<ConversationExtraction> = all(message.conversations),
        /// Revision of the change log up to which every message is extracted or failed.
        pub extracted_revision: i64 = message.extracted_revision,
        /// Newest revision of the change log.
        pub revision: i64 = message.revision,
        /// Why the namespace is not read at the moment; empty in the normal case.
        pub degraded: String = message.degraded,
    }
}

/// The watched extractions. By default all conversations of the namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionWatchQuery {
    /// One conversation. Default: all of the namespace.
    pub conversation: Option<String>,
    /// Shortest time between two items, 100 ms to 60 s. Default 1 s.
    #[serde(rename = "interval_ms", with = "maybe_millis")]
    pub interval: Option<Duration>,
}

struct ExtractionRuns {
    caller: Caller,
    request: pb::WatchExtractionRequest,
}

impl Runs for ExtractionRuns {
    type Item = ExtractionStatus;

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<ExtractionStatus>> {
        async_stream::try_stream! {
            attempt.expect_nothing();
            let connection = self.caller.connection.clone();
            let mut messages = connection.read(self.request.clone(), &self.caller.options).await?;
            while let Some(message) = attempt.next(&mut messages).await? {
                yield required(message.status, "status")?;
            }
        }
        .boxed()
    }
}

fn id_or_all(conversation: Option<&str>) -> String {
    conversation.map(conversation_id).unwrap_or_default()
}

impl Conversations {
    /// Starts the extraction of everything that was accepted before the call, of one conversation or of all, and waits for it
    /// until the timeout of the call. Messages that are pending or failed then are in the result, which is no error.
    pub async fn flush(&self, conversation: Option<&str>) -> Result<FlushResult> {
        let request = pb::FlushRequest { parent: self.caller.parent(), conversation: id_or_all(conversation) };
        Ok(self.caller.unary(request).await?.into())
    }

    /// How far extraction has come, of one conversation or of all.
    pub async fn get_extraction_status(&self, conversation: Option<&str>) -> Result<ExtractionStatus> {
        let (parent, conversation) = (self.caller.parent(), id_or_all(conversation));
        let request = pb::GetExtractionStatusRequest { parent, conversation };
        required(self.caller.unary(request).await?.status, "status")
    }

    /// How far extraction has come, and again after every change. A stream that breaks is opened again, and begins with the
    /// status at that time. Dropping it ends it.
    pub fn watch_extraction(&self, query: &ExtractionWatchQuery, options: StreamOptions) -> Items<ExtractionStatus> {
        let request = pb::WatchExtractionRequest {
            parent: self.caller.parent(),
            conversation: id_or_all(query.conversation.as_deref()),
            interval: query.interval.map(span),
        };
        let runs = ExtractionRuns { caller: self.caller.clone(), request };
        resuming(self.caller.connection.clone(), runs, options)
    }

    /// Tries again to extract from conversations whose extraction has failed for good, of one or of all. Gives the number of
    /// messages.
    pub async fn retry_extraction(&self, conversation: Option<&str>) -> Result<i64> {
        let (parent, conversation) = (self.caller.parent(), id_or_all(conversation));
        let request = pb::RetryExtractionRequest { parent, conversation };
        Ok(self.caller.unary(request).await?.retried_count)
    }
}
