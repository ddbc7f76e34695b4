package mneme

import (
	"context"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Scopes is about policies of scopes.
type Scopes struct {
	via       *connection
	namespace string
}

// ScopePolicy has the rules for the memories of a scope and of all its descendants. Default: everything is allowed.
type ScopePolicy struct {
	// IsPrivate: recalls from other scopes do not see its memories.
	IsPrivate bool
	// ReadOnly: its memories cannot be stored, changed or deleted.
	ReadOnly bool
	// Isolated: recalls from within do not see memories of its ancestors.
	Isolated bool
}

// PolicyOfScope is a policy and the scope that it is of.
type PolicyOfScope struct {
	ScopePolicy
	Scope Scope
}

// SetPolicy sets the policy of a scope. A policy that allows everything removes the policy.
func (s *Scopes) SetPolicy(ctx context.Context, scope Scope, policy ScopePolicy, o ...WriteOptions) error {
	message := &pb.ScopePolicy{
		Scope: scopeMessage(scope), IsPrivate: policy.IsPrivate, ReadOnly: policy.ReadOnly, Isolated: policy.Isolated,
	}
	request := &pb.SetScopePolicyRequest{Parent: namespaceName(s.namespace), Policy: message}
	_, err := call[pb.SetScopePolicyResponse](ctx, s.via, pb.ScopeService_SetScopePolicy_FullMethodName, request, only(o).settings())
	return err
}

// ListPolicies returns all policies of the namespace.
func (s *Scopes) ListPolicies(ctx context.Context, o ...CallOptions) ([]PolicyOfScope, error) {
	request := &pb.ListScopePoliciesRequest{Parent: namespaceName(s.namespace)}
	answer, err := call[pb.ListScopePoliciesResponse](ctx, s.via, pb.ScopeService_ListScopePolicies_FullMethodName, request, only(o).settings())
	return mapped(answer.GetPolicies(), func(p *pb.ScopePolicy) PolicyOfScope {
		return PolicyOfScope{ScopePolicy{p.IsPrivate, p.ReadOnly, p.Isolated}, scopeOf(p.Scope)}
	}), err
}
