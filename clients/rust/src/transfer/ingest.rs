//! Ingestion: memories stored as they come.
use super::Source;
use crate::client::{Caller, Items};
use crate::memories::WriteReceipt;
use crate::memory::NewMemory;
use crate::pb::{ingest_memories_request::Message as Outgoing, ingest_memories_response::Message as Answer};
use crate::streams::{Attempt, Runs, Sender, StreamOptions, resuming};
use crate::words::ConflictPolicy;
use crate::{Client, Error, Family, Result, pb};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use prost::Message as _;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tonic::Code;

/// Batches that may be on the way without an acknowledgement: enough to keep the server busy.
const UNACKNOWLEDGED_MAX: usize = 16;

/// How memories are ingested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IngestOptions {
    /// Handling of a memory whose id exists. Default [`ConflictPolicy::Keep`].
    pub conflict_policy: Option<ConflictPolicy>,
    /// Names the stream. To go on in another process after a crash, give the same name, the `acknowledged_sequence` of the
    /// last progress, and the memories behind it. Default: a new UUID.
    pub stream_id: Option<String>,
    /// Number of the last memory that is settled already.
    pub acknowledged_sequence: i64,
    /// Also reports the receipts of stored memories.
    pub receipts: bool,
}

/// A memory that was refused.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Refused {
    /// Its number.
    pub sequence: i64,
    /// Why.
    pub error: Error,
}

/// A memory that was stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct IngestReceipt {
    /// Its number.
    pub sequence: i64,
    /// The receipt.
    #[serde(flatten)]
    pub receipt: WriteReceipt,
}

/// How far an ingestion is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct IngestProgress {
    /// Number of the last memory that is settled: on disk, or refused. The first memory has the number 1.
    pub acknowledged_sequence: i64,
    /// Memories that were stored.
    pub stored_count: i64,
    /// Memories whose id existed and was kept, or that were stored before an interruption.
    pub existing_count: i64,
    /// Memories that were refused.
    pub refused_count: i64,
    /// Memories refused since the previous progress, and why.
    pub refused: Vec<Refused>,
    /// Memories stored since the previous progress, when `receipts` is set.
    pub receipts: Vec<IngestReceipt>,
    /// Newest revision of this stream.
    pub revision: i64,
}

impl Client {
    /// Stores memories as they arrive, read no faster than the server stores them, and reports durable ones. A broken
    /// stream is resumed: nothing is lost and nothing is stored twice. It begins when it is read first, and is done
    /// when everything is acknowledged: read it to its end. [`Client::close`] waits for it, no longer than a call may
    /// take.
    pub fn ingest(
        &self,
        memories: impl Stream<Item = NewMemory> + Send + 'static,
        options: IngestOptions,
        stream: StreamOptions,
    ) -> Items<IngestProgress> {
        let runs = IngestRuns {
            caller: self.caller.clone(),
            source: Source { stream: memories.fuse().boxed(), waiting: None },
            is_read: false,
            unacknowledged: VecDeque::new(),
            next_sequence: options.acknowledged_sequence + 1,
            stream_id: options.stream_id.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
            acknowledged: options.acknowledged_sequence,
            revision: 0,
            total: (0, 0, 0),
            options,
        };
        let connection = self.caller.connection.clone();
        let (sender, mut progress) = mpsc::channel(UNACKNOWLEDGED_MAX);
        let work = async move {
            let mut items = resuming(connection.clone(), runs, stream);
            let telling = async {
                while let Some(item) = items.next().await
                    && sender.send(item).await.is_ok()
                {}
            };
            if let Err(error) = connection.let_finish(Family::Store, telling).await {
                let _ = sender.send(Err(error)).await;
            }
        };
        Box::pin(async_stream::stream! {
            // It goes on sending while its reader does something else, and ends when it is dropped.
            let _working = AbortOnDrop(tokio::spawn(work));
            while let Some(item) = progress.recv().await {
                yield item;
            }
        })
    }
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct IngestRuns {
    caller: Caller,
    source: Source<NewMemory>,
    is_read: bool,
    unacknowledged: VecDeque<pb::IngestBatch>,
    next_sequence: i64,
    stream_id: String,
    acknowledged: i64,
    revision: i64,
    /// Stored, existing and refused ones of the streams before this one.
    total: (i64, i64, i64),
    options: IngestOptions,
}

fn outgoing(message: Outgoing) -> pb::IngestMemoriesRequest {
    pb::IngestMemoriesRequest { message: Some(message) }
}

impl IngestRuns {
    fn is_done(&self) -> bool {
        self.is_read && self.unacknowledged.is_empty()
    }

    async fn read_batch(&mut self) -> Result<Option<pb::IngestBatch>> {
        let namespace = self.caller.namespace.clone();
        let made = |memory: NewMemory| {
            let message = memory.message(&namespace)?;
            Ok(pb::IngestItem { memory: Some(message), memory_id: memory.id.unwrap_or_default() })
        };
        let items = self.source.batch(made, |item: &pb::IngestItem| item.encoded_len()).await?;
        if items.is_empty() {
            self.is_read = true;
            return Ok(None);
        }
        let batch = pb::IngestBatch { first_sequence: self.next_sequence, items };
        self.next_sequence += i64::try_from(batch.items.len()).unwrap_or_default();
        self.unacknowledged.push_back(batch.clone());
        Ok(Some(batch))
    }

    fn progress(&mut self, message: pb::IngestAcknowledgement, before: (i64, i64, i64)) -> IngestProgress {
        self.revision = self.revision.max(self.caller.connection.seen(message.revision));
        self.acknowledged = message.acknowledged_sequence;
        let last =
            |batch: &pb::IngestBatch| batch.first_sequence + i64::try_from(batch.items.len()).unwrap_or_default() - 1;
        while self.unacknowledged.front().is_some_and(|batch| last(batch) <= self.acknowledged) {
            self.unacknowledged.pop_front();
        }
        self.total =
            (before.0 + message.stored_count, before.1 + message.existing_count, before.2 + message.refused_count);
        let (mut refused, mut receipts) = (Vec::new(), Vec::new());
        for result in message.results {
            let sequence = result.sequence;
            match result.outcome {
                Some(pb::ingest_result::Outcome::Error(status)) => {
                    refused.push(Refused { sequence, error: Error::of_message(Some(&status), Family::Store) });
                }
                Some(pb::ingest_result::Outcome::Memory(memory)) => {
                    let receipt = WriteReceipt::from(memory).at(self.revision);
                    receipts.push(IngestReceipt { sequence, receipt });
                }
                None => {}
            }
        }
        IngestProgress {
            acknowledged_sequence: self.acknowledged,
            stored_count: self.total.0,
            existing_count: self.total.1,
            refused_count: self.total.2,
            refused,
            receipts,
            revision: self.revision,
        }
    }
}

impl Runs for IngestRuns {
    type Item = IngestProgress;
    const IS_ENDLESS: bool = false;

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<IngestProgress>> {
        async_stream::try_stream! {
            if self.unacknowledged.is_empty() && !self.is_read {
                self.read_batch().await?;
            }
            if self.is_done() {
                return;
            }
            let connection = self.caller.connection.clone();
            let sign = outgoing(Outgoing::Heartbeat(pb::StreamHeartbeat {}));
            let (sender, requests) = Sender::new(connection.settings.heartbeat, Some(sign));
            let mut sender = Some(sender);
            let start = pb::IngestStart {
                parent: self.caller.parent(),
                stream_id: self.stream_id.clone(),
                acknowledged_sequence: self.acknowledged,
                conflict_policy: self.options.conflict_policy.unwrap_or(ConflictPolicy::Keep).code(),
                refusals_only: !self.options.receipts,
            };
            if let Some(sender) = &sender {
                sender.send(outgoing(Outgoing::Start(start))).await;
            }
            let mut messages = connection.duplex(requests, &self.caller.options).await?;
            let before = self.total;
            let mut unsent = self.unacknowledged.clone();
            loop {
                while let (Some(sending), Some(batch)) = (&sender, unsent.pop_front()) {
                    if !sending.send(outgoing(Outgoing::Batch(batch))).await {
                        // The stream says below why it has ended.
                        sender = None;
                    }
                }
                if self.is_read {
                    sender = None;
                }
                let may_read = !self.is_read && sender.is_some() && self.unacknowledged.len() < UNACKNOWLEDGED_MAX;
                let (message, batch) = tokio::select! {
                    message = attempt.next(&mut messages) => (Some(message), Ok(None)),
                    batch = self.read_batch(), if may_read => (None, batch),
                };
                unsent.extend(batch?);
                let Some(message) = message.transpose()? else { continue };
                let Some(message) = message else { break };
                match message.message {
                    Some(Answer::Started(started)) => attempt.expect_every(started.heartbeat_interval),
                    Some(Answer::Acknowledgement(acknowledgement)) => {
                        let progress = self.progress(acknowledgement, before);
                        yield progress;
                        if self.is_done() {
                            return;
                        }
                    }
                    _ => {}
                }
            }
            if !self.is_done() {
                Err(Error::new(Code::Unavailable, "the stream ended before everything was acknowledged"))?;
            }
        }
        .boxed()
    }
}
