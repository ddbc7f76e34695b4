import { RestoreMode } from '../../../gen/ts/mneme/v1/checkpoint.ts';
import {
  type CreateCheckpointRequest,
  type DiffCheckpointsRequest,
  type DiffCheckpointsResponse,
  type ForkCheckpointRequest,
  type KeepCheckpointRequest,
  KeyDifference,
  type RestoreCheckpointRequest,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Call } from '../../memory/call.ts';
import { derivedId } from '../../memory/derived-id.ts';
import type { Micros } from '../../memory/memory.ts';
import type { SessionKey } from '../../memory/session.ts';
import type { DiffRequest, SnapshotDiff } from '../../operations/sessions/working-memory/diff-checkpoints.ts';
import type { ForkRequest } from '../../operations/sessions/working-memory/fork-checkpoint.ts';
import type { WorkingMemoryDeps } from '../../operations/sessions/working-memory/working-memory-deps.ts';
import type { CheckpointOp, SessionOp } from '../../storage/session-store.ts';
import type { RequestChecks } from '../edge/request-checks.ts';
import { CHECKPOINT_ID, CHECKPOINT_ID_SHAPE, sessionIn } from './session-fields.ts';
import { taskMessage } from './working-memory-messages.ts';
import { checked, ttlOf } from './working-memory-requests.ts';

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

export function createRequestOf(
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
        ...(ttl && { expiresAtUs: clock.nowUs() + ttlOf(checks, 'ttl', ttl) }),
      },
    };
  });
}

export function restoreRequestOf({ session, checkpointId, mode }: RestoreCheckpointRequest): {
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

export function keepRequestOf(
  { session, checkpointId, ttl }: KeepCheckpointRequest,
  nowUs: Micros,
): { of: SessionKey; op: SessionOp } {
  return checked((checks) => ({
    of: sessionIn(checks, 'session', session),
    op: {
      kind: 'keepCheckpoint',
      id: idIn(checks, 'checkpoint_id', checkpointId),
      ...(ttl && { expiresAtUs: nowUs + ttlOf(checks, 'ttl', ttl) }),
    },
  }));
}

export function checkpointRequestOf({ session, checkpointId }: { session: string; checkpointId: string }) {
  return checked((checks) => ({
    of: sessionIn(checks, 'session', session),
    id: idIn(checks, 'checkpoint_id', checkpointId),
  }));
}

export function forkRequestOf({ session, checkpointId, targetSession: target }: ForkCheckpointRequest): ForkRequest {
  return checked((checks) => {
    const of = sessionIn(checks, 'session', session);
    const made = sessionIn(checks, 'target_session', target);
    if (made.namespace !== of.namespace) checks.add('target_session', 'must be in the namespace of session');
    return { ...of, checkpoint: idIn(checks, 'checkpoint_id', checkpointId), target: made };
  });
}

export function diffRequestOf({
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

export function diffMessage(diff: SnapshotDiff): DiffCheckpointsResponse {
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
