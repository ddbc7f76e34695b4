import type {
  CreateAgentSnapshotRequest,
  DeleteAgentSnapshotRequest,
  DiffAgentSnapshotsRequest,
  ForkAgentSnapshotRequest,
} from '../../../gen/ts/mneme/v1/agent_service.ts';
import type { Scope as ScopeMessage } from '../../../gen/ts/mneme/v1/memory.ts';
import type { Scope } from '../../memory/memory.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { CHECKPOINT_ID, CHECKPOINT_ID_SHAPE } from './session-fields.ts';

const DESCRIPTION_BYTES = 1024;

export function snapshotRequestOf(message: CreateAgentSnapshotRequest) {
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

export function snapshotIdOf(message: Pick<DeleteAgentSnapshotRequest, 'parent' | 'snapshotId'>) {
  const checks = new RequestChecks();
  const request = idOf(checks, message);
  checks.finish();
  return request;
}

export function diffRequestOf(message: DiffAgentSnapshotsRequest) {
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

export function forkRequestOf(message: ForkAgentSnapshotRequest) {
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

/** An agent, and nothing narrower. */
function agentOf(checks: RequestChecks, field: string, message: ScopeMessage | undefined): Scope {
  const scope = scopeOf(checks, field, message);
  if (scope.agent === '') checks.add(`${field}.agent`, 'must be given');
  if (scope.session !== '') checks.add(`${field}.session`, 'must be empty: a snapshot is of all of an agent');
  return scope;
}
