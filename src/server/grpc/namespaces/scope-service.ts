import {
  ListScopePoliciesRequest,
  ListScopePoliciesResponse,
  type ScopePolicy as ScopePolicyMessage,
  ScopeServiceService as Service,
  SetScopePolicyRequest,
  SetScopePolicyResponse,
} from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { isUnscoped, type ScopePolicy } from '../../../memory/scope.ts';
import { listScopePolicies, type PolicyDeps, setScopePolicy } from '../../operations/namespaces/namespaces.ts';
import { type Route, unary } from '../edge/handler.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';

/** `proto/mneme/v1/scope_service.proto`. */
export function scopeService(deps: PolicyDeps): Route[] {
  return [
    unary(Service.setScopePolicy, SetScopePolicyRequest, SetScopePolicyResponse, async ({ parent, policy }, call) => {
      const checks = new RequestChecks();
      const namespace = checks.namespace('parent', parent);
      if (!policy) checks.add('policy', 'is required');
      const scope = scopeOf(checks, 'policy.scope', policy?.scope);
      if (isUnscoped(scope)) checks.add('policy.scope', 'must have at least one part');
      checks.finish();
      const asked = {
        scope,
        isPrivate: policy?.isPrivate ?? false,
        isReadOnly: policy?.readOnly ?? false,
        isIsolated: policy?.isolated ?? false,
      };
      return { policy: policyMessage(namespace, await setScopePolicy(deps, { namespace, policy: asked }, call)) };
    }),
    unary(
      Service.listScopePolicies,
      ListScopePoliciesRequest,
      ListScopePoliciesResponse,
      async ({ parent }) => {
        const checks = new RequestChecks();
        const namespace = checks.namespace('parent', parent);
        checks.finish();
        const policies = await listScopePolicies(deps, namespace);
        return { policies: policies.map((policy) => policyMessage(namespace, policy)) };
      },
      { whenAbsent: () => ListScopePoliciesResponse.fromPartial({}) },
    ),
  ];
}

function policyMessage(namespace: string, policy: ScopePolicy): ScopePolicyMessage {
  const { scope, isPrivate, isReadOnly, isIsolated } = policy;
  return { scope: { namespace, ...scope }, isPrivate: isPrivate, readOnly: isReadOnly, isolated: isIsolated };
}
