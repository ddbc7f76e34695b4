import type { Call } from '../../../memory/call.ts';
import { invalidFields, MnemeError } from '../../../memory/errors.ts';
import type { LivingSession } from '../../../memory/lifecycle.ts';
import type { Micros } from '../../../memory/memory.ts';
import { type Checkpoint, released, type SessionKey, sessionName } from '../../../memory/session.ts';
import type { LifecycleDeps, TransitionRequest } from './lifecycle-deps.ts';
import { livingSession } from './living-session.ts';
import type { Told } from './step.ts';
import { transitionSession } from './transition-session.ts';

export interface ResumeRequest extends TransitionRequest {
  /** Absent: the one that the pause made. */
  readonly checkpointId?: string;
  readonly mode: 'replace' | 'merge';
  /** Brings the agent's memories back to what the pause took along. */
  readonly restoresMemories: boolean;
}

export interface Resumed extends Told {
  readonly session: LivingSession;
  readonly checkpoint: Checkpoint;
  readonly restoredCount: number;
  readonly expiredCount: number;
}

/** Wakes a session with what a checkpoint holds. */
export async function resumeSession(deps: LifecycleDeps, request: ResumeRequest, call: Call): Promise<Resumed> {
  const stepped = await transitionSession(deps, 'resume', request, call, async ({ session, nowUs }) => {
    const id = request.checkpointId ?? session.life.checkpointId;
    const { namespace, session: sessionId } = request;
    const checkpoint = await deps.sessions.checkpoint({ namespace, session: sessionId, id, nowUs });
    if (!checkpoint) throw checkpointNotFound(request, id);
    if (request.restoresMemories) await restoreMemories(deps, session, nowUs);
    return {
      to: 'active',
      isFrozen: false,
      ops: [{ kind: 'restore', id, mode: request.mode }],
      life: { checkpointId: id },
      answer: { checkpoint: released(checkpoint, Math.max(nowUs, session.updatedAtUs)) },
    };
  });
  const [restored] = stepped.results;
  return {
    ...stepped,
    session: livingSession(stepped.record),
    checkpoint: stepped.answer.checkpoint as Checkpoint,
    restoredCount: restored?.written ?? 0,
    expiredCount: restored?.expired ?? 0,
  };
}

/** Before the session wakes; done again, it changes nothing more. */
async function restoreMemories(deps: LifecycleDeps, { namespace, life }: LivingSession, atUs: Micros): Promise<void> {
  const id = life.agentSnapshotId;
  if (id === '') {
    throw invalidFields([
      { field: 'restore_memories', description: 'must be false: the pause took no memories along' },
    ]);
  }
  await deps.agents.restore({ namespace, id, embedsLater: deps.embedder.kind !== 'none', atUs });
  deps.onEmbeddingPending();
}

function checkpointNotFound(key: SessionKey, id: string): MnemeError {
  const name = sessionName(key.namespace, key.session);
  return new MnemeError('CHECKPOINT_NOT_FOUND', `${name} has no checkpoint ${JSON.stringify(id)}, or it has expired`, {
    metadata: { name, checkpoint: id },
  });
}
