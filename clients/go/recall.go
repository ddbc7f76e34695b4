package mneme

import "time"

// RecallWeights say how much each part of a score counts: 0 switches a part off, nil is the server's default.
type RecallWeights struct {
	Keyword    *float64
	Vector     *float64
	Recency    *float64
	Importance *float64
	Session    *float64
	// Time is nearness to NearTime, Place to NearPlace.
	Time, Place *float64
}

// ScopeView selects the visibility of a scope's ancestors.
type ScopeView string

// The views of a scope. ScopeViewInherited (the default): memories of its ancestors are visible as well. ScopeViewOwn: only memories within the scope.
const (
	ScopeViewInherited ScopeView = "inherited"
	ScopeViewOwn       ScopeView = "own"
)

// Ranking is the order of keyword candidates.
type Ranking string

// The orders of hits: as was learned (the default), or by the lanes' own scores.
const (
	RankingLearned Ranking = "learned"
	RankingFusion  Ranking = "fusion"
)

// Grouping names groups of memories of which only the best is a hit.
type Grouping string

// GroupingSession: the memories of a session.
const GroupingSession Grouping = "session"

// RecallQuery says the query. At least one of Text, Embedding, Example, SimilarTo, Filter, NearTime, NearPlace,
// TimeWindow and Preset is required.
type RecallQuery struct {
	// Text is the query in plain language.
	Text string
	// Embedding is the vector of the query. Default: computed from Text by the server's embedder.
	Embedding *Embedding
	// Example is a memory as it might be: its text and the texts of its content are looked for.
	Example *NewMemory
	// SimilarTo is the id of a memory that others are to be like; it is not returned itself.
	SimilarTo string
	// Filter says which memories may be returned. Default: all.
	Filter Filter
	// Scope is the scope of the memories, including memories shared by its ancestors, such as its project. Default: all.
	Scope     Scope
	ScopeView ScopeView
	// Limit is the most hits to return, 1 to 1,000. Default 10.
	Limit int32
	// MinScore: hits below it are left out. Scores are comparable within one answer only.
	MinScore *float64
	// MinRelevance: hits below it are left out, 0 to 1; 0 leaves none out. Default with a text: the setting of the
	// namespace (0.07).
	MinRelevance *float64
	// MinSimilarity: memories less near to the vector asked for (cosine, -1 to 1) are not candidates of the vector lane.
	MinSimilarity *float64
	// Diversity is the penalty for similarity to preceding hits (MMR), 0 to 1. Default 0: none. Must be absent with Preset.
	Diversity float64
	// GroupBy: of the memories of a group only the best is a hit. Must be absent with Preset. Default: no groups.
	GroupBy Grouping
	Ranking Ranking
	Weights *RecallWeights
	// RecencyHalfLife is the age at which recency has halved. Default 7 days.
	RecencyHalfLife time.Duration
	// ReferenceTime is when the question is asked: times in Text ("yesterday") and recency are counted from it. Default: now.
	ReferenceTime time.Time
	// TimeZone is the user's, an IANA name or an offset such as +09:00: "yesterday" is a day there. Default: that of
	// ReferenceTime, else UTC.
	TimeZone string
	// IncludeInvalid includes memories that are not valid now: superseded, or outside of their validity. Must be absent
	// with AsOf.
	IncludeInvalid bool
	// AsOf reads memories valid at this instant, whether or not superseded since.
	AsOf time.Time
	// Explain fills Components, Features and MatchedTerms of each hit.
	Explain bool
	// View selects the parts of the memories. Default ViewBasic.
	View View
	// Touch counts the recall: raises RetrievalCount of every hit. Focus does too, and moves each hit one tier up that has
	// earned it. Not for Subscribe.
	Touch, Focus bool
	// Tiers that hits may be in. Default: all.
	Tiers []Tier
	// NeighborCount returns with each hit this many memories of its session before and after it, 0 to 5.
	NeighborCount int32
	// Exact searches vectors exactly, whatever the size of the scope.
	Exact bool
	// Preset is a retrieval form by name, in place of Text, Embedding, Example, SimilarTo, Weights and MinSimilarity.
	Preset *RecallPreset
	// NearTime: nearness in time raises the score; the nearest memories are candidates.
	NearTime *NearTime
	// NearPlace: nearness in place raises the score; the nearest memories are candidates.
	NearPlace *NearPlace
	// TimeWindow limits the event times of the memories that may be returned; may be relative to the server's clock.
	TimeWindow *TimeWindow
	// TokenBudget is the most tokens that the texts of the hits may have together, 1 to 100,000; fills Passages.
	TokenBudget int32
}

// NearTime is an instant or a step: Time where it is not the zero time, otherwise Step.
type NearTime struct {
	Time time.Time
	// TimeScale is the distance at which nearness to Time has fallen to a half. Default 1 day.
	TimeScale time.Duration
	Step      int64
	// StepScale is the distance at which nearness to Step has fallen to a half. Default 10 steps.
	StepScale *float64
}

// NearPlace is one of: a point of one's own world, a point on Earth, or a place by its names, at least one.
type NearPlace struct {
	Point *Point
	Geo   *GeoPoint
	Named *NamedPlace
	// Scale is the distance at which nearness has fallen to a half; from Geo in metres. Must be absent with Named.
	Scale float64
}

// NamedPlace is a place by its names.
type NamedPlace struct {
	Location, Room, Region string
}

// Period is a unit of the calendar.
type Period string

// The units of the calendar.
const (
	PeriodDay   Period = "day"
	PeriodWeek  Period = "week"
	PeriodMonth Period = "month"
	PeriodYear  Period = "year"
)

// TimeWindow is one of: the last so much time (Last); a unit of the calendar (Period, PeriodsAgo, TimeZone); or from a first
// instant until another, which is no longer inside (StartTime, EndTime).
type TimeWindow struct {
	Last   time.Duration
	Period Period
	// PeriodsAgo is 0 for the unit that is now.
	PeriodsAgo int32
	// TimeZone is an IANA time zone. Default: that of the query.
	TimeZone           string
	StartTime, EndTime time.Time
}

// RecallPreset is a preset and its parameters.
type RecallPreset struct {
	// Name is a name from ListRecallPresets, such as Attribute or last_hours.
	Name       string
	Parameters map[string]any
	// Now is the instant that relative windows are counted back from. Default: the server's clock.
	Now time.Time
}

// RecallPresetDescription is the description of a preset and its parameters.
type RecallPresetDescription struct {
	Name        string
	Description string
	Parameters  []RecallPresetParameter
}

// RecallPresetParameter is one parameter of a preset.
type RecallPresetParameter struct {
	Name        string
	Description string
	Type        string
	// DefaultJSON is empty when there is none.
	DefaultJSON string
	Limits      string
	Required    bool
}

// Lane is a way of finding candidates: keyword, vector, time, place, filter, or other.
type Lane string

// The lanes.
const (
	LaneKeyword Lane = "keyword"
	LaneVector  Lane = "vector"
	LaneTime    Lane = "time"
	LanePlace   Lane = "place"
	LaneFilter  Lane = "filter"
	LaneOther   Lane = "other"
)

// ScoreComponent is a part of a score.
type ScoreComponent struct {
	Name string
	// Value is the unweighted value of the part, in its own unit.
	Value float64
	// Contribution is its contribution to the score.
	Contribution float64
	// Rank is the place of the memory in the lane, from 1; 0 where there is none.
	Rank int32
}

// MatchedPassage is the part of a long text that answers best.
type MatchedPassage struct {
	Text string
	// OffsetBytes is where it begins in the memory's text, in bytes of UTF-8.
	OffsetBytes int32
}

// RecallHit is a memory that was found.
type RecallHit struct {
	Memory Memory
	// Score determines the order: higher is better.
	Score float64
	// Relevance is the probability that the memory answers the query, 0 to 1: comparable between queries and namespaces.
	Relevance float64
	// EqualCount is the number of further memories that are equal to this one, and therefore no hits of their own.
	EqualCount int32
	// OutdatedBy is the name of the hit that states a newer value of what this one states; empty without one.
	OutdatedBy string
	Components []ScoreComponent
	// Features are the features of the learned order, heaviest first, with Explain.
	Features     []ScoreComponent
	MatchedTerms []string
	// Restored says, with Explain, whether text and content come from the compressed form of a lower tier.
	Restored bool
	// Trust in the source of the memory; of a derived memory it is the least of its sources.
	Trust TrustLevel
	// Passage is, for a text of more than 2,400 characters, the part that answers best, by which the memory was found.
	Passage *MatchedPassage
	// Before are memories of its session before it, nearest last; After are memories after it, nearest first.
	Before, After []Memory
}

// Passage is a hit, or several of one session that follow one another, as one text.
type Passage struct {
	Text       string
	TokenCount int32
	// IDs of the memories, in the order of the text.
	IDs   []string
	Score float64
}

// Degradation is a part that could not be searched, or not in full.
type Degradation struct {
	Part   string
	Reason string
}

// RecallResult is the answer of a recall.
type RecallResult struct {
	// Hits, best first.
	Hits []RecallHit
	// Lanes that were searched.
	Lanes    []Lane
	Degraded []Degradation
	// CandidateCount is how many memories were ranked before the limit was applied.
	CandidateCount int64
	// LowRelevanceCount is how many of the first Limit memories are left out because they are less relevant than
	// MinRelevance.
	LowRelevanceCount int32
	// Passages are, with a budget of tokens, the hits as texts to read, best first.
	Passages []Passage
	// TokenCount is the sum over the passages.
	TokenCount int32
	// PromotedIDs are of the hits that were moved one tier up, with Focus.
	PromotedIDs []string
	// DamagedIDs are of hits, and of neighbours of hits, whose bytes are damaged: they are missing from Hits.
	DamagedIDs []string
	Revision   int64
}
