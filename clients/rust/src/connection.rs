//! The way to one server, shared by all clones of a client: every guarantee that a call has is given here.
use crate::dial::{Link, Target, Waiting};
use crate::error::{Error, Family, Result};
use crate::fault::{Fault, fault_of};
use crate::names::namespace_header;
use crate::options::{CallOptions, Settings};
use crate::raw::{Method, Unary};
use crate::service_config::{Policy, Throttle};
use futures_util::Stream;
use http::uri::PathAndQuery;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tonic::client::Grpc;
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;

mod channel;

use channel::{Road, endpoint_of, grpc_over, metadata_of, road};

/// Longer ones are no limits, and have no place in the header of a call.
pub(crate) const LONGEST_TIMEOUT: Duration = Duration::from_secs(10_000_000);
/// How long a server asks to wait before the next attempt, in milliseconds; anything else means that it wants none.
const PUSHBACK: &str = "grpc-retry-pushback-ms";
const RECONNECT_WAIT: Duration = Duration::from_millis(100);

pub(crate) struct Connection {
    pub address: String,
    pub settings: Settings,
    endpoint: Endpoint,
    target: Target,
    waiting: Arc<Waiting>,
    metadata: MetadataMap,
    calls: Road,
    /// Long streams have a connection of their own, so that their data does not delay short calls. None before the first
    /// stream, and when the last connection was silent.
    streams: Mutex<Option<Arc<Road>>>,
    seen: AtomicI64,
    throttle: Throttle,
    closed: AtomicBool,
    in_flight: AtomicUsize,
    idle: Notify,
    /// Ingestions that have begun: they are let finish after `close`.
    finishing: AtomicUsize,
    /// True when `close` waits for them no longer.
    given_up: watch::Sender<bool>,
}

impl Connection {
    pub(crate) fn new(address: String, settings: Settings) -> Result<Self> {
        let target = Target::of(&address)?;
        let endpoint = endpoint_of(&target, settings.tls.as_ref())?;
        let waiting = Arc::new(Waiting::new(settings.wait_for_ready));
        let calls = road(&endpoint, &target, &waiting);
        let metadata = metadata_of(&settings)?;
        Ok(Self {
            address,
            settings,
            endpoint,
            target,
            waiting,
            metadata,
            calls,
            streams: Mutex::new(None),
            seen: AtomicI64::new(0),
            throttle: Throttle::new(),
            closed: AtomicBool::new(false),
            in_flight: AtomicUsize::new(0),
            idle: Notify::new(),
            finishing: AtomicUsize::new(0),
            given_up: watch::Sender::new(false),
        })
    }

    /// Remembers a revision that an answer carried, and returns it.
    pub(crate) fn seen(&self, revision: i64) -> i64 {
        self.seen.fetch_max(revision, Ordering::AcqRel);
        revision
    }

    /// For a store that was restored to an older state: revisions beyond its newest one are lost.
    pub(crate) fn went_back(&self, newest: i64) {
        self.seen.fetch_min(newest, Ordering::AcqRel);
    }

    /// The minimum revision for a read, so that it sees everything that this client has seen.
    pub(crate) fn min_revision(&self, options: &CallOptions) -> i64 {
        let newest = || if self.settings.read_your_writes { self.seen.load(Ordering::Acquire) } else { 0 };
        options.min_revision.unwrap_or_else(newest)
    }

    /// Whether calls are retried.
    pub(crate) fn retries(&self) -> bool {
        self.settings.retry && (!self.is_closed() || self.is_finishing())
    }

    fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Acquire) > 0 && !*self.given_up.borrow()
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Does something that is let finish when the client is closed meanwhile, no longer than a call may take.
    pub(crate) async fn let_finish<T>(&self, family: Family, work: impl Future<Output = T>) -> Result<T> {
        let _flight = self.take_off(family)?;
        self.finishing.fetch_add(1, Ordering::AcqRel);
        let _finishing = Finishing(self);
        tokio::select! {
            done = work => Ok(done),
            () = self.over() => Err(Error::closed().in_family(family)),
        }
    }

    /// Refuses later calls, and waits for those in flight and for ingestions, no longer than a call may take.
    pub(crate) async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let finished = async {
            loop {
                let idle = self.idle.notified();
                if self.in_flight.load(Ordering::Acquire) == 0 {
                    return;
                }
                idle.await;
            }
        };
        let _ = timeout(self.settings.timeout, finished).await;
        self.given_up.send_replace(true);
    }

    /// Resolves when the time of `close` has passed: calls still under way are given up.
    async fn over(&self) {
        let mut given_up = self.given_up.subscribe();
        let _ = given_up.wait_for(|given_up| *given_up).await;
    }

    fn take_off(&self, family: Family) -> Result<Flight<'_>> {
        // Counted first: a close that comes meanwhile waits for it.
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        let flight = Flight(self);
        if self.is_closed() { Err(Error::closed().in_family(family)) } else { Ok(flight) }
    }

    /// Makes a call, with all that every call has.
    pub(crate) async fn unary<R: Unary>(&self, mut request: R, options: &CallOptions) -> Result<R::Response> {
        let _flight = self.take_off(Family::of(R::PATH))?;
        self.fill(&mut request, options);
        let limit = options.timeout.unwrap_or(self.limit_of(R::PATH));
        let deadline = Instant::now().checked_add(limit.min(LONGEST_TIMEOUT)).filter(|_| limit < LONGEST_TIMEOUT);
        let attempts = self.attempts(&request, deadline, options);
        let answer = tokio::select! {
            answer = timeout(limit, attempts) => answer,
            () = self.over() => return Err(Error::closed().in_family(Family::of(R::PATH))),
        };
        let Ok(answer) = answer else { return Err(self.late(R::PATH, &self.calls.link)) };
        let answer = answer?;
        let revision = R::revision(&answer);
        self.seen(revision);
        Ok(answer)
    }

    /// Fills in what the caller has left out.
    pub(crate) fn fill<R: Unary>(&self, request: &mut R, options: &CallOptions) {
        if let Some(id) = request.request_id()
            && id.is_empty()
        {
            *id = options.request_id.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        }
        let min_revision = self.min_revision(options);
        if let Some(revision) = request.min_revision()
            && *revision == 0
        {
            *revision = min_revision;
        }
    }

    pub(crate) fn limit_of(&self, path: &str) -> Duration {
        let is_recall = path.ends_with("/Recall") || path.ends_with("/BuildContext");
        if is_recall { self.settings.recall_timeout } else { self.settings.timeout }
    }

    async fn attempts<R: Unary>(
        &self,
        request: &R,
        deadline: Option<Instant>,
        options: &CallOptions,
    ) -> Result<R::Response> {
        let policy = if self.settings.retry { Policy::of(R::PATH) } else { None };
        let mut failures = 0;
        loop {
            let status = match self.attempt(request.clone(), deadline, options).await {
                Ok(answer) => {
                    self.calls.link.answered();
                    self.throttle.succeeded();
                    return Ok(answer);
                }
                Err(status) => status,
            };
            let fault = fault_of(&status);
            let error = self.error_of(&status, &fault, R::PATH, &self.calls.link);
            if matches!(fault, Fault::NotConnected(_)) && self.waiting.waits() && !self.is_closed() {
                sleep(RECONNECT_WAIT).await;
                continue;
            }
            failures += 1;
            let Some(policy) = policy else { return Err(error) };
            let may_repeat = policy.covers(error.code()) && failures < policy.max_attempts && !self.is_closed();
            if !may_repeat || !self.throttle.failed() {
                return Err(error);
            }
            let wait = match status.metadata().get(PUSHBACK) {
                None => policy.wait(failures),
                Some(wanted) => match wanted.to_str().ok().and_then(|millis| millis.parse().ok()) {
                    Some(millis) => Duration::from_millis(millis),
                    None => return Err(error),
                },
            };
            if deadline.is_some_and(|at| Instant::now() + wait >= at) {
                return Err(error); // The next attempt would begin too late.
            }
            sleep(wait).await;
            if self.is_closed() {
                return Err(error);
            }
        }
    }

    async fn attempt<R: Unary>(
        &self,
        request: R,
        deadline: Option<Instant>,
        options: &CallOptions,
    ) -> Result<R::Response, Status> {
        let mut grpc = grpc_over(&self.calls);
        grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
        // Proxies send calls of one namespace to one server.
        let namespace = namespace_header(request.resource()).and_then(|namespace| namespace.parse().ok());
        let mut request = self.request_of(request, deadline, options)?;
        if let Some(namespace) = namespace {
            request.metadata_mut().insert("mneme-namespace", namespace);
        }
        let codec = ProstCodec::<R, R::Response>::default();
        Ok(grpc.unary(request, PathAndQuery::from_static(R::PATH), codec).await?.into_inner())
    }

    fn request_of<T>(
        &self,
        message: T,
        deadline: Option<Instant>,
        options: &CallOptions,
    ) -> Result<Request<T>, Status> {
        let mut request = Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        if let Some(deadline) = deadline {
            request.set_timeout(deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)));
        }
        let mut trace = options.trace.clone();
        if trace.traceparent.is_none()
            && let Some(tracer) = &self.settings.trace_context
        {
            trace = tracer().unwrap_or_default();
        }
        if let Some(parent) = trace.traceparent {
            let fault = |_| Status::invalid_argument("the trace context is no text of a header");
            request.metadata_mut().insert("traceparent", parent.parse().map_err(fault)?);
            if let Some(state) = trace.tracestate {
                request.metadata_mut().insert("tracestate", state.parse().map_err(fault)?);
            }
        }
        Ok(request)
    }

    /// Opens a stream of answers to one request.
    pub(crate) async fn read<R: Method>(self: &Arc<Self>, request: R, options: &CallOptions) -> Result<Incoming<R>> {
        let deadline = deadline_of(options.timeout);
        self.open::<R, _>(deadline, |mut grpc| async move {
            let request = self.request_of(request, deadline, options)?;
            let codec = ProstCodec::<R, R::Response>::default();
            grpc.server_streaming(request, PathAndQuery::from_static(R::PATH), codec).await
        })
        .await
    }

    /// Opens a stream in both directions.
    pub(crate) async fn duplex<R: Method>(
        self: &Arc<Self>,
        requests: impl Stream<Item = R> + Send + 'static,
        options: &CallOptions,
    ) -> Result<Incoming<R>> {
        let deadline = deadline_of(options.timeout);
        self.open::<R, _>(deadline, |mut grpc| async move {
            let request = self.request_of(requests, deadline, options)?;
            let codec = ProstCodec::<R, R::Response>::default();
            grpc.streaming(request, PathAndQuery::from_static(R::PATH), codec).await
        })
        .await
    }

    /// A stream has no deadline, so the wait for a connection gets one.
    async fn open<R: Method, F>(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        call: impl FnOnce(Grpc<Channel>) -> F,
    ) -> Result<Incoming<R>>
    where
        F: Future<Output = Result<tonic::Response<tonic::Streaming<R::Response>>, Status>>,
    {
        let family = Family::of(R::PATH);
        let is_let_finish = self.is_finishing() && R::PATH.ends_with("/IngestMemories");
        let _flight = if is_let_finish { None } else { Some(self.take_off(family)?) };
        let road = self.stream_road();
        let mut grpc = grpc_over(&road);
        grpc.ready().await.map_err(|error| self.error(&Status::from_error(error.into()), R::PATH, &road.link))?;
        let call = call(grpc);
        tokio::pin!(call);
        let opened = loop {
            let limit = deadline.map_or(self.settings.timeout, |at| at.saturating_duration_since(Instant::now()));
            match timeout(limit, &mut call).await {
                Ok(opened) => break opened,
                Err(_) if deadline.is_some() => return Err(self.late(R::PATH, &road.link)),
                Err(_) if road.link.is_connected() => {}
                Err(_) => {
                    let why = format!("no connection to {} in time", self.address);
                    return Err(Error::new(Code::Unavailable, why).in_family(family));
                }
            }
        };
        let stream = opened.map_err(|status| self.error(&status, R::PATH, &road.link))?.into_inner();
        road.link.answered();
        Ok(Incoming { stream, deadline, connection: self.clone(), link: road.link.clone() })
    }

    fn stream_road(&self) -> Arc<Road> {
        let make = || Arc::new(road(&self.endpoint, &self.target, &self.waiting));
        self.streams().get_or_insert_with(make).clone()
    }

    fn streams(&self) -> MutexGuard<'_, Option<Arc<Road>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives later streams another connection than this one, on which a stream was silent for too long; it ends with the
    /// last of its own streams. A connection that was replaced already stays so: none is replaced before a stream that
    /// began on it was silent for its limit.
    fn replace_streams(&self, silent: &Arc<Link>) {
        self.streams().take_if(|road| Arc::ptr_eq(&road.link, silent));
    }

    fn error(&self, status: &Status, path: &str, link: &Link) -> Error {
        self.error_of(status, &fault_of(status), path, link)
    }

    fn error_of(&self, status: &Status, fault: &Fault, path: &str, link: &Link) -> Error {
        let family = Family::of(path);
        match fault {
            Fault::Late => self.late(path, link),
            Fault::NotConnected(why) | Fault::Broken(why) if !self.waiting.may_return() => {
                Error::new(Code::Unavailable, self.unreachable(why)).in_family(family).finally()
            }
            Fault::NotConnected(why) => Error::new(Code::Unavailable, self.unreachable(why)).in_family(family),
            Fault::Broken(why) => {
                Error::new(Code::Unavailable, format!("the connection to {} broke: {why}", self.address))
                    .in_family(family)
            }
            Fault::Page(code) => {
                let why = format!("what answers at {} is no gRPC: {}", self.address, status.message());
                Error::new(*code, why).in_family(family)
            }
            Fault::Reset(code, why) => Error::new(*code, why.clone()).in_family(family),
            Fault::Reported => {
                link.answered();
                let error = Error::of_status(status, family);
                if error.code() != Code::Unimplemented {
                    return error;
                }
                let method = path.trim_start_matches('/');
                let version = error.metadata().get("version").map(|version| format!(" (version {version})"));
                let message = format!(
                    "{}: the server at {}{} has no {method}; it may be older than this client (version {})",
                    status.message(),
                    self.address,
                    version.unwrap_or_default(),
                    env!("CARGO_PKG_VERSION")
                );
                error.with_message(message)
            }
        }
    }

    /// Says in words why there is no connection.
    fn unreachable(&self, why: &str) -> String {
        let address = &self.address;
        let is_of_tls = why.contains("received corrupt message") || why.contains("InvalidContentType");
        if why.contains("Connection refused") {
            format!("connection refused at {address}: is it running? (mneme serve)")
        } else if why.contains("failed to lookup address") {
            format!("no connection to {address}: its host has no address")
        } else if self.settings.tls.is_some() && is_of_tls {
            let way = "connect without tls, or start it with --tls-cert and --tls-key";
            format!("the server at {address} does not speak TLS: {way}")
        } else if self.settings.tls.is_none() && (why.contains("invalid size") || why.contains("GoAway")) {
            format!("the server at {address} wants TLS: see Connect::tls")
        } else {
            format!("no connection to {address}: {why}")
        }
    }

    fn late(&self, path: &str, link: &Link) -> Error {
        let failure = link.failure();
        let message = if link.is_connected() {
            "the answer did not come in time".into()
        } else if failure.is_empty() {
            format!("no connection to {} in time", self.address)
        } else {
            format!("no answer in time: {}", self.unreachable(&failure))
        };
        Error::new(Code::DeadlineExceeded, message).in_family(Family::of(path))
    }
}

/// A call that is under way.
struct Flight<'a>(&'a Connection);

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.0.in_flight.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}

/// An ingestion that has begun.
struct Finishing<'a>(&'a Connection);

impl Drop for Finishing<'_> {
    fn drop(&mut self) {
        self.0.finishing.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Messages of a stream as they come; the call is cancelled when it is dropped.
pub(crate) struct Incoming<R: Method> {
    stream: tonic::Streaming<R::Response>,
    deadline: Option<Instant>,
    connection: Arc<Connection>,
    link: Arc<Link>,
}

impl<R: Method> Incoming<R> {
    /// Later streams are opened on another connection: this stream was silent for too long.
    pub(crate) fn replace_connection(&self) {
        self.connection.replace_streams(&self.link);
    }

    /// The next one; none when the stream has ended.
    pub(crate) async fn next(&mut self) -> Result<Option<R::Response>> {
        let connection = self.connection.clone();
        tokio::select! {
            message = self.message() => message,
            () = connection.over() => Err(Error::closed().in_family(Family::of(R::PATH))),
        }
    }

    async fn message(&mut self) -> Result<Option<R::Response>> {
        let message = match self.deadline {
            None => self.stream.message().await,
            Some(deadline) => match tokio::time::timeout_at(deadline, self.stream.message()).await {
                Ok(message) => message,
                Err(_) => return Err(self.connection.late(R::PATH, &self.link)),
            },
        };
        message.map_err(|status| self.connection.error(&status, R::PATH, &self.link))
    }
}

fn deadline_of(limit: Option<Duration>) -> Option<Instant> {
    limit.filter(|limit| *limit < LONGEST_TIMEOUT).map(|limit| Instant::now() + limit)
}
