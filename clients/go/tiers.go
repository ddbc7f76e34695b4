package mneme

import (
	"context"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// TierMove is a memory that was moved from one tier to another, and why.
type TierMove struct {
	ID       string
	FromTier Tier
	ToTier   Tier
	// Reason is ttl, memory_limit, bytes_limit, type_ttl, type_memory_limit, flush, redis_memory, process_memory, requested, or other.
	Reason string
	// Score is age factor × (1 − importance), by which memories above a limit are chosen.
	Score float64
}

// MoveResult reports moved memories.
type MoveResult struct {
	Moves []TierMove
	// DamagedIDs are of memories that stay because their bytes do not give their checksum.
	DamagedIDs []string
	Revision   int64
}

// MoveOptions are the options of Demote and Promote.
type MoveOptions struct {
	CallOptions
	// ToTier is where to. Default: the next tier.
	ToTier Tier
}

type moved interface {
	GetMoves() []*pb.TierMove
	GetDamaged() []string
	GetRevision() int64
}

func moveResultOf(answer moved) MoveResult {
	moves := mapped(answer.GetMoves(), func(move *pb.TierMove) TierMove {
		return TierMove{
			idOf(move.Name), tierOf(move.FromTier), tierOf(move.ToTier), wordOf(move.Reason, "MOVE_REASON_", "other"), move.Score,
		}
	})
	return MoveResult{moves, idsOf(answer.GetDamaged()), answer.GetRevision()}
}

// Demote moves up to 1,000 memories one tier down, or to ToTier. ErrNotFound, and nothing moved, when one does not
// exist.
func (c *Client) Demote(ctx context.Context, ids []string, o ...MoveOptions) (MoveResult, error) {
	options := only(o)
	tier, err := tierCode(options.ToTier)
	if err != nil {
		return MoveResult{}, err
	}
	request := &pb.DemoteMemoriesRequest{Parent: c.parent(), Names: memoryNames(c.namespace, ids), ToTier: tier}
	answer, err := call[pb.DemoteMemoriesResponse](ctx, c.conn, pb.MemoryService_DemoteMemories_FullMethodName, request, options.settings())
	if err != nil {
		return MoveResult{}, err
	}
	return moveResultOf(answer), nil
}

// Promote moves up to 1,000 memories one tier up, or to ToTier. ErrNotFound, and nothing moved, when one does not
// exist.
func (c *Client) Promote(ctx context.Context, ids []string, o ...MoveOptions) (MoveResult, error) {
	options := only(o)
	tier, err := tierCode(options.ToTier)
	if err != nil {
		return MoveResult{}, err
	}
	request := &pb.PromoteMemoriesRequest{Parent: c.parent(), Names: memoryNames(c.namespace, ids), ToTier: tier}
	answer, err := call[pb.PromoteMemoriesResponse](ctx, c.conn, pb.MemoryService_PromoteMemories_FullMethodName, request, options.settings())
	if err != nil {
		return MoveResult{}, err
	}
	return moveResultOf(answer), nil
}

// ClearTierQuery selects the memories of a tier: a scope or all, not both.
type ClearTierQuery struct {
	Scope Scope
	All   bool
	// DryRun only counts.
	DryRun bool
}

// ClearTierResult reports the deleted memories; with a dry run, memories that would be deleted.
type ClearTierResult struct {
	ClearedCount int64
	// IDs of the first 1,000 of them.
	IDs      []string
	Revision int64
}

// ClearTier erases the memories of one tier, of a scope or all of them.
func (c *Client) ClearTier(ctx context.Context, tier Tier, query ClearTierQuery, o ...WriteOptions) (ClearTierResult, error) {
	code, err := tierCode(tier)
	if err != nil {
		return ClearTierResult{}, err
	}
	request := &pb.ClearTierRequest{Parent: c.parent(), Tier: code, Scope: scopeMessage(query.Scope), All: query.All, DryRun: query.DryRun}
	answer, err := call[pb.ClearTierResponse](ctx, c.conn, pb.AdminService_ClearTier_FullMethodName, request, only(o).settings())
	if err != nil {
		return ClearTierResult{}, err
	}
	return ClearTierResult{answer.ClearedCount, idsOf(answer.Names), answer.Revision}, nil
}
