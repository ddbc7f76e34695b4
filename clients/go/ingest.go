package mneme

import (
	"context"
	"iter"

	"github.com/google/uuid"
	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

// ConflictPolicy selects the handling of a memory whose id exists.
type ConflictPolicy string

// The policies. ConflictKeep (the default) keeps the existing memory, ConflictReplace replaces it, ConflictFail fails.
const (
	ConflictKeep    ConflictPolicy = "keep"
	ConflictReplace ConflictPolicy = "replace"
	ConflictFail    ConflictPolicy = "fail"
)

func conflictCode(policy ConflictPolicy) (pb.ConflictPolicy, error) {
	if policy == "" {
		policy = ConflictKeep
	}
	return codeOf[pb.ConflictPolicy](pb.ConflictPolicy_value, "CONFLICT_POLICY_", policy, "conflict_policy")
}

// IngestOptions are the options of Ingest.
type IngestOptions struct {
	StreamOptions
	ConflictPolicy ConflictPolicy
	// StreamID names the stream. To go on in another process after a crash, give the same name, the AcknowledgedSequence of the
	// last progress, and the memories behind it. Default: a new UUID.
	StreamID             string
	AcknowledgedSequence int64
	// Receipts also reports the receipts of stored memories.
	Receipts bool
}

// IngestRefusal is a memory that was not stored, and why.
type IngestRefusal struct {
	Sequence int64
	Error    *Error
}

// IngestReceipt is the receipt of a memory that was stored.
type IngestReceipt struct {
	Receipt
	Sequence int64
}

// IngestProgress reports durable and refused memories.
type IngestProgress struct {
	// AcknowledgedSequence is the number of the last memory that is settled: on disk, or refused. The first memory has the
	// number 1.
	AcknowledgedSequence int64
	StoredCount          int64
	// ExistingCount counts memories whose id existed and was kept, or that were stored before an interruption.
	ExistingCount int64
	RefusedCount  int64
	// Refused are memories refused since the previous progress.
	Refused []IngestRefusal
	// Receipts are of memories stored since the previous progress, if requested.
	Receipts []IngestReceipt
	// Revision is the newest one of this stream.
	Revision int64
}

// Ingest stores memories as they arrive, read no faster than the server stores them, and reports durable ones. A broken
// stream is resumed: nothing is lost and nothing is stored twice. It ends when everything is acknowledged. For
// memories in a slice, slices.Values makes the sequence; for memories of a channel, FromChannel.
func (c *Client) Ingest(ctx context.Context, memories iter.Seq[NewMemory], o ...IngestOptions) iter.Seq2[IngestProgress, error] {
	options := only(o)
	return func(yield func(IngestProgress, error) bool) {
		done, err := c.conn.begin(pb.IngestService_IngestMemories_FullMethodName)
		if err != nil {
			yield(IngestProgress{}, err)
			return
		}
		defer done()
		var run *ingestRuns
		hasLeft := false
		resuming(ctx, c.conn, options.StreamOptions, func() (runs[IngestProgress], error) {
			run, err = newIngest(ctx, c, memories, options)
			return run, err
		})(func(progress IngestProgress, err error) bool {
			more := yield(progress, err)
			hasLeft = hasLeft || !more || err != nil
			return more
		})
		if run != nil && run.source != nil {
			run.source.stop()
			if run.source.isCut && !hasLeft {
				yield(IngestProgress{}, errClosed(FamilyStore))
			}
		}
	}
}

// FromChannel is the sequence of values of a channel, until it is closed.
func FromChannel[Item any](channel <-chan Item) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for item := range channel {
			if !yield(item) {
				return
			}
		}
	}
}

type ingestRuns struct {
	conn   *connection
	source *source[*pb.IngestItem]
	queue  *sendQueue[*pb.IngestBatch]
	start  *pb.IngestStart
	// total counts of the streams before this one.
	total    IngestProgress
	revision int64
}

func newIngest(ctx context.Context, c *Client, memories iter.Seq[NewMemory], o IngestOptions) (*ingestRuns, error) {
	policy, err := conflictCode(o.ConflictPolicy)
	if err != nil {
		return nil, err
	}
	if o.StreamID == "" {
		o.StreamID = uuid.NewString()
	}
	source := readSource(ctx, memories, c.conn.draining, func(m NewMemory) (*pb.IngestItem, int, error) {
		message, err := newMemoryMessage(m, c.namespace)
		return &pb.IngestItem{Memory: message, MemoryId: m.ID}, sizeOf(m), err
	})
	next := o.AcknowledgedSequence + 1
	var items []*pb.IngestItem
	var bytes int
	queue := &sendQueue[*pb.IngestBatch]{room: make(chan struct{}, 1), read: func(ctx context.Context) (*pb.IngestBatch, bool, error) {
		if err := source.next(ctx, false, &items, &bytes); err != nil {
			return nil, false, err
		}
		batch := &pb.IngestBatch{FirstSequence: next, Items: items}
		next += int64(len(items))
		items, bytes = nil, 0
		return batch, len(batch.Items) > 0, nil
	}}
	return &ingestRuns{conn: c.conn, source: source, queue: queue, start: &pb.IngestStart{
		Parent: c.parent(), StreamId: o.StreamID, AcknowledgedSequence: o.AcknowledgedSequence, ConflictPolicy: policy,
		RefusalsOnly: !o.Receipts,
	}}, nil
}

// isEndless: it ends when the server has acknowledged everything; then open returns, and only then.
func (r *ingestRuns) isEndless() bool     { return false }
func (r *ingestRuns) recover(*Error) bool { return false }

func (r *ingestRuns) open(a *attempt, yield func(IngestProgress) bool) error {
	if len(r.queue.unacknowledged()) == 0 { // Otherwise the source may be waiting for the messages that must be sent again.
		a.pause(true)
		err := r.queue.ready(a.ctx)
		a.pause(false)
		if err != nil || r.queue.isDone() {
			return err
		}
	}
	stream, err := pb.NewIngestServiceClient(stubConn{r.conn}).IngestMemories(a.ctx, underWay{})
	if err != nil {
		return err
	}
	heartbeat := &pb.IngestMemoriesRequest{Message: &pb.IngestMemoriesRequest_Heartbeat{Heartbeat: &pb.StreamHeartbeat{}}}
	out := newSender(stream, r.conn, heartbeat)
	start := proto.Clone(r.start).(*pb.IngestStart)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		r.send(a, out, start)
	}()
	defer func() {
		out.stop()
		a.cancel()
		<-sent
	}()
	before := r.total
	for {
		message, err := stream.Recv()
		if err != nil {
			if failure := r.queue.sourceFailure(); failure != nil { // The stream was cancelled because the source failed.
				return failure
			}
			if isEOF(err) && r.queue.isDone() { // The sequence ended after everything was acknowledged.
				return nil
			}
			return cutOff(err)
		}
		a.heard()
		a.expectEvery(message.GetStarted().GetHeartbeatInterval())
		acknowledgement := message.GetAcknowledgement()
		if acknowledgement == nil {
			continue
		}
		progress, err := r.progressOf(acknowledgement, before)
		if err != nil {
			return err
		}
		r.start.AcknowledgedSequence = progress.AcknowledgedSequence
		r.queue.settle(func(batch *pb.IngestBatch) bool {
			return batch.FirstSequence+int64(len(batch.Items))-1 <= progress.AcknowledgedSequence
		})
		if !yield(progress) {
			return errLeft
		}
		if r.queue.isDone() {
			return nil
		}
	}
}

// unackedBatchesMax may be on the way without an acknowledgement: enough to keep the server busy.
const unackedBatchesMax = 16

func (r *ingestRuns) send(a *attempt, out *sender[pb.IngestMemoriesRequest], start *pb.IngestStart) {
	if out.send(&pb.IngestMemoriesRequest{Message: &pb.IngestMemoriesRequest_Start{Start: start}}) != nil {
		return
	}
	err := r.queue.sendAll(a.ctx, unackedBatchesMax, func(batch *pb.IngestBatch) error {
		return out.send(&pb.IngestMemoriesRequest{Message: &pb.IngestMemoriesRequest_Batch{Batch: batch}})
	})
	switch {
	case err == nil:
		out.end()
	case r.queue.sourceFailure() != nil:
		a.cancel()
	}
}

func (r *ingestRuns) progressOf(message *pb.IngestAcknowledgement, before IngestProgress) (IngestProgress, error) {
	r.conn.seen.note(message.Revision)
	r.revision = max(r.revision, message.Revision)
	r.total.StoredCount = before.StoredCount + message.StoredCount
	r.total.ExistingCount = before.ExistingCount + message.ExistingCount
	r.total.RefusedCount = before.RefusedCount + message.RefusedCount
	progress := r.total
	progress.AcknowledgedSequence, progress.Revision = message.AcknowledgedSequence, r.revision
	progress.Refused, progress.Receipts = []IngestRefusal{}, []IngestReceipt{}
	for _, result := range message.Results {
		switch outcome := result.Outcome.(type) {
		case *pb.IngestResult_Error:
			progress.Refused = append(progress.Refused, IngestRefusal{result.Sequence, errorOfRPCStatus(outcome.Error, FamilyStore)})
		case *pb.IngestResult_Memory:
			receipt, err := receiptOf(outcome.Memory, r.revision)
			if err != nil {
				return progress, err
			}
			progress.Receipts = append(progress.Receipts, IngestReceipt{receipt, result.Sequence})
		}
	}
	return progress, nil
}

// cutOff is the error of a stream that was cut off.
func cutOff(err error) error {
	if isEOF(err) {
		return newError(codes.Unavailable, FamilyStore, "the stream ended before everything was acknowledged")
	}
	return err
}
