package mneme

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	// silence is the time after which a stream counts as broken, until the server has announced its heartbeat interval.
	silence = 3 * defaultHeartbeat
	// heartbeatsMissed is the number of heartbeats that may be missed.
	heartbeatsMissed = 3
)

// attempt is one stream of several that do the same: ended by its caller, by Close, or by silence.
type attempt struct {
	ctx    context.Context
	cancel context.CancelFunc
	outer  context.Context
	conn   *connection
	onOpen func()

	mu       sync.Mutex
	timer    *time.Timer
	silence  time.Duration
	heardAt  time.Time
	hasHeard bool
	isPaused bool
	isSilent bool
	leave    func() bool
	// on is the connection of the stream; nil before there is one.
	on *grpc.ClientConn
}

func (c *connection) newAttempt(ctx context.Context, onOpen func()) *attempt {
	a := &attempt{outer: ctx, conn: c, onOpen: onOpen, silence: silence, heardAt: time.Now()}
	a.ctx, a.cancel = context.WithCancel(context.WithValue(ctx, attemptKey{}, a))
	a.leave = context.AfterFunc(c.over, a.cancel)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = time.AfterFunc(a.silence, a.check)
	return a
}

// heard records the arrival of a message.
func (a *attempt) heard() {
	a.mu.Lock()
	first := !a.hasHeard
	a.hasHeard, a.isPaused, a.heardAt = true, false, time.Now()
	a.mu.Unlock()
	if first && a.onOpen != nil {
		a.onOpen()
	}
}

// pause: the reader is busy, so silence is not measured.
func (a *attempt) pause(is bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.isPaused = is
	a.heardAt = time.Now()
}

// expectEvery: sets the maximum interval of the server's heartbeats; absent where it does not say.
func (a *attempt) expectEvery(interval *durationpb.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// An interval of 0 or less would make every stream count as silent.
	if d := interval.AsDuration(); d <= 0 || d > math.MaxInt64/heartbeatsMissed {
		return
	}
	a.silence = heartbeatsMissed * interval.AsDuration()
	a.timer.Reset(a.silence)
}

// expectNothing: the server sends no heartbeats on this stream. That it is dead is found out by the pings of its connection.
func (a *attempt) expectNothing() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.silence = math.MaxInt64
	a.timer.Stop()
}

func (a *attempt) check() {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := a.silence - time.Since(a.heardAt)
	if a.isPaused {
		left = a.silence
	}
	if left > 0 {
		a.timer.Reset(left)
		return
	}
	a.isSilent = true
	if a.on != nil { // Before the end of the stream, so that the next one gets the other connection.
		a.conn.streams.replace(a.on)
	}
	a.cancel()
}

// isOn notes the connection of the stream.
func (a *attempt) isOn(conn *grpc.ClientConn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.on = conn
}

// causeOf is the error to report for a stream that ended with this error.
func (a *attempt) causeOf(err error) *Error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch typed := asError(err, FamilyBase); {
	case a.conn.isClosed() && a.outer.Err() == nil && typed.Code != codes.OutOfRange:
		return errClosed(typed.Family)
	case a.isSilent:
		silent := newError(codes.Unavailable, typed.Family, fmt.Sprintf("received nothing for %v", a.silence))
		silent.cause = err
		return silent
	default:
		return typed
	}
}

func (a *attempt) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer.Stop()
	a.leave()
	a.cancel()
}

const (
	firstBackoff   = 100 * time.Millisecond
	longestBackoff = 10 * time.Second
)

// backoffs are waits between attempts: a random time up to a limit that doubles, so that the clients of a server that
// restarts do not all come back in the same moment.
type backoffs struct{ failures int }

// reset: it worked, so that the next wait is a short one.
func (b *backoffs) reset() { b.failures = 0 }

// wait waits at least as long as the server asks for; it ends early with the context.
func (b *backoffs) wait(ctx context.Context, failure *Error) {
	limit := min(longestBackoff, firstBackoff<<min(b.failures, 20))
	b.failures++
	pause := time.Duration(rand.Int64N(int64(limit)))
	if failure.RetryDelay > 0 {
		pause += failure.RetryDelay
	}
	sleep(ctx, pause)
}

// isBroken reports whether a stream ended for a transient reason: the server stops or is overloaded, this reader was too
// slow, or the network failed. Any other answer of Mneme itself is final.
func isBroken(ctx context.Context, err *Error) bool {
	if ctx.Err() != nil || err.isFinal {
		return false
	}
	switch err.Code {
	case codes.Unavailable:
		return true
	case codes.ResourceExhausted:
		return err.Reason == ReasonSlowConsumer || err.RetryDelay >= 0
	case codes.Internal, codes.Canceled, codes.Unknown:
		return err.Reason == ""
	}
	return false
}
