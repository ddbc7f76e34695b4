package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// CheckpointKind is the creator of a checkpoint.
type CheckpointKind string

// The kinds of checkpoints: asked for, or made by a pause.
const (
	CheckpointManual    CheckpointKind = "manual"
	CheckpointLifecycle CheckpointKind = "lifecycle"
)

// RestoreMode selects the handling of keys that a checkpoint lacks.
type RestoreMode string

// The modes. RestoreReplace (the default): the session has exactly the contents of the checkpoint. RestoreMerge: other
// keys stay.
const (
	RestoreReplace RestoreMode = "replace"
	RestoreMerge   RestoreMode = "merge"
)

// Checkpoint is the contents of a session at one moment.
type Checkpoint struct {
	ID          string
	Description string
	Kind        CheckpointKind
	// ParentCheckpointID is the session's preceding checkpoint; empty for the first.
	ParentCheckpointID string
	CreateTime         time.Time
	// ExpireTime is the zero time when it is kept.
	ExpireTime      time.Time
	SessionRevision int64
	MemoryRevision  int64
	KeyCount        int32
	NoteCount       int32
	HasTaskState    bool
	Bytes           int64
	// StoredBytes are compressed, without parts shared with other checkpoints.
	StoredBytes int64
	Checksum    string
}

func checkpointOf(c *pb.Checkpoint) (Checkpoint, error) {
	if c == nil {
		return Checkpoint{}, incompleteAnswer("checkpoint")
	}
	return Checkpoint{
		ID: c.Id, Description: c.Description, Kind: wordOf(c.Kind, "CHECKPOINT_KIND_", CheckpointManual),
		ParentCheckpointID: c.ParentCheckpointId, CreateTime: timeOf(c.CreateTime), ExpireTime: timeOf(c.ExpireTime),
		SessionRevision: c.SessionRevision, MemoryRevision: c.MemoryRevision, KeyCount: c.KeyCount, NoteCount: c.NoteCount,
		HasTaskState: c.HasTaskState, Bytes: c.Bytes, StoredBytes: c.StoredBytes, Checksum: c.Checksum,
	}, nil
}

func restoreModeCode(mode RestoreMode) (pb.RestoreMode, error) {
	if mode == "" {
		mode = RestoreReplace
	}
	return codeOf[pb.RestoreMode](pb.RestoreMode_value, "RESTORE_MODE_", mode, "mode")
}

// CheckpointOptions are the options of CreateCheckpoint.
type CheckpointOptions struct {
	WriteOptions
	// CheckpointID: default a new one.
	CheckpointID string
	Description  string
	// TTL is how long it is kept. Default: as the server says.
	TTL time.Duration
}

// CreateCheckpoint saves the contents of the session. ErrAlreadyExists when the id exists.
func (w *WorkingMemory) CreateCheckpoint(ctx context.Context, o ...CheckpointOptions) (Checkpoint, error) {
	options := only(o)
	request := &pb.CreateCheckpointRequest{
		Session: w.name(), CheckpointId: options.CheckpointID, Description: options.Description, Ttl: duration(options.TTL),
	}
	answer, err := call[pb.CreateCheckpointResponse](ctx, w.conn, pb.WorkingMemoryService_CreateCheckpoint_FullMethodName, request, options.settings())
	if err != nil {
		return Checkpoint{}, err
	}
	return checkpointOf(answer.Checkpoint)
}

// RestoreOptions are the options of RestoreCheckpoint.
type RestoreOptions struct {
	WriteOptions
	Mode RestoreMode
}

// RestoreCheckpointResult is the result of RestoreCheckpoint.
type RestoreCheckpointResult struct {
	Checkpoint    Checkpoint
	RestoredCount int32
	// ExpiredCount is of keys of the checkpoint that have expired since and were left out.
	ExpiredCount int32
	RemovedCount int32
	NoteCount    int32
	// Revision of the session.
	Revision int64
}

// RestoreCheckpoint restores the contents of a checkpoint atomically.
func (w *WorkingMemory) RestoreCheckpoint(ctx context.Context, id string, o ...RestoreOptions) (RestoreCheckpointResult, error) {
	options := only(o)
	mode, err := restoreModeCode(options.Mode)
	if err != nil {
		return RestoreCheckpointResult{}, err
	}
	request := &pb.RestoreCheckpointRequest{Session: w.name(), CheckpointId: id, Mode: mode}
	answer, err := call[pb.RestoreCheckpointResponse](ctx, w.conn, pb.WorkingMemoryService_RestoreCheckpoint_FullMethodName, request, options.settings())
	if err != nil {
		return RestoreCheckpointResult{}, err
	}
	checkpoint, err := checkpointOf(answer.Checkpoint)
	return RestoreCheckpointResult{
		checkpoint, answer.RestoredCount, answer.ExpiredCount, answer.RemovedCount, answer.NoteCount, answer.Revision,
	}, err
}

// ListCheckpointsOptions are the options of ListCheckpoints.
type ListCheckpointsOptions struct {
	CallOptions
	// Kind: default all.
	Kind CheckpointKind
}

// ListCheckpoints returns the checkpoints of the session, newest first.
func (w *WorkingMemory) ListCheckpoints(ctx context.Context, o ...ListCheckpointsOptions) iter.Seq2[Checkpoint, error] {
	options := only(o)
	return listCheckpoints(ctx, w.conn, w.name(), options.Kind, options.CallOptions)
}

func listCheckpoints(ctx context.Context, via *connection, session string, kind CheckpointKind, o CallOptions) iter.Seq2[Checkpoint, error] {
	code, err := codeOf[pb.CheckpointKind](pb.CheckpointKind_value, "CHECKPOINT_KIND_", kind, "kind")
	if err != nil {
		return failed[Checkpoint](err)
	}
	return itemsOfPages(damage{}, func(token string) (page[Checkpoint], error) {
		request := &pb.ListCheckpointsRequest{Session: session, PageToken: token, Kind: code}
		answer, err := call[pb.ListCheckpointsResponse](ctx, via, pb.WorkingMemoryService_ListCheckpoints_FullMethodName, request, o.settings())
		if err != nil {
			return page[Checkpoint]{}, err
		}
		items, err := mappedAll(answer.Checkpoints, checkpointOf)
		return page[Checkpoint]{items: items, next: answer.NextPageToken}, err
	})
}

// GetCheckpoint describes a checkpoint.
func (w *WorkingMemory) GetCheckpoint(ctx context.Context, id string, o ...CallOptions) (Checkpoint, error) {
	request := &pb.GetCheckpointRequest{Session: w.name(), CheckpointId: id}
	answer, err := call[pb.GetCheckpointResponse](ctx, w.conn, pb.WorkingMemoryService_GetCheckpoint_FullMethodName, request, only(o).settings())
	if err != nil {
		return Checkpoint{}, err
	}
	return checkpointOf(answer.Checkpoint)
}

// KeepCheckpoint sets how long a checkpoint is kept from now on; with a ttl of 0, until it is deleted.
func (w *WorkingMemory) KeepCheckpoint(ctx context.Context, id string, ttl time.Duration, o ...WriteOptions) (Checkpoint, error) {
	request := &pb.KeepCheckpointRequest{Session: w.name(), CheckpointId: id, Ttl: duration(ttl)}
	answer, err := call[pb.KeepCheckpointResponse](ctx, w.conn, pb.WorkingMemoryService_KeepCheckpoint_FullMethodName, request, only(o).settings())
	if err != nil {
		return Checkpoint{}, err
	}
	return checkpointOf(answer.Checkpoint)
}

// DeleteCheckpoint forgets a checkpoint.
func (w *WorkingMemory) DeleteCheckpoint(ctx context.Context, id string, o ...WriteOptions) error {
	request := &pb.DeleteCheckpointRequest{Session: w.name(), CheckpointId: id}
	_, err := call[pb.DeleteCheckpointResponse](ctx, w.conn, pb.WorkingMemoryService_DeleteCheckpoint_FullMethodName, request, only(o).settings())
	return err
}

// ForkResult describes the contents of the new session.
type ForkResult struct {
	KeyCount  int32
	NoteCount int32
	// ExpiredCount is of keys of the checkpoint that have expired since and were left out.
	ExpiredCount int32
}

// ForkCheckpoint makes a new session, target, with the contents of a checkpoint. ErrAlreadyExists when it is there.
func (w *WorkingMemory) ForkCheckpoint(ctx context.Context, id, target string, o ...WriteOptions) (ForkResult, error) {
	request := &pb.ForkCheckpointRequest{Session: w.name(), CheckpointId: id, TargetSession: sessionName(w.namespace, target)}
	answer, err := call[pb.ForkCheckpointResponse](ctx, w.conn, pb.WorkingMemoryService_ForkCheckpoint_FullMethodName, request, only(o).settings())
	return ForkResult{answer.GetKeyCount(), answer.GetNoteCount(), answer.GetExpiredCount()}, err
}

// CheckpointDiffTo selects the target of a comparison: another one, of the session or of another, or (the zero
// value) the current contents of the session.
type CheckpointDiffTo struct {
	CheckpointID string
	// Session is whose checkpoint, or whose values. Default: the same session.
	Session string
}

// KeyDiff is a key that differs.
type KeyDiff struct {
	Key string
	// Difference is added, removed or changed.
	Difference string
	FromBytes  int64
	ToBytes    int64
}

// CheckpointDiff has the differences between two checkpoints.
type CheckpointDiff struct {
	Keys []KeyDiff
	// DifferingCount may exceed the number of listed keys, of which there are at most 1,000.
	DifferingCount   int32
	EqualCount       int32
	TaskDiffers      bool
	FromTask, ToTask *TaskState
	AddedNoteCount   int32
	RemovedNoteCount int32
}

// DiffCheckpoints compares a checkpoint with another one, or with the current contents of a session.
func (w *WorkingMemory) DiffCheckpoints(ctx context.Context, from string, to CheckpointDiffTo, o ...CallOptions) (CheckpointDiff, error) {
	request := &pb.DiffCheckpointsRequest{Session: w.name(), CheckpointId: from, ToCheckpointId: to.CheckpointID}
	if to.Session != "" {
		request.ToSession = sessionName(w.namespace, to.Session)
	}
	answer, err := call[pb.DiffCheckpointsResponse](ctx, w.conn, pb.WorkingMemoryService_DiffCheckpoints_FullMethodName, request, only(o).settings())
	if err != nil {
		return CheckpointDiff{}, err
	}
	task := func(state *pb.TaskState) *TaskState {
		if state == nil {
			return nil
		}
		told, _ := taskOf(state)
		return &told
	}
	keys := mapped(answer.Keys, func(k *pb.KeyDiff) KeyDiff {
		return KeyDiff{k.Key, wordOf(k.Difference, "KEY_DIFFERENCE_", "changed"), k.FromBytes, k.ToBytes}
	})
	return CheckpointDiff{
		Keys: keys, DifferingCount: answer.DifferingCount, EqualCount: answer.EqualCount, TaskDiffers: answer.TaskDiffers,
		FromTask: task(answer.FromTask), ToTask: task(answer.ToTask), AddedNoteCount: answer.AddedNoteCount,
		RemovedNoteCount: answer.RemovedNoteCount,
	}, nil
}
