package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Admin is about the whole server.
type Admin struct{ via *connection }

// GetServerInfo returns the version, backends and degraded parts of the server.
func (a *Admin) GetServerInfo(ctx context.Context, o ...CallOptions) (ServerInfo, error) {
	answer, err := call[pb.GetServerInfoResponse](ctx, a.via, pb.AdminService_GetServerInfo_FullMethodName, &pb.GetServerInfoRequest{}, only(o).settings())
	if err != nil {
		return ServerInfo{}, err
	}
	return serverInfoOf(answer), nil
}

// GetServerStatistics returns the totals of the whole server.
func (a *Admin) GetServerStatistics(ctx context.Context, o ...StatisticsOptions) (ServerStatistics, error) {
	options := only(o)
	request := &pb.GetServerStatisticsRequest{Simplified: options.Simplified}
	answer, err := call[pb.GetServerStatisticsResponse](ctx, a.via, pb.AdminService_GetServerStatistics_FullMethodName, request, options.settings())
	if err != nil {
		return ServerStatistics{}, err
	}
	return serverStatisticsOf(answer)
}

// GetAgentStatistics returns the totals of one agent in all namespaces.
func (a *Admin) GetAgentStatistics(ctx context.Context, agent string, o ...StatisticsOptions) (AgentStatistics, error) {
	if agent == "" {
		return AgentStatistics{}, badInput("agent", "must not be empty") // It would ask for all agents.
	}
	options := only(o)
	request := &pb.GetServerStatisticsRequest{Simplified: options.Simplified, Agent: agent}
	answer, err := call[pb.GetServerStatisticsResponse](ctx, a.via, pb.AdminService_GetServerStatistics_FullMethodName, request, options.settings())
	if err != nil {
		return AgentStatistics{}, err
	}
	return agentStatisticsOf(answer.AgentStatistics)
}

// ReembedProgress is how far the re-embedding of a namespace is.
type ReembedProgress struct {
	Namespace string
	// FromModel is empty when there are no vectors in use.
	FromModel  string
	ToModel    string
	DoneCount  int64
	TotalCount int64
	StartTime  time.Time
}

// ReembedState is the progress of re-embedding.
type ReembedState struct {
	Namespaces []ReembedProgress
	// Failure is why it does not go on when it does not.
	Failure string
}

func progressOf(p *pb.ReembedProgress) ReembedProgress {
	return ReembedProgress{namespaceOfName(p.Namespace), p.FromModel, p.ToModel, p.DoneCount, p.TotalCount, timeOf(p.StartTime)}
}

// nameOrAll leaves an empty namespace empty: it stands for all of them.
func nameOrAll(namespace string) string {
	if namespace == "" {
		return ""
	}
	return namespaceName(namespace)
}

// Reembed starts to recompute the vectors of a namespace, or of all (""), with the server's embedder; returns the
// progress. Recall uses the former vectors until all are computed.
func (a *Admin) Reembed(ctx context.Context, namespace string, o ...CallOptions) ([]ReembedProgress, error) {
	request := &pb.ReembedMemoriesRequest{Parent: nameOrAll(namespace)}
	answer, err := call[pb.ReembedMemoriesResponse](ctx, a.via, pb.AdminService_ReembedMemories_FullMethodName, request, only(o).settings())
	return mapped(answer.GetNamespaces(), progressOf), err
}

// GetReembedProgress returns the progress of re-embedding, of a namespace or of all of them ("").
func (a *Admin) GetReembedProgress(ctx context.Context, namespace string, o ...CallOptions) (ReembedState, error) {
	request := &pb.GetReembedProgressRequest{Parent: nameOrAll(namespace)}
	answer, err := call[pb.GetReembedProgressResponse](ctx, a.via, pb.AdminService_GetReembedProgress_FullMethodName, request, only(o).settings())
	return ReembedState{mapped(answer.GetNamespaces(), progressOf), answer.GetFailure()}, err
}

// MaintainQuery selects the memories to maintain. The zero value is all namespaces.
type MaintainQuery struct {
	// Namespace: default all of them.
	Namespace string
	// Agent moves only memories of this agent.
	Agent string
	// DryRun only reports which memories would be moved, and why.
	DryRun bool
	// Flush moves everything to long-term memory.
	Flush bool
	// AnyType moves memories of any type to long-term memory.
	AnyType bool
}

// MaintenanceStep is a batch of moves.
type MaintenanceStep struct {
	MoveResult
	Namespace string
	// MovedCount is of the moves so far, in all namespaces.
	MovedCount int64
}

// MaintainTiers moves memories down that exceeded their tier's time to live or limits, and reports each batch. It has
// no deadline but that of its context.
func (a *Admin) MaintainTiers(ctx context.Context, query MaintainQuery, o ...CallOptions) iter.Seq2[MaintenanceStep, error] {
	return func(yield func(MaintenanceStep, error) bool) {
		request := &pb.MaintainTiersRequest{
			Parent: nameOrAll(query.Namespace), Agent: query.Agent, DryRun: query.DryRun, Flush: query.Flush, AnyType: query.AnyType,
		}
		err := readStream(ctx, nil, only(o), func(ctx context.Context, own ownSettings) (receiver[pb.MaintainTiersResponse], error) {
			return pb.NewAdminServiceClient(stubConn{a.via}).MaintainTiers(ctx, request, own)
		}, func(message *pb.MaintainTiersResponse) error {
			a.via.seen.note(message.Revision)
			if message.Done || !yield(MaintenanceStep{moveResultOf(message), namespaceOfName(message.Namespace), message.MovedCount}, nil) {
				return errLeft
			}
			return nil
		})
		if err != nil && err != errLeft {
			yield(MaintenanceStep{}, err)
		}
	}
}

// ClearedCache reports the removed answers.
type ClearedCache struct {
	ClearedCount int64
	ClearedBytes int64
}

// ClearRecallCache forgets answers of recall that the server keeps to give them again, of a namespace or of all of them ("").
func (a *Admin) ClearRecallCache(ctx context.Context, namespace string, o ...CallOptions) (ClearedCache, error) {
	request := &pb.ClearRecallCacheRequest{Parent: nameOrAll(namespace)}
	answer, err := call[pb.ClearRecallCacheResponse](ctx, a.via, pb.AdminService_ClearRecallCache_FullMethodName, request, only(o).settings())
	return ClearedCache{answer.GetClearedCount(), answer.GetClearedBytes()}, err
}

// GetConfig returns the server-wide settings of tiers, which apply to namespaces without their own, by dotted key.
func (a *Admin) GetConfig(ctx context.Context, o ...CallOptions) (map[string]string, error) {
	answer, err := call[pb.GetConfigResponse](ctx, a.via, pb.AdminService_GetConfig_FullMethodName, &pb.GetConfigRequest{}, only(o).settings())
	return answer.GetSettings(), err
}

// ConfigOptions are the options of UpdateConfig.
type ConfigOptions struct {
	CallOptions
	// AllowDemotion accepts a limit below the totals of a namespace: memories above it are moved down.
	AllowDemotion bool
}

// UpdateConfig sets such settings, all or none, and returns the current ones.
func (a *Admin) UpdateConfig(ctx context.Context, settings Settings, o ...ConfigOptions) (map[string]string, error) {
	options := only(o)
	request := &pb.UpdateConfigRequest{Settings: settings.message(), AllowDemotion: options.AllowDemotion}
	answer, err := call[pb.UpdateConfigResponse](ctx, a.via, pb.AdminService_UpdateConfig_FullMethodName, request, options.settings())
	return answer.GetSettings(), err
}
