//! Import: memories stored as they were in another server.
use super::Source;
use crate::client::Caller;
use crate::memory::ImportedMemory;
use crate::streams::{Backoff, Sender};
use crate::words::ConflictPolicy;
use crate::{Client, Error, Family, Result, Violation, pb};
use futures_util::{Stream, StreamExt};
use prost::Message as _;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tonic::Code;

/// Messages that may be on the way without an acknowledgement.
const UNACKNOWLEDGED_MAX: usize = 4;
/// Streams in a row that broke without a single acknowledgement.
const FAILURES_MAX: u32 = 4;

type OnRefused = Arc<dyn Fn(&ImportedMemory, &Error) + Send + Sync>;
type OnProgress = Arc<dyn Fn(&ImportResult) + Send + Sync>;

/// How memories are imported.
#[derive(Clone, Default)]
pub struct ImportOptions {
    /// Handling of a memory that already exists. Default [`ConflictPolicy::Keep`].
    pub conflict_policy: Option<ConflictPolicy>,
    /// Called after each acknowledgement of the server.
    pub on_progress: Option<OnProgress>,
    /// Called for each memory that cannot be stored, such as one whose text is too long; the others are stored. Without
    /// it the first refusal ends the import with its error.
    pub on_refused: Option<OnRefused>,
}

impl fmt::Debug for ImportOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportOptions").field("conflict_policy", &self.conflict_policy).finish_non_exhaustive()
    }
}

/// Result of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ImportResult {
    /// Memories that were stored.
    pub stored_count: i64,
    /// Memories that already existed, including memories sent twice after an interruption.
    pub skipped_count: i64,
    /// Revision after it.
    pub revision: i64,
}

/// A memory with its message: a refusal names the original memory.
type Provided = (ImportedMemory, pb::Memory);

struct Import {
    caller: Caller,
    source: Source<ImportedMemory>,
    is_read: bool,
    unacknowledged: VecDeque<Vec<Provided>>,
    total: ImportResult,
    options: ImportOptions,
    failures: u32,
}

impl Client {
    /// Stores memories unchanged, with their ids, times and counts, reading them no faster than the server stores them.
    /// When the connection breaks it goes on after the last acknowledged message, unless the policy is
    /// [`ConflictPolicy::Fail`]. After an error, acknowledged memories stay stored; importing the same memories again
    /// with the same ids changes nothing.
    pub async fn import_memories(
        &self,
        memories: impl Stream<Item = ImportedMemory> + Send + 'static,
        options: ImportOptions,
    ) -> Result<ImportResult> {
        let mut import = Import {
            caller: self.caller.clone(),
            source: Source { stream: memories.fuse().boxed(), waiting: None },
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
                && import.failures <= FAILURES_MAX;
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

    /// Each memory gets its id here at the latest, so that resending a message stores nothing twice.
    async fn read_batch(&mut self) -> Result<bool> {
        let namespace = self.caller.namespace.clone();
        let made = |memory: ImportedMemory| {
            let id = memory.memory.id.clone().unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
            let message = memory.message(&namespace, &id)?;
            Ok((memory, message))
        };
        let batch = self.source.batch(made, |(_, message): &Provided| message.encoded_len()).await?;
        self.is_read = batch.is_empty();
        if !self.is_read {
            self.unacknowledged.push_back(batch);
        }
        Ok(!self.is_read)
    }

    fn request(&self, batch: &[Provided]) -> pb::ImportMemoriesRequest {
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
        // The server may answer nothing before the first message, so messages are sent while the stream opens.
        let mut sent = self.unacknowledged.len();
        let first: Vec<_> = self.unacknowledged.iter().map(|batch| self.request(batch)).collect();
        let feeding = async {
            for request in first {
                if let Some(sender) = &sender {
                    sender.send(request).await;
                }
            }
            Ok(())
        };
        let (mut messages, ()) = tokio::try_join!(connection.duplex(requests, &self.caller.options), feeding)?;
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
            let may_read = !self.is_read && sender.is_some() && self.unacknowledged.len() < UNACKNOWLEDGED_MAX;
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

    /// Removes the refused memories from the first unacknowledged message, which the error is about; where the error
    /// does not name them, its memories are sent one by one. False for errors that no memory caused.
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

/// Positions of the refused memories in a message. None of them where the error does not name them: each then has to be
/// sent separately. `undefined` for errors that no memory caused.
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
    let described = |violation: &Violation| match violation.field.as_str() {
        "" => violation.description.clone(),
        field => format!("{field}: {}", violation.description),
    };
    let refusal = |own: Vec<Violation>| {
        let message = own.iter().map(described).collect::<Vec<_>>().join("; ");
        error.clone().with_message(message).with_violations(own)
    };
    Some(violations.into_iter().map(|(place, own)| (place, refusal(own))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Status;
    use tonic_types::{ErrorDetails, StatusExt};

    fn refused(reason: &str, fields: &[&str]) -> Option<BTreeMap<usize, Error>> {
        let mut details = ErrorDetails::with_error_info(reason, "mneme", []);
        for field in fields {
            details.add_bad_request_violation(*field, "is wrong");
        }
        let status = Status::with_error_details(Code::InvalidArgument, "bad", details);
        refused_places(&Error::of_status(&status, Family::Store))
    }

    #[test]
    fn errors_name_the_memories_at_fault() {
        let places =
            refused("FIELD_INVALID", &["memories[1].text", "memories[3]", "memories[1].tags"]).expect("places");
        assert_eq!(places.keys().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(places[&1].message(), "text: is wrong; tags: is wrong");
        assert_eq!(places[&3].message(), "is wrong");
    }

    #[test]
    fn others_are_no_memorys_fault_or_do_not_tell() {
        assert!(refused("FIELD_INVALID", &["parent"]).is_none());
        assert!(refused("NAMESPACE_FULL", &[]).is_none());
        assert_eq!(refused("MESSAGE_TOO_LARGE", &[]).expect("somebody's fault").len(), 0);
    }
}
