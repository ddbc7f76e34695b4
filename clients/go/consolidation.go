package mneme

import (
	"context"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Consolidation makes fewer memories of many: notes that say the same are merged, finished conversations get an episode.
type Consolidation struct {
	via       *connection
	namespace string
}

// ConsolidatedKind is the kind of a memory that consolidation made.
type ConsolidatedKind string

// The kinds. ConsolidatedMerge: several notes that say the same; ConsolidatedEpisode: an episode of a conversation.
// ConsolidatedOther is a kind that this version of the client does not know.
const (
	ConsolidatedMerge   ConsolidatedKind = "merge"
	ConsolidatedEpisode ConsolidatedKind = "episode"
	ConsolidatedOther   ConsolidatedKind = "other"
)

// ConsolidateQuery says what to consolidate. The zero value is the whole namespace.
type ConsolidateQuery struct {
	// Scope is the owner of the memories; parts that are empty match any. Default: the whole namespace.
	Scope Scope
	// DryRun reports what would be made, and makes nothing.
	DryRun bool
	// Idle is the time without a message after which a conversation is finished, at most 365 days. Default 24 hours.
	Idle time.Duration
	// MaxSteps is the maximum number of memories that the call makes, 1 to 1,000. Default 200.
	MaxSteps int32
}

// ConsolidatedMemory is a memory that consolidation made.
type ConsolidatedMemory struct {
	Kind ConsolidatedKind
	// ID of the memory.
	ID   string
	Text string
	// SourceIDs are of the memories that it cites.
	SourceIDs []string
	// HiddenIDs are of the memories that recall does not return by default any more.
	HiddenIDs []string
}

// ConsolidateResult is what a consolidation made, with a dry run what it would make.
type ConsolidateResult struct {
	// ReportID is the id of the report, for Undo; empty when nothing was made.
	ReportID string
	// Memories, at most 1,000.
	Memories []ConsolidatedMemory
	// SkippedCount is the number of memories that were not made, because a source changed meanwhile or must not be changed.
	SkippedCount int32
	// HasMore is true when MaxSteps was reached and another call makes more.
	HasMore  bool
	Revision int64
}

// UndoConsolidationResult is what an undo took back.
type UndoConsolidationResult struct {
	// RestoredIDs are of memories that recall returns again.
	RestoredIDs []string
	// DeletedIDs are of memories that were deleted.
	DeletedIDs []string
	// KeptIDs are of memories that the consolidation made and that were changed since; they stay.
	KeptIDs  []string
	Revision int64
}

func consolidatedMemoryOf(m *pb.ConsolidatedMemory) ConsolidatedMemory {
	kind := wordOf(m.Kind, "CONSOLIDATED_KIND_", ConsolidatedOther)
	return ConsolidatedMemory{kind, idOf(m.Name), m.Text, idsOf(m.Sources), idsOf(m.Hidden)}
}

// Run consolidates the memories of the namespace, or with DryRun reports what that would make. It deletes nothing. A call that
// is cut off has made some of the memories; repeating it makes the rest.
func (c *Consolidation) Run(ctx context.Context, query ConsolidateQuery, o ...WriteOptions) (ConsolidateResult, error) {
	request := &pb.ConsolidateRequest{
		Parent: namespaceName(c.namespace), Scope: scopeMessage(query.Scope), DryRun: query.DryRun, IdleTime: duration(query.Idle),
		MaxSteps: query.MaxSteps,
	}
	answer, err := call[pb.ConsolidateResponse](ctx, c.via, pb.ConsolidationService_Consolidate_FullMethodName, request, only(o).settings())
	if err != nil {
		return ConsolidateResult{}, err
	}
	memories := mapped(answer.Memories, consolidatedMemoryOf)
	return ConsolidateResult{idOf(answer.Report), memories, answer.SkippedCount, answer.HasMore, answer.Revision}, nil
}

// Undo takes back what the consolidation of a report made. ErrNotFound also when the memory is not a report;
// ErrFailedPrecondition when a later consolidation has merged what this one made.
func (c *Consolidation) Undo(ctx context.Context, reportID string, o ...WriteOptions) (UndoConsolidationResult, error) {
	request := &pb.UndoConsolidationRequest{Report: memoryName(c.namespace, reportID)}
	answer, err := call[pb.UndoConsolidationResponse](ctx, c.via, pb.ConsolidationService_UndoConsolidation_FullMethodName, request, only(o).settings())
	if err != nil {
		return UndoConsolidationResult{}, err
	}
	return UndoConsolidationResult{idsOf(answer.Restored), idsOf(answer.Deleted), idsOf(answer.Kept), answer.Revision}, nil
}
