package dev.mneme.client;

import dev.mneme.v1.ListScopePoliciesRequest;
import dev.mneme.v1.ScopeServiceGrpc;
import dev.mneme.v1.SetScopePolicyRequest;
import java.util.List;

/** Policies of scopes. */
public final class Scopes extends Calls {
  Scopes(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Sets the policy of its scope. A policy that allows everything removes the policy. */
  public void setPolicy(Policy policy) {
    call(ScopeServiceGrpc.getSetScopePolicyMethod(), SetScopePolicyRequest.newBuilder().setParent(parent)
        .setPolicy(dev.mneme.v1.ScopePolicy.newBuilder().setScope(policy.scope.message()).setIsPrivate(policy.isPrivate)
            .setReadOnly(policy.readOnly).setIsolated(policy.isolated)).build());
  }

  /** All policies. */
  public List<Policy> listPolicies() {
    return Answers.list(call(ScopeServiceGrpc.getListScopePoliciesMethod(),
        ListScopePoliciesRequest.newBuilder().setParent(parent).build()).getPoliciesList(), Policy.class);
  }

  /**
   * Rules for the memories of a scope and of all its descendants.
   *
   * @param scope the scope
   * @param isPrivate recalls from other scopes do not see its memories
   * @param readOnly its memories cannot be stored, changed or deleted
   * @param isolated recalls from within do not see memories shared by its ancestors
   */
  public record Policy(Scope scope, boolean isPrivate, boolean readOnly, boolean isolated) {}
}
