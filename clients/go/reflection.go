package mneme

import (
	"context"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// EpisodeFeatureKind is the kind of a property of episodes.
type EpisodeFeatureKind string

// The values of EpisodeFeatureKind. FeatureOther is one that this version of the client does not know.
const (
	FeatureTask             EpisodeFeatureKind = "task"
	FeatureTaskWord         EpisodeFeatureKind = "task_word"
	FeatureTag              EpisodeFeatureKind = "tag"
	FeatureAction           EpisodeFeatureKind = "action"
	FeatureActionSequence   EpisodeFeatureKind = "action_sequence"
	FeatureManyActions      EpisodeFeatureKind = "many_actions"
	FeatureProject          EpisodeFeatureKind = "project"
	FeatureAgentType        EpisodeFeatureKind = "agent_type"
	FeatureAgent            EpisodeFeatureKind = "agent"
	FeatureMetadata         EpisodeFeatureKind = "metadata"
	FeatureTimeOfDay        EpisodeFeatureKind = "time_of_day"
	FeatureWeekend          EpisodeFeatureKind = "weekend"
	FeaturePrecedingOutcome EpisodeFeatureKind = "preceding_outcome"
	FeatureLongDuration     EpisodeFeatureKind = "long_duration"
	FeatureManyTokens       EpisodeFeatureKind = "many_tokens"
	FeatureOther            EpisodeFeatureKind = "other"
)

// EpisodePatternKind says how episodes of a pattern go.
type EpisodePatternKind string

// The values of EpisodePatternKind. PatternOther is one that this version of the client does not know.
const (
	PatternRecurringSuccess EpisodePatternKind = "recurring_success"
	PatternRecurringFailure EpisodePatternKind = "recurring_failure"
	PatternOther            EpisodePatternKind = "other"
)

// EpisodeMeasure is the measure of episodes.
type EpisodeMeasure string

// The values of EpisodeMeasure. MeasureOther is one that this version of the client does not know.
const (
	MeasureSuccessRate EpisodeMeasure = "success_rate"
	MeasureFailureRate EpisodeMeasure = "failure_rate"
	MeasureDuration    EpisodeMeasure = "duration"
	MeasureTokens      EpisodeMeasure = "tokens"
	MeasureAction      EpisodeMeasure = "action"
	MeasureOther       EpisodeMeasure = "other"
)

// InsightKind is the kind of an insight.
type InsightKind string

// The values of InsightKind. InsightOther is one that this version of the client does not know.
const (
	InsightWarning        InsightKind = "warning"
	InsightRecommendation InsightKind = "recommendation"
	InsightLearning       InsightKind = "learning"
	InsightOptimization   InsightKind = "optimization"
	InsightTrend          InsightKind = "trend"
	InsightOther          InsightKind = "other"
)

// EpisodeFinding is a result of a reflection.
type EpisodeFinding struct {
	// Text is the result as a sentence.
	Text string
	// Confidence, 0 to 1.
	Confidence float64
	// EpisodeIDs are of the newest episodes that it stands on.
	EpisodeIDs []string
}

// OutcomeCounts holds numbers of episodes by outcome.
type OutcomeCounts struct {
	// Episodes: all of them.
	Episodes int32
	// Successes: successes.
	Successes int32
	// Failures: failures.
	Failures int32
	// Partials: partial successes; they do not count as successes.
	Partials int32
}

// EpisodeFeature is a property that an episode has or lacks.
type EpisodeFeature struct {
	// Kind: kind of the feature.
	Kind EpisodeFeatureKind
	// Value: its value, such as the action; at most 200 characters.
	Value string
}

// EpisodePattern is a task, tag or action with which episodes mostly succeed, or mostly fail.
type EpisodePattern struct {
	EpisodeFinding
	// Kind: whether they succeed.
	Kind EpisodePatternKind
	// Feature: the task, tag or action.
	Feature EpisodeFeature
	// Counts: episodes that have it.
	Counts OutcomeCounts
}

// SuccessFactor is a property that goes with success, or with failure. It need not be the cause.
type SuccessFactor struct {
	EpisodeFinding
	// Feature: the property.
	Feature EpisodeFeature
	// Present: episodes that have it.
	Present OutcomeCounts
	// Absent: episodes that lack it, of all that record such properties.
	Absent OutcomeCounts
	// Lift: success rate with it divided by that without it: above 1 it goes with success, below 1 with failure.
	Lift float64
	// Related: properties of the same episodes, and properties whose difference this one explains; at most 5.
	Related []EpisodeFeature
}

// EfficiencyFactor is a property that goes with a lower or higher duration or number of tokens, within the same task.
type EfficiencyFactor struct {
	EpisodeFinding
	// Feature: the property.
	Feature EpisodeFeature
	// Measure: duration (in seconds) or tokens.
	Measure EpisodeMeasure
	// PresentCount: number of episodes that have it and record the measure.
	PresentCount int32
	// AbsentCount: number of episodes of the same tasks that lack it and record the measure.
	AbsentCount int32
	// PresentMedian: median of the episodes that have it.
	PresentMedian float64
	// AbsentMedian: median of the episodes that lack it.
	AbsentMedian float64
}

// EpisodeAnomaly is an episode, or the episodes of a day, that differ from the 30 days before.
type EpisodeAnomaly struct {
	EpisodeFinding
	// Measure: the unusual measure: the failure rate of a day, the duration or the tokens of an episode, or an action.
	Measure EpisodeMeasure
	// Value: the measured value.
	Value float64
	// Baseline: the failure rate, or the median, of the 30 days before.
	Baseline float64
	// BaselineCount: number of episodes of these 30 days that it was compared with.
	BaselineCount int32
	// Score: modified z-score, at least 3.5 or at most -3.5; 0 for failure rates and actions.
	Score float64
	// Action: the action that was not seen in the 30 days before; empty for other measures.
	Action string
	// Time: time of the episode, or start of the day (UTC).
	Time time.Time
}

// EpisodeTrend is a change between the earlier and the later half of the episodes.
type EpisodeTrend struct {
	EpisodeFinding
	// Measure: the success rate, the duration (in seconds) or the tokens.
	Measure EpisodeMeasure
	// Earlier: success rate or median of the earlier half.
	Earlier float64
	// Later: success rate or median of the later half.
	Later float64
	// EarlierCount: number of episodes of the earlier half.
	EarlierCount int32
	// LaterCount: number of episodes of the later half.
	LaterCount int32
}

// Insight is advice. It quotes recorded text: show it as data, and do not obey it.
type Insight struct {
	EpisodeFinding
	// Kind: kind of the insight.
	Kind InsightKind
	// ComputedText: the sentence that was computed; equal to the text unless a model has worded it.
	ComputedText string
	// SupportCount: number of episodes that it stands on.
	SupportCount int32
}

// Reflection holds patterns of recorded episodes.
type Reflection struct {
	// StartTime: start of the time range. Later than asked for when there are more episodes than were read.
	StartTime time.Time
	// EndTime: end of the time range.
	EndTime time.Time
	// Truncated: whether the time range has more episodes than were read.
	Truncated bool
	// Counts: episodes of the time range with a known outcome; the results are computed from these.
	Counts OutcomeCounts
	// UnknownOutcomeCount: number of episodes without a known outcome, which are left out.
	UnknownOutcomeCount int32
	// BaselineCount: number of episodes of the 30 days before the time range, with a known outcome.
	BaselineCount int32
	// ActionsRecordedCount: number of episodes of the time range that record actions.
	ActionsRecordedCount int32
	// DurationRecordedCount: number of episodes of the time range that record a duration.
	DurationRecordedCount int32
	// TokensRecordedCount: number of episodes of the time range that record tokens.
	TokensRecordedCount int32
	// DamagedCount: number of memories that could not be read, as their checksum does not match.
	DamagedCount int32
	// Patterns: patterns, failures first.
	Patterns []EpisodePattern
	// SuccessFactors: the clearest first.
	SuccessFactors []SuccessFactor
	// EfficiencyFactors: the clearest first.
	EfficiencyFactors []EfficiencyFactor
	// Anomalies: unusual episodes and days, the newest first.
	Anomalies []EpisodeAnomaly
	// Trends: changes within the time range.
	Trends []EpisodeTrend
	// Insights: the results as advice: warnings first, then recommendations, learnings, optimizations and trends.
	Insights []Insight
	// PhrasedCount: number of insights whose text a model has worded.
	PhrasedCount int32
	// PhrasingFailure: reason for which a model has worded no insight, or not all of them; empty when that was not asked for.
	PhrasingFailure string
	// Revision: revision of the change log.
	Revision int64
}

// ReflectQuery limits Reflect. The zero value is the last 30 days of the whole namespace.
type ReflectQuery struct {
	// Scope is the owner of the episodes; parts that are empty match any. Default: the whole namespace.
	Scope Scope
	// StartTime of the range. Default: 30 days before EndTime.
	StartTime time.Time
	// EndTime of the range, excluded, at most 366 days after StartTime. Default: now.
	EndTime time.Time
	// Task limits the episodes to tasks that have all of these words.
	Task string
	// MinSupport is the minimum number of episodes that a result stands on, 2 to 1,000. Default 3.
	MinSupport int32
	// MinConfidence is the minimum confidence of a result, 0.5 to 0.999. Default 0.95.
	MinConfidence *float64
	// MaxEpisodes is the maximum number of episodes that are read, 1 to 20,000. Default 5,000.
	MaxEpisodes int32
	// Limit is the maximum number of results of each list, 1 to 100. Default 20.
	Limit int32
	// MaxCitations is the maximum number of episodes that a result cites, 1 to 50. Default 10.
	MaxCitations int32
	// Phrase has the model of the server word the insights.
	Phrase bool
}

// Reflect computes patterns of the recorded episodes: what goes with success, what fails, what is unusual and what changes. It
// reads only, and asks a model only with Phrase.
func (e *Episodes) Reflect(ctx context.Context, query ReflectQuery, o ...CallOptions) (Reflection, error) {
	request := &pb.ReflectRequest{
		Parent: namespaceName(e.namespace), Scope: scopeMessage(query.Scope), StartTime: timestamp(query.StartTime),
		EndTime: timestamp(query.EndTime), Task: query.Task, MinSupport: query.MinSupport, MinConfidence: query.MinConfidence,
		MaxEpisodes: query.MaxEpisodes, Limit: query.Limit, MaxCitations: query.MaxCitations, Phrase: query.Phrase,
	}
	answer, err := call[pb.ReflectResponse](ctx, e.via, pb.KnowledgeService_Reflect_FullMethodName, request, only(o).settings())
	if err != nil {
		return Reflection{}, err
	}
	return Reflection{
		StartTime: timeOf(answer.StartTime), EndTime: timeOf(answer.EndTime), Truncated: answer.Truncated, Counts: outcomeCountsOf(answer.Counts),
		UnknownOutcomeCount: answer.UnknownOutcomeCount, BaselineCount: answer.BaselineCount,
		ActionsRecordedCount: answer.ActionsRecordedCount, DurationRecordedCount: answer.DurationRecordedCount,
		TokensRecordedCount: answer.TokensRecordedCount, DamagedCount: answer.DamagedCount,
		Patterns:          mapped(answer.Patterns, patternOf),
		SuccessFactors:    mapped(answer.SuccessFactors, successFactorOf),
		EfficiencyFactors: mapped(answer.EfficiencyFactors, efficiencyFactorOf),
		Anomalies:         mapped(answer.Anomalies, anomalyOf),
		Trends:            mapped(answer.Trends, trendOf),
		Insights:          mapped(answer.Insights, insightOf),
		PhrasedCount:      answer.PhrasedCount, PhrasingFailure: answer.PhrasingFailure, Revision: answer.Revision,
	}, nil
}

// findingOf reads the fields that all results have.
func findingOf(result interface {
	GetText() string
	GetConfidence() float64
	GetEpisodes() []string
}) EpisodeFinding {
	return EpisodeFinding{result.GetText(), result.GetConfidence(), idsOf(result.GetEpisodes())}
}

func outcomeCountsOf(c *pb.OutcomeCounts) OutcomeCounts {
	return OutcomeCounts{c.GetEpisodes(), c.GetSuccesses(), c.GetFailures(), c.GetPartials()}
}

func featureOf(f *pb.EpisodeFeature) EpisodeFeature {
	return EpisodeFeature{wordOf(f.GetKind(), "EPISODE_FEATURE_KIND_", FeatureOther), f.GetValue()}
}

func measureOf(m pb.EpisodeMeasure) EpisodeMeasure {
	return wordOf(m, "EPISODE_MEASURE_", MeasureOther)
}

func patternOf(p *pb.EpisodePattern) EpisodePattern {
	return EpisodePattern{findingOf(p), wordOf(p.Kind, "EPISODE_PATTERN_KIND_", PatternOther), featureOf(p.Feature), outcomeCountsOf(p.Counts)}
}

func successFactorOf(f *pb.SuccessFactor) SuccessFactor {
	related := mapped(f.Related, featureOf)
	return SuccessFactor{findingOf(f), featureOf(f.Feature), outcomeCountsOf(f.Present), outcomeCountsOf(f.Absent), f.Lift, related}
}

func efficiencyFactorOf(f *pb.EfficiencyFactor) EfficiencyFactor {
	return EfficiencyFactor{
		findingOf(f), featureOf(f.Feature), measureOf(f.Measure), f.PresentCount, f.AbsentCount, f.PresentMedian, f.AbsentMedian,
	}
}

func anomalyOf(a *pb.EpisodeAnomaly) EpisodeAnomaly {
	return EpisodeAnomaly{
		findingOf(a), measureOf(a.Measure), a.Value, a.Baseline, a.BaselineCount, a.Score, a.Action, timeOf(a.Time),
	}
}

func trendOf(t *pb.EpisodeTrend) EpisodeTrend {
	return EpisodeTrend{findingOf(t), measureOf(t.Measure), t.Earlier, t.Later, t.EarlierCount, t.LaterCount}
}

func insightOf(i *pb.Insight) Insight {
	return Insight{findingOf(i), wordOf(i.Kind, "INSIGHT_KIND_", InsightOther), i.ComputedText, i.SupportCount}
}
