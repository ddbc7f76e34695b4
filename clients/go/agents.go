package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Agents branches, compares and restores all memories of an agent. Scopes here name an agent; project and
// agent type may be left unsaid.
type Agents struct {
	via       *connection
	namespace string
}

// AgentSnapshot is an agent's memories at one moment.
type AgentSnapshot struct {
	ID          string
	Scope       Scope
	Description string
	CreateTime  time.Time
	// Revision of the change log that it shows.
	Revision int64
}

// AgentSnapshotDiff holds ids of memories, at most 1,000 of each; the counts are of all.
type AgentSnapshotDiff struct {
	AddedIDs     []string
	RemovedIDs   []string
	ChangedIDs   []string
	AddedCount   int32
	RemovedCount int32
	ChangedCount int32
}

// SnapshotOptions are the options of CreateSnapshot.
type SnapshotOptions struct {
	WriteOptions
	// SnapshotID: default a new one.
	SnapshotID  string
	Description string
}

func snapshotOf(s *pb.AgentSnapshot) (AgentSnapshot, error) {
	if s == nil {
		return AgentSnapshot{}, incompleteAnswer("snapshot")
	}
	return AgentSnapshot{s.Id, scopeOf(s.Scope), s.Description, timeOf(s.CreateTime), s.Revision}, nil
}

// CreateSnapshot takes a snapshot of an agent's memories.
func (a *Agents) CreateSnapshot(ctx context.Context, scope Scope, o ...SnapshotOptions) (AgentSnapshot, error) {
	options := only(o)
	request := &pb.CreateAgentSnapshotRequest{
		Parent: namespaceName(a.namespace), Scope: scopeMessage(scope), SnapshotId: options.SnapshotID, Description: options.Description,
	}
	answer, err := call[pb.CreateAgentSnapshotResponse](ctx, a.via, pb.AgentService_CreateAgentSnapshot_FullMethodName, request, options.settings())
	if err != nil {
		return AgentSnapshot{}, err
	}
	return snapshotOf(answer.Snapshot)
}

// ListSnapshots returns all of them in the order of their ids.
func (a *Agents) ListSnapshots(ctx context.Context, o ...CallOptions) iter.Seq2[AgentSnapshot, error] {
	return itemsOfPages(damage{}, func(token string) (page[AgentSnapshot], error) {
		request := &pb.ListAgentSnapshotsRequest{Parent: namespaceName(a.namespace), PageToken: token}
		answer, err := call[pb.ListAgentSnapshotsResponse](ctx, a.via, pb.AgentService_ListAgentSnapshots_FullMethodName, request, only(o).settings())
		if err != nil {
			return page[AgentSnapshot]{}, err
		}
		items, err := mappedAll(answer.Snapshots, snapshotOf)
		return page[AgentSnapshot]{items: items, next: answer.NextPageToken}, err
	})
}

// DeleteSnapshot forgets a snapshot.
func (a *Agents) DeleteSnapshot(ctx context.Context, id string, o ...WriteOptions) error {
	request := &pb.DeleteAgentSnapshotRequest{Parent: namespaceName(a.namespace), SnapshotId: id}
	_, err := call[pb.DeleteAgentSnapshotResponse](ctx, a.via, pb.AgentService_DeleteAgentSnapshot_FullMethodName, request, only(o).settings())
	return err
}

// DiffTo selects the target of a comparison: another snapshot, an agent such as a branch, or (the zero value) its agent now.
type DiffTo struct {
	SnapshotID string
	Scope      Scope
}

// DiffSnapshots returns the changes since a snapshot.
func (a *Agents) DiffSnapshots(ctx context.Context, id string, to DiffTo, o ...CallOptions) (AgentSnapshotDiff, error) {
	request := &pb.DiffAgentSnapshotsRequest{Parent: namespaceName(a.namespace), SnapshotId: id}
	if to.SnapshotID != "" {
		request.To = &pb.DiffAgentSnapshotsRequest_ToSnapshotId{ToSnapshotId: to.SnapshotID}
	} else if scope := scopeMessage(to.Scope); scope != nil {
		request.To = &pb.DiffAgentSnapshotsRequest_ToScope{ToScope: scope}
	}
	answer, err := call[pb.DiffAgentSnapshotsResponse](ctx, a.via, pb.AgentService_DiffAgentSnapshots_FullMethodName, request, only(o).settings())
	if err != nil {
		return AgentSnapshotDiff{}, err
	}
	return AgentSnapshotDiff{
		idsOf(answer.AddedNames), idsOf(answer.RemovedNames), idsOf(answer.ChangedNames),
		answer.AddedCount, answer.RemovedCount, answer.ChangedCount,
	}, nil
}

// RestoreResult is the result of RestoreSnapshot.
type RestoreResult struct {
	RestoredCount int32
	ErasedCount   int32
}

// RestoreSnapshot restores the agent's memories to the snapshot, all of them or none.
func (a *Agents) RestoreSnapshot(ctx context.Context, id string, o ...WriteOptions) (RestoreResult, error) {
	request := &pb.RestoreAgentSnapshotRequest{Parent: namespaceName(a.namespace), SnapshotId: id}
	answer, err := call[pb.RestoreAgentSnapshotResponse](ctx, a.via, pb.AgentService_RestoreAgentSnapshot_FullMethodName, request, only(o).settings())
	return RestoreResult{answer.GetRestoredCount(), answer.GetErasedCount()}, err
}

// ForkSnapshot copies the memories of a snapshot to another agent, all of them or none, and returns their number.
func (a *Agents) ForkSnapshot(ctx context.Context, id string, to Scope, o ...WriteOptions) (copiedCount int32, err error) {
	request := &pb.ForkAgentSnapshotRequest{Parent: namespaceName(a.namespace), SnapshotId: id, ToScope: scopeMessage(to)}
	answer, err := call[pb.ForkAgentSnapshotResponse](ctx, a.via, pb.AgentService_ForkAgentSnapshot_FullMethodName, request, only(o).settings())
	return answer.GetCopiedCount(), err
}
