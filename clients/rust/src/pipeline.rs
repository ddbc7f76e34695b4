//! Calls over one stream: quicker than calls of their own, and the same otherwise.
use crate::client::{Caller, Items};
use crate::connection::{Connection, LONGEST_TIMEOUT};
use crate::error::Family;
use crate::options::CallOptions;
use crate::pb::{PipelineOperation, PipelineRequest, pipeline_operation::Operation, pipeline_result};
use crate::raw::Unary;
use crate::streams::{Attempt, Backoff};
use crate::{Client, Error, Result, pb};
use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::Code;

/// As often as a separate call.
const ATTEMPTS_MAX: u32 = 4;
const OPERATIONS_PER_MESSAGE: usize = 64;

struct Asked {
    family: Family,
    operation: PipelineOperation,
    attempts: u32,
    answer: oneshot::Sender<Result<pipeline_result::Result>>,
}

enum Command {
    Ask(Box<Asked>),
    Cancel(i64),
    Close(oneshot::Sender<()>),
}

/// Makes calls over one stream. It is opened for the first of them, and again when it breaks while some are unanswered:
/// these are repeated, which is safe because every mutation carries a request id.
pub(crate) struct PipelineCaller {
    connection: Arc<Connection>,
    commands: mpsc::UnboundedSender<Command>,
    last_id: AtomicI64,
    closed: AtomicBool,
}

impl PipelineCaller {
    fn new(connection: &Arc<Connection>) -> Self {
        let (commands, taken) = mpsc::unbounded_channel();
        let worker = Worker {
            connection: connection.clone(),
            commands: taken,
            again: commands.downgrade(),
            asked: BTreeMap::new(),
            unsent: Vec::new(),
            repeating: 0,
            closing: None,
        };
        tokio::spawn(worker.run());
        let (last_id, closed) = (AtomicI64::new(0), AtomicBool::new(false));
        Self { connection: connection.clone(), commands, last_id, closed }
    }

    pub(crate) async fn unary<R: Unary>(&self, mut request: R, options: &CallOptions) -> Result<R::Response> {
        let family = Family::of(R::PATH);
        self.connection.fill(&mut request, options);
        let operation = match request.operation() {
            Ok(operation) => operation,
            // Calls that a pipeline does not support are made separately.
            Err(request) => return self.connection.unary(request, options).await,
        };
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::new(Code::Cancelled, "the pipeline is closed").in_family(family));
        }
        let limit = options.timeout.unwrap_or(self.connection.limit_of(R::PATH));
        let correlation_id = self.last_id.fetch_add(1, Ordering::AcqRel) + 1;
        let timeout_of_it = (limit < LONGEST_TIMEOUT).then(|| crate::time::span(limit));
        let operation = PipelineOperation { correlation_id, timeout: timeout_of_it, operation: Some(operation) };
        let (answer, answered) = oneshot::channel();
        let _ = self.commands.send(Command::Ask(Box::new(Asked { family, operation, attempts: 0, answer })));
        let cancel = CancelOnDrop { id: correlation_id, commands: &self.commands };
        let answered = timeout(limit, answered).await;
        let Ok(answered) = answered else {
            return Err(Error::new(Code::DeadlineExceeded, "the answer did not come in time").in_family(family));
        };
        std::mem::forget(cancel);
        let result = answered.map_err(|_| Error::closed().in_family(family))??;
        let answer = R::result(result).ok_or_else(|| Error::incomplete("result of the operation").in_family(family))?;
        self.connection.seen(R::revision(&answer));
        Ok(answer)
    }

    async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let (done, finished) = oneshot::channel();
        let _ = self.commands.send(Command::Close(done));
        let _ = timeout(self.connection.settings.timeout, finished).await;
    }
}

/// A call whose future is dropped is cancelled, and one that is late.
struct CancelOnDrop<'a> {
    id: i64,
    commands: &'a mpsc::UnboundedSender<Command>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let _ = self.commands.send(Command::Cancel(self.id));
    }
}

struct Worker {
    connection: Arc<Connection>,
    commands: mpsc::UnboundedReceiver<Command>,
    again: mpsc::WeakUnboundedSender<Command>,
    asked: BTreeMap<i64, Box<Asked>>,
    /// Operations for the next message of the stream.
    unsent: Vec<PipelineOperation>,
    /// Operations that are to be asked again after a wait.
    repeating: usize,
    closing: Option<oneshot::Sender<()>>,
}

type Outgoing = mpsc::UnboundedSender<PipelineRequest>;

impl Worker {
    async fn run(mut self) {
        let mut backoff = Backoff::default();
        loop {
            if self.asked.is_empty() {
                if self.is_finished()
                    && let Some(done) = self.closing.take()
                {
                    let _ = done.send(());
                    return;
                }
                match self.commands.recv().await {
                    None => return,
                    Some(command) => self.take(command),
                }
                continue;
            }
            let mut attempt = Attempt::new(None);
            let error = match self.one_stream(&mut attempt, &mut backoff).await {
                Ok(()) => continue,
                Err(error) => error,
            };
            if self.connection.retries() && error.is_broken() {
                backoff.wait(error.retry_delay()).await;
            } else {
                for (_, asked) in std::mem::take(&mut self.asked) {
                    let _ = asked.answer.send(Err(error.clone().in_family(asked.family)));
                }
            }
        }
    }

    fn is_finished(&self) -> bool {
        self.closing.is_some() && self.asked.is_empty() && self.repeating == 0
    }

    /// Sends calls over one stream until it breaks, or all handles are dropped.
    async fn one_stream(&mut self, attempt: &mut Attempt, backoff: &mut Backoff) -> Result<()> {
        let connection = self.connection.clone();
        let (outgoing, requests) = mpsc::unbounded_channel();
        self.unsent = self.asked.values().map(|asked| asked.operation.clone()).collect();
        self.flush(&outgoing);
        let options = CallOptions::default();
        let opening = connection.duplex(UnboundedReceiverStream::new(requests), &options);
        tokio::pin!(opening);
        // A server may answer nothing before the first result, so calls are taken up while the stream opens.
        let mut messages = loop {
            tokio::select! {
                opened = &mut opening => break opened?,
                command = self.commands.recv() => match command {
                    None => return Ok(()),
                    Some(command) => self.take_all(command, &outgoing),
                },
            }
        };
        let every = connection.settings.heartbeat;
        let mut heartbeat = tokio::time::interval_at(Instant::now() + every, every);
        loop {
            tokio::select! {
                message = attempt.next(&mut messages) => {
                    let Some(message) = message? else {
                        return Err(Error::new(Code::Unavailable, "the stream of the pipeline ended"));
                    };
                    backoff.reset();
                    for result in message.results {
                        self.answered(result);
                    }
                }
                command = self.commands.recv() => match command {
                    None => return Ok(()),
                    Some(command) => self.take_all(command, &outgoing),
                },
                _ = heartbeat.tick() => drop(outgoing.send(PipelineRequest { operations: Vec::new() })),
            }
            if self.is_finished() {
                return Ok(());
            }
        }
    }

    /// What was asked at one time goes out in one message.
    fn take_all(&mut self, command: Command, outgoing: &Outgoing) {
        self.take(command);
        while let Ok(command) = self.commands.try_recv() {
            self.take(command);
        }
        self.flush(outgoing);
    }

    fn flush(&mut self, outgoing: &Outgoing) {
        let mut operations = std::mem::take(&mut self.unsent).into_iter().peekable();
        while operations.peek().is_some() {
            let some: Vec<_> = operations.by_ref().take(OPERATIONS_PER_MESSAGE).collect();
            for operation in &some {
                if let Some(asked) = self.asked.get_mut(&operation.correlation_id) {
                    asked.attempts += 1;
                }
            }
            let _ = outgoing.send(PipelineRequest { operations: some });
        }
    }

    fn take(&mut self, command: Command) {
        match command {
            Command::Ask(asked) => {
                if asked.attempts > 0 {
                    self.repeating -= 1;
                }
                self.unsent.push(asked.operation.clone());
                self.asked.insert(asked.operation.correlation_id, asked);
            }
            Command::Cancel(correlation_id) => {
                if self.asked.remove(&correlation_id).is_some() {
                    let operation = Some(Operation::Cancel(pb::PipelineCancel {}));
                    self.unsent.push(PipelineOperation { correlation_id, timeout: None, operation });
                }
            }
            Command::Close(done) => self.closing = Some(done),
        }
    }

    fn answered(&mut self, result: pb::PipelineResult) {
        let Some(asked) = self.asked.remove(&result.correlation_id) else { return };
        let answer = match result.result {
            Some(pipeline_result::Result::Error(status)) => Err(Error::of_message(Some(&status), asked.family)),
            Some(result) => Ok(result),
            None => Err(Error::incomplete("result").in_family(asked.family)),
        };
        match answer {
            Err(error)
                if self.connection.retries() && error.code() == Code::Unavailable && asked.attempts < ATTEMPTS_MAX =>
            {
                self.repeating += 1;
                let again = self.again.clone();
                tokio::spawn(async move {
                    Backoff::default().wait(error.retry_delay()).await;
                    if let Some(commands) = again.upgrade() {
                        let _ = commands.send(Command::Ask(asked));
                    }
                });
            }
            answer => drop(asked.answer.send(answer)),
        }
    }
}

/// Calls of agents in a loop (memories, recall, working memory, session lifecycles) over one stream. It is a [`Client`]
/// whose calls go over the stream where the API has them there, and are calls of their own otherwise. When the stream
/// breaks, unanswered calls are repeated over another one.
#[derive(Clone)]
pub struct Pipeline {
    client: Client,
    caller: Arc<PipelineCaller>,
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("client", &self.client).finish_non_exhaustive()
    }
}

impl Deref for Pipeline {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Client {
    /// Opens a stream for calls, with the first of them.
    pub fn pipeline(&self) -> Pipeline {
        let caller = Arc::new(PipelineCaller::new(&self.caller.connection));
        let client = Self { caller: Caller { pipeline: Some(caller.clone()), ..self.caller.clone() } };
        Pipeline { client, caller }
    }
}

impl Pipeline {
    /// Does something with each item, at most so many at a time, and yields each result when it is available, not in
    /// the order of the items. A failed item is returned with its error; the others continue.
    pub fn each<I, T, F>(
        &self,
        items: impl Stream<Item = I> + Send + 'static,
        concurrency: usize,
        operation: impl Fn(Client, I) -> F + Send + 'static,
    ) -> Items<(I, Result<T>)>
    where
        I: Clone + Send + 'static,
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let client = self.client.clone();
        let mut items = items.boxed();
        Box::pin(async_stream::try_stream! {
            let mut running = FuturesUnordered::new();
            while let Some(item) = items.next().await {
                if running.len() >= concurrency.max(1)
                    && let Some(done) = running.next().await
                {
                    yield done;
                }
                let future = operation(client.clone(), item.clone());
                running.push(async move { (item, future.await) });
            }
            while let Some(done) = running.next().await {
                yield done;
            }
        })
    }

    /// Refuses more calls; resolves when all are answered, and ends the stream.
    pub async fn close(&self) {
        self.caller.close().await;
    }
}
