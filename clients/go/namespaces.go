package mneme

import (
	"context"
	"fmt"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// Namespaces makes, reads, changes and deletes namespaces. They are named by id or resource name; an empty one is the client's
// own.
type Namespaces struct {
	via       *connection
	namespace string
}

// Namespace is a world of memories of its own.
type Namespace struct {
	// Name is the resource name, namespaces/{id}.
	Name        string
	ID          string
	Description string
	CreateTime  time.Time
	UpdateTime  time.Time
	// EmbeddingModel and EmbeddingDimension describe its vectors; empty and 0 until the first vector fixes them.
	EmbeddingModel     string
	EmbeddingDimension uint32
	// MemoryLimit is the most memories it may hold; 0 for no limit.
	MemoryLimit int64
	// Settings are its own settings of tiers, by dotted key.
	Settings map[string]string
	// Version for changes on condition.
	Version int64
}

// Settings of tiers by dotted key, such as "short_term.memory_limit": 5000; nil removes one. Other settings stay.
// namespace_service.proto lists them.
type Settings map[string]any

// NamespaceSettings are the properties of a new or changed namespace; nil fields stay.
type NamespaceSettings struct {
	Description *string
	MemoryLimit *int64
	Settings    Settings
}

// NamespaceOptions are the options of Namespaces.Update.
type NamespaceOptions struct {
	WriteOptions
	// IfVersion, when set, must be the version of the namespace: ErrAborted when it is not.
	IfVersion *int64
	// AllowDemotion accepts limits below the contents of the tiers; memories above them are moved down.
	AllowDemotion bool
}

func (s Settings) message() map[string]string {
	message := make(map[string]string, len(s))
	for key, value := range s {
		if value == nil {
			message[key] = ""
		} else {
			message[key] = fmt.Sprint(value)
		}
	}
	return message
}

func (s NamespaceSettings) message(name string) *pb.Namespace {
	return &pb.Namespace{
		Name: name, Description: valueOf(s.Description), MemoryLimit: valueOf(s.MemoryLimit), Settings: s.Settings.message(),
	}
}

func (n *Namespaces) nameOf(namespace string) string {
	if namespace == "" {
		namespace = n.namespace
	}
	return namespaceName(namespace)
}

func namespaceOf(n *pb.Namespace) (Namespace, error) {
	if n == nil {
		return Namespace{}, incompleteAnswer("namespace")
	}
	return Namespace{
		Name: n.Name, ID: namespaceOfName(n.Name), Description: n.Description, CreateTime: timeOf(n.CreateTime),
		UpdateTime: timeOf(n.UpdateTime), EmbeddingModel: n.EmbeddingModel, EmbeddingDimension: n.EmbeddingDimension,
		MemoryLimit: n.MemoryLimit, Settings: n.Settings, Version: n.Version,
	}, nil
}

// Create makes a namespace. ErrAlreadyExists when it is there.
func (n *Namespaces) Create(ctx context.Context, namespace string, settings NamespaceSettings, o ...WriteOptions) (Namespace, error) {
	request := &pb.CreateNamespaceRequest{Namespace: settings.message(namespaceName(namespace))}
	answer, err := call[pb.CreateNamespaceResponse](ctx, n.via, pb.NamespaceService_CreateNamespace_FullMethodName, request, only(o).settings())
	if err != nil {
		return Namespace{}, err
	}
	return namespaceOf(answer.Namespace)
}

// Get reads a namespace.
func (n *Namespaces) Get(ctx context.Context, namespace string, o ...CallOptions) (Namespace, error) {
	request := &pb.GetNamespaceRequest{Name: n.nameOf(namespace)}
	answer, err := call[pb.GetNamespaceResponse](ctx, n.via, pb.NamespaceService_GetNamespace_FullMethodName, request, only(o).settings())
	if err != nil {
		return Namespace{}, err
	}
	return namespaceOf(answer.Namespace)
}

// List returns all namespaces by name.
func (n *Namespaces) List(ctx context.Context, o ...CallOptions) iter.Seq2[Namespace, error] {
	return itemsOfPages(damage{}, func(token string) (page[Namespace], error) {
		request := &pb.ListNamespacesRequest{PageToken: token}
		answer, err := call[pb.ListNamespacesResponse](ctx, n.via, pb.NamespaceService_ListNamespaces_FullMethodName, request, only(o).settings())
		if err != nil {
			return page[Namespace]{}, err
		}
		items, err := mappedAll(answer.Namespaces, namespaceOf)
		return page[Namespace]{items: items, next: answer.NextPageToken}, err
	})
}

// Update changes the fields that are set.
func (n *Namespaces) Update(ctx context.Context, namespace string, settings NamespaceSettings, o ...NamespaceOptions) (Namespace, error) {
	mask := &fieldmaskpb.FieldMask{}
	if settings.Description != nil {
		mask.Paths = append(mask.Paths, "description")
	}
	if settings.MemoryLimit != nil {
		mask.Paths = append(mask.Paths, "memory_limit")
	}
	if settings.Settings != nil {
		mask.Paths = append(mask.Paths, "settings")
	}
	options := only(o)
	request := &pb.UpdateNamespaceRequest{
		Namespace: settings.message(n.nameOf(namespace)), UpdateMask: mask, IfVersion: options.IfVersion, AllowDemotion: options.AllowDemotion,
	}
	answer, err := call[pb.UpdateNamespaceResponse](ctx, n.via, pb.NamespaceService_UpdateNamespace_FullMethodName, request, options.settings())
	if err != nil {
		return Namespace{}, err
	}
	return namespaceOf(answer.Namespace)
}

// DeleteNamespaceOptions are the options of Namespaces.Delete.
type DeleteNamespaceOptions struct {
	WriteOptions
	// Force erases its memories too.
	Force bool
}

// DeleteNamespaceResult reports the data deleted with a namespace.
type DeleteNamespaceResult struct {
	ForgottenCount int64
	Revision       int64
}

// Delete deletes a namespace. ErrFailedPrecondition when it holds memories, unless Force.
func (n *Namespaces) Delete(ctx context.Context, namespace string, o ...DeleteNamespaceOptions) (DeleteNamespaceResult, error) {
	options := only(o)
	request := &pb.DeleteNamespaceRequest{Name: namespaceName(namespace), Force: options.Force}
	answer, err := call[pb.DeleteNamespaceResponse](ctx, n.via, pb.NamespaceService_DeleteNamespace_FullMethodName, request, options.settings())
	return DeleteNamespaceResult{answer.GetForgottenCount(), answer.GetRevision()}, err
}

// ScopeCount is how many memories have exactly this scope.
type ScopeCount struct {
	Scope       Scope
	MemoryCount int64
}

// ListScopes returns the scopes that memories of a namespace have.
func (n *Namespaces) ListScopes(ctx context.Context, namespace string, o ...CallOptions) iter.Seq2[ScopeCount, error] {
	return itemsOfPages(damage{}, func(token string) (page[ScopeCount], error) {
		request := &pb.ListScopesRequest{Parent: n.nameOf(namespace), PageToken: token}
		answer, err := call[pb.ListScopesResponse](ctx, n.via, pb.NamespaceService_ListScopes_FullMethodName, request, only(o).settings())
		items := mapped(answer.GetScopes(), func(s *pb.ScopeCount) ScopeCount { return ScopeCount{scopeOf(s.Scope), s.MemoryCount} })
		return page[ScopeCount]{items: items, next: answer.GetNextPageToken()}, err
	})
}

// GetStatistics returns the totals of a namespace.
func (n *Namespaces) GetStatistics(ctx context.Context, namespace string, o ...StatisticsOptions) (NamespaceStatistics, error) {
	options := only(o)
	request := &pb.GetNamespaceStatisticsRequest{Name: n.nameOf(namespace), Simplified: options.Simplified}
	answer, err := call[pb.GetNamespaceStatisticsResponse](ctx, n.via, pb.NamespaceService_GetNamespaceStatistics_FullMethodName, request, options.settings())
	if err != nil {
		return NamespaceStatistics{}, err
	}
	statistics, err := statisticsOf(answer.Statistics)
	return NamespaceStatistics{statistics, timeOf(answer.LastMaintenanceTime)}, err
}

// GetAgentStatistics returns the totals of one agent in a namespace.
func (n *Namespaces) GetAgentStatistics(ctx context.Context, agent, namespace string, o ...StatisticsOptions) (AgentStatistics, error) {
	if agent == "" {
		return AgentStatistics{}, badInput("agent", "must not be empty") // It would ask for all agents.
	}
	options := only(o)
	request := &pb.GetNamespaceStatisticsRequest{Name: n.nameOf(namespace), Simplified: options.Simplified, Agent: agent}
	answer, err := call[pb.GetNamespaceStatisticsResponse](ctx, n.via, pb.NamespaceService_GetNamespaceStatistics_FullMethodName, request, options.settings())
	if err != nil {
		return AgentStatistics{}, err
	}
	return agentStatisticsOf(answer.AgentStatistics)
}
