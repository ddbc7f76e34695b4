package mneme

import (
	"context"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Episodes records tasks, their actions and outcomes.
type Episodes struct {
	via       *connection
	namespace string
}

// Procedures records how things are done and how that went, and finds procedures that fit a situation. A procedure is named by the
// id or the resource name of its memory.
type Procedures struct {
	via       *connection
	namespace string
}

// NewEpisode is a task with its actions and outcome.
type NewEpisode struct {
	// Scope is the owner. Default: the whole namespace.
	Scope Scope
	// Task describes the task. 1 to 2,048 bytes.
	Task string
	// Outcome is OutcomeSuccess, OutcomeFailure or OutcomePartial.
	Outcome Outcome
	// Lessons learned; at most 64.
	Lessons []string
	// Actions taken, in order; at most 64.
	Actions []string
	// Duration is how long it took, at most 3,650 days. Default: not known.
	Duration time.Duration
	// TokensUsed is the number of tokens that it took. Default: not known.
	TokensUsed *int64
	// Importance, 0 to 1. Default: by outcome, lessons and duration.
	Importance *float64
	// EventTime is when it ended. Default: now.
	EventTime time.Time
}

// EpisodeResult is the memory of an episode.
type EpisodeResult struct {
	// Name is the resource name of the memory.
	Name string
	// ID of the memory.
	ID         string
	Importance float64
	Revision   int64
}

// NewProcedure is how something is done.
type NewProcedure struct {
	// Scope is the owner. Default: the whole namespace.
	Scope Scope
	// Title names the procedure, such as restart the indexer. 1 to 256 bytes.
	Title string
	// Situation says when it applies. At most 2,048 bytes.
	Situation string
	// Steps in order, 1 to 100.
	Steps []string
}

// Procedure is how something is done, and how that went so far.
type Procedure struct {
	// Name is the resource name of its memory.
	Name string
	// ID of its memory.
	ID    string
	Scope Scope
	Title string
	// Situation says when it applies.
	Situation string
	Steps     []string
	// SuccessCount, FailureCount and PartialCount are numbers of outcomes.
	SuccessCount, FailureCount, PartialCount int32
	// SuccessRate is (successes + partial successes / 2 + 1) / (outcomes + 2).
	SuccessRate float64
	// Notes of the last 20 outcomes that had one, the newest last.
	Notes []string
	// Version of its memory.
	Version int64
}

// ProcedureResult is a procedure as it is stored.
type ProcedureResult struct {
	Procedure Procedure
	// Created is true when the procedure was not known before.
	Created  bool
	Revision int64
}

// ProcedureQuery limits Find.
type ProcedureQuery struct {
	// Scope whose procedures are found, with the shared procedures of its ancestors. Default: all.
	Scope Scope
	// Limit is the maximum number of procedures, 1 to 50. Default 5.
	Limit int32
}

// FoundProcedure is a procedure that fits a situation.
type FoundProcedure struct {
	Procedure Procedure
	// Relevance is the probability that it applies, 0 to 1.
	Relevance float64
	// Score is relevance times success rate.
	Score float64
}

func taskOutcomeCode(outcome Outcome) (pb.TaskOutcome, error) {
	return codeOf[pb.TaskOutcome](pb.TaskOutcome_value, "TASK_OUTCOME_", outcome, "outcome")
}

func procedureOf(p *pb.Procedure) (Procedure, error) {
	if p == nil {
		return Procedure{}, incompleteAnswer("procedure")
	}
	return Procedure{
		p.Name, idOf(p.Name), scopeOf(p.Scope), p.Title, p.Situation, p.Steps, p.SuccessCount, p.FailureCount, p.PartialCount,
		p.SuccessRate, p.Notes, p.Version,
	}, nil
}

// Record stores an episode as a memory of the type episode, and returns when it is durable.
func (e *Episodes) Record(ctx context.Context, episode NewEpisode, o ...WriteOptions) (EpisodeResult, error) {
	outcome, err := taskOutcomeCode(episode.Outcome)
	if err != nil {
		return EpisodeResult{}, err
	}
	request := &pb.RecordEpisodeRequest{
		Parent: namespaceName(e.namespace), Scope: scopeMessage(episode.Scope), Task: episode.Task, Outcome: outcome,
		Lessons: episode.Lessons, Actions: episode.Actions, Duration: duration(episode.Duration), TokensUsed: episode.TokensUsed,
		Importance: episode.Importance, EventTime: timestamp(episode.EventTime),
	}
	answer, err := call[pb.RecordEpisodeResponse](ctx, e.via, pb.KnowledgeService_RecordEpisode_FullMethodName, request, only(o).settings())
	if err != nil {
		return EpisodeResult{}, err
	}
	return EpisodeResult{answer.Name, idOf(answer.Name), answer.Importance, answer.Revision}, nil
}

// Record stores how something is done, as a memory of the type procedure. A procedure of the same title in the same scope
// is merged with it: steps that it lacks are added where they belong.
func (p *Procedures) Record(ctx context.Context, procedure NewProcedure, o ...WriteOptions) (ProcedureResult, error) {
	request := &pb.RecordProcedureRequest{Parent: namespaceName(p.namespace), Procedure: &pb.Procedure{
		Scope: scopeMessage(procedure.Scope), Title: procedure.Title, Situation: procedure.Situation, Steps: procedure.Steps,
	}}
	answer, err := call[pb.RecordProcedureResponse](ctx, p.via, pb.KnowledgeService_RecordProcedure_FullMethodName, request, only(o).settings())
	if err != nil {
		return ProcedureResult{}, err
	}
	stored, err := procedureOf(answer.Procedure)
	return ProcedureResult{stored, answer.Created, answer.Revision}, err
}

// Find gives the procedures that fit a situation, the best first: relevance in recall times success rate.
func (p *Procedures) Find(ctx context.Context, situation string, query ProcedureQuery, o ...CallOptions) ([]FoundProcedure, error) {
	request := &pb.FindProceduresRequest{
		Parent: namespaceName(p.namespace), Scope: scopeMessage(query.Scope), Situation: situation, Limit: query.Limit,
	}
	answer, err := call[pb.FindProceduresResponse](ctx, p.via, pb.KnowledgeService_FindProcedures_FullMethodName, request, only(o).settings())
	if err != nil {
		return nil, err
	}
	return mappedAll(answer.Procedures, func(found *pb.FoundProcedure) (FoundProcedure, error) {
		procedure, err := procedureOf(found.Procedure)
		return FoundProcedure{procedure, found.Relevance, found.Score}, err
	})
}

// RecordOutcome counts how a procedure went, with a note or without one. ErrNotFound also when the memory is not a procedure.
func (p *Procedures) RecordOutcome(ctx context.Context, id string, outcome Outcome, note string, o ...WriteOptions) (Procedure, error) {
	code, err := taskOutcomeCode(outcome)
	if err != nil {
		return Procedure{}, err
	}
	request := &pb.RecordOutcomeRequest{Name: memoryName(p.namespace, id), Outcome: code, Note: note}
	answer, err := call[pb.RecordOutcomeResponse](ctx, p.via, pb.KnowledgeService_RecordOutcome_FullMethodName, request, only(o).settings())
	if err != nil {
		return Procedure{}, err
	}
	return procedureOf(answer.Procedure)
}
