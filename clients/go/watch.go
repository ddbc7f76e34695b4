package mneme

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc/codes"
)

// OnCompacted selects the handling of changes that are no longer retained.
type OnCompacted string

// Handling of compacted changes. CompactedList (the default of Watch) lists all memories and continues from
// there; CompactedFail (the default of Consume) fails with ErrOutOfRange; CompactedSkip, of Consume, continues with the
// oldest retained one.
const (
	CompactedList OnCompacted = "list"
	CompactedFail OnCompacted = "fail"
	CompactedSkip OnCompacted = "skip"
)

// WatchQuery selects changes. The zero value is every change from now on.
type WatchQuery struct {
	// Filter selects memories. Default: all. Deletions and expiries are yielded whatever the filter.
	Filter Filter
	Scope  Scope
	// StartRevision is the first revision. Default: the first change after the call.
	StartRevision int64
	// ResumeToken of an earlier event of the same query: continues after it.
	ResumeToken string
	// View selects the parts of the memories. Default ViewBasic; vectors are never included.
	View View
	// IncludeTouched includes reads with Touch.
	IncludeTouched bool
	// IncludeMoved includes moves between tiers that bring a memory neither into the filter nor out of it.
	IncludeMoved bool
	// IncludeCaughtUp also yields WatchCaughtUp, which has no memory, whenever every change up to a revision has been yielded.
	IncludeCaughtUp bool
	OnCompacted     OnCompacted
}

// MemoryChange is the contents of a change, independent of its delivery.
type MemoryChange struct {
	// Kind is the kind of the change; Watch also yields the kinds that begin with Watch.
	Kind ChangeKind
	// ID is empty for changes of the namespace.
	ID   string
	Time time.Time
	// Memory as the change left it; nil when it was erased, then or later, and when it leaves the filter.
	Memory *Memory
	// Leaves: the filter admitted it before and does not any more.
	Leaves   bool
	Revision int64
}

// Kinds of events of Watch that are no changes. WatchCaughtUp (with IncludeCaughtUp): everything up to the revision has been yielded.
// WatchRelisting: changes are missing; discard the known memories. All memories follow as WatchListed.
const (
	WatchCaughtUp  ChangeKind = "caught_up"
	WatchRelisting ChangeKind = "relisting"
	WatchListed    ChangeKind = "listed"
)

// WatchEvent is a change, or one of the other kinds of events.
type WatchEvent struct {
	MemoryChange
	// ResumeToken continues after this event; empty during a listing.
	ResumeToken string
}

func changeMessageOf(change *pb.Change) (MemoryChange, error) {
	told := MemoryChange{Kind: changeOf(change.Kind), Time: timeOf(change.Time), Leaves: change.Leaves, Revision: change.Revision}
	if strings.Contains(change.Name, "/memories/") {
		told.ID = idOf(change.Name)
	}
	if change.Memory != nil {
		memory, err := memoryOf(change.Memory)
		if err != nil {
			return told, err
		}
		told.Memory = &memory
	}
	return told, nil
}

// Watch tells every change of the namespace, in order of revision and each once, for ever: a broken stream is reopened
// and continues. Leaving the loop, or the context, ends it.
func (c *Client) Watch(ctx context.Context, query WatchQuery, o ...StreamOptions) iter.Seq2[WatchEvent, error] {
	return resuming(ctx, c.conn, only(o), func() (runs[WatchEvent], error) {
		view, err := viewCode(query.View)
		if err == nil {
			err = query.Filter.err
		}
		return &watchRuns{client: c, query: query, view: view, resumeToken: query.ResumeToken}, err
	})
}

type watchRuns struct {
	client      *Client
	query       WatchQuery
	view        pb.MemoryView
	resumeToken string
	// toldRevision is the revision of the last yielded event of this log.
	toldRevision int64
	log          string
	// begun has the changes already yielded of a partly yielded message.
	begun, retold map[string]bool
	mustList      bool
}

func (w *watchRuns) isEndless() bool { return true }

// recover: list, then watch from the revision of the list.
func (w *watchRuns) recover(err *Error) bool {
	if err.Code != codes.OutOfRange || err.Reason != ReasonRevisionCompacted {
		return false
	}
	noteLoss(w.client.conn, err)
	if w.query.OnCompacted == CompactedFail || w.mustList {
		return false
	}
	w.mustList = true
	return true
}

// noteLoss: the log may have gone back to an older state, as when a data folder is replaced by a copy; no read is then to wait for
// revisions that are lost.
func noteLoss(c *connection, err *Error) {
	if newest, parsed := strconv.ParseInt(err.Metadata["newest_revision"], 10, 64); parsed == nil {
		c.seen.wentBack(newest)
	}
}

func (w *watchRuns) request() *pb.WatchMemoriesRequest {
	return &pb.WatchMemoriesRequest{
		Parent: w.client.parent(), Filter: w.query.Filter.message, FilterText: w.query.Filter.text, Scope: scopeMessage(w.query.Scope),
		View: w.view, IncludeTouched: w.query.IncludeTouched, IncludeMoved: w.query.IncludeMoved,
	}
}

func (w *watchRuns) read(ctx context.Context, request *pb.WatchMemoriesRequest, take func(*pb.WatchMemoriesResponse) error) error {
	return readStream(ctx, nil, CallOptions{}, func(ctx context.Context, own ownSettings) (receiver[pb.WatchMemoriesResponse], error) {
		return pb.NewRecallServiceClient(stubConn{w.client.conn}).WatchMemories(ctx, request, own)
	}, take)
}

func (w *watchRuns) open(a *attempt, yield func(WatchEvent) bool) error {
	if w.mustList {
		if err := w.list(a, yield); err != nil {
			return err
		}
	}
	request := w.request()
	if request.ResumeToken = w.resumeToken; w.resumeToken == "" {
		request.StartRevision = w.query.StartRevision
	}
	return w.read(a.ctx, request, func(message *pb.WatchMemoriesResponse) error {
		a.heard()
		return w.tell(message, a, yield)
	})
}

func (w *watchRuns) tell(message *pb.WatchMemoriesResponse, a *attempt, yield func(WatchEvent) bool) error {
	switch event := message.Event.(type) {
	case *pb.WatchMemoriesResponse_Created:
		a.expectEvery(event.Created.HeartbeatInterval)
		w.retold = nil
		if w.log != event.Created.Log { // Another server numbers the same changes differently.
			w.toldRevision, w.retold, w.log = 0, w.begun, event.Created.Log
		}
		w.begun = nil
	case *pb.WatchMemoriesResponse_Batch:
		if err := w.tellChanges(event.Batch.Changes, message.ResumeToken, yield); err != nil {
			return err
		}
	}
	w.resumeToken = message.ResumeToken
	if _, is := message.Event.(*pb.WatchMemoriesResponse_Progress); is {
		w.client.conn.seen.note(message.Revision)
		if w.query.IncludeCaughtUp && !yield(WatchEvent{MemoryChange{Kind: WatchCaughtUp, Revision: message.Revision}, message.ResumeToken}) {
			return errLeft
		}
	}
	return nil
}

// tellChanges: resuming within a message repeats its beginning.
func (w *watchRuns) tellChanges(changes []*pb.Change, token string, yield func(WatchEvent) bool) error {
	for i, change := range changes {
		state := fmt.Sprint(change.Kind, " ", change.Name, " ", change.Memory.GetVersion())
		isTold := change.Revision <= w.toldRevision || w.retold[state]
		if i == len(changes)-1 {
			w.resumeToken, w.begun = token, nil
		} else {
			if w.begun == nil {
				w.begun = map[string]bool{}
			}
			w.begun[state] = true
		}
		if isTold {
			continue
		}
		w.toldRevision = change.Revision
		w.client.conn.seen.note(change.Revision)
		told, err := changeMessageOf(change)
		if err != nil {
			return err
		}
		if !yield(WatchEvent{told, w.resumeToken}) {
			return errLeft
		}
	}
	return nil
}

// list yields all memories. The list may come from another server, whose revisions are unrelated; a token is valid
// on every server. So it is requested first, and changes between the two are yielded after the list as well.
func (w *watchRuns) list(a *attempt, yield func(WatchEvent) bool) error {
	token, err := w.tokenOfNow(a)
	if err != nil {
		return err
	}
	query := ListQuery{Order: OrderCreateTimeAsc, Filter: w.listFilter(), View: w.query.View}
	for isFirst := true; isFirst || query.PageToken != ""; isFirst = false {
		page, err := w.client.ListPage(a.ctx, query)
		if err != nil {
			return err
		}
		if isFirst && !yield(WatchEvent{MemoryChange: MemoryChange{Kind: WatchRelisting, Revision: page.Revision}}) {
			return errLeft
		}
		for _, memory := range page.Memories {
			listed := MemoryChange{Kind: WatchListed, ID: memory.ID, Memory: &memory, Revision: page.Revision}
			if !yield(WatchEvent{MemoryChange: listed}) {
				return errLeft
			}
		}
		query.PageToken = page.NextPageToken
	}
	w.mustList, w.resumeToken = false, token
	return nil
}

var errFound = errors.New("found")

func (w *watchRuns) tokenOfNow(a *attempt) (token string, err error) {
	err = w.read(a.ctx, w.request(), func(message *pb.WatchMemoriesResponse) error {
		created := message.GetCreated()
		if created == nil {
			return nil
		}
		token, w.log, w.toldRevision, w.begun = message.ResumeToken, created.Log, message.Revision, nil
		return errFound
	})
	if err == nil {
		err = newError(codes.Unavailable, FamilyRetrieval, "the stream ended before its time")
	}
	if err == errFound {
		err = nil
	}
	return token, err
}

// listFilter is the filter together with the scope.
func (w *watchRuns) listFilter() Filter {
	filter, scope := w.query.Filter, w.query.Scope
	parts := [][2]string{{"project", scope.Project}, {"agent_type", scope.AgentType}, {"agent", scope.Agent}, {"session", scope.Session}}
	fields := []Text{Where.Project, Where.AgentType, Where.Agent, Where.Session}
	var all []Filter
	var texts []string
	for i, part := range parts {
		if part[1] != "" {
			all = append(all, fields[i].Equals(part[1]))
			quoted, _ := jsonOf(part[1], "scope")
			texts = append(texts, part[0]+" = "+quoted)
		}
	}
	switch {
	case len(all) == 0:
		return filter
	case filter.text != "":
		return FilterText(strings.Join(append([]string{"(" + filter.text + ")"}, texts...), " AND "))
	case filter.message != nil:
		all = append(all, filter)
	}
	return AllOf(all...)
}
