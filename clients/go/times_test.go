package mneme_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
)

const broken = "half \xed\xa0\xbd"

var lastInstant = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)

func TestA4TimesOfAllYearsComeBackAsGiven(t *testing.T) {
	client, ctx := connect(t), context.Background()
	for _, at := range []time.Time{
		mneme.FirstInstant,
		time.Date(1, 1, 1, 0, 0, 0, 1_000_000, time.UTC),
		time.Date(99, 12, 31, 23, 59, 59, 999_000_000, time.UTC),
		time.Date(1600, 2, 29, 0, 0, 0, 0, time.UTC),
		time.Date(2300, 1, 1, 0, 0, 0, 999_000_000, time.UTC),
		lastInstant,
	} {
		stored := must(client.Store(ctx, mneme.NewMemory{Text: "x", EventTime: at, ValidFrom: mneme.FirstInstant, ValidUntil: lastInstant}))(t)
		memory := must(client.Get(ctx, stored.ID))(t)
		if !memory.EventTime.Equal(at) || memory.ValidFrom != mneme.FirstInstant || !memory.ValidUntil.Equal(lastInstant) {
			t.Fatalf("%v came back as %v, valid %v to %v", at, memory.EventTime, memory.ValidFrom, memory.ValidUntil)
		}
		found := all(t, client.List(ctx, mneme.ListQuery{Filter: mneme.Where.EventTime.Equals(at)}))
		equal(t, len(found), 1)
	}
	// The zero time is absent in a memory, and the first instant in a filter.
	stored := must(client.Store(ctx, mneme.NewMemory{Text: "y"}))(t)
	equal(t, must(client.Get(ctx, stored.ID))(t).ValidFrom, time.Time{})
	found := all(t, client.List(ctx, mneme.ListQuery{Filter: mneme.Where.EventTime.Equals(time.Time{})}))
	equal(t, len(found), 1)
}

func TestA5AnExpiryThatIsOverIsRefused(t *testing.T) {
	client, ctx := connect(t), context.Background()
	_, err := client.Store(ctx, mneme.NewMemory{Text: "x", ExpireTime: time.Now().Add(-time.Hour)})
	refusedAt(t, err, "memory.expire_time")
}

func TestA7DaysInFiltersAreWholeDays(t *testing.T) {
	client, ctx := connect(t), context.Background()
	for id, at := range map[string]string{"a": "2026-06-09T23:00:00Z", "b": "2026-06-10T09:30:00Z", "c": "2026-06-11T00:00:00Z"} {
		event := must(time.Parse(time.RFC3339, at))(t)
		must(client.Store(ctx, mneme.NewMemory{ID: id, Text: id, EventTime: event}))(t)
	}
	days := mneme.Where.EventTime.Days()
	tenth := mneme.Day{Date: "2026-06-10"}
	for want, filter := range map[string]mneme.Filter{
		"b":       days.Equals(tenth),
		"a":       days.Less(tenth),
		"ab":      days.LessOrEqual(tenth),
		"c":       days.Greater(tenth),
		"bc":      days.GreaterOrEqual(tenth),
		"abc":     days.IsIn(tenth, mneme.Day{Date: "2026-06-09"}, mneme.Day{Date: "2026-06-11"}),
		"ab zone": days.Equals(mneme.Day{Date: "2026-06-10", TimeZone: "Europe/Berlin"}),
	} {
		got := ""
		for _, id := range []string{"a", "b", "c"} {
			count := must(client.Count(ctx, mneme.CountQuery{Filter: mneme.AllOf(filter, mneme.Where.ID.Equals(id))}))(t)
			if count.Count == 1 {
				got += id
			}
		}
		equal(t, got, strings.TrimSuffix(want, " zone"))
	}
}

func TestBrokenTextsAreRefusedByName(t *testing.T) {
	client, ctx := connect(t), context.Background()
	for field, call := range map[string]func() error{
		"memory.text": func() error { return second(client.Store(ctx, mneme.NewMemory{Text: broken})) },
		"memory.tags[1]": func() error {
			return second(client.Store(ctx, mneme.NewMemory{Text: "x", Tags: []string{"fine", broken}}))
		},
		"content": func() error {
			return second(client.Store(ctx, mneme.NewMemory{Content: map[string]any{"a": []string{broken}}}))
		},
		"name": func() error { return second(client.Get(ctx, broken)) },
		"text": func() error { return second(client.Recall(ctx, mneme.RecallQuery{Text: broken})) },
		"key":  func() error { return second(client.Session("s").Set(ctx, broken, 1)) },
	} {
		refusedAt(t, call(), field)
	}
	// What stands for it in JSON is no broken text.
	must(client.Store(ctx, mneme.NewMemory{Content: map[string]string{"a": "\ufffd", "b": `\ufffd`}}))(t)
	equal(t, must(client.Count(ctx, mneme.CountQuery{}))(t).Count, 1)
}

func second[T any](_ T, err error) error { return err }

func refusedAt(t *testing.T, err error, field string) {
	t.Helper()
	var refused *mneme.Error
	if !errors.As(err, &refused) || len(refused.Violations) == 0 || refused.Violations[0].Field != field {
		t.Fatalf("got %v, expected a refusal of %s", err, field)
	}
}
