package mneme

import (
	"context"
	"iter"
	"time"

	"google.golang.org/grpc/codes"
)

// StreamOptions are the options of a stream that is opened again when it breaks.
type StreamOptions struct {
	// Patience is the maximum time without a message, over all attempts, after which the last error is thrown. Default:
	// unlimited.
	Patience time.Duration
	// OnBroken is called with the reason whenever the stream broke and is about to be reopened.
	OnBroken func(error)
	// OnOpen is called when the server has answered on a stream, the first one or a reopened one.
	OnOpen func()

	// fault is why the stream is refused.
	fault error
}

func (o *StreamOptions) refuse(fault error) { o.fault = fault }

// runs are streams, one after the other, as one sequence of items.
type runs[Item any] interface {
	// open opens another one, which goes on where the last one ended, and gives its items until yield is false: then it
	// fails with errLeft.
	open(a *attempt, yield func(Item) bool) error
	// isEndless is true when it never ends normally: a stream that ends was cut off.
	isEndless() bool
	// recover is a way out of an error that is final otherwise; true when the stream is to be opened again.
	recover(err *Error) bool
}

// resuming reopens a stream whenever it breaks. Each reading of the sequence is a stream of its own.
func resuming[Item any](ctx context.Context, c *connection, o StreamOptions, start func() (runs[Item], error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var none Item
		r, err := start()
		if err == nil {
			err = o.fault
		}
		if err != nil {
			yield(none, err)
			return
		}
		var waits backoffs
		heardAt := time.Now()
		for {
			a := c.newAttempt(ctx, o.OnOpen)
			err := r.open(a, func(item Item) bool {
				a.heard()
				a.pause(true)
				more := yield(item, nil)
				a.pause(false)
				return more
			})
			if err == errLeft || (err == nil && !r.isEndless()) {
				a.stop()
				return
			}
			if err == nil {
				err = newError(codes.Unavailable, FamilyBase, "the stream ended before its time")
			}
			failure := a.causeOf(err)
			a.stop()
			if a.hasHeard {
				waits.reset()
				heardAt = a.heardAt
			}
			switch {
			case ctx.Err() != nil:
				yield(none, canceledBy(ctx, failure.Family))
				return
			case r.recover(failure):
				continue
			case !c.retries() || !isBroken(ctx, failure) || (o.Patience > 0 && time.Since(heardAt) > o.Patience):
				yield(none, failure)
				return
			}
			if o.OnBroken != nil {
				o.OnBroken(failure)
			}
			waits.wait(ctx, failure)
		}
	}
}
