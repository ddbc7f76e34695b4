//! The query.
use crate::filter::{Filter, filter_fields};
use crate::json::json_of;
use crate::memory::{Embedding, GeoPoint, NewMemory, Point, Scope, scope_message};
use crate::time::{maybe_millis, millis, span, stamp};
use crate::words::{CalendarPeriod, Grouping, MemoryView, Ranking, ScopeView, Tier, view_code};
use crate::{Client, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Weights of the parts of a score: 0 disables a part, absent ones have the server's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RecallWeights {
    pub keyword: Option<f64>,
    pub vector: Option<f64>,
    pub recency: Option<f64>,
    pub importance: Option<f64>,
    pub session: Option<f64>,
    /// Nearness to `near_time`.
    pub time: Option<f64>,
    /// Nearness to `near_place`.
    pub place: Option<f64>,
}

/// An instant or a step, with the distance at which nearness has fallen to a half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum NearTime {
    /// Near an instant.
    Time {
        /// The instant.
        time: Timestamp,
        /// Default 1 day.
        #[serde(default, rename = "time_scale_ms", with = "maybe_millis")]
        time_scale: Option<Duration>,
    },
    /// Near a step.
    Step {
        /// The step.
        step: i64,
        /// Default 10 steps.
        #[serde(default)]
        step_scale: Option<f64>,
    },
}

/// A place by its names, at least one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NamedPlace {
    /// Name of a location.
    pub location: Option<String>,
    /// Name of a room.
    pub room: Option<String>,
    /// Name of a region.
    pub region: Option<String>,
}

/// A point of one's own world or on Earth, with the distance at which nearness has fallen to a half; or a place by names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum NearPlace {
    /// A place by its names.
    Named {
        /// The names.
        named: NamedPlace,
    },
    /// A point of one's own world.
    Point {
        /// The point.
        point: Point,
        /// In the unit of the world.
        scale: f64,
    },
    /// A point on Earth.
    Geo {
        /// The point.
        geo: GeoPoint,
        /// In metres.
        scale_m: f64,
    },
}

/// When what may be returned happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum TimeWindow {
    /// Within so long before the server's clock.
    Last {
        /// So long.
        #[serde(rename = "last_ms", with = "millis")]
        last: Duration,
    },
    /// In a unit of the calendar.
    Period {
        /// The unit.
        period: CalendarPeriod,
        /// 0 (default): the current one; 1: the one before it.
        #[serde(default)]
        periods_ago: i32,
        /// Time zone by its IANA name. Default UTC.
        #[serde(default)]
        time_zone: Option<String>,
    },
    /// From one instant until another.
    Between {
        /// First instant inside.
        #[serde(default)]
        start_time: Option<Timestamp>,
        /// First instant that is outside again.
        #[serde(default)]
        end_time: Option<Timestamp>,
    },
}

/// A preset and its parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecallPreset {
    /// A name from `list_recall_presets`, such as `attribute` or `last_hours`.
    pub name: String,
    /// Its parameters, as JSON: see [`RecallPreset::parameters`].
    #[serde(default)]
    pub parameters: Option<serde_json::Value>,
    /// Instant that relative windows are counted back from. Default: the server's clock.
    #[serde(default)]
    pub now: Option<Timestamp>,
}

impl RecallPreset {
    /// A form without parameters.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// With parameters: a map or a struct. Fails with `InvalidArgument` where JSON cannot carry them.
    pub fn parameters<T: Serialize + ?Sized>(mut self, parameters: &T) -> Result<Self> {
        let json = json_of(parameters, "preset.parameters")?;
        self.parameters = serde_json::from_str(&json).ok();
        Ok(self)
    }
}

/// The query. At least one of `text`, `embedding`, `example`, `similar_to`, `filter`, `near_time`, `near_place`,
/// `time_window` and `preset` is required.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallQuery {
    /// Query in plain language.
    pub text: Option<String>,
    /// Vector of the query. Default: computed from `text` by the server's embedder.
    pub embedding: Option<Embedding>,
    /// A memory as it might be: its text and the texts of its content are looked for.
    pub example: Option<NewMemory>,
    /// Id of a memory that others are to be like; it is not returned itself.
    pub similar_to: Option<String>,
    /// Which memories may be returned. Default: all.
    pub filter: Option<Filter>,
    /// Scope of the memories, including memories shared by its ancestors, such as its project. Default: all.
    pub scope: Option<Scope>,
    /// Default: memories of its ancestors are visible as well.
    pub scope_view: Option<ScopeView>,
    /// Most hits to return, 1 to 1,000. Default 10.
    pub limit: Option<i32>,
    /// Minimum score of hits. Scores are comparable within one answer only.
    pub min_score: Option<f64>,
    /// Minimum relevance of hits, 0 to 1; 0 leaves none out. Default with a text: the setting of the namespace (0.07).
    pub min_relevance: Option<f64>,
    /// Memories less near to the vector asked for (cosine, -1 to 1) are not candidates of the vector lane.
    pub min_similarity: Option<f64>,
    /// Penalty for similarity to preceding hits (MMR), 0 to 1. Default 0: none. Must be absent with `preset`.
    pub diversity: Option<f64>,
    /// Of the memories of a group only the best is a hit. Must be absent with `preset`. Default: no groups.
    pub group_by: Option<Grouping>,
    /// Default: as was learned.
    pub ranking: Option<Ranking>,
    /// How much each part of a score counts.
    pub weights: Option<RecallWeights>,
    /// Age at which recency has halved. Default 7 days.
    #[serde(rename = "recency_half_life_ms", with = "maybe_millis")]
    pub recency_half_life: Option<Duration>,
    /// When the question is asked: times in `text` ("yesterday") and recency are counted from it. Default: now.
    pub reference_time: Option<Timestamp>,
    /// Time zone of the user, an IANA name or an offset such as `+09:00`: "yesterday" is a day there. Default: UTC.
    pub time_zone: Option<String>,
    /// Includes memories that are not valid now: superseded, or outside of their validity. Must be absent with `as_of`.
    pub include_invalid: bool,
    /// Reads memories valid at this instant, whether or not superseded since.
    pub as_of: Option<Timestamp>,
    /// Fills `components` and `matched_terms` of each hit.
    pub explain: bool,
    /// Default [`MemoryView::Basic`].
    pub view: Option<MemoryView>,
    /// Counts the recall: raises `retrieval_count` of every hit. Not of `subscribe`.
    pub touch: bool,
    /// As `touch`, and moves each hit one tier up that has earned it. Not of `subscribe`.
    pub focus: bool,
    /// Tiers that hits may be in. Default: all.
    pub tiers: Vec<Tier>,
    /// Returns with each hit this many memories of its session before and after it, 0 to 5.
    pub neighbor_count: Option<i32>,
    /// Searches vectors exactly, whatever the size of the scope.
    pub exact: bool,
    /// A retrieval form by name, in place of `text`, `embedding`, `example`, `similar_to`, `weights` and `min_similarity`.
    pub preset: Option<RecallPreset>,
    /// Nearness in time raises the score; the nearest memories are candidates.
    pub near_time: Option<NearTime>,
    /// Nearness in place raises the score; the nearest memories are candidates.
    pub near_place: Option<NearPlace>,
    /// Event times of the memories that may be returned; may be relative to the server's clock.
    pub time_window: Option<TimeWindow>,
    /// Most tokens that the texts of the hits may have together, 1 to 100,000; fills `passages`.
    pub token_budget: Option<i32>,
}

impl From<&str> for RecallQuery {
    fn from(text: &str) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }
}

impl From<String> for RecallQuery {
    fn from(text: String) -> Self {
        Self { text: Some(text), ..Self::default() }
    }
}

impl RecallQuery {
    /// As it is sent, without the revision to answer from.
    pub(crate) fn message(&self, client: &Client) -> Result<pb::RecallRequest> {
        let query = self.clone();
        let (filter, filter_text) = filter_fields(query.filter.as_ref())?;
        let namespace = &client.caller.namespace;
        Ok(pb::RecallRequest {
            parent: client.caller.parent(),
            text: query.text.unwrap_or_default(),
            embedding: query.embedding.map(|embedding| embedding.message()).transpose()?,
            example: query.example.map(|example| example.message(namespace)).transpose()?,
            similar_to: query.similar_to.map(|id| client.caller.memory_name(&id)).unwrap_or_default(),
            filter,
            filter_text,
            scope: scope_message(query.scope.as_ref()),
            limit: query.limit.unwrap_or_default(),
            min_score: query.min_score,
            weights: query.weights.map(|weights| pb::RecallWeights {
                keyword: weights.keyword,
                vector: weights.vector,
                recency: weights.recency,
                importance: weights.importance,
                session: weights.session,
                time: weights.time,
                place: weights.place,
            }),
            recency_half_life: query.recency_half_life.map(span),
            include_invalid: query.include_invalid,
            as_of: query.as_of.map(stamp),
            explain: query.explain,
            view: view_code(query.view),
            touch: query.touch,
            min_revision: 0,
            neighbor_count: query.neighbor_count.unwrap_or_default(),
            exact: query.exact,
            min_similarity: query.min_similarity,
            near_time: query.near_time.map(near_time_message),
            near_place: query.near_place.map(near_place_message),
            time_window: query.time_window.map(time_window_message),
            token_budget: query.token_budget.unwrap_or_default(),
            focus: query.focus,
            tiers: query.tiers.iter().map(|tier| tier.code()).collect(),
            preset: query.preset.map(|preset| pb::RecallPreset {
                name: preset.name,
                parameters: preset.parameters.map(|value| value.to_string()).unwrap_or_default(),
                now: preset.now.map(stamp),
            }),
            scope_view: query.scope_view.filter(|view| *view == ScopeView::Own).map_or(0, ScopeView::code),
            ranking: query.ranking.filter(|ranking| *ranking == Ranking::Fusion).map_or(0, Ranking::code),
            diversity: query.diversity.unwrap_or_default(),
            group_by: query.group_by.map_or(0, Grouping::code),
            reference_time: query.reference_time.map(stamp),
            time_zone: query.time_zone.unwrap_or_default(),
            min_relevance: query.min_relevance,
        })
    }
}

fn near_time_message(near: NearTime) -> pb::NearTime {
    use pb::near_time::Origin;
    match near {
        NearTime::Time { time, time_scale } => {
            pb::NearTime { origin: Some(Origin::Time(stamp(time))), time_scale: time_scale.map(span), step_scale: None }
        }
        NearTime::Step { step, step_scale } => {
            pb::NearTime { origin: Some(Origin::Step(step)), time_scale: None, step_scale }
        }
    }
}

fn near_place_message(near: NearPlace) -> pb::NearPlace {
    use pb::near_place::Origin;
    match near {
        NearPlace::Named { named } => pb::NearPlace {
            origin: Some(Origin::Named(pb::NamedPlace {
                location: named.location.unwrap_or_default(),
                room: named.room.unwrap_or_default(),
                region: named.region.unwrap_or_default(),
            })),
            scale: 0.0,
        },
        NearPlace::Point { point, scale } => pb::NearPlace { origin: Some(Origin::Point(point.into())), scale },
        NearPlace::Geo { geo, scale_m } => pb::NearPlace { origin: Some(Origin::Geo(geo.into())), scale: scale_m },
    }
}

fn time_window_message(window: TimeWindow) -> pb::TimeWindow {
    match window {
        TimeWindow::Last { last } => pb::TimeWindow { last: Some(span(last)), ..pb::TimeWindow::default() },
        TimeWindow::Period { period, periods_ago, time_zone } => pb::TimeWindow {
            period: period.code(),
            periods_ago,
            time_zone: time_zone.unwrap_or_default(),
            ..pb::TimeWindow::default()
        },
        TimeWindow::Between { start_time, end_time } => pb::TimeWindow {
            start_time: start_time.map(stamp),
            end_time: end_time.map(stamp),
            ..pb::TimeWindow::default()
        },
    }
}
