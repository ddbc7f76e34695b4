"""Recall: queries and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict, Union

from ._read import Brief, id_of, more, unspecified
from .facts import TrustLevel
from .filters import FilterLike
from .memory import Embedding, GeoPoint, Memory, MemoryLike, MemoryView, Point, Scope, Tier

RecallLane = Literal["keyword", "vector", "time", "place", "filter", "other"]
"""A way of finding candidates. `other` is a kind that this version of the client does not know."""


class RecallWeights(TypedDict, total=False):
    """Weights of the parts of a score: 0 disables a part, absent ones have the server's default."""

    keyword: float
    vector: float
    recency: float
    importance: float
    session: float
    time: float
    """Nearness to `near_time`."""
    place: float
    """Nearness to `near_place`."""


class NearTime(TypedDict, total=False):
    """An instant or a step, with the distance at which nearness has fallen to a half."""

    time: datetime
    time_scale_ms: float
    """With `time`, in milliseconds. Default: a day."""
    step: int
    step_scale: float
    """With `step`, in steps. Default 10."""


class NearPlace(TypedDict, total=False):
    """A point of one's own world (`point` and `scale`), one on Earth (`geo` and `scale_m`), or a place by its names."""

    point: Point | Mapping[str, float]
    scale: float
    """Distance at which nearness has fallen to a half, in the unit of the world."""
    geo: GeoPoint | Mapping[str, float]
    scale_m: float
    """Distance at which nearness has fallen to a half, in metres."""
    named: Mapping[str, str]
    """At least one of `location`, `room` and `region`."""


class TimeWindow(TypedDict, total=False):
    """The last milliseconds up to now; a unit of the calendar; or from a first instant until another one."""

    last_ms: float
    period: Literal["day", "week", "month", "year"]
    """Of the calendar in `time_zone`: the one that is now, or so many before it."""
    periods_ago: int
    time_zone: str
    """Of IANA, such as `Europe/Berlin`. Default UTC."""
    start_time: datetime
    end_time: datetime
    """Is no longer inside."""


class RecallPreset(TypedDict, total=False):
    """A preset and its parameters."""

    name: str
    """A name from `list_recall_presets`, such as `attribute` or `last_hours`."""
    parameters: Mapping[str, Any]
    now: datetime
    """Instant that relative windows are counted back from. Default: the server's clock."""


class RecallQuery(TypedDict, total=False):
    """The query. At least one of `text`, `embedding`, `example`, `similar_to`, `filter`, `near_time`, `near_place`,
    `time_window` and `preset` is required."""

    text: str
    """Query in plain language."""
    embedding: Embedding | Mapping[str, Any]
    """Vector of the query. Default: computed from `text` by the server's embedder."""
    example: MemoryLike
    """A memory as it might be: its text and the texts of its content are looked for."""
    similar_to: str
    """Id of a memory that others are to be like; it is not returned itself."""
    filter: FilterLike
    """Which memories may be returned. Default: all."""
    scope: Scope | Mapping[str, str]
    """Scope of the memories, including those that its ancestors share, such as its project. Default: all."""
    scope_view: Literal["inherited", "own"]
    """`own`: only memories within the scope. Default: those of its ancestors are visible as well."""
    limit: int
    """Most hits to return, 1 to 1,000. Default 10."""
    min_score: float
    """Minimum score of hits. Scores are comparable within one answer only."""
    min_relevance: float
    """Hits below this relevance are left out, 0 to 1; 0 leaves none out. Default with `text`: the setting of the
    namespace (0.07)."""
    min_similarity: float
    """Memories less near to the vector asked for (cosine, -1 to 1) are not candidates of the vector lane."""
    diversity: float
    """Penalty for similarity to preceding hits (MMR), 0 to 1. Default 0: none. Must be absent with `preset`."""
    group_by: Literal["session"]
    """Of the memories of a session only the best is a hit. Must be absent with `preset`."""
    ranking: Literal["learned", "fusion"]
    """Order of keyword candidates: learned (the default), or by the lanes' own scores."""
    weights: RecallWeights
    recency_half_life_ms: float
    """Age at which recency has halved, in milliseconds. Default 7 days."""
    reference_time: datetime
    """When the question is asked: times in `text` ("yesterday") and recency are counted from it. Default: now."""
    time_zone: str
    """Time zone of the user, an IANA name or an offset such as `+09:00`: "yesterday" is a day there. Default: that of
    `reference_time`, else UTC."""
    include_invalid: bool
    """Includes memories that are not valid now: superseded, or outside of their validity. Must be absent with
    `as_of`."""
    as_of: datetime
    """Reads memories valid at this instant, whether or not superseded since."""
    explain: bool
    """Fills `components` and `matched_terms` of each hit."""
    view: MemoryView
    """Default `basic`: all fields except the vector."""
    touch: bool
    """Counts the recall: raises `retrieval_count` of every hit."""
    focus: bool
    """As `touch`, and moves each hit one tier up that has earned it."""
    tiers: Sequence[Tier]
    """Tiers that hits may be in. Default: all."""
    neighbor_count: int
    """Returns with each hit this many memories of its session before and after it, 0 to 5."""
    exact: bool
    """Searches vectors exactly, whatever the size of the scope."""
    preset: RecallPreset
    """A retrieval form by name, in place of `text`, `embedding`, `example`, `similar_to`, `weights` and
    `min_similarity`."""
    near_time: NearTime
    """Nearness in time raises the score; the nearest memories are candidates."""
    near_place: NearPlace
    """Nearness in place raises the score; the nearest memories are candidates."""
    time_window: TimeWindow
    """Event times of the memories that may be returned; may be relative to the server's clock."""
    token_budget: int
    """Most tokens that the texts of the hits may have together, 1 to 100,000; fills `passages`."""


@dataclass(frozen=True)
class ScoreComponent:
    """A part of a score."""

    name: str
    value: float
    """Unweighted value of the part, in its own unit."""
    contribution: float
    """Its contribution to the score."""
    rank: int
    """Place of the memory in the lane, from 1; 0 where there is none."""


@dataclass(frozen=True)
class MatchedPassage:
    """A part of a memory's text."""

    text: str
    offset_bytes: int
    """Where it begins in the memory's text, in bytes of UTF-8."""


@dataclass(frozen=True, repr=False)
class RecallHit(Brief):
    """A memory that recall has found."""

    memory: Memory
    score: float
    """Determines the order: higher is better."""
    relevance: float
    """Probability that the memory answers the query, 0 to 1: comparable between queries and namespaces."""
    equal_count: int
    """Further memories that are equal to this one, and therefore no hits of their own."""
    outdated_by: str
    """Name of the hit that states a newer value of what this one states; empty without one."""
    components: tuple[ScoreComponent, ...]
    features: tuple[ScoreComponent, ...]
    """Features of the learned order, heaviest first, with `explain`."""
    matched_terms: tuple[str, ...]
    restored: bool
    """With `explain`: whether text and content come from the compressed form of a lower tier."""
    trust: TrustLevel = field(metadata=unspecified("untrusted"))
    """Trust in the source of the memory; of a derived memory the least of its sources."""
    passage: MatchedPassage | None
    """For a text of more than 2,400 characters, the part that answers best, by which the memory was found."""
    before: tuple[Memory, ...]
    """Memories of its session before it, nearest last."""
    after: tuple[Memory, ...]
    """Memories of its session after it, nearest first."""


@dataclass(frozen=True)
class Degradation:
    """A part that could not be searched, or not in full."""

    part: str
    reason: str


@dataclass(frozen=True, repr=False)
class Passage(Brief):
    """A hit, or several of one session that follow one another, as one text."""

    text: str
    token_count: int
    ids: tuple[str, ...] = field(metadata=id_of("names"))
    """Of the memories, in the order of the text."""
    score: float


@dataclass(frozen=True, repr=False)
class RecallResult(Brief):
    """The answer of a recall."""

    hits: tuple[RecallHit, ...] = field(metadata=more())
    """Best first."""
    lanes: tuple[RecallLane, ...]
    """Lanes that were searched."""
    degraded: tuple[Degradation, ...]
    candidate_count: int
    """How many memories were ranked before the limit was applied."""
    low_relevance_count: int
    """Of the first `limit` memories, those left out because they are less relevant than `min_relevance`."""
    passages: tuple[Passage, ...]
    """With a budget of tokens: the hits as texts to read, best first."""
    token_count: int
    """Tokens that the passages have together."""
    promoted_ids: tuple[str, ...] = field(metadata=id_of("promoted"))
    """Ids of the hits that were moved one tier up, with `focus`."""
    damaged_ids: tuple[str, ...] = field(metadata=id_of("damaged"))
    """Ids of hits, and of neighbours of hits, whose bytes are damaged: they are missing from `hits`."""
    revision: int


@dataclass(frozen=True)
class PresetParameter:
    """A parameter of a preset."""

    name: str
    description: str
    type: str
    default_json: str
    """As JSON; empty when there is none."""
    limits: str
    required: bool


@dataclass(frozen=True)
class RecallPresetDescription:
    """Description of a preset and its parameters."""

    name: str
    description: str
    parameters: tuple[PresetParameter, ...]


@dataclass(frozen=True)
class TierHits:
    """All hits of a tier that are known by now, best first; they replace those of earlier events."""

    tier: Tier
    hits: tuple[RecallHit, ...]
    kind: Literal["hits"] = "hits"


@dataclass(frozen=True)
class Merged:
    """The answer of `recall`. Last."""

    answer: RecallResult
    kind: Literal["merged"] = "merged"

    @property
    def hits(self) -> tuple[RecallHit, ...]:
        """Those of the answer."""
        return self.answer.hits


RecallStreamEvent = Union[TierHits, Merged]
"""Events of a streamed recall: the hits of each tier, and last the answer."""


@dataclass(frozen=True)
class StandingAnswer:
    """The current answer of a standing query, and the changes since the previous one."""

    hits: tuple[RecallHit, ...]
    """The answer, best first: the result of recall at `revision`."""
    entered: tuple[RecallHit, ...]
    updated: tuple[RecallHit, ...]
    """It, its place, its neighbours or its score has changed."""
    left_ids: tuple[str, ...]
    """Ids of memories that left the answer."""
    revision: int
    is_progress: bool
    """True when the answer is unchanged and still valid at `revision`."""
    degraded: tuple[Degradation, ...]
    """Parts that could not be searched, or not in full."""
