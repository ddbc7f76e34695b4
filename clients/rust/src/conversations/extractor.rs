//! Serving the extractor `client` of a namespace.
use super::Conversations;
use crate::Result;
use crate::client::Caller;
use crate::pb::{self, extraction_answer, extraction_job_closed, serve_extractor_request, serve_extractor_response};
use crate::serving::{Serving, Stages};
use crate::streams::{Attempt, DEFAULT_HEARTBEAT, Runs, StreamOptions, resuming};
use crate::time::span;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio_stream::wrappers::UnboundedReceiverStream;

mod types;

pub use types::*;

/// The extractor of a namespace that this client serves. It stops when it is dropped.
#[derive(Debug)]
pub struct ServedExtractor(Serving<String>);

impl ServedExtractor {
    /// Extractor in use by the namespace when the stream was opened: jobs come only while it is `client`.
    pub fn extractor(&self) -> String {
        self.0.confirmed()
    }

    /// Stops it, and drops the futures of the handler; the server gives jobs in hand to other clients.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Waits until it has ended: without an error when it was stopped. From then on the server gives it no jobs, unless it
    /// was out of the server's reach, for which this waits a second at most.
    pub async fn closed(&mut self) -> Result<()> {
        self.0.closed().await
    }
}

type Results = Arc<dyn Fn(ExtractionJob) -> BoxFuture<'static, extraction_answer::Result> + Send + Sync>;

/// Serves the extractor, again after each interruption, and reports the extractor of the namespace each time.
struct ExtractorRuns {
    caller: Caller,
    start: pb::ExtractorStart,
    options: ExtractorOptions,
    results: Results,
    stages: Stages,
}

impl Runs for ExtractorRuns {
    type Item = String;

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<String>> {
        use serve_extractor_request::Message as Sent;
        use serve_extractor_response::Message;
        async_stream::try_stream! {
            let (requests, outgoing) = mpsc::unbounded_channel();
            let send = |message| pb::ServeExtractorRequest { message };
            let _ = requests.send(send(Some(Sent::Start(self.start.clone()))));
            let connection = self.caller.connection.clone();
            let outgoing = UnboundedReceiverStream::new(outgoing);
            let mut messages = connection.duplex(outgoing, &self.caller.options).await?;
            let mut requests = Some(requests);
            // Dropping the jobs when the stream has ended drops the futures of the handler.
            let mut jobs = Jobs::default();
            loop {
                let message = tokio::select! {
                    () = self.stages.stopping(), if requests.is_some() => {
                        // Ends the requests; the server then gives the jobs to other clients and ends the stream.
                        requests = None;
                        jobs = Jobs::default();
                        continue;
                    }
                    Some(answer) = jobs.next_answer() => {
                        if let (Some(answer), Some(requests)) = (answer, &requests) {
                            let _ = requests.send(send(Some(Sent::Answer(answer))));
                        }
                        continue;
                    }
                    message = attempt.next(&mut messages) => message,
                };
                let Some(message) = message? else {
                    if requests.is_none() {
                        self.stages.left();
                    }
                    break;
                };
                match message.message {
                    Some(Message::Started(started)) => yield started.extractor,
                    Some(Message::Job(job)) if requests.is_some() => jobs.begin(job.into(), &self.results),
                    Some(Message::Closed(closed)) => jobs.close(closed, &self.options),
                    // A heartbeat is answered by one: proxies see that both sides are there.
                    Some(Message::Heartbeat(_)) => drop(requests.as_ref().map(|requests| requests.send(send(None)))),
                    _ => {}
                }
            }
        }
        .boxed()
    }
}

/// Jobs of one stream that are in hand.
#[derive(Default)]
struct Jobs {
    handled: JoinSet<pb::ExtractionAnswer>,
    in_hand: HashMap<String, (ExtractionJob, AbortHandle)>,
}

impl Jobs {
    /// Each job is handled by a task of its own: a slow one holds up none of the others.
    fn begin(&mut self, job: ExtractionJob, results: &Results) {
        let (results, handled) = (results.clone(), job.clone());
        let task = self.handled.spawn(async move {
            let job_id = handled.id.clone();
            let result = AssertUnwindSafe(async move { results(handled).await }).catch_unwind().await;
            let result = result.unwrap_or_else(|_| failure("the handler panicked"));
            pb::ExtractionAnswer { job_id, result: Some(result) }
        });
        self.in_hand.insert(job.id.clone(), (job, task));
    }

    /// The next answer, where the job is still in hand; none without jobs. Giving up the wait loses no answer.
    async fn next_answer(&mut self) -> Option<Option<pb::ExtractionAnswer>> {
        let answer = self.handled.join_next().await?.ok();
        Some(answer.filter(|answer| match answer.result {
            // The server sends no more about a job that has failed.
            Some(extraction_answer::Result::Failure(_)) => self.in_hand.remove(&answer.job_id).is_some(),
            _ => self.in_hand.contains_key(&answer.job_id),
        }))
    }

    fn close(&mut self, closed: pb::ExtractionJobClosed, options: &ExtractorOptions) {
        use extraction_job_closed::Outcome;
        let Some((job, task)) = self.in_hand.remove(&closed.job_id) else { return };
        match (closed.outcome, &options.on_rejected) {
            (Some(Outcome::Withdrawn(_)), _) => task.abort(),
            (Some(Outcome::Rejected(reason)), Some(on_rejected)) => on_rejected(&job, &reason),
            _ => {}
        }
    }
}

/// A failure for which the messages are not at fault: the job comes again.
fn failure(why: impl fmt::Display) -> extraction_answer::Result {
    extraction_answer::Result::Failure(pb::ExtractionFailure { message: why.to_string(), retryable: true })
}

impl Conversations {
    /// Serves the extractor `client` of the namespace, until it is stopped: the handler gets messages as jobs, several at a
    /// time, and its answers are stored. Resolves when the server gives jobs. A stream that breaks is opened again; several
    /// clients of a namespace share its jobs.
    ///
    /// An error of the handler is reported, and the job comes again, later after each failure; after
    /// [`ExtractionAnswer::Refused`] only a few times. The future of the handler is dropped when the server takes the job back,
    /// when the stream breaks, and when the extractor is stopped.
    ///
    /// ```no_run
    /// # use mneme_client::{Client, ExtractedClaim, ExtractedMemories, ExtractionJob, ExtractorOptions, StreamOptions};
    /// # async fn city_by_my_model(text: &str) -> std::io::Result<Option<String>> { Ok(None) }
    /// async fn extract(job: ExtractionJob) -> std::io::Result<ExtractedMemories> {
    ///     let mut extracted = ExtractedMemories::default();
    ///     for message in &job.messages {
    ///         if let Some(city) = city_by_my_model(&message.text()).await? {
    ///             extracted.claims.push(ExtractedClaim::new("user", "home_city", city, message.sequence));
    ///         }
    ///     }
    ///     Ok(extracted)
    /// }
    ///
    /// # async fn example(client: Client) -> mneme_client::Result<()> {
    /// let options = ExtractorOptions { name: Some("my-model".into()), ..Default::default() };
    /// let mut served = client.conversations().serve_extractor(options, extract, StreamOptions::default()).await?;
    /// served.closed().await?;
    /// # Ok(()) }
    /// ```
    pub async fn serve_extractor<H, F, A, E>(
        &self,
        extractor: ExtractorOptions,
        handler: H,
        options: StreamOptions,
    ) -> Result<ServedExtractor>
    where
        H: Fn(ExtractionJob) -> F + Send + Sync + 'static,
        F: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<ExtractionAnswer>,
        E: fmt::Display,
    {
        let start = pb::ExtractorStart {
            parent: self.caller.parent(),
            name: extractor.name.clone().unwrap_or_default(),
            max_jobs: extractor.max_jobs.unwrap_or_default(),
            heartbeat_interval: Some(span(DEFAULT_HEARTBEAT)),
        };
        let results: Results = Arc::new(move |job| {
            let answer = handler(job);
            async move { answer.await.map_or_else(failure, |answer| answer.into().result()) }.boxed()
        });
        let stages = Stages::new();
        let (caller, connection) = (self.caller.clone(), self.caller.connection.clone());
        let runs = ExtractorRuns { caller, start, options: extractor, results, stages: stages.clone() };
        Ok(ServedExtractor(Serving::begin(resuming(connection, runs, options), stages).await?))
    }
}
