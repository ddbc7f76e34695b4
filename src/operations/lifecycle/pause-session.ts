import type { Call } from '../../memory/call.ts';
import type { LivingSession } from '../../memory/lifecycle.ts';
import type { Micros } from '../../memory/memory.ts';
import type { Checkpoint } from '../../memory/session.ts';
import { type LifecycleDeps, repeatableId, type TransitionRequest } from './lifecycle-deps.ts';
import { livingSession } from './living-session.ts';
import { type Stepped, transitionSession } from './transition-session.ts';

export interface PauseRequest extends TransitionRequest {
  /** Absent: a new one. */
  readonly checkpointId?: string;
  readonly description: string;
  /** How long the checkpoint is kept; absent: as the server is set. */
  readonly checkpointTtlUs?: Micros;
  readonly isPinned: boolean;
  readonly allowsWrites: boolean;
}

export interface Paused extends Pick<Stepped, 'hookReports' | 'revision'> {
  readonly session: LivingSession;
  readonly checkpoint: Checkpoint;
}

/** Lets a session rest, with a checkpoint of all that it has. */
export async function pauseSession(deps: LifecycleDeps, request: PauseRequest, call: Call): Promise<Paused> {
  const id = request.checkpointId ?? repeatableId(deps, call.idempotency, 'checkpoint');
  const { description, isPinned, checkpointTtlUs = deps.checkpointRetentionUs } = request;
  const stepped = await transitionSession(deps, 'pause', request, call, ({ nowUs }) => ({
    to: 'paused',
    isFrozen: !request.allowsWrites,
    ops: [
      {
        kind: 'checkpoint',
        id,
        description,
        cause: 'lifecycle',
        ...(isPinned ? {} : { expiresAtUs: nowUs + checkpointTtlUs }),
        memoryRevision: deps.store.revision,
      },
    ],
    life: { checkpointId: id },
  }));
  const checkpoint = stepped.results[0]?.checkpoint;
  if (!checkpoint) throw new Error('a pause has made no checkpoint');
  return { ...stepped, session: livingSession(stepped.record), checkpoint };
}
