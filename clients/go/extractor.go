package mneme

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ExtractionJob is messages of one conversation to extract from.
type ExtractionJob struct {
	ID string
	// Conversation is the id of the conversation.
	Conversation string
	// Scope is the owner of the messages.
	Scope Scope
	// Messages to extract from, in order, at least one.
	Messages []ConversationMessage
	// Earlier are up to 10 messages that precede them, cut at 4,096 bytes: for reference only.
	Earlier []ConversationMessage
	// Attempt is the number of this attempt, from 1.
	Attempt int32
	// LastError says why the attempt before failed; empty on the first one.
	LastError string
	// Deadline is the time at which the server takes the job back.
	Deadline time.Time
	// Model is the setting extraction.model of the namespace; empty when there is none.
	Model string
}

// ExtractedClaim is a fact that messages state or retract.
type ExtractedClaim struct {
	// Subject of the fact, such as user, for the user, or a name.
	Subject string
	// Attribute is what of the subject it states, such as home_city.
	Attribute string
	// Value may be empty with Retracts: then no value holds.
	Value string
	// Text is a sentence that states the fact. Default: made of subject, attribute and value.
	Text string
	// Confidence, 0 to 1. Default 1.
	Confidence *float64
	// ValidFrom is the instant from which the fact holds. Default: the time of the latest source.
	ValidFrom time.Time
	// ValidUntil is the instant from which the fact no longer holds. Default: not known.
	ValidUntil time.Time
	// Retracts: the messages state that the fact no longer holds.
	Retracts bool
	// Sources are sequence numbers of the messages of the job that state it; at least one.
	Sources []int64
}

// ExtractedNote is another memory that messages contain: an instruction, a decision, a lesson.
type ExtractedNote struct {
	// Type of the memory: fact, episode or procedure. Default fact.
	Type string
	Text string
	// Confidence, 0 to 1. Default 1.
	Confidence *float64
	// Tags of the memory, at most 16.
	Tags []string
	// Sources are sequence numbers of the messages of the job that contain it; at least one.
	Sources []int64
}

// ExtractedMemories is what messages state. The zero value states nothing.
type ExtractedMemories struct {
	Claims []ExtractedClaim
	Notes  []ExtractedNote
}

// ExtractionRefusal is the error of a handler that cannot extract from the messages of a job. It counts as an attempt: after
// several of them the messages are given up.
type ExtractionRefusal string

// Error is the reason.
func (r ExtractionRefusal) Error() string { return string(r) }

// ExtractionHandler extracts from a job. The context ends when the server takes the job back. An error is reported, and the job
// comes again, later after each failure; of an ExtractionRefusal only a few times. It may be called by several goroutines.
type ExtractionHandler func(context.Context, ExtractionJob) (ExtractedMemories, error)

// ServeExtractorQuery says how a client serves extraction.
type ServeExtractorQuery struct {
	// Name in errors and in the origin of notes, such as that of the model. Default: none.
	Name string
	// MaxJobs is the maximum number of jobs at once, 1 to 64. Default 4.
	MaxJobs int32
	// OnRejected receives the reason why the server refused an answer. The job comes again.
	OnRejected func(ExtractionJob, string)
}

// ServedExtractor is the extractor of a namespace that this client serves.
type ServedExtractor struct {
	serving
	extractor atomic.Value
	isStopped atomic.Bool
}

// Extractor is the extractor in use by the namespace when the stream was opened: jobs come only while it is client.
func (s *ServedExtractor) Extractor() string { return s.extractor.Load().(string) }

// Stop ends serving; the server gives jobs in hand to other clients.
func (s *ServedExtractor) Stop() {
	s.isStopped.Store(true)
	s.stop()
	<-s.done
}

// ServeExtractor serves the extractor client of the namespace: the handler gets messages as jobs, each in a goroutine of its own,
// and what it returns is stored, until Stop is called or the context ends. It returns when the server gives jobs. A broken stream
// is reopened. Several clients of a namespace share its jobs.
func (c *Conversations) ServeExtractor(ctx context.Context, query ServeExtractorQuery, handler ExtractionHandler) (*ServedExtractor, error) {
	ctx, stop := context.WithCancel(ctx)
	served := &ServedExtractor{serving: serving{stop: stop, done: make(chan struct{})}}
	served.extractor.Store("")
	r := &extractorRuns{conn: c.via, served: served, handler: handler, query: query, start: &pb.ExtractorStart{
		Parent: c.parent(), Name: query.Name, MaxJobs: query.MaxJobs, HeartbeatInterval: durationpb.New(defaultHeartbeat),
	}}
	if err := served.serve(ctx, c.via, r, served.isStopped.Load); err != nil {
		return nil, err
	}
	return served, nil
}

type extractorRuns struct {
	conn    *connection
	served  *ServedExtractor
	handler ExtractionHandler
	query   ServeExtractorQuery
	start   *pb.ExtractorStart
}

func (r *extractorRuns) isEndless() bool     { return true }
func (r *extractorRuns) recover(*Error) bool { return false }

func (r *extractorRuns) open(a *attempt, _ func(struct{}) bool) error {
	stream, err := pb.NewConversationServiceClient(stubConn{r.conn}).ServeExtractor(a.ctx)
	if err != nil {
		return err
	}
	jobs := &jobsInHand{runs: r, ctx: a.ctx, inHand: map[string]jobInHand{}}
	jobs.out = &sender[pb.ServeExtractorRequest]{stream: stream, stop: func() {}}
	start := &pb.ServeExtractorRequest{Message: &pb.ServeExtractorRequest_Start{Start: r.start}}
	if err := jobs.out.send(start); err != nil && !isEOF(err) {
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
		switch content := message.Message.(type) {
		case *pb.ServeExtractorResponse_Started:
			r.served.extractor.Store(content.Started.GetExtractor())
		case *pb.ServeExtractorResponse_Job:
			err = jobs.begin(content.Job)
		case *pb.ServeExtractorResponse_Closed:
			jobs.close(content.Closed)
		case *pb.ServeExtractorResponse_Heartbeat:
			// A heartbeat is answered by one: proxies see that both sides are there.
			err = jobs.out.send(&pb.ServeExtractorRequest{})
		}
		if err != nil && !isEOF(err) {
			return err
		}
		a.heard()
	}
}

// jobsInHand are the jobs of one stream.
type jobsInHand struct {
	runs *extractorRuns
	ctx  context.Context
	out  *sender[pb.ServeExtractorRequest]

	mu     sync.Mutex
	inHand map[string]jobInHand
}

type jobInHand struct {
	job    ExtractionJob
	cancel context.CancelFunc
}

func (j *jobsInHand) begin(message *pb.ExtractionJob) error {
	job, err := extractionJobOf(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(j.ctx)
	j.mu.Lock()
	j.inHand[job.ID] = jobInHand{job, cancel}
	j.mu.Unlock()
	// Jobs are answered as their answers are there, so a slow one holds up none of the others.
	go func() {
		defer cancel()
		answer := &pb.ExtractionAnswer{JobId: job.ID}
		extracted, err := j.runs.handler(ctx, job)
		if ctx.Err() != nil {
			return // The server has taken it back.
		}
		if err == nil {
			answer.Result = &pb.ExtractionAnswer_Extracted{Extracted: extractedMessage(extracted)}
			if broken := brokenText(answer.GetExtracted()); broken != nil {
				err = broken
			}
		}
		if err != nil {
			var refusal ExtractionRefusal
			failure := &pb.ExtractionFailure{Message: strings.ToValidUTF8(err.Error(), "?"), Retryable: !errors.As(err, &refusal)}
			answer.Result = &pb.ExtractionAnswer_Failure{Failure: failure}
			j.take(job.ID)
		}
		_ = j.out.send(&pb.ServeExtractorRequest{Message: &pb.ServeExtractorRequest_Answer{Answer: answer}}) // The job comes again.
	}()
	return nil
}

func (j *jobsInHand) take(id string) (jobInHand, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	known, is := j.inHand[id]
	delete(j.inHand, id)
	return known, is
}

func (j *jobsInHand) close(closed *pb.ExtractionJobClosed) {
	known, is := j.take(closed.JobId)
	if !is {
		return
	}
	switch outcome := closed.Outcome.(type) {
	case *pb.ExtractionJobClosed_Withdrawn:
		known.cancel()
	case *pb.ExtractionJobClosed_Rejected:
		if j.runs.query.OnRejected != nil {
			j.runs.query.OnRejected(known.job, outcome.Rejected)
		}
	}
}

func extractionJobOf(m *pb.ExtractionJob) (ExtractionJob, error) {
	messages, err := mappedAll(m.Messages, conversationMessageOf)
	if err != nil {
		return ExtractionJob{}, err
	}
	earlier, err := mappedAll(m.Earlier, conversationMessageOf)
	return ExtractionJob{
		m.Id, conversationID(m.Conversation), scopeOf(m.Scope), messages, earlier, m.Attempt, m.LastError, timeOf(m.Deadline), m.Model,
	}, err
}

func extractedMessage(e ExtractedMemories) *pb.ExtractedMemories {
	claims := mapped(e.Claims, func(c ExtractedClaim) *pb.ExtractedClaim {
		return &pb.ExtractedClaim{
			Subject: c.Subject, Attribute: c.Attribute, Value: c.Value, Text: c.Text, Confidence: c.Confidence,
			ValidFrom: timestamp(c.ValidFrom), ValidUntil: timestamp(c.ValidUntil), Retracts: c.Retracts, Sources: c.Sources,
		}
	})
	notes := mapped(e.Notes, func(n ExtractedNote) *pb.ExtractedNote {
		return &pb.ExtractedNote{Type: n.Type, Text: n.Text, Confidence: n.Confidence, Tags: n.Tags, Sources: n.Sources}
	})
	return &pb.ExtractedMemories{Claims: claims, Notes: notes}
}
