package mneme

import (
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// SessionState says where a session is in its life.
type SessionState string

// The states of sessions.
const (
	SessionActive     SessionState = "active"
	SessionPaused     SessionState = "paused"
	SessionTerminated SessionState = "terminated"
)

// Outcome says how a session ended.
type Outcome string

// The outcomes. OutcomeExpired: nothing was written to it for too long; only the server sets it.
const (
	OutcomeSuccess Outcome = "success"
	OutcomeFailure Outcome = "failure"
	OutcomePartial Outcome = "partial"
	OutcomeExpired Outcome = "expired"
)

// Transition is a step in the life of a session.
type Transition string

// The transitions.
const (
	TransitionSpawn     Transition = "spawn"
	TransitionPause     Transition = "pause"
	TransitionResume    Transition = "resume"
	TransitionTerminate Transition = "terminate"
	TransitionDelete    Transition = "delete"
)

// Phase is the phase of a transition.
type Phase string

// The phases.
const (
	PhaseBefore  Phase = "before"
	PhaseAfter   Phase = "after"
	PhaseRefused Phase = "refused"
)

// Session is one run or conversation of an agent.
type Session struct {
	// Name is the resource name, namespaces/{namespace}/sessions/{id}.
	Name  string
	ID    string
	Scope Scope
	State SessionState
	// Version is the number of its transitions.
	Version    int64
	Metadata   map[string]string
	CreateTime time.Time
	UpdateTime time.Time
	// ActiveDuration is how long it has been active, pauses left out.
	ActiveDuration time.Duration
	// Frozen is true while it is paused and its working memory is read-only.
	Frozen bool
	// CheckpointID was made by its last pause, or restored by its last resume.
	CheckpointID string
	// AgentSnapshotID is the snapshot of its agent's memories, taken by its last pause.
	AgentSnapshotID string
	// Outcome is empty while it has not ended.
	Outcome Outcome
	// EpisodeID is of the memory that it was consolidated into.
	EpisodeID string
	// ExpireTime is when a terminated session is forgotten.
	ExpireTime time.Time
	// DefaultTTL is that of values that are set without one; 0: they stay.
	DefaultTTL time.Duration
	// IdleTTL is the time without a write after which it ends by itself; 0: it does not.
	IdleTTL time.Duration
	// IdleExpireTime is the time at which it ends unless it is written to.
	IdleExpireTime time.Time
}

// HookReport is the result of calling a hook.
type HookReport struct {
	Hook  string
	Phase Phase
	// Result is ok, vetoed, failed or timed_out.
	Result   string
	Reason   string
	Duration time.Duration
}

// TransitionResult is the common part of all answers to transitions.
type TransitionResult struct {
	HookReports []HookReport
	// Duration is the duration until it was durable, including the hooks called before it.
	Duration time.Duration
}

// LifecycleEvent is a transition of a session, or a refused transition.
type LifecycleEvent struct {
	// ID is the same when the event is sent again.
	ID         string
	Transition Transition
	Phase      Phase
	Session    Session
	Time       time.Time
	Metadata   map[string]string
	// CheckpointID, EpisodeID and Refusal (why it was refused) are empty where there is none.
	CheckpointID string
	EpisodeID    string
	Refusal      string
	// Duration is the duration of the transition so far, including the hooks called before it.
	Duration time.Duration
	// ResumeToken continues after this event; empty in questions to hooks.
	ResumeToken string
}

func sessionOf(s *pb.Session) (Session, error) {
	if s == nil {
		return Session{}, incompleteAnswer("session")
	}
	return Session{
		Name: s.Name, ID: afterLast(s.Name, "/sessions/"), Scope: scopeOf(s.Scope),
		State: wordOf(s.State, "SESSION_STATE_", SessionTerminated), Version: s.Version, Metadata: s.Metadata,
		CreateTime: timeOf(s.CreateTime), UpdateTime: timeOf(s.UpdateTime), ActiveDuration: durationOf(s.ActiveDuration),
		Frozen: s.Frozen, CheckpointID: s.CheckpointId, AgentSnapshotID: s.AgentSnapshotId,
		Outcome: wordOf(s.Outcome, "SESSION_OUTCOME_", Outcome("")), EpisodeID: idOf(s.Episode), ExpireTime: timeOf(s.ExpireTime),
		DefaultTTL: durationOf(s.DefaultTtl), IdleTTL: durationOf(s.IdleTtl), IdleExpireTime: timeOf(s.IdleExpireTime),
	}, nil
}

func toldOf(reports []*pb.HookReport, took time.Duration) TransitionResult {
	return TransitionResult{mapped(reports, func(r *pb.HookReport) HookReport {
		return HookReport{
			r.Hook, wordOf(r.Phase, "LIFECYCLE_PHASE_", PhaseBefore), wordOf(r.Result, "HOOK_RESULT_", "failed"), r.Reason,
			durationOf(r.Duration),
		}
	}), took}
}

func eventOf(e *pb.LifecycleEvent, resumeToken string) (LifecycleEvent, error) {
	session, err := sessionOf(e.Session)
	return LifecycleEvent{
		ID: e.Id, Transition: wordOf(e.Transition, "LIFECYCLE_TRANSITION_", TransitionSpawn),
		Phase: wordOf(e.Phase, "LIFECYCLE_PHASE_", PhaseAfter), Session: session, Time: timeOf(e.Time), Metadata: e.Metadata,
		CheckpointID: e.CheckpointId, EpisodeID: idOf(e.Episode), Refusal: e.Refusal, Duration: durationOf(e.Duration),
		ResumeToken: resumeToken,
	}, err
}

func transitionCode(t Transition) (pb.LifecycleTransition, error) {
	return codeOf[pb.LifecycleTransition](pb.LifecycleTransition_value, "LIFECYCLE_TRANSITION_", t, "transitions")
}
