//! Changes of a namespace, as they happen.
use crate::answer::given;
use crate::client::{Caller, Items};
use crate::filter::{Filter, field, filter_fields};
use crate::memories::ListQuery;
use crate::memory::{Memory, Scope, scope_message};
use crate::names::id_of;
use crate::pb::watch_memories_response::Event;
use crate::streams::{Attempt, Runs, StreamOptions, resuming};
use crate::time::instant;
use crate::words::{ChangeKind, MemoryOrder, MemoryView, view_code};
use crate::{Client, Error, Result, pb};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use tonic::Code;

/// Handling of changes that are no longer retained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnCompacted {
    /// Lists all memories and continues from there. Of a subscription: continues with the oldest retained one.
    #[default]
    #[serde(alias = "skip")]
    List,
    /// Fails with `OutOfRange`.
    Fail,
}

/// Selects changes, and their form.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WatchQuery {
    /// Selects memories. Default: all. Deletions and expiries are yielded whatever the filter.
    pub filter: Option<Filter>,
    /// Whose memories. Default: all.
    pub scope: Option<Scope>,
    /// First revision. Default: the first change after the call.
    pub start_revision: Option<i64>,
    /// `resume_token` of an earlier event of the same query: continues after it.
    pub resume_token: Option<String>,
    /// Default [`MemoryView::Basic`]; vectors are never included.
    pub view: Option<MemoryView>,
    /// Includes reads with `touch`.
    pub include_touched: bool,
    /// Includes moves between tiers that bring a memory neither into the filter nor out of it.
    pub include_moved: bool,
    /// Default [`OnCompacted::List`].
    pub on_compacted: Option<OnCompacted>,
}

/// A change of a memory, or of the namespace.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemoryChange {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Empty for changes of the namespace.
    pub id: String,
    /// When.
    pub time: Timestamp,
    /// As the change left it; absent when it was erased, then or later, and when it leaves the filter.
    pub memory: Option<Memory>,
    /// The filter admitted it before and does not any more.
    pub leaves: bool,
    /// Revision of the change.
    pub revision: i64,
}

impl From<pb::Change> for MemoryChange {
    fn from(message: pb::Change) -> Self {
        Self {
            kind: ChangeKind::of(message.kind),
            id: if message.name.contains("/memories/") { id_of(&message.name) } else { String::new() },
            time: instant(message.time),
            memory: message.memory.map(Into::into),
            leaves: message.leaves,
            revision: message.revision,
        }
    }
}

/// The events of a watch.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WatchEvent {
    /// A change of a memory.
    Change {
        /// The change.
        change: Box<MemoryChange>,
        /// Where to go on behind it.
        resume_token: String,
    },
    /// Everything up to the revision has been yielded.
    CaughtUp {
        /// The revision.
        revision: i64,
        /// Where to go on.
        resume_token: String,
    },
    /// Changes are missing: discard the known state; all that is there follows as [`WatchEvent::Listed`].
    Relisting {
        /// Revision of the list.
        revision: i64,
    },
    /// A memory that is there.
    Listed {
        /// The memory.
        memory: Box<Memory>,
        /// Revision of the list.
        revision: i64,
    },
}

impl Client {
    /// Every change of the namespace, in order of revision and each once, for ever: a broken stream is reopened and
    /// continues. Dropping it ends it.
    pub fn watch(&self, query: WatchQuery, options: StreamOptions) -> Items<WatchEvent> {
        let runs = WatchRuns::new(self.caller.clone(), query);
        resuming(self.caller.connection.clone(), runs, options)
    }
}

struct WatchRuns {
    caller: Caller,
    query: WatchQuery,
    resume_token: String,
    /// Revision of the last event.
    told_revision: i64,
    /// The log of the revision, and the number of changes already yielded of a partly yielded message.
    log: String,
    begun: HashSet<String>,
    retold: HashSet<String>,
    must_list: bool,
}

impl WatchRuns {
    fn new(caller: Caller, query: WatchQuery) -> Self {
        Self {
            caller,
            resume_token: query.resume_token.clone().unwrap_or_default(),
            query,
            told_revision: 0,
            log: String::new(),
            begun: HashSet::new(),
            retold: HashSet::new(),
            must_list: false,
        }
    }

    fn request(&self) -> Result<pb::WatchMemoriesRequest> {
        let (filter, filter_text) = filter_fields(self.query.filter.as_ref())?;
        Ok(pb::WatchMemoriesRequest {
            parent: self.caller.parent(),
            filter,
            filter_text,
            scope: scope_message(self.query.scope.as_ref()),
            view: view_code(self.query.view),
            include_touched: self.query.include_touched,
            include_moved: self.query.include_moved,
            ..pb::WatchMemoriesRequest::default()
        })
    }

    fn created(&mut self, created: pb::StreamCreated, attempt: &mut Attempt) {
        attempt.expect_every(created.heartbeat_interval);
        // Another server numbers the same changes differently.
        let is_elsewhere = self.log != created.log;
        self.retold.clear();
        if is_elsewhere {
            self.told_revision = 0;
            self.retold = std::mem::take(&mut self.begun);
        }
        self.begun.clear();
        self.log = created.log;
    }

    /// The change as an event, unless it was delivered before.
    fn event_of(&mut self, change: pb::Change, is_last: bool, resume_token: &str) -> Option<WatchEvent> {
        let version = change.memory.as_ref().map(|memory| memory.version).unwrap_or_default();
        let state = format!("{} {} {version}", change.kind, change.name);
        // Resuming within a message repeats its beginning.
        let is_told = change.revision <= self.told_revision || self.retold.contains(&state);
        if is_last {
            self.resume_token = resume_token.into();
            self.begun.clear();
        } else {
            self.begun.insert(state);
        }
        if is_told {
            return None;
        }
        self.told_revision = self.caller.connection.seen(change.revision);
        Some(WatchEvent::Change { change: Box::new(change.into()), resume_token: self.resume_token.clone() })
    }

    /// The list may come from another server, whose revisions are unrelated; a token is valid on every server. So it is
    /// requested first, and changes between the two are yielded after the list as well.
    async fn token_of_now(&mut self, attempt: &mut Attempt) -> Result<String> {
        let mut messages = self.caller.connection.read(self.request()?, &self.caller.options).await?;
        while let Some(message) = attempt.next(&mut messages).await? {
            if let Some(Event::Created(created)) = message.event {
                self.log = created.log;
                self.told_revision = message.revision;
                self.begun.clear();
                return Ok(message.resume_token);
            }
        }
        Err(Error::new(Code::Unavailable, "the stream ended before its time"))
    }

    fn list_query(&self) -> ListQuery {
        let scope = self.query.scope.clone().unwrap_or_default();
        let parts = [
            ("project", scope.project, field::project()),
            ("agent_type", scope.agent_type, field::agent_type()),
            ("agent", scope.agent, field::agent()),
            ("session", scope.session, field::session()),
        ];
        let text = self.query.filter.as_ref().and_then(Filter::as_text);
        let filter = if let Some(text) = text {
            let quoted = |text: String| serde_json::Value::String(text).to_string();
            let given = parts
                .into_iter()
                .filter_map(|(name, value, _)| value.map(|value| format!(" AND {name} = {}", quoted(value))));
            Some(Filter::from(format!("({text}){}", given.collect::<String>())))
        } else {
            let given = parts
                .into_iter()
                .filter_map(|(_, value, field)| value.and_then(given).map(|value| field.equals(value)));
            self.query.filter.clone().into_iter().chain(given).reduce(|one, other| one & other)
        };
        ListQuery {
            filter,
            order: Some(MemoryOrder::CreateTimeAsc),
            view: Some(self.query.view.unwrap_or(MemoryView::Basic)),
            ..ListQuery::default()
        }
    }
}

impl Runs for WatchRuns {
    type Item = WatchEvent;

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<WatchEvent>> {
        async_stream::try_stream! {
            if self.must_list {
                let token = self.token_of_now(attempt).await?;
                let client = Client { caller: self.caller.clone() };
                let mut query = self.list_query();
                let mut page = client.list_page(&query).await?;
                let revision = page.revision;
                yield WatchEvent::Relisting { revision };
                loop {
                    for memory in page.memories {
                        yield WatchEvent::Listed { memory: Box::new(memory), revision };
                    }
                    if page.next_page_token.is_empty() {
                        break;
                    }
                    query.page_token = Some(page.next_page_token);
                    page = client.list_page(&query).await?;
                }
                self.must_list = false;
                self.resume_token = token;
            }
            let start = if self.resume_token.is_empty() { self.query.start_revision.unwrap_or_default() } else { 0 };
            let request = pb::WatchMemoriesRequest {
                resume_token: self.resume_token.clone(),
                start_revision: start,
                ..self.request()?
            };
            let connection = self.caller.connection.clone();
            let mut messages = connection.read(request, &self.caller.options).await?;
            while let Some(message) = attempt.next(&mut messages).await? {
                match message.event {
                    Some(Event::Created(created)) => self.created(created, attempt),
                    Some(Event::Batch(batch)) => {
                        let count = batch.changes.len();
                        for (at, change) in batch.changes.into_iter().enumerate() {
                            if let Some(event) = self.event_of(change, at + 1 == count, &message.resume_token) {
                                yield event;
                            }
                        }
                    }
                    Some(Event::Progress(_)) => {
                        self.resume_token.clone_from(&message.resume_token);
                        let revision = connection.seen(message.revision);
                        yield WatchEvent::CaughtUp { revision, resume_token: message.resume_token.clone() };
                    }
                    _ => {}
                }
                self.resume_token = message.resume_token;
            }
        }
        .boxed()
    }

    /// List, then watch from the revision of the list.
    fn recover(&mut self, error: &Error) -> bool {
        let is_compacted = error.code() == Code::OutOfRange && error.reason() == Some("REVISION_COMPACTED");
        if is_compacted {
            note_loss(&self.caller, error);
        }
        if !is_compacted || self.query.on_compacted == Some(OnCompacted::Fail) || self.must_list {
            return false;
        }
        self.must_list = true;
        true
    }
}

/// The log may have been restored to an older state, as when a data folder is replaced by a copy: reads must not wait
/// for lost revisions.
pub(crate) fn note_loss(caller: &Caller, error: &Error) {
    if let Some(newest) = error.metadata().get("newest_revision").and_then(|text| text.parse().ok()) {
        caller.connection.went_back(newest);
    }
}
