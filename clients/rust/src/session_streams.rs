//! Changes in sessions, their lifecycle events, and hooks on transitions.
use crate::answer::{answer, given};
use crate::client::{Caller, Items};
use crate::lifecycle::{Lifecycle, Metadata, Session};
use crate::memory::{Scope, scope_message};
use crate::names::id_of;
use crate::pb::{serve_hook_request, serve_hook_response, watch_session_response};
use crate::pb::{watch_lifecycle_events_request, watch_lifecycle_events_response};
use crate::serving::{Serving, Stages};
use crate::streams::{Attempt, DEFAULT_HEARTBEAT, Runs, StreamOptions, resuming};
use crate::time::{duration, instant, maybe_millis, millis, span};
use crate::words::{LifecyclePhase, LifecycleTransition, SessionEventKind};
use crate::working_memory::{WorkingEntry, WorkingMemory};
use crate::{Result, pb};
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;

answer! {
    /// A change of a session.
    pub struct SessionEvent(pb::SessionEvent as message) {
        /// Kind of the change.
        pub kind: SessionEventKind = SessionEventKind::of(message.kind),
        /// Revision of the session.
        pub revision: i64 = message.revision,
        /// The key, or the id of the checkpoint; empty where it is about neither.
        pub key: String = message.key,
        /// When.
        pub time: Timestamp = instant(message.time),
        /// Where values were asked for, of a key that was set and not set again since.
        pub entry: Option<WorkingEntry> = message.entry.map(Into::into),
    }
}

/// Selects the events of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionWatchQuery {
    /// Revision after which to begin. Default: from now on.
    pub after_revision: Option<i64>,
    /// Which keys. Default: all.
    pub pattern: Option<String>,
    /// Sends values along.
    pub include_values: bool,
}

struct SessionRuns {
    caller: Caller,
    request: pb::WatchSessionRequest,
}

impl Runs for SessionRuns {
    type Item = SessionEvent;

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<SessionEvent>> {
        async_stream::try_stream! {
            let connection = self.caller.connection.clone();
            let mut messages = connection.read(self.request.clone(), &self.caller.options).await?;
            while let Some(message) = attempt.next(&mut messages).await? {
                if let Some(watch_session_response::Message::Events(batch)) = message.message {
                    for event in batch.events {
                        yield event.into();
                    }
                }
                self.request.after_revision = Some(message.revision);
            }
        }
        .boxed()
    }
}

impl WorkingMemory {
    /// Changes of the session, in order, each event at least once. A stream that breaks is opened again where it
    /// was. `OutOfRange` when changes are no longer retained: read everything again. Dropping it ends it.
    pub fn watch(&self, query: SessionWatchQuery, options: StreamOptions) -> Items<SessionEvent> {
        let request = pb::WatchSessionRequest {
            session: self.name(),
            after_revision: query.after_revision,
            pattern: query.pattern.unwrap_or_default(),
            include_values: query.include_values,
            heartbeat_interval: Some(span(DEFAULT_HEARTBEAT)),
        };
        let runs = SessionRuns { caller: self.caller.clone(), request };
        resuming(self.caller.connection.clone(), runs, options)
    }
}

/// Something that happened to a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LifecycleEvent {
    /// The same when the event is sent again.
    pub id: String,
    /// The transition.
    pub transition: LifecycleTransition,
    /// Phase of the transition.
    pub phase: LifecyclePhase,
    /// The session.
    pub session: Session,
    /// When.
    pub time: Timestamp,
    /// Notes of its callers.
    pub metadata: Metadata,
    /// The checkpoint that was made or restored.
    pub checkpoint_id: Option<String>,
    /// Id of the memory that it was consolidated into.
    pub episode_id: Option<String>,
    /// Why it was refused.
    pub refusal: Option<String>,
    /// Duration of the transition so far, including the hooks called before it.
    #[serde(rename = "duration_ms", with = "millis")]
    pub duration: Duration,
    /// Continues after this event; none in questions to hooks.
    pub resume_token: Option<String>,
}

impl LifecycleEvent {
    fn of(message: pb::LifecycleEvent, resume_token: Option<String>) -> Self {
        Self {
            id: message.id,
            transition: LifecycleTransition::of(message.transition),
            phase: LifecyclePhase::of(message.phase),
            session: message.session.unwrap_or_default().into(),
            time: instant(message.time),
            metadata: message.metadata.into_iter().collect(),
            checkpoint_id: given(message.checkpoint_id),
            episode_id: given(id_of(&message.episode)),
            refusal: given(message.refusal),
            duration: duration(message.duration),
            resume_token,
        }
    }
}

/// Where a watch of events begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventsStart {
    /// With the oldest event that is kept.
    Oldest,
    /// After the event of this token.
    #[serde(rename = "resume_token")]
    After(String),
}

/// Selects lifecycle events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LifecycleEventsQuery {
    /// Default: after the last acknowledgement of `consumer`; without one, with the next event.
    pub start: Option<EventsStart>,
    /// Name of the consumer: the server stores its acknowledgements.
    pub consumer: Option<String>,
    /// Whose sessions. Default: all.
    pub scope: Option<Scope>,
    /// Which transitions. Default: all.
    pub transitions: Vec<LifecycleTransition>,
}

/// A hook to be offered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookRegistration {
    /// Names it in reports.
    pub hook: String,
    /// When it is asked.
    pub phases: Vec<LifecyclePhase>,
    /// About which transitions. Default: all.
    pub transitions: Vec<LifecycleTransition>,
    /// Whose sessions. Default: all.
    pub scope: Option<Scope>,
    /// Longest wait for an answer, up to 10 s. Default 1 s.
    #[serde(rename = "timeout_ms", with = "maybe_millis")]
    pub timeout: Option<Duration>,
    /// Hooks of a higher one are asked first, -1,000 to 1,000. Default 0.
    pub priority: i32,
    /// Refuses the transition when the hook fails or does not answer in time.
    pub required: bool,
}

/// Answer of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAnswer {
    /// The transition takes place; these notes are added.
    Proceed(Metadata),
    /// It is refused, for this reason.
    Veto(String),
}

/// A hook that is served. It stops when it is dropped.
#[derive(Debug)]
pub struct Hook(Serving<()>);

impl Hook {
    /// Stops it. Questions that it has not answered yet fail.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Waits until it has ended: without an error when it was stopped. From then on the server does not ask it, unless it
    /// was out of the server's reach, for which this waits a second at most.
    pub async fn closed(&mut self) -> Result<()> {
        self.0.closed().await
    }
}

fn codes<T: Copy>(words: &[T], code: fn(T) -> i32) -> Vec<i32> {
    words.iter().map(|word| code(*word)).collect()
}

struct EventRuns {
    caller: Caller,
    request: pb::WatchLifecycleEventsRequest,
}

impl Runs for EventRuns {
    type Item = LifecycleEvent;

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<LifecycleEvent>> {
        async_stream::try_stream! {
            let connection = self.caller.connection.clone();
            let mut messages = connection.read(self.request.clone(), &self.caller.options).await?;
            while let Some(message) = attempt.next(&mut messages).await? {
                let token = message.resume_token;
                if let Some(watch_lifecycle_events_response::Message::Event(event)) = message.message {
                    yield LifecycleEvent::of(event, Some(token.clone()));
                }
                self.request.start = Some(watch_lifecycle_events_request::Start::ResumeToken(token));
            }
        }
        .boxed()
    }
}

type Verdicts = Arc<dyn Fn(LifecycleEvent) -> BoxFuture<'static, pb::hook_reply::Verdict> + Send + Sync>;

/// Registers the hook, again after each interruption, and reports each registration.
struct HookRuns {
    caller: Caller,
    registration: pb::RegisterHook,
    verdicts: Verdicts,
    stages: Stages,
}

impl Runs for HookRuns {
    type Item = ();

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<()>> {
        use serve_hook_request::Message;
        async_stream::try_stream! {
            let (replies, requests) = mpsc::unbounded_channel();
            let registration = Message::Registration(self.registration.clone());
            let _ = replies.send(pb::ServeHookRequest { message: Some(registration) });
            let connection = self.caller.connection.clone();
            let requests = UnboundedReceiverStream::new(requests);
            let mut messages = connection.duplex(requests, &self.caller.options).await?;
            let mut replies = Some(replies);
            loop {
                let message = tokio::select! {
                    () = self.stages.stopping(), if replies.is_some() => {
                        // Ends the requests; the server then forgets the hook and ends the stream.
                        replies = None;
                        continue;
                    }
                    message = attempt.next(&mut messages) => message,
                };
                let Some(message) = message? else {
                    if replies.is_none() {
                        self.stages.left();
                    }
                    break;
                };
                match message.message {
                    Some(serve_hook_response::Message::Registered(_)) => yield (),
                    Some(serve_hook_response::Message::Call(pb::HookCall { id, event: Some(event), .. })) => {
                        // A slow answer holds up none of the others.
                        let replies = replies.as_ref().map(mpsc::UnboundedSender::downgrade);
                        let verdict = (self.verdicts)(LifecycleEvent::of(event, None));
                        tokio::spawn(async move {
                            let reply = pb::HookReply { id, verdict: Some(verdict.await) };
                            if let Some(replies) = replies.and_then(|replies| replies.upgrade()) {
                                let _ = replies.send(pb::ServeHookRequest { message: Some(Message::Reply(reply)) });
                            }
                        });
                    }
                    _ => {}
                }
            }
        }
        .boxed()
    }
}

impl Lifecycle {
    /// Events in order, each at least once. A stream that breaks is opened again after the last event. Dropping it ends it.
    pub fn watch_events(&self, query: LifecycleEventsQuery, options: StreamOptions) -> Items<LifecycleEvent> {
        use watch_lifecycle_events_request::Start;
        let request = pb::WatchLifecycleEventsRequest {
            parent: self.caller.parent(),
            start: query.start.map(|start| match start {
                EventsStart::Oldest => Start::FromOldest(true),
                EventsStart::After(token) => Start::ResumeToken(token),
            }),
            consumer: query.consumer.unwrap_or_default(),
            scope: scope_message(query.scope.as_ref()),
            transitions: codes(&query.transitions, LifecycleTransition::code),
            heartbeat_interval: Some(span(DEFAULT_HEARTBEAT)),
        };
        let runs = EventRuns { caller: self.caller.clone(), request };
        resuming(self.caller.connection.clone(), runs, options)
    }

    /// Offers a hook and answers its questions with the handler, until it is stopped. Resolves when the server calls
    /// the hook. When its stream breaks it is registered again; until then the server does not call the hook. An error
    /// of the handler is reported as the hook's failure. A slow answer holds up none of the others.
    pub async fn serve_hook<H, F, E>(
        &self,
        registration: &HookRegistration,
        handler: H,
        options: StreamOptions,
    ) -> Result<Hook>
    where
        H: Fn(LifecycleEvent) -> F + Send + Sync + 'static,
        F: Future<Output = Result<HookAnswer, E>> + Send + 'static,
        E: fmt::Display,
    {
        let register = pb::RegisterHook {
            parent: self.caller.parent(),
            hook: registration.hook.clone(),
            phases: codes(&registration.phases, LifecyclePhase::code),
            transitions: codes(&registration.transitions, LifecycleTransition::code),
            scope: scope_message(registration.scope.as_ref()),
            timeout: registration.timeout.map(span),
            required: registration.required,
            priority: registration.priority,
        };
        let verdicts: Verdicts = Arc::new(move |event| {
            let answer = handler(event);
            async move { verdict_of(answer.await) }.boxed()
        });
        let stages = Stages::new();
        let runs = HookRuns { caller: self.caller.clone(), registration: register, verdicts, stages: stages.clone() };
        let registrations = resuming(self.caller.connection.clone(), runs, options);
        Ok(Hook(Serving::begin(registrations, stages).await?))
    }
}

fn verdict_of<E: fmt::Display>(answer: Result<HookAnswer, E>) -> pb::hook_reply::Verdict {
    use pb::hook_reply::Verdict;
    match answer {
        Ok(HookAnswer::Proceed(metadata)) => {
            Verdict::Proceed(pb::HookProceed { metadata: metadata.into_iter().collect() })
        }
        Ok(HookAnswer::Veto(why)) => Verdict::Veto(why),
        Err(error) => Verdict::Failure(error.to_string()),
    }
}
