package mneme

import (
	"strconv"
	"sync"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

// revisionsMax are the most that one acknowledgement may name.
const revisionsMax = 10_000

type consumeRuns struct {
	conn  *connection
	query ConsumeQuery
	start *pb.ConsumeStart

	mu  sync.Mutex
	log string
	// done has the processed changes that may be delivered again, because the server has not confirmed their acknowledgement:
	// instants by revision, because a log that was restored to an older state assigns a revision to another change.
	done map[int64]time.Time
	out  *acknowledgements
}

func (r *consumeRuns) isEndless() bool { return true }

func (r *consumeRuns) recover(err *Error) bool {
	if err.Code != codes.OutOfRange || err.Reason != ReasonRevisionCompacted || r.query.OnCompacted != CompactedSkip {
		return false
	}
	compacted, _ := strconv.ParseInt(err.Metadata["compact_revision"], 10, 64)
	// The log may have been compacted further in the meantime; a refusal of its oldest revision must not loop forever.
	if r.start.StartRevision != nil && compacted+1 <= *r.start.StartRevision {
		return false
	}
	r.start.StartRevision = Ptr(compacted + 1)
	return true
}

func (r *consumeRuns) open(a *attempt, yield func(Delivery) bool) error {
	stream, err := pb.NewSubscriptionServiceClient(stubConn{r.conn}).ConsumeSubscription(a.ctx)
	if err != nil {
		return err
	}
	out := newAcknowledgements(stream, r.conn, proto.Clone(r.start).(*pb.ConsumeStart))
	r.mu.Lock()
	r.out = out
	r.mu.Unlock()
	defer out.sender.stop()
	for {
		message, err := stream.Recv()
		if isEOF(err) {
			return nil
		}
		if err != nil {
			return err
		}
		a.heard()
		r.note(message, a)
		for _, change := range message.GetBatch().GetChanges() {
			r.mu.Lock()
			at, isDone := r.done[change.Revision]
			r.mu.Unlock()
			if isDone && at.Equal(change.Time.AsTime()) {
				out.add(change.Revision)
				continue
			}
			told, err := changeMessageOf(change)
			if err != nil {
				return err
			}
			if !yield(r.deliveryOf(told, change, out)) {
				r.leave(a, stream, out)
				return errLeft
			}
		}
	}
}

func (r *consumeRuns) note(message *pb.ConsumeSubscriptionResponse, a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if created := message.GetCreated(); created != nil {
		a.expectEvery(created.HeartbeatInterval)
		// Another server numbers the same changes differently; a consumer that was moved back gets them again.
		if created.Log != r.log || r.start.StartRevision != nil {
			clear(r.done)
		}
		r.log, r.start.StartRevision = created.Log, nil
	}
	for revision := range r.done {
		if revision <= message.AcknowledgedRevision {
			delete(r.done, revision)
		}
	}
}

func (r *consumeRuns) deliveryOf(told MemoryChange, change *pb.Change, out *acknowledgements) Delivery {
	r.mu.Lock()
	log := r.log
	r.mu.Unlock()
	revision, at := change.Revision, change.Time.AsTime()
	return Delivery{told, func() {
		r.mu.Lock()
		isCurrent := log == r.log
		if isCurrent {
			r.done[revision] = at
		}
		isOpen := r.out == out
		r.mu.Unlock()
		if isCurrent && isOpen { // A change of an earlier stream is acknowledged when it is delivered again.
			out.add(revision)
		}
	}}
}

// leave lets the server receive the acknowledgements and end the stream itself, within the timeout of a call. If that fails,
// unacknowledged changes are delivered again.
func (r *consumeRuns) leave(a *attempt, stream receiver[pb.ConsumeSubscriptionResponse], out *acknowledgements) {
	timeout := r.conn.settings.timeout
	if timeout <= 0 {
		timeout = closeTimeout
	}
	timer := time.AfterFunc(timeout, a.cancel)
	defer timer.Stop()
	out.finish()
	for {
		if _, err := stream.Recv(); err != nil {
			return
		}
	}
}

// acknowledgements are sent in batches: acknowledgements made during a send go with the next one.
type acknowledgements struct {
	sender    *sender[pb.ConsumeSubscriptionRequest]
	mu        sync.Mutex
	revisions []int64
	more      chan struct{}
	sent      chan struct{}
	finish    func()
}

func newAcknowledgements(stream interface {
	Send(*pb.ConsumeSubscriptionRequest) error
	CloseSend() error
}, c *connection, start *pb.ConsumeStart) *acknowledgements {
	a := &acknowledgements{sender: newSender(stream, c, acknowledgement(nil)), more: make(chan struct{}, 1), sent: make(chan struct{})}
	over := make(chan struct{})
	a.finish = sync.OnceFunc(func() {
		close(over)
		<-a.sent
	})
	go func() {
		defer close(a.sent)
		if a.sender.send(&pb.ConsumeSubscriptionRequest{Request: &pb.ConsumeSubscriptionRequest_Start{Start: start}}) != nil {
			return
		}
		for {
			select {
			case <-a.more:
				a.flush()
			case <-a.sender.stopped:
				return
			case <-over:
				a.flush()
				a.sender.end()
				return
			}
		}
	}()
	return a
}

func acknowledgement(revisions []int64) *pb.ConsumeSubscriptionRequest {
	return &pb.ConsumeSubscriptionRequest{Request: &pb.ConsumeSubscriptionRequest_Acknowledge{
		Acknowledge: &pb.ConsumeAcknowledge{Revisions: revisions},
	}}
}

func (a *acknowledgements) add(revision int64) {
	a.mu.Lock()
	a.revisions = append(a.revisions, revision)
	a.mu.Unlock()
	select {
	case a.more <- struct{}{}:
	default:
	}
}

func (a *acknowledgements) flush() {
	for {
		a.mu.Lock()
		count := min(len(a.revisions), revisionsMax)
		some := a.revisions[:count:count]
		a.revisions = a.revisions[count:]
		a.mu.Unlock()
		if count == 0 || a.sender.send(acknowledgement(some)) != nil {
			return
		}
	}
}
