package mneme

import pb "github.com/mneme-ai/mneme/clients/go/mnemev1"

func recallRequest(q RecallQuery, namespace string) (*pb.RecallRequest, error) {
	request := &pb.RecallRequest{
		Parent: namespaceName(namespace), Text: q.Text, SimilarTo: memoryName(namespace, q.SimilarTo),
		Filter: q.Filter.message, FilterText: q.Filter.text, Scope: scopeMessage(q.Scope), Limit: q.Limit,
		MinScore: q.MinScore, MinRelevance: q.MinRelevance, MinSimilarity: q.MinSimilarity, Diversity: q.Diversity,
		ReferenceTime: timestamp(q.ReferenceTime), TimeZone: zoneOr(q.TimeZone, q.ReferenceTime), RecencyHalfLife: duration(q.RecencyHalfLife), IncludeInvalid: q.IncludeInvalid,
		AsOf: timestamp(q.AsOf), Explain: q.Explain, Touch: q.Touch, Focus: q.Focus, NeighborCount: q.NeighborCount,
		Exact: q.Exact, TokenBudget: q.TokenBudget,
	}
	if w := q.Weights; w != nil {
		request.Weights = &pb.RecallWeights{
			Keyword: w.Keyword, Vector: w.Vector, Recency: w.Recency, Importance: w.Importance, Session: w.Session,
			Time: w.Time, Place: w.Place,
		}
	}
	err := q.Filter.err
	check := func(set func() error) {
		if err == nil {
			err = set()
		}
	}
	check(func() (e error) { request.Embedding, e = embeddingMessage(q.Embedding); return e })
	check(func() (e error) {
		if q.Example != nil {
			request.Example, e = memoryMessage(*q.Example, namespace)
		}
		return e
	})
	check(func() (e error) {
		request.ScopeView, e = codeOf[pb.ScopeView](pb.ScopeView_value, "SCOPE_VIEW_", q.ScopeView, "scope_view")
		return e
	})
	check(func() (e error) {
		request.GroupBy, e = codeOf[pb.RecallGrouping](pb.RecallGrouping_value, "RECALL_GROUPING_", q.GroupBy, "group_by")
		return e
	})
	check(func() (e error) {
		request.Ranking, e = codeOf[pb.RankingMode](pb.RankingMode_value, "RANKING_MODE_", q.Ranking, "ranking")
		return e
	})
	check(func() (e error) { request.View, e = viewCode(q.View); return e })
	check(func() (e error) { request.Tiers, e = mappedAll(q.Tiers, tierCode); return e })
	check(func() (e error) { request.NearTime, e = nearTimeMessage(q.NearTime); return e })
	check(func() (e error) { request.NearPlace, e = nearPlaceMessage(q.NearPlace); return e })
	check(func() (e error) { request.TimeWindow, e = timeWindowMessage(q.TimeWindow); return e })
	check(func() (e error) { request.Preset, e = presetMessage(q.Preset); return e })
	return request, err
}

func presetMessage(preset *RecallPreset) (*pb.RecallPreset, error) {
	if preset == nil {
		return nil, nil
	}
	message := &pb.RecallPreset{Name: preset.Name, Now: timestamp(preset.Now)}
	var err error
	if preset.Parameters != nil {
		message.Parameters, err = jsonOf(preset.Parameters, "preset.parameters")
	}
	return message, err
}

func nearTimeMessage(near *NearTime) (*pb.NearTime, error) {
	switch {
	case near == nil:
		return nil, nil
	case near.Time.IsZero() && near.TimeScale != 0:
		return nil, badInput("near_time.time_scale", "must be absent without time")
	case near.Time.IsZero():
		return &pb.NearTime{Origin: &pb.NearTime_Step{Step: near.Step}, StepScale: near.StepScale}, nil
	case near.Step != 0 || near.StepScale != nil:
		return nil, badInput("near_time.step", "must be absent beside time, as must step_scale")
	}
	return &pb.NearTime{Origin: &pb.NearTime_Time{Time: timestamp(near.Time)}, TimeScale: duration(near.TimeScale)}, nil
}

func nearPlaceMessage(near *NearPlace) (*pb.NearPlace, error) {
	if near == nil {
		return nil, nil
	}
	if countOf(near.Named != nil, near.Geo != nil, near.Point != nil) > 1 {
		return nil, badInput("near_place", "must have one of point, geo and named")
	}
	message := &pb.NearPlace{Scale: near.Scale}
	switch {
	case near.Named != nil:
		named := &pb.NamedPlace{Location: near.Named.Location, Room: near.Named.Room, Region: near.Named.Region}
		message.Origin = &pb.NearPlace_Named{Named: named}
	case near.Geo != nil:
		message.Origin = &pb.NearPlace_Geo{Geo: geoMessage(*near.Geo)}
	case near.Point != nil:
		message.Origin = &pb.NearPlace_Point{Point: pointMessage(*near.Point)}
	}
	return message, nil
}

func timeWindowMessage(window *TimeWindow) (*pb.TimeWindow, error) {
	if window == nil {
		return nil, nil
	}
	period, err := codeOf[pb.CalendarPeriod](pb.CalendarPeriod_value, "CALENDAR_PERIOD_", window.Period, "time_window.period")
	return &pb.TimeWindow{
		Last: duration(window.Last), Period: period, PeriodsAgo: window.PeriodsAgo, TimeZone: window.TimeZone,
		StartTime: timestamp(window.StartTime), EndTime: timestamp(window.EndTime),
	}, err
}

func hitOf(hit *pb.RecallHit) (RecallHit, error) {
	memory, err := memoryOf(hit.Memory)
	if err != nil {
		return RecallHit{}, err
	}
	before, err := mappedAll(hit.Before, memoryOf)
	if err != nil {
		return RecallHit{}, err
	}
	after, err := mappedAll(hit.After, memoryOf)
	found := RecallHit{
		Memory: memory, Score: hit.Score, Relevance: hit.Relevance, EqualCount: hit.EqualCount,
		OutdatedBy: hit.OutdatedBy,
		Components: mapped(hit.Components, componentOf), Features: mapped(hit.Features, componentOf),
		MatchedTerms: hit.MatchedTerms, Restored: hit.Restored,
		Trust: wordOf(hit.Trust, "TRUST_LEVEL_", TrustUntrusted), Before: before, After: after,
	}
	if hit.Passage != nil {
		found.Passage = &MatchedPassage{hit.Passage.Text, hit.Passage.OffsetBytes}
	}
	return found, err
}

func componentOf(c *pb.ScoreComponent) ScoreComponent {
	return ScoreComponent{c.Name, c.Value, c.Contribution, c.Rank}
}

func laneOf(lane pb.RecallLane) Lane { return wordOf(lane, "RECALL_LANE_", LaneOther) }

func degradationOf(d *pb.Degradation) Degradation { return Degradation{d.Part, d.Reason} }

func passageOf(p *pb.Passage) Passage { return Passage{p.Text, p.TokenCount, idsOf(p.Names), p.Score} }

// answered is the common part of the answer of a recall and the end of a streamed one.
type answered interface {
	GetLanes() []pb.RecallLane
	GetDegraded() []*pb.Degradation
	GetCandidateCount() int64
	GetLowRelevanceCount() int32
	GetPassages() []*pb.Passage
	GetTokenCount() int32
	GetPromoted() []string
	GetDamaged() []string
	GetRevision() int64
}

func resultOf(hits []RecallHit, a answered) RecallResult {
	return RecallResult{
		Hits: hits, Lanes: mapped(a.GetLanes(), laneOf), Degraded: mapped(a.GetDegraded(), degradationOf),
		CandidateCount: a.GetCandidateCount(), LowRelevanceCount: a.GetLowRelevanceCount(), Passages: mapped(a.GetPassages(), passageOf), TokenCount: a.GetTokenCount(),
		PromotedIDs: idsOf(a.GetPromoted()), DamagedIDs: idsOf(a.GetDamaged()), Revision: a.GetRevision(),
	}
}
