package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Lifecycle is about the lives of sessions. A session is named by its id or its full resource name.
type Lifecycle struct {
	conn      *connection
	namespace string
}

// SpawnQuery has the properties of a new session. The zero value makes one with a new id.
type SpawnQuery struct {
	// SessionID: default a new one.
	SessionID string
	// Scope: project, agent type and agent.
	Scope Scope
	// InitialValues are its initial values: Content, or values that are stored as JSON.
	InitialValues map[string]any
	Metadata      map[string]string
	// DefaultTTL is that of values that are set without one; Never: they stay. Default: the server's.
	DefaultTTL time.Duration
	// IdleTTL is the time without a write after which the session ends; Never: unlimited. Default: the server's.
	IdleTTL time.Duration
}

// SpawnResult is the created session.
type SpawnResult struct {
	TransitionResult
	Session Session
	// ValueCount is of the values that it starts with.
	ValueCount int32
}

// Spawn makes a session that is active, with the values it starts with.
func (s *Lifecycle) Spawn(ctx context.Context, query SpawnQuery, o ...WriteOptions) (SpawnResult, error) {
	request := &pb.SpawnSessionRequest{
		Parent: namespaceName(s.namespace), SessionId: query.SessionID, Scope: scopeMessage(query.Scope), Metadata: query.Metadata,
	}
	for key, value := range query.InitialValues {
		content, err := contentMessage(value, "initial_values."+key)
		if err != nil {
			return SpawnResult{}, err
		}
		request.InitialValues = append(request.InitialValues, &pb.InitialValue{Key: key, Value: content})
	}
	switch query.DefaultTTL {
	case 0:
	case Never:
		request.DefaultExpiry = &pb.SpawnSessionRequest_NoDefaultTtl{NoDefaultTtl: true}
	default:
		request.DefaultExpiry = &pb.SpawnSessionRequest_DefaultTtl{DefaultTtl: duration(query.DefaultTTL)}
	}
	switch query.IdleTTL {
	case 0:
	case Never:
		request.IdleExpiry = &pb.SpawnSessionRequest_NoIdleTtl{NoIdleTtl: true}
	default:
		request.IdleExpiry = &pb.SpawnSessionRequest_IdleTtl{IdleTtl: duration(query.IdleTTL)}
	}
	answer, err := call[pb.SpawnSessionResponse](ctx, s.conn, pb.LifecycleService_SpawnSession_FullMethodName, request, only(o).settings())
	if err != nil {
		return SpawnResult{}, err
	}
	session, err := sessionOf(answer.Session)
	return SpawnResult{toldOf(answer.HookReports, durationOf(answer.Duration)), session, answer.ValueCount}, err
}

// PauseQuery says how a session is paused.
type PauseQuery struct {
	// CheckpointID: default a new one. An existing checkpoint is never overwritten.
	CheckpointID string
	Description  string
	// CheckpointTTL is how long the checkpoint is kept once the pause has ended. Default 7 days.
	CheckpointTTL time.Duration
	// Pin keeps the checkpoint until it is deleted or the session ends.
	Pin bool
	// AllowWrites keeps working memory writable while the session is paused.
	AllowWrites bool
	// IncludeMemories also takes a snapshot of the memories of the session's agent.
	IncludeMemories bool
	Metadata        map[string]string
	// IfVersion, when set, must be the session's version.
	IfVersion *int64
}

// PauseResult is the result of a pause.
type PauseResult struct {
	TransitionResult
	Session    Session
	Checkpoint Checkpoint
}

// Pause pauses a session, with a checkpoint of its contents.
func (s *Lifecycle) Pause(ctx context.Context, session string, query PauseQuery, o ...WriteOptions) (PauseResult, error) {
	request := &pb.PauseSessionRequest{
		Session: sessionName(s.namespace, session), CheckpointId: query.CheckpointID, Description: query.Description,
		CheckpointTtl: duration(query.CheckpointTTL), Pin: query.Pin, AllowWrites: query.AllowWrites,
		IncludeMemories: query.IncludeMemories, Metadata: query.Metadata, IfVersion: query.IfVersion,
	}
	answer, err := call[pb.PauseSessionResponse](ctx, s.conn, pb.LifecycleService_PauseSession_FullMethodName, request, only(o).settings())
	if err != nil {
		return PauseResult{}, err
	}
	paused, err := sessionOf(answer.Session)
	if err != nil {
		return PauseResult{}, err
	}
	checkpoint, err := checkpointOf(answer.Checkpoint)
	return PauseResult{toldOf(answer.HookReports, durationOf(answer.Duration)), paused, checkpoint}, err
}

// ResumeQuery says how a session is resumed.
type ResumeQuery struct {
	// CheckpointID: default the checkpoint of the pause.
	CheckpointID string
	Mode         RestoreMode
	// RestoreMemories restores the memories of the session's agent from the snapshot of the pause.
	RestoreMemories bool
	Metadata        map[string]string
	// IfVersion, when set, must be the session's version.
	IfVersion *int64
}

// ResumeResult is the result of a resume.
type ResumeResult struct {
	TransitionResult
	Session Session
	// Checkpoint is the checkpoint from which it was resumed.
	Checkpoint Checkpoint
	// RestoredCount is of restored values.
	RestoredCount int32
	// ExpiredCount is of values of the checkpoint that have expired since and were left out.
	ExpiredCount int32
}

// Resume resumes a session with the contents of a checkpoint.
func (s *Lifecycle) Resume(ctx context.Context, session string, query ResumeQuery, o ...WriteOptions) (ResumeResult, error) {
	mode, err := restoreModeCode(query.Mode)
	if err != nil {
		return ResumeResult{}, err
	}
	request := &pb.ResumeSessionRequest{
		Session: sessionName(s.namespace, session), CheckpointId: query.CheckpointID, Mode: mode,
		RestoreMemories: query.RestoreMemories, Metadata: query.Metadata, IfVersion: query.IfVersion,
	}
	answer, err := call[pb.ResumeSessionResponse](ctx, s.conn, pb.LifecycleService_ResumeSession_FullMethodName, request, only(o).settings())
	if err != nil {
		return ResumeResult{}, err
	}
	resumed, err := sessionOf(answer.Session)
	if err != nil {
		return ResumeResult{}, err
	}
	checkpoint, err := checkpointOf(answer.Checkpoint)
	return ResumeResult{
		toldOf(answer.HookReports, durationOf(answer.Duration)), resumed, checkpoint, answer.RestoredCount, answer.ExpiredCount,
	}, err
}

// Action is something that was done in a session. Time is the zero time where it is not known.
type Action struct {
	Description string
	Time        time.Time
}

// TerminateQuery says how a session ends.
type TerminateQuery struct {
	// Outcome: default OutcomeSuccess.
	Outcome Outcome
	// TaskDescription: default the description of the task state.
	TaskDescription string
	Lessons         []string
	Actions         []Action
	// Importance, 0 to 1. Default: from outcome, lessons and length.
	Importance *float64
	TokensUsed *int64
	// RedactKeys are keys whose values are left out of the episode, as globs.
	RedactKeys        []string
	SkipEpisode       bool
	KeepWorkingMemory bool
	Metadata          map[string]string
	// IfVersion, when set, must be the session's version.
	IfVersion *int64
}

// TerminateResult is the result of Terminate.
type TerminateResult struct {
	TransitionResult
	Session Session
	// EpisodeID is of the memory that tells of it; empty when there is none.
	EpisodeID         string
	ConsolidatedCount int32
	// Truncated is true when parts were omitted from the episode because of its size.
	Truncated              bool
	ClearedCount           int32
	ClearedCheckpointCount int32
}

// Terminate ends a session: its history becomes a memory of type Episode, and its contents are deleted.
func (s *Lifecycle) Terminate(ctx context.Context, session string, query TerminateQuery, o ...WriteOptions) (TerminateResult, error) {
	if query.Outcome == "" {
		query.Outcome = OutcomeSuccess
	}
	outcome, err := codeOf[pb.SessionOutcome](pb.SessionOutcome_value, "SESSION_OUTCOME_", query.Outcome, "outcome")
	if err != nil {
		return TerminateResult{}, err
	}
	request := &pb.TerminateSessionRequest{
		Session: sessionName(s.namespace, session), Outcome: outcome, TaskDescription: query.TaskDescription, Lessons: query.Lessons,
		Actions: mapped(query.Actions, func(a Action) *pb.SessionAction {
			return &pb.SessionAction{Description: a.Description, Time: timestamp(a.Time)}
		}),
		Importance: query.Importance, TokensUsed: query.TokensUsed, RedactKeys: query.RedactKeys, SkipEpisode: query.SkipEpisode,
		KeepWorkingMemory: query.KeepWorkingMemory, Metadata: query.Metadata, IfVersion: query.IfVersion,
	}
	answer, err := call[pb.TerminateSessionResponse](ctx, s.conn, pb.LifecycleService_TerminateSession_FullMethodName, request, only(o).settings())
	if err != nil {
		return TerminateResult{}, err
	}
	ended, err := sessionOf(answer.Session)
	return TerminateResult{
		TransitionResult: toldOf(answer.HookReports, durationOf(answer.Duration)), Session: ended, EpisodeID: idOf(answer.Episode),
		ConsolidatedCount: answer.ConsolidatedCount, Truncated: answer.Truncated, ClearedCount: answer.ClearedCount,
		ClearedCheckpointCount: answer.ClearedCheckpointCount,
	}, err
}

// DeleteSessionQuery says how a session is deleted.
type DeleteSessionQuery struct {
	// Force deletes a session that is active, too.
	Force bool
	// Metadata are notes for its event.
	Metadata map[string]string
	// IfVersion, when set, must be the session's version.
	IfVersion *int64
}

// DeleteSessionResult reports the data deleted with a session.
type DeleteSessionResult struct {
	TransitionResult
	ClearedCount           int32
	ClearedNoteCount       int32
	ClearedCheckpointCount int32
}

// Delete deletes a session with all that it holds; its id is free then.
func (s *Lifecycle) Delete(ctx context.Context, session string, query DeleteSessionQuery, o ...WriteOptions) (DeleteSessionResult, error) {
	request := &pb.DeleteSessionRequest{
		Session: sessionName(s.namespace, session), Force: query.Force, Metadata: query.Metadata, IfVersion: query.IfVersion,
	}
	answer, err := call[pb.DeleteSessionResponse](ctx, s.conn, pb.LifecycleService_DeleteSession_FullMethodName, request, only(o).settings())
	if err != nil {
		return DeleteSessionResult{}, err
	}
	told := toldOf(answer.HookReports, durationOf(answer.Duration))
	return DeleteSessionResult{told, answer.ClearedCount, answer.ClearedNoteCount, answer.ClearedCheckpointCount}, nil
}

// GetSessionOptions are the options of Get.
type GetSessionOptions struct {
	CallOptions
	// Scope: fails if the session belongs to another scope.
	Scope Scope
}

// Get returns a session.
func (s *Lifecycle) Get(ctx context.Context, session string, o ...GetSessionOptions) (Session, error) {
	options := only(o)
	request := &pb.GetSessionRequest{Session: sessionName(s.namespace, session), Scope: scopeMessage(options.Scope)}
	answer, err := call[pb.GetSessionResponse](ctx, s.conn, pb.LifecycleService_GetSession_FullMethodName, request, options.settings())
	if err != nil {
		return Session{}, err
	}
	return sessionOf(answer.Session)
}

// ListSessionsQuery says which sessions to list. The zero value lists all.
type ListSessionsQuery struct {
	Scope  Scope
	States []SessionState
}

// List returns sessions in the order of their ids.
func (s *Lifecycle) List(ctx context.Context, query ListSessionsQuery, o ...CallOptions) iter.Seq2[Session, error] {
	states, err := mappedAll(query.States, func(state SessionState) (pb.SessionState, error) {
		return codeOf[pb.SessionState](pb.SessionState_value, "SESSION_STATE_", state, "states")
	})
	if err != nil {
		return failed[Session](err)
	}
	return itemsOfPages(damage{}, func(token string) (page[Session], error) {
		request := &pb.ListSessionsRequest{Parent: namespaceName(s.namespace), Scope: scopeMessage(query.Scope), States: states, PageToken: token}
		answer, err := call[pb.ListSessionsResponse](ctx, s.conn, pb.LifecycleService_ListSessions_FullMethodName, request, only(o).settings())
		if err != nil {
			return page[Session]{}, err
		}
		items, err := mappedAll(answer.Sessions, sessionOf)
		return page[Session]{items: items, next: answer.NextPageToken}, err
	})
}

// ListCheckpoints returns the checkpoints that pauses have made, newest first.
func (s *Lifecycle) ListCheckpoints(ctx context.Context, session string, o ...CallOptions) iter.Seq2[Checkpoint, error] {
	return listCheckpoints(ctx, s.conn, sessionName(s.namespace, session), CheckpointLifecycle, only(o))
}
