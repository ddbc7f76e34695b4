package mneme

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/url"
	"strings"
	"time"

	"google.golang.org/grpc"
)

const (
	defaultTimeout       = 10 * time.Second
	defaultRecallTimeout = 5 * time.Second
	defaultHeartbeat     = 15 * time.Second
)

// Option says how Connect makes a client. Without any, all is as its documentation says by default.
type Option func(*settings)

type settings struct {
	namespace      string
	token          string
	callFrom       string
	tls            *TLS
	timeout        time.Duration
	recallTimeout  time.Duration
	waitForReady   *bool
	readYourWrites bool
	retry          bool
	heartbeat      time.Duration
	traceContext   func(context.Context) TraceContext
	dialOptions    []grpc.DialOption
}

func settingsOf(options []Option) settings {
	s := settings{
		namespace: "default", timeout: defaultTimeout, recallTimeout: defaultRecallTimeout, readYourWrites: true, retry: true, heartbeat: defaultHeartbeat,
	}
	for _, option := range options {
		option(&s)
	}
	return s
}

// WithNamespace says which namespace calls are about. Default: default.
func WithNamespace(namespace string) Option { return func(s *settings) { s.namespace = namespace } }

// WithToken sends a token with every call, as authorization: Bearer …. Without TLS anybody on the way can read it.
func WithToken(token string) Option { return func(s *settings) { s.token = token } }

// WithCallFrom sets the scope of the caller: memories that private and isolated scopes hide from it are not visible.
// Default: none, so that private memories are visible only to a recall that names their scope.
func WithCallFrom(from Scope) Option {
	var parts []string
	for _, each := range [][2]string{
		{"project", from.Project}, {"agent_type", from.AgentType}, {"agent", from.Agent}, {"session", from.Session},
	} {
		if each[1] != "" {
			parts = append(parts, each[0]+"="+strings.ReplaceAll(url.QueryEscape(each[1]), "+", "%20"))
		}
	}
	return func(s *settings) { s.callFrom = strings.Join(parts, "&") }
}

// WithCallFromEverywhere makes calls that see everything, whatever is private.
func WithCallFromEverywhere() Option { return func(s *settings) { s.callFrom = "*" } }

// TLS says how a connection is encrypted. The zero value takes the authorities that the system knows.
type TLS struct {
	// CA is the authorities for the server's certificate, as PEM. Default: the authorities that the system knows.
	CA []byte
	// Cert and Key are the certificate and key of this client as PEM, when the server asks for them. Both or neither.
	Cert, Key []byte
	// ServerName is the name that the server's certificate is for, when it is not the host of the address.
	ServerName string
	// Config takes the place of all of the above, which must be absent.
	Config *tls.Config
}

// WithTLS encrypts the connection. Default: not encrypted.
func WithTLS(t TLS) Option { return func(s *settings) { s.tls = &t } }

// WithTimeout sets the timeout of a call whose context has no deadline; 0 or less for no limit. Default 10 s; streams
// have none.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// WithRecallTimeout says the same for recall and for building a context. Default 5 s.
func WithRecallTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.recallTimeout = timeout }
}

// WithWaitForReady says whether calls wait for a server that is away, as long as their time allows. Default: they wait for its
// return once the client has been connected; until then they fail with ErrUnavailable as soon as the connection is refused. True:
// they always wait; false: never.
func WithWaitForReady(wait bool) Option { return func(s *settings) { s.waitForReady = &wait } }

// WithReadYourWrites says whether reads see everything that this client wrote or read before, whichever replica
// answers. Default true.
func WithReadYourWrites(on bool) Option { return func(s *settings) { s.readYourWrites = on } }

// WithRetry says whether anything may be sent twice: a call that fails with UNAVAILABLE, or whose connection breaks before
// the whole answer has arrived, is repeated (up to 4 attempts, 3 for recall, within the deadline), and a broken stream is
// reopened. Default true.
func WithRetry(on bool) Option { return func(s *settings) { s.retry = on } }

// WithHeartbeat sets the silence after which the client sends a heartbeat on a stream. Must be less than the idle
// timeout of proxies on the way. Default 15 s.
func WithHeartbeat(interval time.Duration) Option {
	return func(s *settings) { s.heartbeat = interval }
}

// TraceContext is a W3C trace context, as its two headers.
type TraceContext struct {
	Traceparent, Tracestate string
}

// WithTraceContext asks for the trace that a call is part of, such as OpenTelemetry's propagator injects:
//
//	mneme.WithTraceContext(func(ctx context.Context) mneme.TraceContext {
//		carrier := propagation.MapCarrier{}
//		otel.GetTextMapPropagator().Inject(ctx, carrier)
//		return mneme.TraceContext{Traceparent: carrier["traceparent"], Tracestate: carrier["tracestate"]}
//	})
//
// Default: none. Headers that the context holds for gRPC (metadata.AppendToOutgoingContext) are sent as well.
func WithTraceContext(of func(context.Context) TraceContext) Option {
	return func(s *settings) { s.traceContext = of }
}

// WithDialOptions hands more options to gRPC, such as a stats handler of OpenTelemetry.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) { s.dialOptions = append(s.dialOptions, options...) }
}

// CallOptions are the options of every call. A call takes at most one value of its options; the zero value is the default.
type CallOptions struct {
	// Timeout is the timeout of the call; negative for no limit. Default: the deadline of its context, or where it has
	// none that of the client (WithTimeout).
	Timeout time.Duration
	// Trace is the trace that the call is part of. Default: see WithTraceContext.
	Trace TraceContext

	// fault is why the call is refused.
	fault error
}

func (o *CallOptions) refuse(fault error) { o.fault = fault }

// WriteOptions are the options of a call that writes.
type WriteOptions struct {
	CallOptions
	// RequestID is the idempotency key: a repeated call with the same key takes effect once and returns the first answer, for
	// as long as the server keeps keys (24 hours unless configured otherwise). Default: a new key for each call, which
	// covers the client's own retries.
	RequestID string
}

// ReadOptions are the options of a call that reads.
type ReadOptions struct {
	CallOptions
	// MinRevision is the oldest revision to answer from. Default: the newest that this client has seen.
	MinRevision *int64
}

// Ptr returns a pointer to a value, for fields that may be absent: IfVersion: mneme.Ptr(receipt.Version).
func Ptr[T any](value T) *T { return &value }

// callSettings are the combined options of a call.
type callSettings struct {
	CallOptions
	requestID   string
	minRevision *int64
}

func (o CallOptions) settings() callSettings { return callSettings{CallOptions: o} }
func (o WriteOptions) settings() callSettings {
	return callSettings{CallOptions: o.CallOptions, requestID: o.RequestID}
}
func (o ReadOptions) settings() callSettings {
	return callSettings{CallOptions: o.CallOptions, minRevision: o.MinRevision}
}

// only returns the one value of variadic options, or the zero value. Options of a call with several values refuse the call: all
// but one would have no effect.
func only[T any](options []T) (first T) {
	if len(options) > 0 {
		first = options[0]
	}
	if refused, ok := any(&first).(interface{ refuse(error) }); ok && len(options) > 1 {
		refused.refuse(badInput("options", fmt.Sprintf("must be at most one value, got %d: put their fields into one", len(options))))
	}
	return first
}
