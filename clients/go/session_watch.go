package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// SessionEventKind is a change of a session.
type SessionEventKind string

// The kinds of events. SessionOther is a value that this version of the client does not know.
const (
	SessionSet                SessionEventKind = "set"
	SessionDeleted            SessionEventKind = "deleted"
	SessionExpired            SessionEventKind = "expired"
	SessionTouched            SessionEventKind = "touched"
	SessionCleared            SessionEventKind = "cleared"
	SessionRestored           SessionEventKind = "restored"
	SessionTaskState          SessionEventKind = "task_state"
	SessionScratchpadAppended SessionEventKind = "scratchpad_appended"
	SessionScratchpadCleared  SessionEventKind = "scratchpad_cleared"
	SessionCheckpointCreated  SessionEventKind = "checkpoint_created"
	SessionCheckpointDeleted  SessionEventKind = "checkpoint_deleted"
	SessionLifecycle          SessionEventKind = "lifecycle"
	SessionOther              SessionEventKind = "other"
)

// SessionEvent is a change of a session.
type SessionEvent struct {
	Kind     SessionEventKind
	Revision int64
	// Key, or the id of the checkpoint; empty where it is about neither.
	Key  string
	Time time.Time
	// Entry, where values were asked for, of a key that was set and not set again since.
	Entry *Entry
}

// SessionWatchQuery selects the changes of a session to watch. The zero value is everything from now on.
type SessionWatchQuery struct {
	// AfterRevision is that after which to begin. Default: from now on.
	AfterRevision *int64
	// Pattern says which keys, such as user:*. Default: all.
	Pattern string
	// IncludeValues sends values along.
	IncludeValues bool
}

// Watch yields the changes of the session, in order, each at least once, until the reader stops. A stream that breaks is
// opened again where it was. ErrOutOfRange when changes are no longer retained: read everything again.
func (w *WorkingMemory) Watch(ctx context.Context, query SessionWatchQuery, o ...StreamOptions) iter.Seq2[SessionEvent, error] {
	return resuming(ctx, w.conn, only(o), func() (runs[SessionEvent], error) {
		return &sessionRuns{w.conn, &pb.WatchSessionRequest{
			Session: w.name(), AfterRevision: query.AfterRevision, Pattern: query.Pattern, IncludeValues: query.IncludeValues,
		}}, nil
	})
}

type sessionRuns struct {
	conn    *connection
	request *pb.WatchSessionRequest
}

func (s *sessionRuns) isEndless() bool     { return true }
func (s *sessionRuns) recover(*Error) bool { return false }

func (s *sessionRuns) open(a *attempt, yield func(SessionEvent) bool) error {
	return readStream(a.ctx, nil, CallOptions{}, func(ctx context.Context, own ownSettings) (receiver[pb.WatchSessionResponse], error) {
		return pb.NewWorkingMemoryServiceClient(stubConn{s.conn}).WatchSession(ctx, s.request, own)
	}, func(message *pb.WatchSessionResponse) error {
		a.heard()
		for _, each := range message.GetEvents().GetEvents() {
			event := SessionEvent{
				Kind: wordOf(each.Kind, "SESSION_EVENT_KIND_", SessionOther), Revision: each.Revision, Key: each.Key, Time: timeOf(each.Time),
			}
			if each.Entry != nil {
				entry, _ := entryOf(each.Entry)
				event.Entry = &entry
			}
			if !yield(event) {
				return errLeft
			}
		}
		s.request.AfterRevision = Ptr(message.Revision)
		return nil
	})
}
