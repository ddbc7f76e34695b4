//! Common behaviour of long streams: they are opened again when they break.
use crate::client::Items;
use crate::connection::{Connection, Incoming, LONGEST_TIMEOUT};
use crate::raw::Method;
use crate::{Error, Result};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

/// Silence after which a stream counts as broken, until the server has announced its heartbeat interval.
const SILENCE: Duration = Duration::from_secs(45);
/// Number of heartbeats that may be missed.
const HEARTBEATS_MISSED: u32 = 3;
pub(crate) const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(15);
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Messages that wait for the connection to take them.
const OUTGOING_MAX: usize = 4;

type OnBroken = Arc<dyn Fn(&Error) + Send + Sync>;
type OnOpen = Arc<dyn Fn() + Send + Sync>;

/// How a long stream is followed. Dropping the stream ends it.
#[derive(Clone, Default)]
pub struct StreamOptions {
    /// Maximum time without a message, over all attempts, after which the last error is thrown. Default: unlimited.
    pub patience: Option<Duration>,
    /// Called with the reason whenever the stream broke and is about to be reopened.
    pub on_broken: Option<OnBroken>,
    /// Called when the server has answered on a stream, the first one or a reopened one.
    pub on_open: Option<OnOpen>,
}

impl fmt::Debug for StreamOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamOptions").field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// One stream of several that do the same.
pub(crate) struct Attempt {
    silence: Duration,
    on_open: Option<OnOpen>,
    /// When something was heard last; none before the first message.
    heard_at: Option<Instant>,
    /// Since when the next message is waited for. A wait that is given up for something else goes on with the next one.
    waiting_since: Option<Instant>,
}

impl Attempt {
    pub(crate) fn new(on_open: Option<OnOpen>) -> Self {
        Self { silence: SILENCE, on_open, heard_at: None, waiting_since: None }
    }

    /// Sets the maximum interval of the server's heartbeats.
    pub(crate) fn expect_every(&mut self, interval: Option<prost_types::Duration>) {
        // An interval of 0 or less would make every stream count as silent.
        let interval = crate::time::maybe_duration(interval).filter(|interval| !interval.is_zero());
        self.silence = interval.unwrap_or(DEFAULT_HEARTBEAT).saturating_mul(HEARTBEATS_MISSED);
    }

    /// The server sends no heartbeats on this stream: pings detect a dead connection.
    pub(crate) fn expect_nothing(&mut self) {
        self.silence = LONGEST_TIMEOUT;
    }

    /// The next message; fails when none comes for too long. Silence is not measured while the reader is busy.
    pub(crate) async fn next<R: Method>(&mut self, messages: &mut Incoming<R>) -> Result<Option<R::Response>> {
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        let Ok(message) = timeout_at(since + self.silence, messages.next()).await else {
            messages.replace_connection();
            let why = format!("received nothing for {} ms", self.silence.as_millis());
            return Err(Error::new(Code::Unavailable, why));
        };
        self.waiting_since = None;
        let message = message?;
        if message.is_some()
            && self.heard_at.replace(Instant::now()).is_none()
            && let Some(on_open) = &self.on_open
        {
            on_open();
        }
        Ok(message)
    }
}

/// Waits between attempts: a random time up to a limit that doubles, so that the clients of a server that restarts do not
/// all come back in the same moment.
#[derive(Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    /// At least as long as the server asked for.
    pub(crate) async fn wait(&mut self, at_least: Option<Duration>) {
        let limit = (FIRST_WAIT * 2_u32.saturating_pow(self.failures.min(20))).min(LONGEST_WAIT);
        self.failures += 1;
        sleep(at_least.unwrap_or_default() + limit.mul_f64(fastrand::f64())).await;
    }
}

/// Runs of a stream, one after the other, as one sequence of items.
pub(crate) trait Runs: Send + 'static {
    type Item: Send + 'static;
    /// True when it never ends normally: a stream that ends was cut off.
    const IS_ENDLESS: bool = true;

    /// Opens another stream, which continues where the last one ended.
    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<Self::Item>>;

    /// A way out of an error that is final otherwise; true when the stream is to be opened again.
    fn recover(&mut self, _error: &Error) -> bool {
        false
    }
}

/// Reopens a stream whenever it breaks.
pub(crate) fn resuming<R: Runs>(connection: Arc<Connection>, mut runs: R, options: StreamOptions) -> Items<R::Item> {
    Box::pin(async_stream::try_stream! {
        let mut backoff = Backoff::default();
        let mut heard_at = Instant::now();
        loop {
            let mut attempt = Attempt::new(options.on_open.clone());
            let mut failure = None;
            {
                let mut items = runs.open(&mut attempt);
                while let Some(item) = items.next().await {
                    match item {
                        Ok(item) => yield item,
                        Err(error) => {
                            failure = Some(error);
                            break;
                        }
                    }
                }
            }
            if failure.is_none() && !R::IS_ENDLESS {
                break;
            }
            let error = failure.unwrap_or_else(|| Error::new(Code::Unavailable, "the stream ended before its time"));
            if let Some(at) = attempt.heard_at {
                backoff.reset();
                heard_at = at;
            }
            if runs.recover(&error) {
                continue;
            }
            let is_over = options.patience.is_some_and(|patience| heard_at.elapsed() > patience);
            if !connection.retries() || !error.is_broken() || is_over {
                Err(error)?;
                break;
            }
            if let Some(on_broken) = &options.on_broken {
                on_broken(&error);
            }
            backoff.wait(error.retry_delay()).await;
        }
    })
}

/// Sends over a stream no faster than the receiver reads, with heartbeats when idle.
pub(crate) struct Sender<R> {
    outgoing: mpsc::Sender<R>,
    heartbeat: JoinHandle<()>,
}

impl<R: Method> Sender<R> {
    /// And what the stream is to be made of.
    pub(crate) fn new(every: Duration, sign: Option<R>) -> (Self, ReceiverStream<R>) {
        let (outgoing, taken) = mpsc::channel(OUTGOING_MAX);
        let beat = outgoing.downgrade();
        let heartbeat = tokio::spawn(async move {
            let Some(sign) = sign else { return };
            loop {
                sleep(every).await;
                // A full queue is no silence.
                match beat.upgrade() {
                    Some(outgoing) if !outgoing.is_closed() => drop(outgoing.try_send(sign.clone())),
                    _ => return,
                }
            }
        });
        (Self { outgoing, heartbeat }, ReceiverStream::new(taken))
    }

    /// False when the stream has ended.
    pub(crate) async fn send(&self, request: R) -> bool {
        self.outgoing.send(request).await.is_ok()
    }
}

impl<R> Drop for Sender<R> {
    fn drop(&mut self) {
        self.heartbeat.abort();
    }
}
