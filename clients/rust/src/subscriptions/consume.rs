//! Deliveries to a consumer, and their acknowledgements.
use super::ConsumeQuery;
use crate::client::{Caller, Items};
use crate::pb::{consume_subscription_request::Request as Outgoing, consume_subscription_response::Event};
use crate::streams::{Attempt, Runs, Sender, StreamOptions, resuming};
use crate::watch::{MemoryChange, OnCompacted};
use crate::words::view_code;
use crate::{Error, Result, pb};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tonic::Code;

const REVISIONS_MAX: usize = 10_000;

/// Deliveries of the subscription of this resource name.
pub(super) fn consume(
    caller: &Caller,
    name: String,
    consumer: &str,
    query: ConsumeQuery,
    options: StreamOptions,
) -> Deliveries {
    let state = Arc::new(State::default());
    let runs = ConsumeRuns {
        caller: caller.clone(),
        name,
        consumer: consumer.into(),
        start_revision: query.start_revision,
        query,
        state: state.clone(),
    };
    let items = resuming(caller.connection.clone(), runs, options);
    Deliveries { items, state, patience: caller.connection.settings.timeout }
}

/// A change to be worked on.
#[derive(Clone)]
pub struct Delivery {
    /// The change.
    pub change: MemoryChange,
    instant: (i64, i32),
    log: String,
    epoch: u64,
    state: Arc<State>,
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery").field("change", &self.change).finish_non_exhaustive()
    }
}

impl Delivery {
    /// It is done: it is not delivered again. Without it, it is: after a break, and in a work queue to another consumer.
    pub fn acknowledge(&self) {
        let mut acks = self.state.lock();
        if acks.log != self.log {
            return;
        }
        acks.done.insert(self.change.revision, self.instant);
        // A change of an earlier stream is acknowledged when it is delivered again.
        if acks.epoch == self.epoch {
            acks.send(self.change.revision);
        }
    }
}

/// Deliveries to a consumer, as they come.
pub struct Deliveries {
    items: Items<Delivery>,
    state: Arc<State>,
    patience: Duration,
}

impl fmt::Debug for Deliveries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deliveries").finish_non_exhaustive()
    }
}

impl Deliveries {
    /// Lets the server take what was acknowledged, and ends the stream, within the time of a call.
    pub async fn leave(mut self) {
        {
            let mut acks = self.state.lock();
            acks.is_leaving = true;
            if acks.outgoing.take().is_none() {
                return;
            }
        }
        // It has ended anyway when it fails: what the server does not know is delivered again.
        let ended = async { while let Some(Ok(_)) = self.items.next().await {} };
        let _ = tokio::time::timeout(self.patience, ended).await;
    }
}

impl Stream for Deliveries {
    type Item = Result<Delivery>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.items.poll_next_unpin(context)
    }
}

#[derive(Default)]
struct State(Mutex<Acks>);

impl State {
    fn lock(&self) -> MutexGuard<'_, Acks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Acks {
    log: String,
    /// Number of the stream.
    epoch: u64,
    outgoing: Option<mpsc::UnboundedSender<i64>>,
    /// Processed changes that may be delivered again, because the server has not confirmed their acknowledgement:
    /// instants by revision, because a log that was restored to an older state assigns a revision to another change.
    done: HashMap<i64, (i64, i32)>,
    is_leaving: bool,
}

impl Acks {
    fn send(&self, revision: i64) {
        if let Some(outgoing) = &self.outgoing {
            let _ = outgoing.send(revision);
        }
    }
}

struct ConsumeRuns {
    caller: Caller,
    name: String,
    consumer: String,
    query: ConsumeQuery,
    start_revision: Option<i64>,
    state: Arc<State>,
}

fn outgoing(request: Outgoing) -> pb::ConsumeSubscriptionRequest {
    pb::ConsumeSubscriptionRequest { request: Some(request) }
}

fn acknowledge(revisions: Vec<i64>) -> pb::ConsumeSubscriptionRequest {
    outgoing(Outgoing::Acknowledge(pb::ConsumeAcknowledge { up_to_revision: 0, revisions }))
}

impl ConsumeRuns {
    fn assert_staying(&self) -> Result<()> {
        if self.state.lock().is_leaving { Err(Error::closed()) } else { Ok(()) }
    }

    fn begin(&self, acks: mpsc::UnboundedSender<i64>) -> Result<()> {
        self.assert_staying()?;
        let mut state = self.state.lock();
        state.epoch += 1;
        state.outgoing = Some(acks);
        Ok(())
    }

    fn forget_known(&self, known: i64) {
        self.state.lock().done.retain(|revision, _| *revision > known);
    }

    fn created(&mut self, created: pb::StreamCreated, attempt: &mut Attempt) {
        attempt.expect_every(created.heartbeat_interval);
        let mut acks = self.state.lock();
        // Another server numbers the same changes differently; a consumer that was moved back gets them again.
        if created.log != acks.log || self.start_revision.is_some() {
            acks.done.clear();
        }
        acks.log = created.log;
        self.start_revision = None;
    }

    /// The change as a delivery, unless it is done already.
    fn delivery_of(&self, change: pb::Change) -> Option<Delivery> {
        let time = change.time.unwrap_or_default();
        let instant = (time.seconds, time.nanos);
        let acks = self.state.lock();
        if acks.done.get(&change.revision) == Some(&instant) {
            acks.send(change.revision);
            return None;
        }
        let (log, epoch) = (acks.log.clone(), acks.epoch);
        Some(Delivery { change: change.into(), instant, log, epoch, state: self.state.clone() })
    }
}

impl Runs for ConsumeRuns {
    type Item = Delivery;

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<Delivery>> {
        async_stream::try_stream! {
            let connection = self.caller.connection.clone();
            let (sender, requests) = Sender::new(connection.settings.heartbeat, Some(acknowledge(Vec::new())));
            let (acks, mut acknowledged) = mpsc::unbounded_channel();
            self.begin(acks)?;
            let start = pb::ConsumeStart {
                name: self.name.clone(),
                consumer: self.consumer.clone(),
                max_outstanding: self.query.max_outstanding.unwrap_or_default(),
                heartbeat_interval: None,
                view: view_code(self.query.view),
                start_revision: self.start_revision,
            };
            sender.send(outgoing(Outgoing::Start(start))).await;
            // What is acknowledged at one time goes out in one message; without more to come, the stream is half-closed.
            tokio::spawn(async move {
                let mut revisions = Vec::new();
                while acknowledged.recv_many(&mut revisions, REVISIONS_MAX).await > 0 {
                    if !sender.send(acknowledge(std::mem::take(&mut revisions))).await {
                        break;
                    }
                }
            });
            let mut messages = connection.duplex(requests, &self.caller.options).await?;
            while let Some(message) = attempt.next(&mut messages).await? {
                let known = message.acknowledged_revision;
                match message.event {
                    Some(Event::Created(created)) => self.created(created, attempt),
                    Some(Event::Batch(batch)) => {
                        for change in batch.changes {
                            if let Some(delivery) = self.delivery_of(change) {
                                yield delivery;
                            }
                        }
                    }
                    _ => {}
                }
                self.forget_known(known);
            }
            self.assert_staying()?;
        }
        .boxed()
    }

    fn recover(&mut self, error: &Error) -> bool {
        let is_compacted = error.code() == Code::OutOfRange && error.reason() == Some("REVISION_COMPACTED");
        if !is_compacted || self.query.on_compacted != Some(OnCompacted::List) {
            return false;
        }
        let compacted = error.metadata().get("compact_revision").and_then(|text| text.parse::<i64>().ok());
        let oldest = compacted.unwrap_or_default() + 1;
        // The log may have been compacted further in the meantime; a refusal of its oldest revision must not loop
        // forever.
        if self.start_revision.is_some_and(|start| oldest <= start) {
            return false;
        }
        self.start_revision = Some(oldest);
        true
    }
}
