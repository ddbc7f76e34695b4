package mneme

import (
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// ServerInfo has the version, backends and degraded parts of a server.
type ServerInfo struct {
	Version   string
	StartTime time.Time
	Revision  int64
	Backends  []Backend
	Embedder  Embedder
	// Capabilities are methods and options that this server has beyond version 1.0 of the API.
	Capabilities []string
	// Degraded names parts that do not work, or not in full.
	Degraded []string
	// Limits in force by the name of the setting.
	Limits  map[string]int64
	Streams StreamTerms
}

// Backend is a technology that a server stores with.
type Backend struct {
	Role       string
	Technology string
	Durability string
}

// Embedder makes the server's vectors; Kind is none where it makes none.
type Embedder struct {
	Kind      string
	Model     string
	Dimension uint32
	// LaneWeight is the default weight of the vector lane in recall for texts that it embeds.
	LaneWeight float64
}

// StreamTerms are the limits of a server's streams, and the number of open streams.
type StreamTerms struct {
	// Open are the streams that are open: watch, subscribe, consume, ingest.
	Open               map[string]int32
	StandingQueryCount int32
	ConsumerCount      int32
	// HeartbeatInterval is the longest silence of the server on a stream that does not ask for another one.
	HeartbeatInterval   time.Duration
	MaxStreamsPerCaller int32
	// MaxStall is the maximum time that a reader may stall.
	MaxStall               time.Duration
	MaxIngestBytesInFlight int64
	// MaxLogEntries, MaxLogBytes and MaxLogAge limit the retained change log.
	MaxLogEntries int64
	MaxLogBytes   int64
	MaxLogAge     time.Duration
}

// ServerStatistics are the totals of the whole server.
type ServerStatistics struct {
	MemoryStatistics
	NamespaceCount int64
	// DiskBytes is the size of the store on disk.
	DiskBytes int64
	Revision  int64
	// RecallCache is the cache of recall answers; nil where the server does not report it.
	RecallCache   *RecallCacheStatistics
	VectorIndexes []VectorIndexStatistics
	Streams       StreamStatistics
	// MemoryPressure has the memory resources with a limit, and memories moved down because of shortage.
	MemoryPressure MemoryPressure
	// Degraded names parts that did not answer, and why: their last known numbers are counted.
	Degraded []string
}

// RecallCacheStatistics are about kept answers; counts are since the server started.
type RecallCacheStatistics struct {
	// MaxEntries is 0 when the cache is off.
	MaxEntries int64
	MaxBytes   int64
	TTL        time.Duration
	EntryCount int64
	// EntryBytes is the approximate size of the answers.
	EntryBytes int64
	HitCount   int64
	MissCount  int64
	// BypassedCount is of recalls that are never kept.
	BypassedCount int64
	EvictedCount  int64
}

// VectorIndexStatistics are about the vectors of a namespace.
type VectorIndexStatistics struct {
	Namespace   string
	VectorCount int64
	// ExactCount is of vectors that are not in the graph yet and are searched exactly.
	ExactCount int64
	Revision   int64
}

// StreamStatistics are open streams, and the retained change log from which streams can start.
type StreamStatistics struct {
	// Open are the streams that are open: watch, subscribe, consume, ingest.
	Open               map[string]int32
	StandingQueryCount int32
	// ConsumerCount is of consumers of durable subscriptions that are connected.
	ConsumerCount int32
	// OldestRevision is the oldest revision that a watch can begin with.
	OldestRevision int64
	NewestRevision int64
	// EntryCount and EntryBytes are of the entries of the change log that are kept.
	EntryCount int64
	EntryBytes int64
}

// MemoryPressure is the usage of memory resources with a limit, and memories moved down because of shortage.
type MemoryPressure struct {
	// Uses are as of the server's last reading; empty if no resource has a limit.
	Uses []MemoryUse
	// MovedCount is since the server started.
	MovedCount int64
	// LastMoveTime is the zero time when nothing was moved.
	LastMoveTime time.Time
}

// MemoryUse is a memory that has a limit.
type MemoryUse struct {
	// Reason of the moves that it causes: redis_memory, process_memory, or other.
	Reason string
	// Node says which Redis, where there are several.
	Node       string
	UsedBytes  int64
	LimitBytes int64
	// ThresholdBytes is the threshold above which memories are moved one tier down.
	ThresholdBytes int64
	AboveThreshold bool
	// MovesStopped is true when moves did not reduce the use, so that they are suspended until the use falls below the
	// threshold.
	MovesStopped bool
}

func serverInfoOf(i *pb.GetServerInfoResponse) ServerInfo {
	info := ServerInfo{
		Version: i.Version, StartTime: timeOf(i.StartTime), Revision: i.Revision, Capabilities: i.Capabilities,
		Degraded: i.Degraded, Embedder: Embedder{Kind: "none"}, Limits: map[string]int64{}, Streams: streamTermsOf(i.Streams),
		Backends: mapped(i.Backends, func(b *pb.Backend) Backend { return Backend{b.Role, b.Technology, b.Durability} }),
	}
	if e := i.Embedder; e != nil {
		info.Embedder = Embedder{e.Kind, e.Model, e.Dimension, e.LaneWeight}
	}
	for _, limit := range i.Limits {
		info.Limits[limit.Name] = limit.Value
	}
	return info
}

func countsOf(open []*pb.OpenStreamCount) map[string]int32 {
	counts := map[string]int32{}
	for _, each := range open {
		counts[each.Kind] = each.Count
	}
	return counts
}

func streamTermsOf(t *pb.StreamTerms) StreamTerms {
	return StreamTerms{
		Open: countsOf(t.GetOpen()), StandingQueryCount: t.GetStandingQueryCount(), ConsumerCount: t.GetConsumerCount(),
		HeartbeatInterval: durationOf(t.GetHeartbeatInterval()), MaxStreamsPerCaller: t.GetMaxStreamsPerCaller(),
		MaxStall:               durationOf(t.GetMaxStall()),
		MaxIngestBytesInFlight: t.GetMaxIngestBytesInFlight(),
		MaxLogEntries:          t.GetMaxLogEntries(), MaxLogBytes: t.GetMaxLogBytes(), MaxLogAge: durationOf(t.GetMaxLogAge()),
	}
}

func serverStatisticsOf(s *pb.GetServerStatisticsResponse) (ServerStatistics, error) {
	memories, err := statisticsOf(s.Statistics)
	statistics := ServerStatistics{
		MemoryStatistics: memories, NamespaceCount: s.NamespaceCount, DiskBytes: s.DiskBytes, Revision: s.Revision, Degraded: s.Degraded,
		VectorIndexes: mapped(s.VectorIndexes, func(i *pb.VectorIndexStatistics) VectorIndexStatistics {
			return VectorIndexStatistics{namespaceOfName(i.Namespace), i.VectorCount, i.ExactCount, i.Revision}
		}),
		Streams: StreamStatistics{
			Open: countsOf(s.Streams.GetOpen()), StandingQueryCount: s.Streams.GetStandingQueryCount(),
			ConsumerCount: s.Streams.GetConsumerCount(), OldestRevision: s.Streams.GetOldestRevision(),
			NewestRevision: s.Streams.GetNewestRevision(), EntryCount: s.Streams.GetEntryCount(), EntryBytes: s.Streams.GetEntryBytes(),
		},
		MemoryPressure: MemoryPressure{
			MovedCount: s.MemoryPressure.GetMovedCount(), LastMoveTime: timeOf(s.MemoryPressure.GetLastMoveTime()),
			Uses: mapped(s.MemoryPressure.GetUses(), func(u *pb.MemoryUse) MemoryUse {
				return MemoryUse{
					wordOf(u.Reason, "MOVE_REASON_", "other"), u.Node, u.UsedBytes, u.LimitBytes, u.ThresholdBytes,
					u.AboveThreshold, u.MovesStopped,
				}
			}),
		},
	}
	if c := s.RecallCache; c != nil {
		statistics.RecallCache = &RecallCacheStatistics{
			c.MaxEntries, c.MaxBytes, durationOf(c.Ttl), c.EntryCount, c.EntryBytes, c.HitCount, c.MissCount, c.BypassedCount, c.EvictedCount,
		}
	}
	return statistics, err
}
