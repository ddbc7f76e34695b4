package mneme_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
)

func TestConversationBecomesAContext(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	call := mneme.MessageBlock{ToolCall: &mneme.ToolCall{ID: "t1", Name: "weather", ArgumentsJSON: `{"city":"Bern"}`}}
	answer := mneme.AssistantMessage("Noted.")
	answer.Blocks = append(answer.Blocks, call, mneme.MessageBlock{Data: map[string]int{"degrees": 12}}, mneme.MessageBlock{Text: "Bye."})
	appended := must(client.Conversations.Append(ctx, "c/1", []mneme.ConversationMessage{mneme.UserMessage("I moved to Bern in May."), answer}))(t)
	equal(t, appended.Messages[1].Sequence, 1)

	messages := all(t, client.Conversations.List(ctx, client.Namespace()+"/none", mneme.ListMessagesQuery{}))
	equal(t, len(messages), 0)
	messages = all(t, client.Conversations.List(ctx, "namespaces/"+client.Namespace()+"/conversations/c/1", mneme.ListMessagesQuery{PageSize: 1}))
	equal(t, len(messages), 2)
	equal(t, messages[1].Text(), "Noted.\n\nBye.")
	equal(t, *messages[1].Blocks[1].ToolCall, *call.ToolCall)
	equal(t, string(messages[1].Blocks[2].Data.(mneme.Content).Data), `{"degrees":12}`)
	equal(t, must(client.Get(ctx, messages[0].MemoryID))(t).Text, "I moved to Bern in May.")

	// A part that is late is left out: a busy machine must not make one late.
	patient := mneme.ReadOptions{CallOptions: mneme.CallOptions{Timeout: time.Minute}}
	built := must(client.BuildContext(ctx, mneme.ContextQuery{Query: "Where did I move to in May?", TokenBudget: 200}, patient))(t)
	if !strings.Contains(built.Text, "I moved to Bern in May.") || built.Tokens > 200 {
		t.Fatal(built)
	}
	equal(t, built.Entries[0].Kind, mneme.ContextMessages)
}

func TestConversationsRefuseBadInputBeforeItIsSent(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	for _, message := range []mneme.ConversationMessage{
		{Role: "robot"},
		{Role: mneme.RoleUser, Blocks: []mneme.MessageBlock{{Data: make(chan int)}}},
	} {
		_, err := client.Conversations.Append(ctx, "c", []mneme.ConversationMessage{message})
		if !errors.Is(err, mneme.ErrInvalidArgument) {
			t.Fatal(err)
		}
	}
	for _, query := range []mneme.ContextQuery{
		{Format: "poem"}, {Kinds: []mneme.ContextKind{"dream"}}, {KindLimits: map[mneme.ContextKind]mneme.ContextKindLimit{"dream": {}}},
	} {
		if _, err := client.BuildContext(ctx, query); !errors.Is(err, mneme.ErrInvalidArgument) {
			t.Fatal(err)
		}
	}
}

func TestFactsSupersedeEachOther(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	bern := must(client.Facts.AssertFact(ctx, mneme.NewFact{Subject: "user", Attribute: "home_city", Value: "Bern"}))(t)
	lisbon := must(client.Facts.AssertFact(ctx, mneme.NewFact{Subject: "user", Attribute: "home_city", Value: "Lisbon"}))(t)
	equal(t, lisbon.SupersededIDs[0], bern.Fact.ID)
	facts := all(t, client.Facts.List(ctx, mneme.FactQuery{Subject: "user"}))
	equal(t, len(facts), 1)
	equal(t, facts[0].Value, "Lisbon")
	undone := must(client.Facts.UndoSupersession(ctx, bern.Fact.ID))(t)
	equal(t, undone.WithdrawnID, lisbon.Fact.ID)
	history := must(client.Facts.ListHistory(ctx, "user", "home_city", mneme.Scope{}))(t)
	equal(t, len(history.Facts), 2)
}

func TestReflectionFindsWhatGoesWithSuccess(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for at := range 16 {
		episode := mneme.NewEpisode{Task: "deploy the shop", Outcome: mneme.OutcomeFailure, Actions: []string{"pushed"}}
		if at%2 == 0 {
			episode.Outcome, episode.Actions = mneme.OutcomeSuccess, []string{"ran the tests", "pushed"}
		}
		episode.EventTime = start.Add(time.Duration(at) * time.Hour)
		must(client.Episodes.Record(ctx, episode))(t)
	}
	query := mneme.ReflectQuery{StartTime: start, EndTime: start.AddDate(0, 0, 7), Task: "deploy", MaxCitations: 2}
	found := must(client.Episodes.Reflect(ctx, query))(t)
	equal(t, found.Counts.Episodes, 16)
	equal(t, found.StartTime, start)
	factor := found.SuccessFactors[0]
	equal(t, factor.Feature, mneme.EpisodeFeature{Kind: mneme.FeatureAction, Value: "ran the tests"})
	equal(t, factor.Present.Successes, 8)
	equal(t, len(factor.EpisodeIDs), 2)
	query.EndTime = start.Add(-time.Hour)
	if _, err := client.Episodes.Reflect(ctx, query); !errors.Is(err, mneme.ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestServedExtractorExtractsUntilItIsStopped(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	settings := mneme.NamespaceSettings{Settings: mneme.Settings{"extraction.extractor": "client"}}
	must(client.Namespaces.Create(ctx, client.Namespace(), settings))(t)
	var rejected atomic.Value
	query := mneme.ServeExtractorQuery{Name: "m1", MaxJobs: 2, OnRejected: func(job mneme.ExtractionJob, reason string) {
		rejected.Store(job.Conversation + ": " + reason)
	}}
	served := must(client.Conversations.ServeExtractor(ctx, query, func(_ context.Context, job mneme.ExtractionJob) (mneme.ExtractedMemories, error) {
		source := *job.Messages[0].Sequence
		if job.Attempt == 1 {
			source = 99
		}
		claim := mneme.ExtractedClaim{Subject: "user", Attribute: "home_city", Value: job.Messages[0].Text(), Sources: []int64{source}}
		return mneme.ExtractedMemories{Claims: []mneme.ExtractedClaim{claim}}, nil
	}))(t)
	equal(t, served.Extractor(), "client")
	must(client.Conversations.Append(ctx, "c", []mneme.ConversationMessage{mneme.UserMessage("Bern")}))(t)
	flushed := must(client.Conversations.Flush(ctx, "", mneme.CallOptions{Timeout: time.Minute}))(t)
	equal(t, flushed.Complete, true)
	served.Stop()
	equal(t, served.Err(), nil)
	if reason, _ := rejected.Load().(string); !strings.HasPrefix(reason, "c: ") {
		t.Fatal(reason)
	}
	facts := all(t, client.Facts.List(ctx, mneme.FactQuery{}))
	equal(t, facts[0].Value, "Bern")
}

func TestConsolidationMergesAndTakesApart(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	for _, text := range []string{"The user likes green tea.", "the user likes green tea"} {
		must(client.Store(ctx, mneme.NewMemory{Type: "fact", Text: text, Scope: mneme.Scope{Agent: "ada"}}))(t)
	}
	planned := must(client.Consolidation.Run(ctx, mneme.ConsolidateQuery{DryRun: true, Idle: time.Minute, MaxSteps: 5}))(t)
	equal(t, planned.ReportID, "")
	made := must(client.Consolidation.Run(ctx, mneme.ConsolidateQuery{Scope: mneme.Scope{Agent: "ada"}}))(t)
	equal(t, len(made.Memories), 1)
	merged := made.Memories[0]
	equal(t, merged.Kind, mneme.ConsolidatedMerge)
	equal(t, merged.ID, planned.Memories[0].ID)
	equal(t, len(merged.SourceIDs)+len(merged.HiddenIDs), 4)
	undone := must(client.Consolidation.Undo(ctx, made.ReportID))(t)
	equal(t, len(undone.RestoredIDs), 2)
	equal(t, undone.DeletedIDs[0], merged.ID)
	if _, err := client.Consolidation.Undo(ctx, merged.SourceIDs[0]); !errors.Is(err, mneme.ErrNotFound) {
		t.Fatal(err)
	}
}
