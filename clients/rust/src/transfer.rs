//! Memories by the stream: export, import and ingestion.
use crate::answer::all;
use crate::client::{Caller, Items};
use crate::filter::{Filter, filter_fields};
use crate::memories::{WriteDegradation, WriteReceipt};
use crate::memory::{ImportedMemory, Memory, NewMemory};
use crate::names::ids_of;
use crate::pb::{ingest_memories_request::Message as Outgoing, ingest_memories_response::Message as Answer};
use crate::streams::{Attempt, Backoff, Runs, Sender, StreamOptions, resuming};
use crate::words::ConflictPolicy;
use crate::{Client, Error, Family, Result, Violation, pb};
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, Stream, StreamExt};
use prost::Message as _;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tonic::Code;

const BATCH_COUNT_MAX: usize = 256;
const BATCH_BYTES_MAX: usize = 1024 * 1024;
/// Batches that may be on the way without an acknowledgement: enough to keep the server busy.
const INGEST_UNACKNOWLEDGED_MAX: usize = 16;
const IMPORT_UNACKNOWLEDGED_MAX: usize = 4;
/// Streams in a row that broke without a single acknowledgement.
const IMPORT_FAILURES_MAX: u32 = 4;

/// What a source has at the moment: a quick one gives large batches, of a slow one each memory is given on as soon as it
/// comes. Empty when it has ended.
struct Source<T> {
    stream: BoxStream<'static, T>,
    waiting: Option<T>,
}

impl<T> Source<T> {
    async fn batch<M>(&mut self, made: impl Fn(T) -> Result<M>, size: impl Fn(&M) -> usize) -> Result<Vec<M>> {
        // Nothing is awaited once an item was taken, so that nothing is lost when the wait is given up.
        let mut next = match self.waiting.take() {
            Some(item) => Some(item),
            None => self.stream.next().await,
        };
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while let Some(item) = next {
            let message = made(item)?;
            bytes += size(&message);
            batch.push(message);
            if batch.len() >= BATCH_COUNT_MAX || bytes >= BATCH_BYTES_MAX {
                break;
            }
            next = self.stream.next().now_or_never().flatten();
        }
        Ok(batch)
    }
}

/// How memories are ingested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IngestOptions {
    /// What to do with a memory whose id is taken. Default [`ConflictPolicy::Keep`].
    pub conflict_policy: Option<ConflictPolicy>,
    /// Names the stream. To go on in another process after a crash, give the same name, the `acknowledged_sequence` of the
    /// last progress, and the memories behind it. Default: a new UUID.
    pub stream_id: Option<String>,
    /// Number of the last memory that is settled already.
    pub acknowledged_sequence: i64,
    /// Also tells the receipts of what was stored.
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
    /// Memories whose id was taken and kept, or that a broken connection had stored.
    pub existing_count: i64,
    /// Memories that were refused.
    pub refused_count: i64,
    /// Those refused since the progress before, and why.
    pub refused: Vec<Refused>,
    /// Those stored since the progress before, when `receipts` is set.
    pub receipts: Vec<IngestReceipt>,
    /// Tiers that could not take some of those stored since the progress before; empty when all is as usual.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<WriteDegradation>,
    /// Newest revision of this stream.
    pub revision: i64,
}

impl Client {
    /// Every memory of the namespace that the filter admits with its vector, in the order in which they were stored. No
    /// deadline but that of the call's options; the server waits while the reader is slow. Fails with `DataLoss` after all
    /// the others where some cannot be read.
    pub fn export_memories(&self, filter: Option<&Filter>) -> Items<Memory> {
        let caller = self.caller.clone();
        let fields = filter_fields(filter);
        Box::pin(async_stream::try_stream! {
            let (filter, filter_text) = fields?;
            let request = pb::ExportMemoriesRequest { parent: caller.parent(), filter, filter_text };
            let mut damaged = Vec::new();
            let mut messages = caller.connection.read(request, &caller.options).await?;
            while let Some(message) = messages.next().await? {
                damaged.extend(ids_of(&message.damaged));
                for memory in message.memories {
                    yield memory.into();
                }
            }
            if !damaged.is_empty() {
                Err(Error::damaged(&damaged, "memories"))?;
            }
        })
    }

    /// Stores memories as they come, read no faster than the server stores them, and tells what is on disk. A stream that
    /// breaks is resumed: nothing is lost and nothing is stored twice. It begins when it is read first, and is done when
    /// everything is acknowledged: read it to its end. [`Client::close`] waits for it, no longer than a call may take.
    pub fn ingest(
        &self,
        memories: impl Stream<Item = NewMemory> + Send + 'static,
        options: IngestOptions,
        stream: StreamOptions,
    ) -> Items<IngestProgress> {
        let runs = IngestRuns {
            caller: self.caller.clone(),
            source: Source { stream: memories.boxed(), waiting: None },
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
        let (told, mut progress) = mpsc::channel(INGEST_UNACKNOWLEDGED_MAX);
        let work = async move {
            let mut items = resuming(connection.clone(), runs, stream);
            let telling = async {
                while let Some(item) = items.next().await
                    && told.send(item).await.is_ok()
                {}
            };
            if let Err(error) = connection.let_finish(Family::Store, telling).await {
                let _ = told.send(Err(error)).await;
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
                    let receipt = WriteReceipt::from(memory).at(self.revision, Vec::new());
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
            degraded: all(message.degraded),
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
                let may_read = !self.is_read && sender.is_some() && self.unacknowledged.len() < INGEST_UNACKNOWLEDGED_MAX;
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

type OnRefused = Arc<dyn Fn(&ImportedMemory, &Error) + Send + Sync>;
type OnProgress = Arc<dyn Fn(&ImportResult) + Send + Sync>;

/// How memories are imported.
#[derive(Clone, Default)]
pub struct ImportOptions {
    /// What to do with a memory that is there already. Default [`ConflictPolicy::Keep`].
    pub conflict_policy: Option<ConflictPolicy>,
    /// Told after each acknowledgement of the server.
    pub on_progress: Option<OnProgress>,
    /// Told of each memory that cannot be stored, such as one whose text is too long; the others are stored. Without it the
    /// first one ends the import with its error.
    pub on_refused: Option<OnRefused>,
}

impl fmt::Debug for ImportOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportOptions").field("conflict_policy", &self.conflict_policy).finish_non_exhaustive()
    }
}

/// What was imported.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ImportResult {
    /// Memories that were stored.
    pub stored_count: i64,
    /// Memories that were there already. What was sent twice because the connection broke may count here too.
    pub skipped_count: i64,
    /// Revision after it.
    pub revision: i64,
    /// Tiers that could not take the latest memories; empty when all is as usual.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<WriteDegradation>,
}

/// A memory with its message: what is refused is told as it was given.
type Given = (ImportedMemory, pb::Memory);

struct Import {
    caller: Caller,
    source: Source<ImportedMemory>,
    is_read: bool,
    unacknowledged: VecDeque<Vec<Given>>,
    total: ImportResult,
    options: ImportOptions,
    failures: u32,
}

impl Client {
    /// Stores memories as they are, with their ids, times and counts, reading them no faster than the server stores them.
    /// When the connection breaks it goes on after the last acknowledged message, unless the policy is
    /// [`ConflictPolicy::Fail`]. After an error, what was acknowledged stays stored; importing the same memories again under
    /// the same ids changes nothing.
    pub async fn import_memories(
        &self,
        memories: impl Stream<Item = ImportedMemory> + Send + 'static,
        options: ImportOptions,
    ) -> Result<ImportResult> {
        let mut import = Import {
            caller: self.caller.clone(),
            source: Source { stream: memories.boxed(), waiting: None },
            is_read: false,
            unacknowledged: VecDeque::new(),
            total: ImportResult::default(),
            options,
            failures: 0,
        };
        let mut backoff = Backoff::default();
        loop {
            if import.unacknowledged.is_empty() && !import.is_read {
                import.read_batch().await?;
            }
            if import.is_done() {
                return Ok(import.total);
            }
            let Err(error) = import.send_over_one_stream().await else { continue };
            if import.without_refused(&error) {
                continue;
            }
            import.failures += 1;
            let may_resume = self.caller.connection.retries()
                && import.options.conflict_policy != Some(ConflictPolicy::Fail)
                && import.failures <= IMPORT_FAILURES_MAX;
            if !may_resume || !error.is_broken() {
                return Err(error);
            }
            backoff.wait(Some(Duration::from_millis(100))).await;
        }
    }
}

impl Import {
    fn is_done(&self) -> bool {
        self.is_read && self.unacknowledged.is_empty()
    }

    /// Each memory gets its id here at the latest, so that a message can be sent again without storing anything twice.
    async fn read_batch(&mut self) -> Result<bool> {
        let namespace = self.caller.namespace.clone();
        let made = |memory: ImportedMemory| {
            let id = memory.memory.id.clone().unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
            let message = memory.message(&namespace, &id)?;
            Ok((memory, message))
        };
        let batch = self.source.batch(made, |(_, message): &Given| message.encoded_len()).await?;
        self.is_read = batch.is_empty();
        if !self.is_read {
            self.unacknowledged.push_back(batch);
        }
        Ok(!self.is_read)
    }

    fn request(&self, batch: &[Given]) -> pb::ImportMemoriesRequest {
        pb::ImportMemoriesRequest {
            parent: self.caller.parent(),
            memories: batch.iter().map(|(_, message)| message.clone()).collect(),
            conflict_policy: self.options.conflict_policy.unwrap_or(ConflictPolicy::Keep).code(),
        }
    }

    async fn send_over_one_stream(&mut self) -> Result<()> {
        let connection = self.caller.connection.clone();
        let (sender, requests) = Sender::new(connection.settings.heartbeat, None);
        let mut sender = Some(sender);
        // The server may answer nothing before the first message; no more are unacknowledged than wait to be taken.
        let mut sent = self.unacknowledged.len();
        let first: Vec<_> = self.unacknowledged.iter().map(|batch| self.request(batch)).collect();
        let feeding = async {
            for request in first {
                if let Some(sender) = &sender {
                    sender.send(request).await;
                }
            }
        };
        let (messages, ()) = tokio::join!(connection.duplex(requests, &self.caller.options), async {
            // What does not fit is sent while the stream opens; one that cannot be opened takes nothing.
            let _ = tokio::time::timeout(connection.settings.timeout, feeding).await;
        });
        let mut messages = messages?;
        let (stored, skipped) = (self.total.stored_count, self.total.skipped_count);
        let mut acknowledged = 0;
        loop {
            while let (Some(sending), true) = (&sender, sent < self.unacknowledged.len()) {
                let request = self.request(&self.unacknowledged[sent]);
                sent += 1;
                if !sending.send(request).await {
                    sender = None;
                }
            }
            if self.is_read {
                sender = None;
            }
            let may_read = !self.is_read && sender.is_some() && self.unacknowledged.len() < IMPORT_UNACKNOWLEDGED_MAX;
            let message = tokio::select! {
                message = messages.next() => Some(message?),
                batch = self.read_batch(), if may_read => {
                    batch?;
                    None
                }
            };
            let Some(message) = message else { continue };
            let Some(message) = message else { break };
            self.failures = 0;
            for _ in acknowledged..message.acknowledged_count {
                self.unacknowledged.pop_front();
                sent = sent.saturating_sub(1);
            }
            acknowledged = message.acknowledged_count;
            self.total.stored_count = stored + message.stored_count;
            self.total.skipped_count = skipped + message.skipped_count;
            self.total.revision = connection.seen(message.revision);
            if !message.degraded.is_empty() {
                self.total.degraded = all(message.degraded);
            }
            if let Some(on_progress) = &self.options.on_progress {
                on_progress(&self.total);
            }
        }
        if self.is_done() {
            return Ok(());
        }
        Err(Error::new(Code::Unavailable, "the server ended the import before it was complete")
            .in_family(Family::Store))
    }

    /// Takes the memories at fault out of the first message that is not acknowledged, which is the one that an error is
    /// about; where it does not name them, each is to be sent by itself. False for errors that are no memory's fault.
    fn without_refused(&mut self, error: &Error) -> bool {
        let Some(on_refused) = self.options.on_refused.clone() else { return false };
        let Some(places) = refused_places(error) else { return false };
        let Some(batch) = self.unacknowledged.pop_front() else { return false };
        let is_alone = batch.len() == 1;
        let mut kept = Vec::new();
        for (place, given) in batch.into_iter().enumerate() {
            match places.get(&place) {
                Some(refusal) => on_refused(&given.0, refusal),
                None if is_alone => on_refused(&given.0, error),
                None => kept.push(given),
            }
        }
        if places.is_empty() {
            for given in kept.into_iter().rev() {
                self.unacknowledged.push_front(vec![given]);
            }
        } else if !kept.is_empty() {
            self.unacknowledged.push_front(kept);
        }
        true
    }
}

/// Which memories of a message are at fault, by their place. None of them where the error does not tell: then each has to be
/// sent by itself. `None` for errors that are no memory's fault.
fn refused_places(error: &Error) -> Option<BTreeMap<usize, Error>> {
    let reason = error.reason()?;
    if !["FIELD_INVALID", "DIMENSION_MISMATCH", "MODEL_MISMATCH", "MESSAGE_TOO_LARGE"].contains(&reason) {
        return None;
    }
    let mut violations: BTreeMap<usize, Vec<Violation>> = BTreeMap::new();
    for violation in error.violations() {
        let named = violation.field.strip_prefix("memories[").and_then(|rest| rest.split_once(']'));
        let place = named.and_then(|(place, own)| Some((place.parse().ok()?, own.trim_start_matches('.'))));
        let Some((place, field)) = place else {
            return if reason == "FIELD_INVALID" { None } else { Some(BTreeMap::new()) };
        };
        let own = Violation { field: field.into(), description: violation.description.clone() };
        violations.entry(place).or_default().push(own);
    }
    let told = |violation: &Violation| match violation.field.as_str() {
        "" => violation.description.clone(),
        field => format!("{field}: {}", violation.description),
    };
    let refusal = |own: Vec<Violation>| {
        let message = own.iter().map(told).collect::<Vec<_>>().join("; ");
        error.clone().with_message(message).with_violations(own)
    };
    Some(violations.into_iter().map(|(place, own)| (place, refusal(own))).collect())
}
