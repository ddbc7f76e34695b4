package mneme

import (
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// StatisticsOptions are the options of the calls that count.
type StatisticsOptions struct {
	CallOptions
	// Simplified leaves out types and accesses.
	Simplified bool
}

// MemoryStatistics are the totals of a namespace or of the whole server.
type MemoryStatistics struct {
	MemoryCount int64
	// ContentBytes are bytes of text and content, before any compression.
	ContentBytes          int64
	EmbeddedCount         int64
	EmbeddingPendingCount int64
	ImportanceMean        float64
	// RetrievalCount is the sum over the memories.
	RetrievalCount int64
	// Types, most first.
	Types []TypeCount
	Tiers []TierStatistics
	// MostAccessed are up to five memories with the most retrievals, at least one.
	MostAccessed []MemoryAccess
	// LeastAccessed are up to five that were recalled least, the oldest first.
	LeastAccessed []MemoryAccess
}

// NamespaceStatistics are the totals of a namespace.
type NamespaceStatistics struct {
	MemoryStatistics
	// LastMaintenanceTime is when maintenance last looked at it on request, or moved something; the zero time when never.
	LastMaintenanceTime time.Time
}

// TypeCount is how many memories of a type there are.
type TypeCount struct {
	Type        string
	MemoryCount int64
}

// TierStatistics are the totals of a tier.
type TierStatistics struct {
	Tier         Tier
	MemoryCount  int64
	ContentBytes int64
	// StoredBytes as the tier keeps them: divided by ContentBytes the ratio of compression.
	StoredBytes    int64
	ImportanceMean float64
}

// MemoryAccess is how often a memory was recalled.
type MemoryAccess struct {
	// Name is the resource name of the memory.
	Name           string
	RetrievalCount int64
	// LastAccessTime is the zero time when it never was.
	LastAccessTime time.Time
}

// AgentStatistics are the statistics of one agent, from totals that the server maintains: importance, retrievals and
// vectors are not counted by agent.
type AgentStatistics struct {
	Agent       string
	MemoryCount int64
	// ContentBytes are bytes of text and content, before any compression.
	ContentBytes int64
	// Types, most first.
	Types []TypeCount
	Tiers []AgentTierStatistics
}

// AgentTierStatistics are the totals of an agent in a tier.
type AgentTierStatistics struct {
	Tier         Tier
	MemoryCount  int64
	ContentBytes int64
}

func statisticsOf(s *pb.MemoryStatistics) (MemoryStatistics, error) {
	if s == nil {
		return MemoryStatistics{}, incompleteAnswer("statistics")
	}
	tiers := mapped(s.Tiers, func(t *pb.TierStatistics) TierStatistics {
		return TierStatistics{tierOf(t.Tier), t.MemoryCount, t.ContentBytes, t.StoredBytes, t.ImportanceMean}
	})
	access := func(a *pb.MemoryAccess) MemoryAccess {
		return MemoryAccess{a.Name, a.RetrievalCount, timeOf(a.LastAccessTime)}
	}
	return MemoryStatistics{
		MemoryCount: s.MemoryCount, ContentBytes: s.ContentBytes, EmbeddedCount: s.EmbeddedCount,
		EmbeddingPendingCount: s.EmbeddingPendingCount, ImportanceMean: s.ImportanceMean, RetrievalCount: s.RetrievalCount,
		Types: mapped(s.Types, typeCountOf), Tiers: tiers, MostAccessed: mapped(s.MostAccessed, access),
		LeastAccessed: mapped(s.LeastAccessed, access),
	}, nil
}

func typeCountOf(t *pb.TypeCount) TypeCount { return TypeCount{t.Type, t.MemoryCount} }

func agentStatisticsOf(s *pb.AgentStatistics) (AgentStatistics, error) {
	if s == nil {
		return AgentStatistics{}, incompleteAnswer("statistics of the agent")
	}
	tiers := mapped(s.Tiers, func(t *pb.AgentTierStatistics) AgentTierStatistics {
		return AgentTierStatistics{tierOf(t.Tier), t.MemoryCount, t.ContentBytes}
	})
	return AgentStatistics{s.Agent, s.MemoryCount, s.ContentBytes, mapped(s.Types, typeCountOf), tiers}, nil
}
