package mneme

import (
	"context"
	"iter"
	"sync"
	"time"
)

// sender sends messages over a stream, and heartbeats when there are none.
type sender[Request any] struct {
	stream interface {
		Send(*Request) error
		CloseSend() error
	}
	mu      sync.Mutex
	sentAt  time.Time
	stopped chan struct{}
	stop    func()
}

func newSender[Request any](stream interface {
	Send(*Request) error
	CloseSend() error
}, c *connection, heartbeat *Request) *sender[Request] {
	s := &sender[Request]{stream: stream, sentAt: time.Now(), stopped: make(chan struct{})}
	s.stop = sync.OnceFunc(func() { close(s.stopped) })
	if c.settings.heartbeat > 0 {
		go s.beat(c.settings.heartbeat, heartbeat)
	}
	return s
}

func (s *sender[Request]) beat(interval time.Duration, heartbeat *Request) {
	ticker := time.NewTicker(interval / 2)
	defer ticker.Stop()
	for {
		select {
		case <-s.stopped:
			return
		case <-ticker.C:
		}
		if !s.mu.TryLock() { // Something is being sent.
			continue
		}
		if time.Since(s.sentAt) >= interval {
			s.sentAt = time.Now()
			_ = s.stream.Send(heartbeat) // Who receives is told why it cannot be sent.
		}
		s.mu.Unlock()
	}
}

// send waits until the stream takes it; io.EOF when the stream has ended.
func (s *sender[Request]) send(request *Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sentAt = time.Now()
	return s.stream.Send(request)
}

// end: half-closes the stream; answers still arrive.
func (s *sender[Request]) end() {
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.stream.CloseSend()
}

const (
	batchCount = 256
	batchBytes = 1 << 20
	// overheadBytes are the reserve for the parts of a memory that are not counted.
	overheadBytes = 512
)

// sizeOf is its bytes on the wire, or a little more.
func sizeOf(m NewMemory) int {
	size := overheadBytes + len(m.Text)
	for _, tag := range m.Tags {
		size += len(tag) + 2
	}
	if m.Embedding != nil {
		size += 4 * len(m.Embedding.Values)
	}
	switch content := m.Content.(type) {
	case nil:
	case Content:
		size += len(content.Data)
	default:
		text, _ := jsonOf(content, "content") // What it cannot carry is told when the message is made.
		size += len(text)
	}
	return size
}

type sized[Item any] struct {
	item Item
	size int
}

// source reads a sequence in a goroutine of its own, no faster than it is taken.
type source[Item any] struct {
	items    chan sized[Item]
	stop     context.CancelFunc
	draining <-chan struct{}
	err      error // Set before items is closed.
	pending  *sized[Item]
	isOver   bool
	// isCut is true when the client was closed before the sequence ended.
	isCut bool
}

func readSource[From, Item any](ctx context.Context, from iter.Seq[From], draining <-chan struct{}, convert func(From) (Item, int, error)) *source[Item] {
	ctx, stop := context.WithCancel(ctx)
	s := &source[Item]{items: make(chan sized[Item], batchCount), stop: stop, draining: draining}
	go func() {
		defer close(s.items)
		for each := range from {
			item, size, err := convert(each)
			if err != nil {
				s.err = err
				return
			}
			select {
			case s.items <- sized[Item]{item, size}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

// next waits for the first item and takes what is there with it; with isFull it waits until the batch is full. No items: the
// source has ended. What was taken is not lost when the context ends: it is kept for the next call.
func (s *source[Item]) next(ctx context.Context, isFull bool, batch *[]Item, bytes *int) error {
	for len(*batch) < batchCount {
		item, err := s.one(ctx, isFull || len(*batch) == 0)
		if err != nil || item == nil {
			return err
		}
		if len(*batch) > 0 && *bytes+item.size > batchBytes {
			s.pending = item
			return nil
		}
		*batch = append(*batch, item.item)
		*bytes += item.size
	}
	return nil
}

// one is nil when there is none: at the end, or, where it is not to be waited for, at the moment.
func (s *source[Item]) one(ctx context.Context, wait bool) (*sized[Item], error) {
	if item := s.pending; item != nil {
		s.pending = nil
		return item, nil
	}
	if s.isOver {
		return nil, s.err
	}
	if !wait {
		select {
		case item, ok := <-s.items:
			return s.taken(item, ok)
		default:
			return nil, nil
		}
	}
	select {
	case item, ok := <-s.items:
		return s.taken(item, ok)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.draining:
		return s.rest(ctx)
	}
}

// drainPause is the maximum wait for a running sequence after its client was closed.
const drainPause = 100 * time.Millisecond

// rest are the items that the sequence yields without a pause after its client was closed: they are still sent.
func (s *source[Item]) rest(ctx context.Context) (*sized[Item], error) {
	pause := time.NewTimer(drainPause)
	defer pause.Stop()
	select {
	case item, ok := <-s.items:
		return s.taken(item, ok)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-pause.C:
		s.stop()
		s.isOver, s.isCut = true, true
		return nil, nil
	}
}

func (s *source[Item]) taken(item sized[Item], ok bool) (*sized[Item], error) {
	if !ok {
		s.isOver = true
		return nil, s.err
	}
	return &item, nil
}

// sendQueue holds messages to be sent, and unacknowledged ones: the queue outlives the streams that send it.
type sendQueue[Message any] struct {
	// read gives the next message; false at the end of its source.
	read func(ctx context.Context) (Message, bool, error)

	mu       sync.Mutex
	unacked  []Message
	upcoming *Message
	isOver   bool
	failure  error // Of the source.
	room     chan struct{}
}

// ready waits until Take has the next message. It fails when its context ends, and when the source has failed.
func (q *sendQueue[Message]) ready(ctx context.Context) error {
	q.mu.Lock()
	known := q.upcoming != nil || q.isOver
	failure := q.failure
	q.mu.Unlock()
	if known || failure != nil {
		return failure
	}
	message, more, err := q.read(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case err != nil:
		if ctx.Err() == nil {
			q.failure = err
		}
		return err
	case more:
		q.upcoming = &message
	default:
		q.isOver = true
	}
	return nil
}

// take returns the next message, unacknowledged from now on; false when all have been taken.
func (q *sendQueue[Message]) take() (message Message, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.upcoming == nil {
		return message, false
	}
	message, q.upcoming = *q.upcoming, nil
	q.unacked = append(q.unacked, message)
	return message, true
}

// isDone is true when all messages were sent and acknowledged.
func (q *sendQueue[Message]) isDone() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.isOver && q.upcoming == nil && len(q.unacked) == 0
}

func (q *sendQueue[Message]) sourceFailure() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failure
}

func (q *sendQueue[Message]) unacknowledged() []Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]Message(nil), q.unacked...)
}

// settle lets go of the first messages, as long as they are settled, and makes room.
func (q *sendQueue[Message]) settle(isSettled func(Message) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.unacked) > 0 && isSettled(q.unacked[0]) {
		q.unacked = q.unacked[1:]
	}
	select {
	case q.room <- struct{}{}:
	default:
	}
}

// sendAll sends unacknowledged messages, then new ones, with at most so many messages on the way. It returns when all was
// sent, the stream has ended, or the source has failed.
func (q *sendQueue[Message]) sendAll(ctx context.Context, unackedMax int, send func(Message) error) error {
	for _, message := range q.unacknowledged() {
		if err := send(message); err != nil {
			return err
		}
	}
	for {
		if err := q.ready(ctx); err != nil {
			return err
		}
		for len(q.unacknowledged()) >= unackedMax {
			select {
			case <-q.room:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		message, ok := q.take()
		if !ok {
			return nil
		}
		if err := send(message); err != nil {
			return err
		}
	}
}
