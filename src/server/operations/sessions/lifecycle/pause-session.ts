import type { Call } from '../../../../memory/call.ts';
import { invalidFields, MnemeError } from '../../../../memory/errors.ts';
import type { LivingSession } from '../../../../memory/lifecycle.ts';
import type { Micros } from '../../../../memory/memory.ts';
import { type Checkpoint, released, type SessionKey, sessionName } from '../../../../memory/session.ts';
import type { CheckpointOp } from '../../../../storage/session-store.ts';
import { factsRestored } from '../../facts/guard-facts.ts';
import { type LifecycleDeps, livingSession, repeatableId, type TransitionRequest } from './lifecycle-deps.ts';
import { type Standing, type Step, type TransitionReport, transitionSession } from './transition-session.ts';

export interface PauseRequest extends TransitionRequest {
  /** Absent: a new one. */
  readonly checkpointId?: string;
  readonly description: string;
  /** How long the checkpoint is kept once the pause has ended; absent: as the server is set. */
  readonly checkpointTtlUs?: Micros;
  readonly isPinned: boolean;
  readonly allowsWrites: boolean;
  /** Also takes a snapshot of the agent's memories. */
  readonly includesMemories: boolean;
}

export interface Paused extends TransitionReport {
  readonly session: LivingSession;
  readonly checkpoint: Checkpoint;
}

/** Pauses a session, with a checkpoint of its contents. */
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

/** Taken before the session is paused: a snapshot orphaned by a crash costs little, and is listed. */
async function takeAlong(deps: LifecycleDeps, { namespace, scope }: LivingSession, atUs: Micros): Promise<string> {
  if (scope.agent === '') {
    throw invalidFields([{ field: 'include_memories', description: 'must be false: the session has no agent' }]);
  }
  const { id } = await deps.agents.take({
    namespace,
    id: deps.newId(),
    scope: { ...scope, session: '' },
    description: 'taken by a pause',
    atUs,
  });
  return id;
}

async function dropAll({ agents, clock }: LifecycleDeps, namespace: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await agents.drop({ namespace, id, atUs: clock.nowUs() });
}

export interface ResumeRequest extends TransitionRequest {
  /** Absent: the checkpoint of the pause. */
  readonly checkpointId?: string;
  readonly mode: 'replace' | 'merge';
  /** Restores the agent's memories from the snapshot of the pause. */
  readonly restoresMemories: boolean;
}

export interface Resumed extends TransitionReport {
  readonly session: LivingSession;
  readonly checkpoint: Checkpoint;
  readonly restoredCount: number;
  readonly expiredCount: number;
}

/** Resumes a session with the contents of a checkpoint. */
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

/** Before the session resumes; repeating it changes nothing. */
async function restoreMemories(deps: LifecycleDeps, { namespace, life }: LivingSession, atUs: Micros): Promise<void> {
  const id = life.agentSnapshotId;
  if (id === '') {
    throw invalidFields([
      { field: 'restore_memories', description: 'must be false: the pause took no snapshot of memories' },
    ]);
  }
  await deps.agents.restore({ namespace, id, embedsLater: deps.embedder.kind !== 'none', atUs });
  deps.onEmbeddingPending();
  await factsRestored(deps, namespace);
}

function checkpointNotFound(key: SessionKey, id: string): MnemeError {
  const name = sessionName(key.namespace, key.session);
  return new MnemeError('CHECKPOINT_NOT_FOUND', `${name} has no checkpoint ${JSON.stringify(id)}, or it has expired`, {
    metadata: { name, checkpoint: id },
  });
}
