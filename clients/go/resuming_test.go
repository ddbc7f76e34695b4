//go:build go1.25

package mneme

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
)

// broken is a stream that fails, stays silent or yields an item, as configured for each opening.
type broken struct {
	openings []func(a *attempt, yield func(int) bool) error
	count    int
}

func (b *broken) isEndless() bool     { return true }
func (b *broken) recover(*Error) bool { return false }
func (b *broken) open(a *attempt, yield func(int) bool) error {
	b.count++
	return b.openings[b.count-1](a, yield)
}

func resumingOf(ctx context.Context, b *broken, o StreamOptions, settings settings) iter.Seq2[int, error] {
	c := &connection{settings: settings}
	c.over, c.end = context.WithCancelCause(context.Background())
	return resuming(ctx, c, o, func() (runs[int], error) { return b, nil })
}

func TestStreamsAreOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func(code codes.Code) func(*attempt, func(int) bool) error {
			return func(*attempt, func(int) bool) error { return newError(code, FamilyBase, "broken") }
		}
		gives := func(item int) func(*attempt, func(int) bool) error {
			return func(_ *attempt, yield func(int) bool) error {
				if !yield(item) {
					return errLeft
				}
				return nil // An end without a reason.
			}
		}
		silent := func(a *attempt, _ func(int) bool) error {
			a.heard()
			a.expectEvery(durationpb.New(time.Second))
			<-a.ctx.Done()
			return a.ctx.Err()
		}
		b := &broken{openings: []func(*attempt, func(int) bool) error{
			fails(codes.Unavailable), fails(codes.Canceled), fails(codes.Internal), gives(1), silent, gives(2), fails(codes.NotFound),
		}}
		var told []int
		var reasons []string
		var failure error
		began := time.Now()
		o := StreamOptions{OnBroken: func(err error) { reasons = append(reasons, err.Error()) }}
		for item, err := range resumingOf(t.Context(), b, o, settings{retry: true}) {
			if failure = err; err == nil {
				told = append(told, item)
			}
		}
		if !slices.Equal(told, []int{1, 2}) || !errors.Is(failure, ErrNotFound) || len(reasons) != 6 {
			t.Fatal(told, failure, reasons)
		}
		if !strings.Contains(reasons[4], "received nothing for 3s") || time.Since(began) < 3*time.Second {
			t.Fatal(reasons)
		}
	})
}

func TestStreamsGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func(*attempt, func(int) bool) error { return newError(codes.Unavailable, FamilyBase, "broken") }
		never := &broken{openings: slices.Repeat([]func(*attempt, func(int) bool) error{fails}, 1000)}
		began := time.Now()
		for _, err := range resumingOf(t.Context(), never, StreamOptions{Patience: time.Minute}, settings{retry: true}) {
			if !errors.Is(err, ErrUnavailable) {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took < time.Minute || took > 80*time.Second {
			t.Fatal(took)
		}
		once := &broken{openings: never.openings}
		for range resumingOf(t.Context(), once, StreamOptions{}, settings{}) {
		}
		if once.count != 1 {
			t.Fatalf("opened %d times though nothing may be sent twice", once.count)
		}
	})
}
