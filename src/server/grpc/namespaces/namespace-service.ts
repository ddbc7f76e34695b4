import {
  CreateNamespaceRequest,
  CreateNamespaceResponse,
  DeleteNamespaceRequest,
  DeleteNamespaceResponse,
  GetNamespaceRequest,
  GetNamespaceResponse,
  GetNamespaceStatisticsRequest,
  GetNamespaceStatisticsResponse,
  ListNamespacesRequest,
  ListNamespacesResponse,
  ListScopesRequest,
  ListScopesResponse,
  NamespaceServiceService as Service,
  UpdateNamespaceRequest,
  UpdateNamespaceResponse,
} from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import {
  ListScopePoliciesRequest,
  ListScopePoliciesResponse,
  type ScopePolicy as ScopePolicyMessage,
  ScopeServiceService,
  SetScopePolicyRequest,
  SetScopePolicyResponse,
} from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import type { Scope } from '../../../memory/memory.ts';
import { isUnscoped, type ScopePolicy } from '../../../memory/scope.ts';
import type { NamespaceOutcome } from '../../../storage/records.ts';
import {
  accessibleNamespaces,
  agentStatistics,
  createNamespace,
  type DeletionDeps,
  deleteNamespace,
  listScopePolicies,
  type PolicyDeps,
  setScopePolicy,
  updateNamespace,
} from '../../operations/namespaces/namespaces.ts';
import { type Route, unary } from '../edge/handler.ts';
import { pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { optionalTimestamp, RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import type { RequestLimits } from '../memories/memory-requests.ts';
import {
  agentStatisticsMessage,
  maskedDraft,
  namespaceDraftOf,
  namespaceMessage,
  scopeCountMessage,
  statisticsMessage,
} from './namespace-messages.ts';

const PAGE_DEFAULT = 100;

/** `proto/mneme/v1/namespace_service.proto`. */
export function namespaceService(deps: DeletionDeps, { maxPageSize }: RequestLimits): Route[] {
  const { store, view } = deps;
  return [
    unary(Service.createNamespace, CreateNamespaceRequest, CreateNamespaceResponse, async ({ namespace }, call) => {
      const draft = checked((checks) => namespaceDraftOf(checks, namespace));
      return changed(await createNamespace(deps, draft, call));
    }),
    unary(Service.getNamespace, GetNamespaceRequest, GetNamespaceResponse, async ({ name }) => {
      const namespace = checked((checks) => checks.namespace('name', name));
      return { namespace: namespaceMessage(await store.getNamespace(namespace)) };
    }),
    unary(Service.listNamespaces, ListNamespacesRequest, ListNamespacesResponse, async (message, { principal }) => {
      const limit = checked((checks) => checks.pageSize(message.pageSize, PAGE_DEFAULT, maxPageSize));
      const query = pageQuery(Service.listNamespaces.path, ListNamespacesRequest, { pageSize: 0, pageToken: '' });
      const afterName = positionIn<string>(query, message.pageToken);
      const from = afterName === undefined ? {} : { afterName };
      const found = await accessibleNamespaces(store, { limit: limit + 1, ...from }, principal);
      const page = found.slice(0, limit);
      const nextPageToken = found.length > limit ? pageToken(query, page.at(-1)?.name) : '';
      return { namespaces: page.map(namespaceMessage), nextPageToken };
    }),
    unary(
      Service.updateNamespace,
      UpdateNamespaceRequest,
      UpdateNamespaceResponse,
      async ({ namespace, updateMask, ifVersion, allowDemotion }, call) => {
        const changes = checked((checks) => {
          const draft = namespaceDraftOf(checks, namespace);
          const masked = maskedDraft(checks, draft, updateMask ?? []);
          return { name: draft.name, ...masked, ifVersion: checks.ifVersion(ifVersion) };
        });
        return changed(await updateNamespace(deps, { ...changes, allowDemotion }, call));
      },
    ),
    unary(Service.deleteNamespace, DeleteNamespaceRequest, DeleteNamespaceResponse, async ({ name, force }, call) => {
      const namespace = checked((checks) => checks.namespace('name', name));
      const { tiers, revision } = await deleteNamespace(deps, { name: namespace, force }, call);
      return { forgottenCount: tiers.reduce((sum, [, count]) => sum + count, 0), revision: BigInt(revision) };
    }),
    unary(
      Service.listScopes,
      ListScopesRequest,
      ListScopesResponse,
      async (message) => {
        const { namespace, limit } = checked((checks) => ({
          namespace: checks.namespace('parent', message.parent),
          limit: checks.pageSize(message.pageSize, PAGE_DEFAULT, maxPageSize),
        }));
        const query = pageQuery(Service.listScopes.path, ListScopesRequest, { ...message, pageSize: 0, pageToken: '' });
        const after = positionIn<Scope>(query, message.pageToken);
        const found = await view.listScopes({ namespace, limit: limit + 1, after });
        const page = found.slice(0, limit);
        const nextPageToken = found.length > limit ? pageToken(query, page.at(-1)?.scope) : '';
        return { scopes: page.map((count) => scopeCountMessage(namespace, count)), nextPageToken };
      },
      { whenAbsent: () => ListScopesResponse.fromPartial({}) },
    ),
    unary(
      Service.getNamespaceStatistics,
      GetNamespaceStatisticsRequest,
      GetNamespaceStatisticsResponse,
      async ({ name, simplified, agent: asked }) => {
        const namespace = checked((checks) => {
          checks.text('agent', asked, MEMORY_LIMITS.namePartBytes, { plain: true });
          return checks.namespace('name', name);
        });
        const revision = BigInt(store.revision);
        const [statistics, ofAgent] =
          asked === ''
            ? [statisticsMessage(await view.statistics(namespace), { simplified }), undefined]
            : [undefined, agentStatisticsMessage(await agentStatistics(deps, asked, namespace), { simplified })];
        const lastMaintenanceTime = optionalTimestamp(await deps.store.maintainedAtUs(namespace));
        return { statistics, agentStatistics: ofAgent, revision, lastMaintenanceTime };
      },
      {
        whenAbsent: ({ agent }) =>
          GetNamespaceStatisticsResponse.fromPartial({
            ...(agent === '' ? { statistics: {} } : { agentStatistics: { agent } }),
            revision: BigInt(store.revision),
          }),
      },
    ),
  ];
}

function checked<T>(read: (checks: RequestChecks) => T): T {
  const checks = new RequestChecks();
  const value = read(checks);
  checks.finish();
  return value;
}

function changed({ namespace, revision }: NamespaceOutcome) {
  return { namespace: namespaceMessage(namespace), revision: BigInt(revision) };
}

/** `proto/mneme/v1/scope_service.proto`. */
export function scopeService(deps: PolicyDeps): Route[] {
  return [
    unary(
      ScopeServiceService.setScopePolicy,
      SetScopePolicyRequest,
      SetScopePolicyResponse,
      async ({ parent, policy }, call) => {
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
      },
    ),
    unary(
      ScopeServiceService.listScopePolicies,
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
