package mneme

import (
	"context"
	"iter"
	"maps"
	"slices"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc/codes"
)

// StandingAnswer is the current answer of a standing query, and the changes since the previous one.
type StandingAnswer struct {
	// Hits are the answer, best first: the result of Recall at Revision.
	Hits    []RecallHit
	Entered []RecallHit
	// Updated: the hit, its place, its neighbours or its score has changed.
	Updated []RecallHit
	// LeftIDs are of memories that left the answer.
	LeftIDs  []string
	Revision int64
	// IsProgress is true when the answer is unchanged and still valid at Revision.
	IsProgress bool
	// Degraded names parts that could not be searched, or not in full.
	Degraded []Degradation
}

// Subscribe recalls, and yields the changes of the answer indefinitely: the whole answer first, then each change. A
// broken stream is reopened, and changes in between are included. Leaving the loop, or the context, ends it.
func (c *Client) Subscribe(ctx context.Context, query RecallQuery, o ...StreamOptions) iter.Seq2[StandingAnswer, error] {
	return resuming(ctx, c.conn, only(o), func() (runs[StandingAnswer], error) {
		request, err := recallRequest(query, c.namespace)
		return &subscribeRuns{conn: c.conn, query: request, state: map[string]*pb.RecallEvent{}}, err
	})
}

type subscribeRuns struct {
	conn        *connection
	query       *pb.RecallRequest
	resumeToken string
	state       map[string]*pb.RecallEvent
	// gathered are events of a change whose last fragment has not come yet.
	gathered []*pb.RecallEvent
	degraded []*pb.Degradation
}

func (s *subscribeRuns) isEndless() bool { return true }

// recover: the revision of the token is lost; a stream without it begins with the whole answer as well.
func (s *subscribeRuns) recover(err *Error) bool {
	isLost := err.Code == codes.OutOfRange && (err.Reason == ReasonRevisionCompacted || err.Reason == ReasonRevisionAhead)
	if !isLost || s.resumeToken == "" {
		return false
	}
	noteLoss(s.conn, err)
	s.resumeToken = ""
	return true
}

func (s *subscribeRuns) open(a *attempt, yield func(StandingAnswer) bool) error {
	s.gathered = nil
	s.query.MinRevision = s.conn.minRevision(nil)
	request := &pb.SubscribeRecallRequest{Query: s.query, ResumeToken: s.resumeToken}
	return readStream(a.ctx, nil, CallOptions{}, func(ctx context.Context, own ownSettings) (receiver[pb.SubscribeRecallResponse], error) {
		return pb.NewRecallServiceClient(stubConn{s.conn}).SubscribeRecall(ctx, request, own)
	}, func(message *pb.SubscribeRecallResponse) error {
		a.heard()
		answer, err := s.answerOf(message, a)
		s.resumeToken = message.ResumeToken
		if err == nil && answer != nil && !yield(*answer) {
			err = errLeft
		}
		return err
	})
}

// answerOf is nil for a message without information.
func (s *subscribeRuns) answerOf(message *pb.SubscribeRecallResponse, a *attempt) (*StandingAnswer, error) {
	switch event := message.Event.(type) {
	case *pb.SubscribeRecallResponse_Created:
		a.expectEvery(event.Created.HeartbeatInterval)
	case *pb.SubscribeRecallResponse_Progress:
		answer, err := s.standing(message.Revision, nil, s.state)
		if err == nil {
			answer.IsProgress = true
		}
		return answer, err
	case *pb.SubscribeRecallResponse_Batch:
		s.gathered = append(s.gathered, event.Batch.Events...)
		if event.Batch.Fragment {
			return nil, nil
		}
		events := s.gathered
		s.gathered, s.degraded = nil, event.Batch.Degraded
		return s.changed(event.Batch.Snapshot, events, message.Revision)
	}
	return nil, nil
}

func (s *subscribeRuns) changed(isSnapshot bool, events []*pb.RecallEvent, revision int64) (*StandingAnswer, error) {
	before, after := s.state, map[string]*pb.RecallEvent{}
	if !isSnapshot {
		maps.Copy(after, before)
	}
	changed := map[string]bool{}
	for _, event := range events {
		if event.Kind == pb.RecallEventKind_RECALL_EVENT_KIND_LEAVE {
			delete(after, event.Name)
		} else {
			after[event.Name] = event
		}
		changed[event.Name] = !isSnapshot || differs(before[event.Name], after[event.Name])
	}
	s.state = after
	answer, err := s.standing(revision, changed, before)
	if err != nil {
		return nil, err
	}
	for name := range before {
		if after[name] == nil {
			answer.LeftIDs = append(answer.LeftIDs, idOf(name))
		}
	}
	slices.Sort(answer.LeftIDs)
	return answer, nil
}

func (s *subscribeRuns) standing(revision int64, changed map[string]bool, before map[string]*pb.RecallEvent) (*StandingAnswer, error) {
	s.conn.seen.note(revision)
	answer := &StandingAnswer{
		Hits: []RecallHit{}, Entered: []RecallHit{}, Updated: []RecallHit{}, LeftIDs: []string{}, Revision: revision,
		Degraded: mapped(s.degraded, degradationOf),
	}
	events := slices.SortedFunc(maps.Values(s.state), func(a, b *pb.RecallEvent) int { return int(a.Place - b.Place) })
	for _, event := range events {
		if event.Hit == nil {
			continue
		}
		hit, err := hitOf(event.Hit)
		if err != nil {
			return nil, err
		}
		answer.Hits = append(answer.Hits, hit)
		switch {
		case !changed[event.Name]:
		case before[event.Name] == nil:
			answer.Entered = append(answer.Entered, hit)
		default:
			answer.Updated = append(answer.Updated, hit)
		}
	}
	return answer, nil
}

// differs returns the differences between a repeated answer and the known one.
func differs(before, after *pb.RecallEvent) bool {
	if before.GetHit() == nil || after.GetHit() == nil {
		return before != after
	}
	return before.Place != after.Place || before.Hit.Score != after.Hit.Score ||
		before.Hit.Memory.GetVersion() != after.Hit.Memory.GetVersion()
}
