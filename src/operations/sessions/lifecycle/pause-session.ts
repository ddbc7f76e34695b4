import type { Call } from '../../../memory/call.ts';
import { invalidFields } from '../../../memory/errors.ts';
import type { LivingSession } from '../../../memory/lifecycle.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { Checkpoint } from '../../../memory/session.ts';
import type { CheckpointOp } from '../../../storage/session-store.ts';
import { type LifecycleDeps, repeatableId, type TransitionRequest } from './lifecycle-deps.ts';
import { livingSession } from './living-session.ts';
import type { Standing, Step, Told } from './step.ts';
import { transitionSession } from './transition-session.ts';

export interface PauseRequest extends TransitionRequest {
  /** Absent: a new one. */
  readonly checkpointId?: string;
  readonly description: string;
  /** How long the checkpoint is kept once the pause has ended; absent: as the server is set. */
  readonly checkpointTtlUs?: Micros;
  readonly isPinned: boolean;
  readonly allowsWrites: boolean;
  /** Takes a snapshot of the agent's memories along. */
  readonly includesMemories: boolean;
}

export interface Paused extends Told {
  readonly session: LivingSession;
  readonly checkpoint: Checkpoint;
}

/** Lets a session rest, with a checkpoint of all that it has. */
export async function pauseSession(deps: LifecycleDeps, request: PauseRequest, call: Call): Promise<Paused> {
  const id = request.checkpointId ?? repeatableId(deps, call.idempotency, 'checkpoint');
  const snapshots: string[] = [];
  const decide = async ({ session, nowUs }: Standing): Promise<Step> => {
    const agentSnapshotId = request.includesMemories ? await takeAlong(deps, session, nowUs) : '';
    if (agentSnapshotId !== '') snapshots.push(agentSnapshotId);
    return {
      to: 'paused',
      isFrozen: !request.allowsWrites,
      ops: [checkpointOp(deps, request, id)],
      life: { checkpointId: id, agentSnapshotId },
    };
  };
  const stepped = await transitionSession(deps, 'pause', request, call, decide).catch(async (error: unknown) => {
    await dropAll(deps, request.namespace, snapshots);
    throw error;
  });
  await dropAll(deps, request.namespace, snapshots.slice(0, -1));
  const checkpoint = stepped.results[0]?.checkpoint;
  if (!checkpoint) throw new Error('a pause has made no checkpoint');
  return { ...stepped, session: livingSession(stepped.record), checkpoint };
}

/** It lives as long as the pause: a session that rests can always be resumed. */
function checkpointOp(deps: LifecycleDeps, request: PauseRequest, id: string): CheckpointOp {
  const { description, isPinned, checkpointTtlUs = deps.checkpointRetentionUs } = request;
  return {
    kind: 'checkpoint',
    id,
    description,
    cause: 'lifecycle',
    hold: isPinned ? {} : { ttlUs: checkpointTtlUs },
    memoryRevision: deps.store.revision,
  };
}

/** Taken before the session rests: one that is left by a crash in between costs little, and is listed. */
async function takeAlong(deps: LifecycleDeps, { namespace, scope }: LivingSession, atUs: Micros): Promise<string> {
  if (scope.agent === '') {
    throw invalidFields([{ field: 'include_memories', description: 'must be false: the session has no agent' }]);
  }
  const { id } = await deps.agents.take({
    namespace,
    id: deps.newId(),
    scope: { ...scope, session: '' },
    description: 'taken along by a pause',
    atUs,
  });
  return id;
}

async function dropAll({ agents, clock }: LifecycleDeps, namespace: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await agents.drop({ namespace, id, atUs: clock.nowUs() });
}
