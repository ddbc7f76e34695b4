package mneme

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Pipeline makes calls (memories, recall, working memory, lives of sessions) over one stream: quicker than calls of their own,
// and the same otherwise. It may be used by many goroutines at once.
type Pipeline struct {
	Calls
	caller *pipelineCaller
	// Lifecycle is about the lives of sessions.
	Lifecycle *LifecycleCalls
}

// Pipeline opens a stream for calls. When the stream breaks, unanswered calls are repeated over another one. The
// context ends the stream and all its calls; every call has its own beside it.
func (c *Client) Pipeline(ctx context.Context) *Pipeline {
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(c.conn.over, cancel)
	caller := &pipelineCaller{conn: c.conn, ctx: ctx, cancel: cancel, asked: map[int64]*askedOperation{}}
	return &Pipeline{Calls{caller, c.namespace}, caller, &LifecycleCalls{caller, c.namespace}}
}

// Session is the working memory of a session, by its id.
func (p *Pipeline) Session(id string) *WorkingMemoryCalls {
	return &WorkingMemoryCalls{p.caller, p.namespace, id}
}

// Close refuses more calls, and ends the stream when all are answered, at the latest after 10 seconds.
func (p *Pipeline) Close() error { return p.caller.close() }

// EachOutcome is the result of one item of Each.
type EachOutcome[Item, Result any] struct {
	Item   Item
	Result Result
	Err    error
}

// Each processes the items, at most so many at a time (64 where concurrency is 0), and yields each result when it is
// available, not in the order of the items. A failed item has its Error; the others continue.
func Each[Item, Result any](ctx context.Context, p *Pipeline, items iter.Seq[Item], concurrency int,
	operation func(context.Context, *Pipeline, Item) (Result, error)) iter.Seq[EachOutcome[Item, Result]] {
	if concurrency <= 0 {
		concurrency = 64
	}
	return func(yield func(EachOutcome[Item, Result]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		done := make(chan EachOutcome[Item, Result], concurrency)
		running := 0
		for item := range items {
			if running == concurrency {
				running--
				if !yield(<-done) {
					return
				}
			}
			running++
			go func() {
				result, err := operation(ctx, p, item)
				done <- EachOutcome[Item, Result]{item, result, err}
			}()
		}
		for ; running > 0; running-- {
			if !yield(<-done) {
				return
			}
		}
	}
}

// attemptsMax: as often as a separate call.
const attemptsMax = 4

// operationsPerMessage are the most that go out in one message.
const operationsPerMessage = 64

type askedOperation struct {
	operation *pb.PipelineOperation
	family    Family
	answered  chan operationAnswer
	attempts  int
	// stream is where it was asked for last; nil while it waits to be asked for again.
	stream *pipelineStream
}

type operationAnswer struct {
	message proto.Message
	err     error
}

// pipelineCaller makes calls over one stream. It is opened for the first of them, and again when it breaks while some
// are unanswered: these are repeated, which is safe because every mutation carries a request id.
type pipelineCaller struct {
	conn   *connection
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	asked    map[int64]*askedOperation
	lastID   int64
	stream   *pipelineStream
	waits    backoffs
	isClosed bool
	idle     chan struct{}
}

func (p *pipelineCaller) base() *connection { return p.conn }

func (p *pipelineCaller) unary(ctx context.Context, method string, request, _ proto.Message, own callSettings) (proto.Message, error) {
	family := familyOf(method)
	done, err := p.conn.begin(method)
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := p.conn.limited(ctx, method, own.Timeout)
	defer cancel()
	operation, err := operationOf(method, request)
	if err != nil {
		return nil, err
	}
	if deadline, has := ctx.Deadline(); has {
		operation.Timeout = durationpb.New(max(time.Until(deadline), time.Millisecond))
	}
	asked := &askedOperation{operation: operation, family: family, answered: make(chan operationAnswer, 1)}
	if err := p.begin(asked); err != nil {
		return nil, err
	}
	select {
	case answer := <-asked.answered:
		return answer.message, answer.err
	case <-ctx.Done():
		p.giveUp(asked)
		return nil, canceledBy(ctx, family)
	case <-p.ctx.Done():
		p.giveUp(asked)
		if p.conn.isClosed() {
			return nil, errClosed(family)
		}
		return nil, canceledBy(p.ctx, family)
	}
}

// operationOf: a method's request is the field of the operation with the method's name.
func operationOf(method string, request proto.Message) (*pb.PipelineOperation, error) {
	operation := &pb.PipelineOperation{}
	name := camel.ReplaceAllString(afterLast(method, "/"), "${1}_${2}")
	field := operation.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(strings.ToLower(name)))
	if field == nil {
		return nil, newError(codes.Unimplemented, familyOf(method), "a pipeline has no "+strings.TrimPrefix(method, "/"))
	}
	operation.ProtoReflect().Set(field, protoreflect.ValueOfMessage(request.ProtoReflect()))
	return operation, nil
}

func (p *pipelineCaller) begin(asked *askedOperation) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isClosed {
		return newError(codes.Canceled, asked.family, "the pipeline is closed")
	}
	p.lastID++
	asked.operation.CorrelationId = p.lastID
	p.asked[p.lastID] = asked
	p.ask(asked)
	return nil
}

// ask is called with the lock.
func (p *pipelineCaller) ask(asked *askedOperation) {
	asked.attempts++
	if p.stream == nil {
		p.stream = p.open()
	}
	asked.stream = p.stream
	p.stream.add(asked.operation)
}

func (p *pipelineCaller) giveUp(asked *askedOperation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.forget(asked) && p.stream != nil && asked.stream == p.stream {
		p.stream.add(&pb.PipelineOperation{
			CorrelationId: asked.operation.CorrelationId, Operation: &pb.PipelineOperation_Cancel{Cancel: &pb.PipelineCancel{}},
		})
	}
}

// forget is called with the lock; false when it was settled before.
func (p *pipelineCaller) forget(asked *askedOperation) bool {
	id := asked.operation.CorrelationId
	if p.asked[id] != asked {
		return false
	}
	delete(p.asked, id)
	if len(p.asked) == 0 && p.idle != nil {
		close(p.idle)
		p.idle = nil
	}
	return true
}

func (p *pipelineCaller) settle(asked *askedOperation, answer operationAnswer) {
	if p.forget(asked) {
		asked.answered <- answer
	}
}

func (p *pipelineCaller) answered(result *pb.PipelineResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked[result.CorrelationId]
	if asked == nil {
		return
	}
	p.waits.reset()
	message := result.ProtoReflect()
	field := message.WhichOneof(message.Descriptor().Oneofs().ByName("result"))
	switch {
	case field == nil:
		p.settle(asked, operationAnswer{err: incompleteAnswer("result")})
	case result.GetError() != nil:
		err := errorOfRPCStatus(result.GetError(), asked.family)
		if p.conn.retries() && err.Code == codes.Unavailable && asked.attempts < attemptsMax {
			asked.stream = nil
			go p.askAgain([]*askedOperation{asked}, &backoffs{}, err)
			return
		}
		p.settle(asked, operationAnswer{err: err})
	default: // The answer to an operation is under the same name.
		p.settle(asked, operationAnswer{message: message.Get(field).Message().Interface()})
	}
}

func (p *pipelineCaller) askAgain(all []*askedOperation, waits *backoffs, err *Error) {
	waits.wait(p.ctx, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, asked := range all {
		if p.asked[asked.operation.CorrelationId] == asked && p.ctx.Err() == nil {
			p.ask(asked)
		}
	}
}

// ended: unanswered calls are repeated over another stream, unless it ended for good.
func (p *pipelineCaller) ended(stream *pipelineStream, err *Error) {
	p.mu.Lock()
	if p.stream == stream {
		p.stream = nil
	}
	var unanswered []*askedOperation
	mayGoOn := p.conn.retries() && isBroken(p.ctx, err)
	for _, asked := range p.asked {
		if asked.stream != stream {
			continue
		}
		if asked.stream = nil; mayGoOn {
			unanswered = append(unanswered, asked)
			continue
		}
		own := *err
		own.Family = asked.family
		p.settle(asked, operationAnswer{err: &own})
	}
	waits := &backoffs{failures: p.waits.failures}
	p.waits.failures++
	p.mu.Unlock()
	if len(unanswered) > 0 {
		p.askAgain(unanswered, waits, err)
	}
}

func (p *pipelineCaller) close() error {
	p.mu.Lock()
	p.isClosed = true
	var idle chan struct{}
	if len(p.asked) > 0 {
		if p.idle == nil {
			p.idle = make(chan struct{})
		}
		idle = p.idle
	}
	p.mu.Unlock()
	var err error
	if idle != nil {
		timer := time.NewTimer(closeTimeout)
		defer timer.Stop()
		select {
		case <-idle:
		case <-p.ctx.Done():
		case <-timer.C:
			err = newError(codes.DeadlineExceeded, FamilyBase, "some calls of the pipeline have no answer yet")
		}
	}
	p.cancel()
	return err
}

// pipelineStream is one stream of a pipeline: calls made while a message is being sent are sent in the next.
type pipelineStream struct {
	mu       sync.Mutex
	outgoing []*pb.PipelineOperation
	more     chan struct{}
}

func (s *pipelineStream) add(operation *pb.PipelineOperation) {
	s.mu.Lock()
	s.outgoing = append(s.outgoing, operation)
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *pipelineStream) take() []*pb.PipelineOperation {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := min(len(s.outgoing), operationsPerMessage)
	some := s.outgoing[:count:count]
	s.outgoing = s.outgoing[count:]
	return some
}

// open begins another stream; it does not wait for it.
func (p *pipelineCaller) open() *pipelineStream {
	s := &pipelineStream{more: make(chan struct{}, 1)}
	go func() {
		a := p.conn.newAttempt(p.ctx, nil)
		err := p.run(s, a)
		failure := a.causeOf(err)
		a.stop()
		p.ended(s, failure)
	}()
	return s
}

func (p *pipelineCaller) run(s *pipelineStream, a *attempt) error {
	stream, err := pb.NewPipelineServiceClient(stubConn{p.conn}).Pipeline(a.ctx)
	if err != nil {
		return err
	}
	out := newSender(stream, p.conn, &pb.PipelineRequest{})
	defer out.stop()
	go func() {
		for {
			select {
			case <-s.more:
			case <-a.ctx.Done():
				return
			}
			for some := s.take(); len(some) > 0; some = s.take() {
				if out.send(&pb.PipelineRequest{Operations: some}) != nil {
					return
				}
			}
		}
	}()
	for {
		message, err := stream.Recv()
		if isEOF(err) {
			return newError(codes.Unavailable, FamilyBase, "the pipeline's stream ended before its time")
		}
		if err != nil {
			return err
		}
		a.heard()
		for _, result := range message.Results {
			p.answered(result)
		}
	}
}
