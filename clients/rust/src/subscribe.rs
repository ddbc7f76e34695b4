//! Streamed recall, and standing recall.
use crate::answer::all;
use crate::client::{Caller, Items};
use crate::names::{id_of, ids_of};
use crate::pb::{RecallEventKind, recall_stream_response::Part, subscribe_recall_response::Event};
use crate::recall::{Degradation, RecallHit, RecallQuery, RecallResult};
use crate::streams::{Attempt, Runs, StreamOptions, resuming};
use crate::watch::note_loss;
use crate::words::{RecallLane, Tier};
use crate::{CallOptions, Client, Error, Result, pb};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use tonic::Code;

/// Events of a streamed recall: the hits of each tier, and last the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecallStreamEvent {
    /// All hits of the tier found so far, best first; they replace the hits of earlier events.
    Hits {
        /// The tier.
        tier: Tier,
        /// Its hits.
        hits: Vec<RecallHit>,
    },
    /// The answer of `recall`. Last.
    Merged {
        /// The answer.
        answer: RecallResult,
    },
}

/// The current answer of a standing query, and the changes since the previous one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StandingAnswer {
    /// The answer, best first: the result of recall at `revision`.
    pub hits: Vec<RecallHit>,
    /// Hits that were not in the previous answer.
    pub entered: Vec<RecallHit>,
    /// Hits whose memory, rank, neighbours or score changed.
    pub updated: Vec<RecallHit>,
    /// Ids of memories that left the answer.
    pub left_ids: Vec<String>,
    /// Revision that it stands at.
    pub revision: i64,
    /// True when the answer is unchanged and still valid at `revision`.
    pub is_progress: bool,
    /// Parts that could not be searched, or not in full.
    pub degraded: Vec<Degradation>,
}

impl Client {
    /// Recalls, yielding the hits of each tier, and finally all of them in one order.
    pub fn recall_stream(&self, query: impl Into<RecallQuery>) -> Items<RecallStreamEvent> {
        let caller = self.caller.clone();
        let asked = query.into().message(self);
        Box::pin(async_stream::try_stream! {
            let connection = &caller.connection;
            let query = pb::RecallRequest { min_revision: connection.min_revision(&caller.options), ..asked? };
            let request = pb::RecallStreamRequest { query: Some(query) };
            let timeout = caller.options.timeout.or(Some(connection.settings.recall_timeout));
            let options = CallOptions { timeout, ..(*caller.options).clone() };
            let mut hits_by_tier: HashMap<Tier, Vec<RecallHit>> = HashMap::new();
            let mut messages = connection.read(request, &options).await?;
            while let Some(message) = messages.next().await? {
                match message.part {
                    Some(Part::Hits(part)) => {
                        let tier = Tier::of(part.tier);
                        let known = hits_by_tier.entry(tier).or_default();
                        if !part.continued {
                            known.clear();
                        }
                        for hit in part.hits {
                            known.push(RecallHit::of(hit)?);
                        }
                        yield RecallStreamEvent::Hits { tier, hits: known.clone() };
                    }
                    Some(Part::Merged(merged)) => {
                        connection.seen(merged.revision);
                        yield RecallStreamEvent::Merged { answer: merged_answer(merged, &hits_by_tier) };
                    }
                    None => {}
                }
            }
        })
    }

    /// Recalls, and yields the changes of the answer indefinitely: the whole answer first, then each change. A broken
    /// stream is reopened, and changes in between are included. Dropping it ends it.
    pub fn subscribe(&self, query: impl Into<RecallQuery>, options: StreamOptions) -> Items<StandingAnswer> {
        let runs = SubscribeRuns {
            caller: self.caller.clone(),
            query: query.into().message(self),
            resume_token: String::new(),
            state: BTreeMap::new(),
            gathered: Vec::new(),
            degraded: Vec::new(),
        };
        resuming(self.caller.connection.clone(), runs, options)
    }
}

fn merged_answer(merged: pb::RecallMerged, hits_by_tier: &HashMap<Tier, Vec<RecallHit>>) -> RecallResult {
    let by_name: HashMap<&str, &RecallHit> =
        hits_by_tier.values().flatten().map(|hit| (hit.memory.name.as_str(), hit)).collect();
    let hits = merged.order.iter().filter_map(|at| {
        let mut hit = (*by_name.get(at.name.as_str())?).clone();
        hit.score = at.score;
        hit.memory.tier = Tier::of(at.tier);
        Some(hit)
    });
    RecallResult {
        hits: hits.collect(),
        lanes: merged.lanes.into_iter().map(RecallLane::of).collect(),
        degraded: all(merged.degraded),
        candidate_count: merged.candidate_count,
        low_relevance_count: merged.low_relevance_count,
        passages: all(merged.passages),
        token_count: merged.token_count,
        promoted_ids: ids_of(&merged.promoted),
        damaged_ids: ids_of(&merged.damaged),
        revision: merged.revision,
    }
}

/// By name of the memory.
type State = BTreeMap<String, (i32, RecallHit)>;

struct SubscribeRuns {
    caller: Caller,
    query: Result<pb::RecallRequest>,
    resume_token: String,
    state: State,
    /// Events of a change whose last fragment has not come yet.
    gathered: Vec<pb::RecallEvent>,
    degraded: Vec<Degradation>,
}

impl SubscribeRuns {
    fn changed(&mut self, snapshot: bool, revision: i64) -> Result<StandingAnswer> {
        let before = self.state.clone();
        let mut touched = HashSet::new();
        if snapshot {
            self.state.clear();
        }
        for event in std::mem::take(&mut self.gathered) {
            touched.insert(event.name.clone());
            match event.hit {
                _ if event.kind == RecallEventKind::Leave as i32 => {
                    self.state.remove(&event.name);
                }
                Some(hit) => {
                    self.state.insert(event.name, (event.place, RecallHit::of(hit)?));
                }
                None => {}
            }
        }
        if snapshot {
            touched.retain(|name| differs(before.get(name), self.state.get(name)));
        }
        let left = before.keys().filter(|name| !self.state.contains_key(*name));
        Ok(StandingAnswer {
            left_ids: left.map(|name| id_of(name)).collect(),
            ..self.standing(revision, &touched, &before)
        })
    }

    fn standing(&self, revision: i64, changed: &HashSet<String>, before: &State) -> StandingAnswer {
        let mut in_order: Vec<_> = self.state.iter().collect();
        in_order.sort_by_key(|(_, (place, _))| *place);
        let of = |is_new: bool| {
            let wanted =
                in_order.iter().filter(|(name, _)| changed.contains(*name) && before.contains_key(*name) != is_new);
            wanted.map(|(_, (_, hit))| hit.clone()).collect()
        };
        StandingAnswer {
            hits: in_order.iter().map(|(_, (_, hit))| hit.clone()).collect(),
            entered: of(true),
            updated: of(false),
            left_ids: Vec::new(),
            revision: self.caller.connection.seen(revision),
            is_progress: false,
            degraded: self.degraded.clone(),
        }
    }
}

/// Differences between a repeated answer and the known one.
fn differs(before: Option<&(i32, RecallHit)>, after: Option<&(i32, RecallHit)>) -> bool {
    match (before, after) {
        (Some((place, hit)), Some((other_place, other))) => {
            place != other_place
                || hit.score.to_bits() != other.score.to_bits()
                || hit.memory.version != other.memory.version
        }
        (before, after) => before.is_some() != after.is_some(),
    }
}

impl Runs for SubscribeRuns {
    type Item = StandingAnswer;

    fn open<'a>(&'a mut self, attempt: &'a mut Attempt) -> BoxStream<'a, Result<StandingAnswer>> {
        async_stream::try_stream! {
            self.gathered.clear();
            let connection = self.caller.connection.clone();
            let min_revision = connection.min_revision(&CallOptions::default());
            let request = pb::SubscribeRecallRequest {
                query: Some(pb::RecallRequest { min_revision, ..self.query.clone()? }),
                resume_token: self.resume_token.clone(),
                ..pb::SubscribeRecallRequest::default()
            };
            let mut messages = connection.read(request, &self.caller.options).await?;
            while let Some(message) = attempt.next(&mut messages).await? {
                let mut standing = None;
                match message.event {
                    Some(Event::Created(created)) => attempt.expect_every(created.heartbeat_interval),
                    Some(Event::Progress(_)) => {
                        let answer = self.standing(message.revision, &HashSet::new(), &self.state);
                        standing = Some(StandingAnswer { is_progress: true, ..answer });
                    }
                    Some(Event::Batch(batch)) => {
                        self.gathered.extend(batch.events);
                        if !batch.fragment {
                            self.degraded = all(batch.degraded);
                            standing = Some(self.changed(batch.snapshot, message.revision)?);
                        }
                    }
                    _ => {}
                }
                self.resume_token = message.resume_token;
                if let Some(standing) = standing {
                    yield standing;
                }
            }
        }
        .boxed()
    }

    /// The revision of the token is lost; a stream without it begins with the whole answer as well.
    fn recover(&mut self, error: &Error) -> bool {
        let is_lost =
            error.code() == Code::OutOfRange && matches!(error.reason(), Some("REVISION_COMPACTED" | "REVISION_AHEAD"));
        if !is_lost || self.resume_token.is_empty() {
            return false;
        }
        note_loss(&self.caller, error);
        self.resume_token.clear();
        true
    }
}
