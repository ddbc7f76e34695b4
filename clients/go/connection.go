package mneme

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// closeTimeout is the longest that Close waits for calls in flight and for ingests to be acknowledged.
const closeTimeout = 10 * time.Second

// connection is the way to one server, shared by all clients of its namespaces. Its interceptors give every call what is
// promised of all: request id, deadline, oldest revision, headers, typed errors.
type connection struct {
	address      string
	settings     settings
	conn         *grpc.ClientConn
	streams      *streamConns
	seen         seenRevision
	wasConnected atomic.Bool
	unaryRetries retries

	mu      sync.Mutex
	closed  bool
	pending int
	idle    chan struct{} // Closed when nothing is pending any more; nil until Close waits for it.

	draining chan struct{} // Closed by Close: senders flush their queues.
	over     context.Context
	end      context.CancelCauseFunc // Ends every stream, after the draining.
}

func newConnection(address string, options []Option) (*connection, error) {
	c := &connection{address: address, settings: settingsOf(options), draining: make(chan struct{})}
	c.over, c.end = context.WithCancelCause(context.Background())
	c.unaryRetries.mayRepeat = c.retries
	var err error
	if c.conn, err = c.dial(callsConfig); err != nil {
		return nil, err
	}
	c.streams = newStreamConns(func() (*grpc.ClientConn, error) { return c.dial(serviceConfig) })
	return c, nil
}

func (c *connection) dial(serviceConfig string) (*grpc.ClientConn, error) {
	options, err := c.dialOptions(serviceConfig)
	if err != nil {
		return nil, err
	}
	target, err := targetOf(c.address)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, badInput("address", err.Error())
	}
	return conn, nil
}

func (c *connection) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// waits reports whether calls wait for a connection.
func (c *connection) waits() bool {
	if c.settings.waitForReady != nil {
		return *c.settings.waitForReady
	}
	return c.wasConnected.Load()
}

// noteReady remembers that there was a connection.
func (c *connection) noteReady(cc *grpc.ClientConn) {
	if cc.GetState() == connectivity.Ready {
		c.wasConnected.Store(true)
	}
}

// retries reports whether calls are retried.
func (c *connection) retries() bool { return c.settings.retry && !c.isClosed() }

// begin counts something in flight, which done ends; it fails after Close.
func (c *connection) begin(method string) (done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed(familyOf(method))
	}
	c.pending++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.pending--; c.pending == 0 && c.idle != nil {
			close(c.idle)
		}
	}), nil
}

// close refuses new calls, waits for calls in flight and ingests for at most closeTimeout, then ends the rest.
func (c *connection) close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	var idle chan struct{}
	if c.pending > 0 {
		idle = make(chan struct{})
		c.idle = idle
	}
	c.mu.Unlock()
	close(c.draining)
	if idle != nil {
		timer := time.NewTimer(closeTimeout)
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C:
		}
	}
	c.end(errClosed(FamilyBase))
	return errors.Join(c.conn.Close(), c.streams.close())
}

// ownSettings go with the calls that this package makes itself.
type ownSettings struct {
	grpc.EmptyCallOption
	callSettings
}

// underWay goes with a stream of work that began before Close, which lets it finish.
type underWay struct{ grpc.EmptyCallOption }

func settingsIn(options []grpc.CallOption) (own callSettings, isOwn bool) {
	for _, option := range options {
		if option, ok := option.(ownSettings); ok {
			return option.callSettings, true
		}
	}
	return callSettings{}, false
}

func (c *connection) interceptUnary(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn,
	invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	own, isOwn := settingsIn(options)
	done, err := c.begin(method)
	if err != nil {
		return err
	}
	defer done()
	if message, ok := request.(proto.Message); ok && !isOwn {
		message = shallowCopy(message) // A message that is used again must not carry the request id of its first use.
		c.fill(message, own)
		request = message
	}
	headed := c.headed(ctx, own.Trace)
	if message, ok := request.(proto.Message); ok {
		if namespace := namespaceHeader(message); namespace != "" { // Proxies send calls of one namespace to one server.
			headed = metadata.AppendToOutgoingContext(headed, "mneme-namespace", namespace)
		}
	}
	limited, cancel := c.limited(headed, method, own.Timeout)
	defer cancel()
	options = slices.Clip(options) // Each attempt adds options of its own.
	err = c.unaryRetries.call(limited, method, func(own grpc.CallOption) error {
		defer c.noteReady(cc)
		return invoke(limited, method, request, reply, cc, append(options, own, grpc.WaitForReady(c.waits()))...)
	})
	if err != nil {
		return c.errorOfSent(ctx, err, method, request)
	}
	if reply, ok := reply.(proto.Message); ok && !isOwn {
		c.note(method, reply)
	}
	return nil
}

// limited sets the deadline of a call: its own, that of its context, or that of the client.
func (c *connection) limited(ctx context.Context, method string, timeout time.Duration) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); timeout == 0 && !has {
		timeout = c.timeoutOf(method)
	}
	if timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}

func (c *connection) timeoutOf(method string) time.Duration {
	switch method {
	case pb.RecallService_Recall_FullMethodName, pb.RecallService_RecallStream_FullMethodName, pb.ContextService_BuildContext_FullMethodName:
		return c.settings.recallTimeout
	}
	return c.settings.timeout
}

// headed adds token, scope and trace.
func (c *connection) headed(ctx context.Context, trace TraceContext) context.Context {
	var pairs []string
	if c.settings.token != "" {
		pairs = append(pairs, "authorization", "Bearer "+c.settings.token)
	}
	if c.settings.callFrom != "" {
		pairs = append(pairs, "mneme-scope", c.settings.callFrom)
	}
	if trace.Traceparent == "" && c.settings.traceContext != nil {
		trace = c.settings.traceContext(ctx)
	}
	if trace.Traceparent != "" {
		pairs = append(pairs, "traceparent", trace.Traceparent)
		if trace.Tracestate != "" {
			pairs = append(pairs, "tracestate", trace.Tracestate)
		}
	}
	return metadata.AppendToOutgoingContext(ctx, pairs...)
}

func (c *connection) interceptStream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string,
	open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	own, _ := settingsIn(options)
	isUnderWay := slices.Contains(options, grpc.CallOption(underWay{}))
	if c.over.Err() != nil || (c.isClosed() && !isUnderWay) {
		return nil, errClosed(familyOf(method))
	}
	if err := c.awaitReady(ctx, method, cc); err != nil {
		return nil, err
	}
	limited, cancel := c.headed(ctx, own.Trace), func() {}
	if own.Timeout > 0 || (own.Timeout == 0 && method == pb.RecallService_RecallStream_FullMethodName) {
		limited, cancel = c.limited(limited, method, own.Timeout)
	}
	wasConnected := c.waits()
	stream, err := open(limited, desc, cc, method, append(slices.Clip(options), grpc.WaitForReady(wasConnected))...)
	if err != nil {
		cancel()
		failure := c.errorOf(ctx, err, method)
		failure.isFinal = !wasConnected && c.settings.waitForReady == nil && failure.Code == codes.Unavailable
		return nil, failure
	}
	return &typedStream{ClientStream: stream, connection: c, ctx: ctx, method: method, cancel: cancel}, nil
}

// awaitReady waits for a connection for a stream, which has no deadline: no longer than a call may take. Where streams do not
// wait, a failed connection is the failure of the stream.
func (c *connection) awaitReady(ctx context.Context, method string, cc *grpc.ClientConn) error {
	defer c.noteReady(cc)
	limited, cancel := ctx, func() {}
	if c.settings.timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, c.settings.timeout)
	}
	defer cancel()
	stop := context.AfterFunc(c.over, cancel)
	defer stop()
	cc.Connect()
	for state := cc.GetState(); state != connectivity.Ready; state = cc.GetState() {
		if state == connectivity.Idle {
			cc.Connect()
		}
		if state == connectivity.TransientFailure && !c.waits() {
			return nil
		}
		if !cc.WaitForStateChange(limited, state) {
			if ctx.Err() != nil {
				return canceledBy(ctx, familyOf(method))
			}
			if c.isClosed() {
				return errClosed(familyOf(method))
			}
			return newError(codes.Unavailable, familyOf(method), "no connection to "+c.address+" in time")
		}
	}
	return nil
}

// typedStream returns typed errors, and releases its timer when it has ended.
type typedStream struct {
	grpc.ClientStream
	connection *connection
	ctx        context.Context
	method     string
	cancel     func()
}

func (s *typedStream) RecvMsg(message any) error {
	err := s.ClientStream.RecvMsg(message)
	if err == nil {
		return nil
	}
	s.cancel()
	if err == io.EOF {
		return err
	}
	return s.connection.errorOf(s.ctx, err, s.method)
}

func (s *typedStream) SendMsg(message any) error {
	err := s.ClientStream.SendMsg(message)
	if err == nil || err == io.EOF { // RecvMsg says why it has ended.
		return err
	}
	return s.connection.errorOfSent(s.ctx, err, s.method, message)
}

// errorOfSent is errorOf, and names the text for which the message was not sent.
func (c *connection) errorOfSent(ctx context.Context, err error, method string, message any) *Error {
	if sent, ok := message.(proto.Message); ok && status.Code(err) == codes.Internal {
		if broken := brokenText(sent); broken != nil {
			return broken
		}
	}
	return c.errorOf(ctx, err, method)
}

// stubConn is the connection of the generated stubs: unary calls and streams have different connections.
type stubConn struct{ *connection }

func (s stubConn) Invoke(ctx context.Context, method string, request, reply any, options ...grpc.CallOption) error {
	return s.conn.Invoke(ctx, method, request, reply, options...)
}

func (s stubConn) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, options ...grpc.CallOption) (grpc.ClientStream, error) {
	return s.streams.newStream(ctx, desc, method, options)
}

// seenRevision is the newest revision that a client has seen: its reads require at least that revision.
type seenRevision struct{ newest atomic.Int64 }

func (s *seenRevision) note(revision int64) {
	for {
		newest := s.newest.Load()
		if revision <= newest || s.newest.CompareAndSwap(newest, revision) {
			return
		}
	}
}

// wentBack is for a store that was restored to an older state: revisions beyond its newest one are lost.
func (s *seenRevision) wentBack(newestOfStore int64) {
	for {
		newest := s.newest.Load()
		if newest <= newestOfStore || s.newest.CompareAndSwap(newest, newestOfStore) {
			return
		}
	}
}
