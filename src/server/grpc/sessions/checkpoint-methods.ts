import { CheckpointKind, RestoreMode } from '../../../../gen/ts/mneme/v1/checkpoint.ts';
import {
  CreateCheckpointRequest,
  CreateCheckpointResponse,
  DeleteCheckpointRequest,
  DeleteCheckpointResponse,
  DiffCheckpointsRequest,
  DiffCheckpointsResponse,
  ForkCheckpointRequest,
  ForkCheckpointResponse,
  GetCheckpointRequest,
  GetCheckpointResponse,
  KeepCheckpointRequest,
  KeepCheckpointResponse,
  KeyDifference,
  ListCheckpointsRequest,
  ListCheckpointsResponse,
  RestoreCheckpointRequest,
  RestoreCheckpointResponse,
  WorkingMemoryServiceService as Service,
} from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Call } from '../../../memory/call.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { Checkpoint, SessionKey } from '../../../memory/session.ts';
import type { CheckpointOp, SessionOp } from '../../../storage/session-store.ts';
import {
  checkpointNotFound,
  type DiffRequest,
  diffCheckpoints,
  type ForkRequest,
  forkCheckpoint,
  listCheckpoints,
  type SnapshotDiff,
} from '../../operations/sessions/working-memory/checkpoints.ts';
import { changeSession, type WorkingMemoryDeps } from '../../operations/sessions/working-memory/write-session.ts';
import { type Route, unary } from '../edge/handler.ts';
import { pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import type { RequestChecks } from '../edge/request-checks.ts';
import type { WorkingPageLimits } from './working-list-methods.ts';
import {
  CHECKPOINT_ID,
  CHECKPOINT_ID_SHAPE,
  checked,
  checkpointMessage,
  sessionIn,
  taskMessage,
  ttlOf,
} from './working-memory-messages.ts';

const PAGE_DEFAULT = 100;
const KINDS: Readonly<Record<number, Checkpoint['kind'] | 'any'>> = {
  [CheckpointKind.CHECKPOINT_KIND_UNSPECIFIED]: 'any',
  [CheckpointKind.CHECKPOINT_KIND_MANUAL]: 'manual',
  [CheckpointKind.CHECKPOINT_KIND_LIFECYCLE]: 'lifecycle',
};

/** The methods of WorkingMemoryService that change a session by its checkpoints. */
export function checkpointMethods(deps: WorkingMemoryDeps): Route[] {
  return [
    unary(Service.createCheckpoint, CreateCheckpointRequest, CreateCheckpointResponse, async (message, call) => {
      const { of, op } = createRequestOf(message, deps, call);
      const { result, revision } = await changeSession(deps, of, [op], call);
      return { checkpoint: result.checkpoint && checkpointMessage(result.checkpoint), revision: BigInt(revision) };
    }),
    unary(Service.restoreCheckpoint, RestoreCheckpointRequest, RestoreCheckpointResponse, async (message, call) => {
      const { of, op } = restoreRequestOf(message);
      const { result, revision } = await changeSession(deps, of, [op], call);
      return {
        restoredCount: result.written,
        expiredCount: result.expired ?? 0,
        removedCount: result.removed,
        noteCount: result.notes ?? 0,
        checkpoint: result.checkpoint && checkpointMessage(result.checkpoint),
        revision: BigInt(revision),
      };
    }),
    unary(Service.keepCheckpoint, KeepCheckpointRequest, KeepCheckpointResponse, async (message, call) => {
      const { of, op } = keepRequestOf(message, deps.clock.nowUs());
      const { result, revision } = await changeSession(deps, of, [op], call);
      return { checkpoint: result.checkpoint && checkpointMessage(result.checkpoint), revision: BigInt(revision) };
    }),
    unary(Service.deleteCheckpoint, DeleteCheckpointRequest, DeleteCheckpointResponse, async (message, call) => {
      const { of, id } = checkpointRequestOf(message);
      const { revision } = await changeSession(deps, of, [{ kind: 'dropCheckpoint', id }], call);
      return { revision: BigInt(revision) };
    }),
    unary(Service.forkCheckpoint, ForkCheckpointRequest, ForkCheckpointResponse, async (message, call) => {
      const { result, revision } = await forkCheckpoint(deps, forkRequestOf(message), call);
      const { written: keyCount, notes: noteCount = 0, expired: expiredCount = 0 } = result;
      return { keyCount, noteCount, expiredCount, revision: BigInt(revision) };
    }),
  ];
}

/** The methods of WorkingMemoryService that read checkpoints. */
export function checkpointReadMethods(deps: WorkingMemoryDeps, { maxPageSize }: WorkingPageLimits): Route[] {
  const { clock, sessions } = deps;
  return [
    unary(Service.listCheckpoints, ListCheckpointsRequest, ListCheckpointsResponse, async (message) => {
      const listing = checked((checks) => ({
        ...sessionIn(checks, 'session', message.session),
        limit: checks.pageSize(message.pageSize, PAGE_DEFAULT, maxPageSize),
        kind: checks.choice('kind', message.kind, KINDS),
      }));
      const first = { ...message, pageSize: 0, pageToken: '' };
      const query = pageQuery(Service.listCheckpoints.path, ListCheckpointsRequest, first);
      const beforeRevision = positionIn<number>(query, message.pageToken);
      const { kind, ...page } = { ...listing, ...(beforeRevision === undefined ? {} : { beforeRevision }) };
      const { checkpoints, nextBefore } = await listCheckpoints(deps, kind === 'any' ? page : { ...page, kind });
      const nextPageToken = nextBefore === undefined ? '' : pageToken(query, nextBefore);
      return { checkpoints: checkpoints.map(checkpointMessage), nextPageToken };
    }),
    unary(Service.getCheckpoint, GetCheckpointRequest, GetCheckpointResponse, async (message) => {
      const { of, id } = checkpointRequestOf(message);
      const checkpoint = await sessions.checkpoint({ ...of, id, nowUs: clock.nowUs() });
      if (!checkpoint) throw checkpointNotFound(of, id);
      return { checkpoint: checkpointMessage(checkpoint) };
    }),
    unary(Service.diffCheckpoints, DiffCheckpointsRequest, DiffCheckpointsResponse, async (message) =>
      diffMessage(await diffCheckpoints(deps, diffRequestOf(message))),
    ),
  ];
}

const DESCRIPTION_BYTES = 1024;
const DIFFS_MAX = 1000;
const MODES: Readonly<Record<number, 'replace' | 'merge'>> = {
  [RestoreMode.RESTORE_MODE_UNSPECIFIED]: 'replace',
  [RestoreMode.RESTORE_MODE_REPLACE]: 'replace',
  [RestoreMode.RESTORE_MODE_MERGE]: 'merge',
};
const DIFFERENCES = {
  added: KeyDifference.KEY_DIFFERENCE_ADDED,
  removed: KeyDifference.KEY_DIFFERENCE_REMOVED,
  changed: KeyDifference.KEY_DIFFERENCE_CHANGED,
} as const;

function createRequestOf(
  { session, checkpointId, description, ttl }: CreateCheckpointRequest,
  { clock, newId, store }: WorkingMemoryDeps,
  { idempotency }: Call,
): { of: SessionKey; op: CheckpointOp } {
  return checked((checks) => {
    if (checkpointId !== '') idIn(checks, 'checkpoint_id', checkpointId);
    const fresh = () => (idempotency ? derivedId(`checkpoint\n${idempotency.requestId}\n${session}`) : newId());
    return {
      of: sessionIn(checks, 'session', session),
      op: {
        kind: 'checkpoint',
        id: checkpointId || fresh(),
        description: checks.text('description', description, DESCRIPTION_BYTES),
        cause: 'manual',
        memoryRevision: store.revision,
        expiresAtUs: ttl && clock.nowUs() + ttlOf(checks, 'ttl', ttl),
      },
    };
  });
}

function restoreRequestOf({ session, checkpointId, mode }: RestoreCheckpointRequest): {
  of: SessionKey;
  op: SessionOp;
} {
  return checked((checks) => ({
    of: sessionIn(checks, 'session', session),
    op: {
      kind: 'restore',
      id: idIn(checks, 'checkpoint_id', checkpointId),
      mode: checks.choice('mode', mode, MODES),
    },
  }));
}

function keepRequestOf(
  { session, checkpointId, ttl }: KeepCheckpointRequest,
  nowUs: Micros,
): { of: SessionKey; op: SessionOp } {
  return checked((checks) => ({
    of: sessionIn(checks, 'session', session),
    op: {
      kind: 'keepCheckpoint',
      id: idIn(checks, 'checkpoint_id', checkpointId),
      expiresAtUs: ttl && nowUs + ttlOf(checks, 'ttl', ttl),
    },
  }));
}

function checkpointRequestOf({ session, checkpointId }: { session: string; checkpointId: string }) {
  return checked((checks) => ({
    of: sessionIn(checks, 'session', session),
    id: idIn(checks, 'checkpoint_id', checkpointId),
  }));
}

function forkRequestOf({ session, checkpointId, targetSession: target }: ForkCheckpointRequest): ForkRequest {
  return checked((checks) => {
    const of = sessionIn(checks, 'session', session);
    const made = sessionIn(checks, 'target_session', target);
    if (made.namespace !== of.namespace) checks.add('target_session', 'must be in the namespace of session');
    return { ...of, checkpoint: idIn(checks, 'checkpoint_id', checkpointId), target: made };
  });
}

function diffRequestOf({
  session,
  checkpointId: from,
  toCheckpointId: to,
  toSession,
}: DiffCheckpointsRequest): DiffRequest {
  return checked((checks) => {
    const key = sessionIn(checks, 'session', session);
    const toKey = toSession === '' ? key : sessionIn(checks, 'to_session', toSession);
    if (toKey.namespace !== key.namespace) checks.add('to_session', 'must be in the namespace of session');
    const request = { key, toKey, from: idIn(checks, 'checkpoint_id', from) };
    return to === '' ? request : { ...request, to: idIn(checks, 'to_checkpoint_id', to) };
  });
}

function diffMessage(diff: SnapshotDiff): DiffCheckpointsResponse {
  const { equalCount, taskDiffers, notesAdded, notesRemoved, fromTask, toTask } = diff;
  return {
    keys: diff.keys.slice(0, DIFFS_MAX).map((key) => ({ ...key, difference: DIFFERENCES[key.difference] })),
    differingCount: diff.keys.length,
    ...{ equalCount, taskDiffers, addedNoteCount: notesAdded, removedNoteCount: notesRemoved },
    fromTask: fromTask && taskMessage(fromTask),
    toTask: toTask && taskMessage(toTask),
  };
}

function idIn(checks: RequestChecks, field: string, id: string): string {
  return checks.matching(field, id, CHECKPOINT_ID, CHECKPOINT_ID_SHAPE);
}
