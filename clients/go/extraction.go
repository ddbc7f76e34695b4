package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// ExtractionState is the state of the extraction of a conversation.
type ExtractionState string

// The states. ExtractionIdle: everything is extracted; ExtractionRetrying: the last attempt failed and another one follows;
// ExtractionFailed: extraction has failed for good, RetryExtraction tries again. ExtractionOther is a value that this version of the
// client does not know.
const (
	ExtractionIdle       ExtractionState = "idle"
	ExtractionPending    ExtractionState = "pending"
	ExtractionExtracting ExtractionState = "extracting"
	ExtractionRetrying   ExtractionState = "retrying"
	ExtractionFailed     ExtractionState = "failed"
	ExtractionOther      ExtractionState = "other"
)

// ConversationExtraction is how far the extraction of a conversation has come.
type ConversationExtraction struct {
	// Conversation is its id.
	Conversation string
	State        ExtractionState
	// PendingCount is the number of messages that are neither extracted nor failed.
	PendingCount int32
	// LastExtractedSequence is the highest sequence number extracted since the server started; nil when none was.
	LastExtractedSequence *int64
	// AttemptCount is the number of attempts that have failed since the last success.
	AttemptCount int32
	// NextAttemptTime is the time of the next attempt, in ExtractionRetrying.
	NextAttemptTime time.Time
	// Error says why the last attempt failed; empty without a failure.
	Error string
	// Failed are messages whose extraction failed for good.
	Failed []SequenceRange
}

// FlushResult is the outcome of a flush.
type FlushResult struct {
	// Complete is true when everything accepted before the call has been extracted, without failures.
	Complete bool
	// Conversations with messages that are pending, being extracted, or failed; at most 1,000.
	Conversations []ConversationExtraction
	// PendingCount is the number of messages accepted before the call that are not extracted.
	PendingCount int64
	// Degraded says why the namespace is not read at the moment; empty in the normal case.
	Degraded string
}

// ExtractionStatus is how far extraction has come in a namespace.
type ExtractionStatus struct {
	// Namespace that it is of.
	Namespace string
	// Extractor in use, such as rules.
	Extractor string
	// PendingCount is the number of messages that are neither extracted nor failed.
	PendingCount int64
	// FailedCount is the number of messages whose extraction failed for good.
	FailedCount int64
	// Conversations that are not idle, at most 1,000; or the requested one.
	Conversations []ConversationExtraction
	// ExtractedRevision is the revision of the change log up to which every message is extracted or failed.
	ExtractedRevision int64
	// Revision is the newest one of the change log.
	Revision int64
	// Degraded says why the namespace is not read at the moment; empty in the normal case.
	Degraded string
}

// ExtractionWatchQuery selects the extractions to watch. The zero value is all conversations of the namespace, at most once a second.
type ExtractionWatchQuery struct {
	// Conversation is the id of one conversation. Default: all of the namespace.
	Conversation string
	// Interval is the shortest time between two items, 100 ms to 60 s. Default 1 s.
	Interval time.Duration
}

func (c *Conversations) parent() string { return namespaceName(c.namespace) }

func extractionOf(e *pb.ConversationExtraction) ConversationExtraction {
	return ConversationExtraction{
		conversationID(e.Conversation), wordOf(e.State, "EXTRACTION_STATE_", ExtractionOther), e.PendingCount, e.LastExtractedSequence,
		e.AttemptCount, timeOf(e.NextAttemptTime), e.Error, mapped(e.Failed, rangeOf),
	}
}

func extractionStatusOf(s *pb.ExtractionStatus) (ExtractionStatus, error) {
	if s == nil {
		return ExtractionStatus{}, incompleteAnswer("status")
	}
	return ExtractionStatus{
		namespaceOfName(s.Namespace), s.Extractor, s.PendingCount, s.FailedCount, mapped(s.Conversations, extractionOf), s.ExtractedRevision,
		s.Revision, s.Degraded,
	}, nil
}

// Flush starts the extraction of everything that was accepted before the call, of one conversation or, where it is empty, of all,
// and waits for it until the deadline of the call. Messages that are pending or failed then are in the result, which is no error.
func (c *Conversations) Flush(ctx context.Context, conversation string, o ...CallOptions) (FlushResult, error) {
	request := &pb.FlushRequest{Parent: c.parent(), Conversation: conversationID(conversation)}
	answer, err := call[pb.FlushResponse](ctx, c.via, pb.ConversationService_Flush_FullMethodName, request, only(o).settings())
	if err != nil {
		return FlushResult{}, err
	}
	return FlushResult{answer.Complete, mapped(answer.Conversations, extractionOf), answer.PendingCount, answer.Degraded}, nil
}

// GetExtractionStatus reads how far extraction has come, of one conversation or, where it is empty, of all of the namespace.
func (c *Conversations) GetExtractionStatus(ctx context.Context, conversation string, o ...CallOptions) (ExtractionStatus, error) {
	request := &pb.GetExtractionStatusRequest{Parent: c.parent(), Conversation: conversationID(conversation)}
	answer, err := call[pb.GetExtractionStatusResponse](ctx, c.via, pb.ConversationService_GetExtractionStatus_FullMethodName, request, only(o).settings())
	if err != nil {
		return ExtractionStatus{}, err
	}
	return extractionStatusOf(answer.Status)
}

// WatchExtraction returns the status of extraction, and again after every change, until the reader stops. A stream that breaks is
// opened again, and begins with the status at that time.
func (c *Conversations) WatchExtraction(ctx context.Context, query ExtractionWatchQuery, o ...StreamOptions) iter.Seq2[ExtractionStatus, error] {
	return resuming(ctx, c.via, only(o), func() (runs[ExtractionStatus], error) {
		return &extractionRuns{c.via, &pb.WatchExtractionRequest{
			Parent: c.parent(), Conversation: conversationID(query.Conversation), Interval: duration(query.Interval),
		}}, nil
	})
}

// RetryExtraction tries again to extract from conversations whose extraction has failed for good, of one or, where it is empty, of
// all. The result is the number of messages that are tried again.
func (c *Conversations) RetryExtraction(ctx context.Context, conversation string, o ...CallOptions) (int64, error) {
	request := &pb.RetryExtractionRequest{Parent: c.parent(), Conversation: conversationID(conversation)}
	answer, err := call[pb.RetryExtractionResponse](ctx, c.via, pb.ConversationService_RetryExtraction_FullMethodName, request, only(o).settings())
	if err != nil {
		return 0, err
	}
	return answer.RetriedCount, nil
}

type extractionRuns struct {
	conn    *connection
	request *pb.WatchExtractionRequest
}

func (e *extractionRuns) isEndless() bool     { return true }
func (e *extractionRuns) recover(*Error) bool { return false }

func (e *extractionRuns) open(a *attempt, yield func(ExtractionStatus) bool) error {
	a.expectNothing()
	return readStream(a.ctx, nil, CallOptions{}, func(ctx context.Context, own ownSettings) (receiver[pb.WatchExtractionResponse], error) {
		return pb.NewConversationServiceClient(stubConn{e.conn}).WatchExtraction(ctx, e.request, own)
	}, func(message *pb.WatchExtractionResponse) error {
		status, err := extractionStatusOf(message.Status)
		if err == nil && !yield(status) {
			err = errLeft
		}
		return err
	})
}
