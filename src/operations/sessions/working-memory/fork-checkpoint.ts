import type { Call } from '../../../memory/call.ts';
import { MnemeError } from '../../../memory/errors.ts';
import { type SessionKey, type SessionSnapshot, sessionName } from '../../../memory/session.ts';
import type { WorkingMemoryDeps } from './working-memory-deps.ts';
import { type Written, writeSession } from './write-session.ts';

export interface ForkRequest extends SessionKey {
  readonly checkpoint: string;
  readonly target: SessionKey;
}

/** Makes a session that holds what a checkpoint of another one holds, and belongs to whom that one belongs to. */
export async function forkCheckpoint(deps: WorkingMemoryDeps, request: ForkRequest, call: Call): Promise<Written> {
  const { sessions } = deps;
  const { target, checkpoint, ...source } = request;
  // The checkpoint may be gone by the time a fork is asked for again.
  const earlier = call.idempotency && (await sessions.outcomeOf(target, call.idempotency));
  if (earlier) return { ...earlier, result: earlier.results[0] ?? { written: 0, removed: 0 } };
  const snapshot = await snapshotOf(deps, source, checkpoint);
  const record = await sessions.session(source);
  const { project = '', agentType = '', agent = '', defaultTtlUs = 0, idleTtlUs = 0 } = record ?? {};
  const draft = { project, agentType, agent, defaultTtlUs, idleTtlUs, mustBeNew: true };
  return writeSession(deps, target, [{ kind: 'load', snapshot }], call, draft);
}

/** Fails with CHECKPOINT_NOT_FOUND. */
export async function snapshotOf(
  { sessions, clock }: Pick<WorkingMemoryDeps, 'sessions' | 'clock'>,
  key: SessionKey,
  checkpoint: string,
): Promise<SessionSnapshot> {
  const snapshot = await sessions.snapshot({ ...key, checkpoint, nowUs: clock.nowUs() });
  if (!snapshot) throw checkpointNotFound(key, checkpoint);
  return snapshot;
}

export function checkpointNotFound({ namespace, session }: SessionKey, checkpoint: string): MnemeError {
  const name = sessionName(namespace, session);
  return new MnemeError('CHECKPOINT_NOT_FOUND', `${name} has no checkpoint ${checkpoint}, or it has expired`, {
    metadata: { name, checkpoint },
  });
}
