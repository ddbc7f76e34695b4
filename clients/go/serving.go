package mneme

import (
	"context"
	"sync"
)

// serving is work that a client does for the server over a stream that is opened again when it breaks, until it is stopped.
type serving struct {
	stop context.CancelFunc
	done chan struct{}
	err  error
}

// Done is closed when it has ended: by Stop, its context, or an error that is final.
func (s *serving) Done() <-chan struct{} { return s.done }

// Err is why it ended; nil after Stop, and while it has not ended.
func (s *serving) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// serve works in a goroutine. It returns when the server has answered, or the error that ended it before that.
func (s *serving) serve(ctx context.Context, c *connection, r runs[struct{}], isStopped func() bool) error {
	opened := make(chan struct{})
	go func() {
		defer close(s.done)
		defer s.stop()
		open := sync.OnceFunc(func() { close(opened) })
		for _, err := range resuming(ctx, c, StreamOptions{OnOpen: open}, func() (runs[struct{}], error) { return r, nil }) {
			if err != nil && !isStopped() {
				s.err = err
			}
		}
	}()
	select {
	case <-opened:
		return nil
	case <-s.done:
		if s.err == nil {
			return canceledBy(ctx, FamilyBase)
		}
		return s.err
	}
}
