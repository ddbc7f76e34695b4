package mneme

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// EventsQuery selects events. The zero value is the next ones of all sessions.
type EventsQuery struct {
	// FromOldest begins with the oldest event that is kept, ResumeToken after an event. Default: after the last
	// acknowledgement of Consumer; without one, with the next event.
	FromOldest  bool
	ResumeToken string
	// Consumer is the name of the consumer: the server stores its acknowledgements.
	Consumer    string
	Scope       Scope
	Transitions []Transition
}

// WatchEvents tells events in order, each at least once, until the reader stops. A stream that breaks is opened again where it
// was.
func (l *Lifecycle) WatchEvents(ctx context.Context, query EventsQuery, o ...StreamOptions) iter.Seq2[LifecycleEvent, error] {
	return resuming(ctx, l.conn, only(o), func() (runs[LifecycleEvent], error) {
		transitions, err := mappedAll(query.Transitions, transitionCode)
		request := &pb.WatchLifecycleEventsRequest{
			Parent: namespaceName(l.namespace), Consumer: query.Consumer, Scope: scopeMessage(query.Scope), Transitions: transitions,
		}
		if query.FromOldest {
			request.Start = &pb.WatchLifecycleEventsRequest_FromOldest{FromOldest: true}
		} else if query.ResumeToken != "" {
			request.Start = &pb.WatchLifecycleEventsRequest_ResumeToken{ResumeToken: query.ResumeToken}
		}
		return &eventRuns{l.conn, request}, err
	})
}

type eventRuns struct {
	conn    *connection
	request *pb.WatchLifecycleEventsRequest
}

func (e *eventRuns) isEndless() bool     { return true }
func (e *eventRuns) recover(*Error) bool { return false }

func (e *eventRuns) open(a *attempt, yield func(LifecycleEvent) bool) error {
	return readStream(a.ctx, nil, CallOptions{}, func(ctx context.Context, own ownSettings) (receiver[pb.WatchLifecycleEventsResponse], error) {
		return pb.NewLifecycleServiceClient(stubConn{e.conn}).WatchLifecycleEvents(ctx, e.request, own)
	}, func(message *pb.WatchLifecycleEventsResponse) error {
		a.heard()
		e.request.Start = &pb.WatchLifecycleEventsRequest_ResumeToken{ResumeToken: message.ResumeToken}
		if message.GetEvent() == nil {
			return nil
		}
		event, err := eventOf(message.GetEvent(), message.ResumeToken)
		if err == nil && !yield(event) {
			err = errLeft
		}
		return err
	})
}

// AcknowledgeEvents notes that a consumer is done with an event, by its ResumeToken, and all before it.
func (l *Lifecycle) AcknowledgeEvents(ctx context.Context, consumer, resumeToken string, o ...CallOptions) error {
	request := &pb.AcknowledgeLifecycleEventsRequest{Parent: namespaceName(l.namespace), Consumer: consumer, ResumeToken: resumeToken}
	_, err := call[pb.AcknowledgeLifecycleEventsResponse](ctx, l.conn, pb.LifecycleService_AcknowledgeLifecycleEvents_FullMethodName, request, only(o).settings())
	return err
}

// HookRegistration is a hook that is offered.
type HookRegistration struct {
	// Hook names it in reports.
	Hook string
	// Phases in which it is asked: PhaseBefore, PhaseAfter.
	Phases []Phase
	// Transitions: default all.
	Transitions []Transition
	Scope       Scope
	// Timeout is the longest wait for an answer, up to 10 s. Default 1 s.
	Timeout time.Duration
	// Priority: hooks of a higher one are asked first, -1,000 to 1,000.
	Priority int32
	// Required refuses the transition when the hook fails or does not answer in time.
	Required bool
}

// HookAnswer is the verdict of a hook: the zero value lets the transition take place, Veto refuses it, Metadata adds notes.
type HookAnswer struct {
	Veto     string
	Metadata map[string]string
}

// HookHandler answers a hook's question. Its error is reported as the hook's failure. It may be called by several goroutines.
type HookHandler func(context.Context, LifecycleEvent) (HookAnswer, error)

// Hook is a hook offered by this client.
type Hook struct {
	serving

	mu     sync.Mutex
	stream *sender[pb.ServeHookRequest]
}

// stopTimeout is the longest that Stop waits for the server to let a hook go.
const stopTimeout = 2 * time.Second

// Stop takes the hook back. It is not asked any more when Stop returns.
func (h *Hook) Stop() {
	h.mu.Lock()
	stream := h.stream
	h.stream = nil
	h.mu.Unlock()
	if stream != nil {
		stream.end()
		select {
		case <-h.done:
		case <-time.After(stopTimeout):
		}
	}
	h.stop()
	<-h.done
}

// ServeHook offers a hook and answers its questions with the handler, each in a goroutine of its own, until Stop is
// called or the context ends. It returns when the server asks the hook. A broken stream is reopened; meanwhile the hook
// is not asked.
func (l *Lifecycle) ServeHook(ctx context.Context, registration HookRegistration, handler HookHandler) (*Hook, error) {
	transitions, err := mappedAll(registration.Transitions, transitionCode)
	if err != nil {
		return nil, err
	}
	phases, err := mappedAll(registration.Phases, func(phase Phase) (pb.LifecyclePhase, error) {
		return codeOf[pb.LifecyclePhase](pb.LifecyclePhase_value, "LIFECYCLE_PHASE_", phase, "phases")
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	hook := &Hook{serving: serving{stop: stop, done: make(chan struct{})}}
	r := &hookRuns{conn: l.conn, hook: hook, handler: handler, registration: &pb.RegisterHook{
		Parent: namespaceName(l.namespace), Hook: registration.Hook, Phases: phases, Transitions: transitions,
		Scope: scopeMessage(registration.Scope), Timeout: duration(registration.Timeout), Priority: registration.Priority,
		Required: registration.Required,
	}}
	if err := hook.serve(ctx, l.conn, r, r.isStopped); err != nil {
		return nil, err
	}
	return hook, nil
}

type hookRuns struct {
	conn         *connection
	hook         *Hook
	handler      HookHandler
	registration *pb.RegisterHook
	hasBegun     bool
}

func (r *hookRuns) isEndless() bool     { return !r.isStopped() }
func (r *hookRuns) recover(*Error) bool { return false }

func (r *hookRuns) isStopped() bool {
	r.hook.mu.Lock()
	defer r.hook.mu.Unlock()
	return r.hasBegun && r.hook.stream == nil
}

func (r *hookRuns) open(a *attempt, _ func(struct{}) bool) error {
	if r.isStopped() {
		return nil
	}
	stream, err := pb.NewLifecycleServiceClient(stubConn{r.conn}).ServeHook(a.ctx)
	if err != nil {
		return err
	}
	registration := &pb.ServeHookRequest{Message: &pb.ServeHookRequest_Registration{Registration: r.registration}}
	// The client sends no heartbeats: the server expects none.
	out := &sender[pb.ServeHookRequest]{stream: stream, stop: func() {}}
	r.hook.mu.Lock()
	r.hasBegun, r.hook.stream = true, out
	r.hook.mu.Unlock()
	if err := out.send(registration); err != nil && !isEOF(err) {
		return err
	}
	for {
		message, err := stream.Recv()
		if isEOF(err) {
			return nil
		}
		if err != nil {
			return err
		}
		a.heard()
		if asked := message.GetCall(); asked.GetEvent() != nil {
			// Questions are answered as their answers are there, so a slow one holds up none of the others.
			go r.answer(a.ctx, asked, out)
		}
	}
}

func (r *hookRuns) answer(ctx context.Context, asked *pb.HookCall, out *sender[pb.ServeHookRequest]) {
	reply := &pb.HookReply{Id: asked.Id}
	event, err := eventOf(asked.Event, "")
	var answer HookAnswer
	if err == nil {
		answer, err = r.handler(ctx, event)
	}
	if answer.Veto != "" {
		reply.Verdict = &pb.HookReply_Veto{Veto: answer.Veto}
	} else {
		reply.Verdict = &pb.HookReply_Proceed{Proceed: &pb.HookProceed{Metadata: answer.Metadata}}
	}
	if broken := brokenText(reply); err == nil && broken != nil {
		err = broken
	}
	if err != nil {
		reply.Verdict = &pb.HookReply_Failure{Failure: strings.ToValidUTF8(err.Error(), "?")}
	}
	_ = out.send(&pb.ServeHookRequest{Message: &pb.ServeHookRequest_Reply{Reply: reply}}) // Without a stream, no caller waits for it.
}
