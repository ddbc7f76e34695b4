import {
  type AgentSnapshot as AgentSnapshotMessage,
  CreateAgentSnapshotRequest,
  CreateAgentSnapshotResponse,
  DeleteAgentSnapshotRequest,
  DeleteAgentSnapshotResponse,
  DiffAgentSnapshotsRequest,
  DiffAgentSnapshotsResponse,
  ForkAgentSnapshotRequest,
  ForkAgentSnapshotResponse,
  ListAgentSnapshotsRequest,
  ListAgentSnapshotsResponse,
  RestoreAgentSnapshotRequest,
  RestoreAgentSnapshotResponse,
  AgentServiceService as Service,
} from '../../../../gen/ts/mneme/v1/agent_service.ts';
import type { Scope as ScopeMessage } from '../../../../gen/ts/mneme/v1/memory.ts';
import type { Scope } from '../../../memory/memory.ts';
import type { AgentSnapshot } from '../../../storage/agent-snapshots.ts';
import { snapshotNotFound } from '../../../storage/agent-snapshots.ts';
import {
  deleteAgentSnapshot,
  diffAgent,
  forkAgent,
  listAgentSnapshots,
  restoreAgent,
  snapshotAgent,
} from '../../operations/sessions/lifecycle/agent-snapshots.ts';
import type { LifecycleDeps } from '../../operations/sessions/lifecycle/lifecycle-deps.ts';
import { type Route, unary } from '../edge/handler.ts';
import { pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { memoryName, RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import type { SessionPageLimits } from './lifecycle-messages.ts';
import { CHECKPOINT_ID, CHECKPOINT_ID_SHAPE } from './working-memory-messages.ts';

const PAGE_SIZE_DEFAULT = 100;
const NAMES_MAX = 1000;

/** `proto/mneme/v1/agent_service.proto`. */
export function agentService(deps: LifecycleDeps, limits: SessionPageLimits): Route[] {
  return [
    unary(
      Service.createAgentSnapshot,
      CreateAgentSnapshotRequest,
      CreateAgentSnapshotResponse,
      async (message, call) => {
        const request = snapshotRequestOf(message);
        return { snapshot: snapshotMessage(request.namespace, await snapshotAgent(deps, request, call)) };
      },
    ),
    unary(
      Service.listAgentSnapshots,
      ListAgentSnapshotsRequest,
      ListAgentSnapshotsResponse,
      async (message) => {
        const checks = new RequestChecks();
        const query = pageQuery('ListAgentSnapshots', ListAgentSnapshotsRequest, {
          ...message,
          pageSize: 0,
          pageToken: '',
        });
        const namespace = checks.namespace('parent', message.parent);
        const limit = checks.pageSize(message.pageSize, PAGE_SIZE_DEFAULT, limits.maxPageSize);
        checks.finish();
        const afterId = positionIn<string>(query, message.pageToken);
        const page = await listAgentSnapshots(deps, {
          namespace,
          limit,
          afterId,
        });
        return {
          snapshots: page.snapshots.map((snapshot) => snapshotMessage(namespace, snapshot)),
          nextPageToken: page.nextAfterId === undefined ? '' : pageToken(query, page.nextAfterId),
        };
      },
      { whenAbsent: () => ListAgentSnapshotsResponse.fromPartial({}) },
    ),
    unary(
      Service.deleteAgentSnapshot,
      DeleteAgentSnapshotRequest,
      DeleteAgentSnapshotResponse,
      async (message, call) => {
        await deleteAgentSnapshot(deps, snapshotIdOf(message), call);
        return {};
      },
    ),
    ...comparingMethods(deps),
  ];
}

function comparingMethods(deps: LifecycleDeps): Route[] {
  return [
    unary(
      Service.diffAgentSnapshots,
      DiffAgentSnapshotsRequest,
      DiffAgentSnapshotsResponse,
      async (message) => {
        const request = diffRequestOf(message);
        const { added, removed, changed } = await diffAgent(deps, request);
        const names = (ids: readonly string[]) =>
          ids.slice(0, NAMES_MAX).map((id) => memoryName(request.namespace, id));
        return {
          addedNames: names(added),
          removedNames: names(removed),
          changedNames: names(changed),
          addedCount: added.length,
          removedCount: removed.length,
          changedCount: changed.length,
        };
      },
      {
        whenAbsent: ({ snapshotId }) => {
          throw snapshotNotFound(snapshotId);
        },
      },
    ),
    unary(
      Service.restoreAgentSnapshot,
      RestoreAgentSnapshotRequest,
      RestoreAgentSnapshotResponse,
      async (message, call) => {
        const restored = await restoreAgent(deps, snapshotIdOf(message), call);
        return { ...restored, revision: BigInt(restored.revision) };
      },
    ),
    unary(Service.forkAgentSnapshot, ForkAgentSnapshotRequest, ForkAgentSnapshotResponse, async (message, call) => {
      const forked = await forkAgent(deps, forkRequestOf(message), call);
      return { ...forked, revision: BigInt(forked.revision) };
    }),
  ];
}

function snapshotMessage(namespace: string, snapshot: AgentSnapshot): AgentSnapshotMessage {
  const { id, scope, description, createdAtUs, revision } = snapshot;
  const createTime = timestampOf(createdAtUs);
  return { id, scope: { namespace, ...scope }, description, createTime, revision: BigInt(revision) };
}

const DESCRIPTION_BYTES = 1024;

function snapshotRequestOf(message: CreateAgentSnapshotRequest) {
  const checks = new RequestChecks();
  const { snapshotId } = message;
  const request = {
    namespace: checks.namespace('parent', message.parent),
    scope: agentOf(checks, 'scope', message.scope),
    ...(snapshotId === ''
      ? {}
      : { id: checks.matching('snapshot_id', snapshotId, CHECKPOINT_ID, CHECKPOINT_ID_SHAPE) }),
    description: checks.text('description', message.description, DESCRIPTION_BYTES),
  };
  checks.finish();
  return request;
}

function snapshotIdOf(message: Pick<DeleteAgentSnapshotRequest, 'parent' | 'snapshotId'>) {
  const checks = new RequestChecks();
  const request = idOf(checks, message);
  checks.finish();
  return request;
}

function diffRequestOf(message: DiffAgentSnapshotsRequest) {
  const checks = new RequestChecks();
  const { to } = message;
  const request = {
    ...idOf(checks, message),
    ...(to?.$case === 'toSnapshotId'
      ? { to: { snapshot: checks.matching('to_snapshot_id', to.value, CHECKPOINT_ID, CHECKPOINT_ID_SHAPE) } }
      : {}),
    ...(to?.$case === 'toScope' ? { to: { scope: agentOf(checks, 'to_scope', to.value) } } : {}),
  };
  checks.finish();
  return request;
}

function forkRequestOf(message: ForkAgentSnapshotRequest) {
  const checks = new RequestChecks();
  const request = { ...idOf(checks, message), to: agentOf(checks, 'to_scope', message.toScope) };
  checks.finish();
  return request;
}

function idOf(
  checks: RequestChecks,
  { parent, snapshotId }: Pick<DeleteAgentSnapshotRequest, 'parent' | 'snapshotId'>,
) {
  return {
    namespace: checks.namespace('parent', parent),
    id: checks.matching('snapshot_id', snapshotId, CHECKPOINT_ID, CHECKPOINT_ID_SHAPE),
  };
}

/** An agent's scope, without a session. */
function agentOf(checks: RequestChecks, field: string, message: ScopeMessage | undefined): Scope {
  const scope = scopeOf(checks, field, message);
  if (scope.agent === '') checks.add(`${field}.agent`, 'is required');
  if (scope.session !== '') checks.add(`${field}.session`, 'must be empty: a snapshot is of all of an agent');
  return scope;
}
