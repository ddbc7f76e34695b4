package mneme

import (
	"context"
	"iter"
	"regexp"
	"strconv"
	"time"

	"github.com/google/uuid"
	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// ImportProgress counts the memories stored so far.
type ImportProgress struct {
	StoredCount int64
	// SkippedCount counts memories that already existed, including memories sent twice after an interruption.
	SkippedCount int64
}

// ImportResult counts the stored memories.
type ImportResult struct {
	ImportProgress
	Revision int64
}

// RefusedMemory is a memory that cannot be stored, and why: violations name its fields, such as text.
type RefusedMemory struct {
	Memory ImportedMemory
	Error  *Error
}

// ImportOptions are the options of ImportMemories.
type ImportOptions struct {
	ConflictPolicy ConflictPolicy
	// OnProgress is called after each acknowledgement of the server.
	OnProgress func(ImportProgress)
	// OnRefused is called for each memory that cannot be stored, such as one whose text is too long; the others are
	// stored. Without it the first refusal ends the import with its error.
	OnRefused func(RefusedMemory)
}

const (
	// importFailuresMax are streams in a row that broke without a single acknowledgement.
	importFailuresMax = 4
	// unackedImportsMax may be on the way without an acknowledgement: enough to keep the server busy.
	unackedImportsMax = 4
)

type importBatch struct {
	request   *pb.ImportMemoriesRequest
	originals []ImportedMemory
}

type importItem struct {
	message  *pb.Memory
	original ImportedMemory
}

// ImportMemories stores memories unchanged, with their ids, times and counts, reading them no faster than the server
// stores them. When the connection breaks it goes on after the last acknowledged message, unless the policy is
// ConflictFail. After an error, acknowledged memories stay stored; importing the same memories again with the same ids
// changes nothing.
func (c *Client) ImportMemories(ctx context.Context, memories iter.Seq[ImportedMemory], o ...ImportOptions) (ImportResult, error) {
	options := only(o)
	policy, err := conflictCode(options.ConflictPolicy)
	if err != nil {
		return ImportResult{}, err
	}
	done, err := c.conn.begin(pb.MemoryService_ImportMemories_FullMethodName)
	if err != nil {
		return ImportResult{}, err
	}
	defer done()
	// Each memory gets its id here at the latest, so that resending a message stores nothing twice.
	source := readSource(ctx, memories, c.conn.draining, func(m ImportedMemory) (importItem, int, error) {
		named := m
		if named.ID == "" {
			named.ID = uuid.Must(uuid.NewV7()).String()
		}
		message, err := importedMessage(named, c.namespace)
		return importItem{message, m}, sizeOf(m.NewMemory), err
	})
	defer source.stop()
	var items []importItem
	var bytes int
	queue := &sendQueue[*importBatch]{room: make(chan struct{}, 1), read: func(ctx context.Context) (*importBatch, bool, error) {
		if err := source.next(ctx, true, &items, &bytes); err != nil {
			return nil, false, err
		}
		batch := &importBatch{request: &pb.ImportMemoriesRequest{Parent: c.parent(), ConflictPolicy: policy}}
		for _, item := range items {
			batch.request.Memories = append(batch.request.Memories, item.message)
			batch.originals = append(batch.originals, item.original)
		}
		items, bytes = nil, 0
		return batch, len(batch.originals) > 0, nil
	}}
	i := &importing{conn: c.conn, queue: queue, options: options}
	result, err := i.run(ctx)
	if err == nil && source.isCut {
		err = errClosed(FamilyStore)
	}
	return result, err
}

type importing struct {
	conn     *connection
	queue    *sendQueue[*importBatch]
	options  ImportOptions
	total    ImportResult
	failures int
}

func (i *importing) run(ctx context.Context) (ImportResult, error) {
	if err := i.queue.ready(ctx); err != nil {
		return i.total, i.sourceError(ctx, err)
	}
	for !i.queue.isDone() {
		err := i.overOneStream(ctx)
		if err == nil {
			continue
		}
		if source := i.queue.sourceFailure(); source != nil {
			return i.total, i.sourceError(ctx, source)
		}
		failure := asError(err, FamilyStore)
		if ctx.Err() != nil {
			return i.total, canceledBy(ctx, FamilyStore)
		}
		if i.options.OnRefused != nil && i.withoutRefused(failure) {
			continue
		}
		i.failures++
		mayResume := i.conn.retries() && i.options.ConflictPolicy != ConflictFail && i.failures <= importFailuresMax
		if !mayResume || !isBroken(ctx, failure) {
			return i.total, failure
		}
		pause := time.NewTimer(firstBackoff << i.failures)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
	return i.total, nil
}

func (i *importing) sourceError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return canceledBy(ctx, FamilyStore)
	}
	return err
}

// overOneStream returns when everything is acknowledged; it fails when the stream breaks or the source fails. The queue
// then holds the messages for the next stream.
func (i *importing) overOneStream(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := pb.NewMemoryServiceClient(stubConn{i.conn}).ImportMemories(ctx, underWay{})
	if err != nil {
		cancel()
		return err
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		err := i.queue.sendAll(ctx, unackedImportsMax, func(batch *importBatch) error { return stream.Send(batch.request) })
		switch {
		case err == nil:
			_ = stream.CloseSend()
		case i.queue.sourceFailure() != nil:
			cancel()
		}
	}()
	defer func() {
		cancel()
		<-sent
	}()
	before, acknowledged := i.total, int64(0)
	for {
		message, err := stream.Recv()
		if err != nil {
			if isEOF(err) && i.queue.isDone() {
				return nil
			}
			return cutOff(err)
		}
		settled := message.AcknowledgedCount - acknowledged
		acknowledged = message.AcknowledgedCount
		i.queue.settle(func(*importBatch) bool { settled--; return settled >= 0 })
		i.note(message, before)
	}
}

func (i *importing) note(message *pb.ImportMemoriesResponse, before ImportResult) {
	i.failures = 0
	i.conn.seen.note(message.Revision)
	i.total.StoredCount = before.StoredCount + message.StoredCount
	i.total.SkippedCount = before.SkippedCount + message.SkippedCount
	i.total.Revision = message.Revision
	if i.options.OnProgress != nil {
		i.options.OnProgress(ImportProgress{i.total.StoredCount, i.total.SkippedCount})
	}
}

// withoutRefused removes the refused memories from the first unacknowledged message, which the error is about; where
// the error does not name them, its memories are sent one by one. False for errors that no memory caused.
func (i *importing) withoutRefused(failure *Error) bool {
	places, isOfMemory := refusedPlaces(failure)
	i.queue.mu.Lock()
	defer i.queue.mu.Unlock()
	if !isOfMemory || len(i.queue.unacked) == 0 {
		return false
	}
	batch := i.queue.unacked[0]
	isAlone := len(batch.originals) == 1
	var rest []*importBatch
	part := func() *importBatch {
		return &importBatch{request: &pb.ImportMemoriesRequest{Parent: batch.request.Parent, ConflictPolicy: batch.request.ConflictPolicy}}
	}
	for place, original := range batch.originals {
		refusal := places[place]
		if refusal == nil && isAlone {
			refusal = failure
		}
		if refusal != nil {
			i.options.OnRefused(RefusedMemory{original, refusal})
			continue
		}
		if len(rest) == 0 || len(places) == 0 {
			rest = append(rest, part())
		}
		last := rest[len(rest)-1]
		last.request.Memories = append(last.request.Memories, batch.request.Memories[place])
		last.originals = append(last.originals, original)
	}
	i.queue.unacked = append(rest, i.queue.unacked[1:]...)
	return true
}

var namedMemory = regexp.MustCompile(`^memories\[(\d+)\]\.?(.*)$`)

// refusedPlaces returns the positions of the refused memories in a message; empty where the error does not name them:
// each then has to be sent separately. False for errors that no memory caused.
func refusedPlaces(failure *Error) (map[int]*Error, bool) {
	switch failure.Reason {
	case ReasonFieldInvalid, ReasonDimensionMismatch, ReasonModelMismatch, ReasonMessageTooLarge:
	default:
		return nil, false
	}
	places := map[int]*Error{}
	for _, violation := range failure.Violations {
		parts := namedMemory.FindStringSubmatch(violation.Field)
		if parts == nil {
			return nil, failure.Reason != ReasonFieldInvalid
		}
		place, _ := strconv.Atoi(parts[1])
		told := violation.Description
		if parts[2] != "" {
			told = parts[2] + ": " + told
		}
		if of := places[place]; of != nil {
			of.Message += "; " + told
		} else {
			of = newError(failure.Code, failure.Family, told)
			of.Reason, of.Metadata = failure.Reason, failure.Metadata
			places[place] = of
		}
		places[place].Violations = append(places[place].Violations, Violation{parts[2], violation.Description})
	}
	return places, true
}
