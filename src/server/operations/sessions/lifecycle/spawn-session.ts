import type { Call } from '../../../../memory/call.ts';
import { MnemeError } from '../../../../memory/errors.ts';
import type { LivingSession, Notes } from '../../../../memory/lifecycle.ts';
import type { Content, Micros, Scope } from '../../../../memory/memory.ts';
import { sessionName } from '../../../../memory/session.ts';
import type { Expiry, SessionOp } from '../../../../storage/session-store.ts';
import { ensureNamespace } from '../../namespaces/namespaces.ts';
import { type LifecycleDeps, livingSession, repeatableId, type TransitionRequest } from './lifecycle-deps.ts';
import { CLEAR_ALL, finishTermination } from './terminate-session.ts';
import { type Step, type TransitionReport, transitionSession } from './transition-session.ts';

export interface SpawnRequest {
  readonly namespace: string;
  /** Absent: a new one. */
  readonly session?: string;
  readonly scope: Scope;
  readonly values: readonly {
    readonly key: string;
    readonly content: Content;
    readonly expiresIn?: Micros | 'never';
  }[];
  readonly metadata: Notes;
  /** Of keys that are set without an expiry; 0: they stay. Absent: as the server is set. */
  readonly defaultTtlUs?: Micros;
  /** Time without a write after which it ends; 0: it stays. Absent: as the server is set. */
  readonly idleTtlUs?: Micros;
}

export interface Spawned extends TransitionReport {
  readonly session: LivingSession;
}

/** Makes a session with the values that it starts with: all of them, or no session. */
export async function spawnSession(deps: LifecycleDeps, request: SpawnRequest, call: Call): Promise<Spawned> {
  const { namespace, scope, values, metadata } = request;
  const { defaultTtlUs = deps.defaultTtlUs, idleTtlUs = deps.idleTtlUs } = request;
  const session = request.session ?? repeatableId(deps, call.idempotency, 'session');
  const { session: _, ...owner } = scope;
  await ensureNamespace(deps, namespace);
  const stepped = await transitionSession(
    deps,
    'spawn',
    { namespace, session, metadata, scope },
    call,
    ({ nowUs }) => ({
      to: 'active',
      isFrozen: false,
      create: { ...owner, isSpawned: true, defaultTtlUs, idleTtlUs, mustBeNew: true },
      ops: values.map(
        ({ key, content, expiresIn }): SessionOp => ({ kind: 'set', key, content, expiry: expiryOf(expiresIn, nowUs) }),
      ),
    }),
  );
  return { ...stepped, session: livingSession(stepped.record) };
}

function expiryOf(expiresIn: Micros | 'never' | undefined, nowUs: Micros): Expiry {
  if (expiresIn === undefined) return { kind: 'default' };
  return expiresIn === 'never' ? { kind: 'never' } : { kind: 'at', atUs: nowUs + expiresIn };
}

export interface DeleteSessionRequest extends TransitionRequest {
  /** Deletes a session that is active, too. */
  readonly force: boolean;
}

export interface DeletedSession extends TransitionReport {
  readonly clearedCount: number;
  readonly notesClearedCount: number;
  readonly checkpointsClearedCount: number;
}

/**
 * Deletes a session with all its contents, which frees its id. Its events are retained as usual, and its episode stays.
 * Fails with SESSION_STATE where it is active and `force` is not set.
 */
export async function deleteSession(
  deps: LifecycleDeps,
  request: DeleteSessionRequest,
  call: Call,
): Promise<DeletedSession> {
  await endFirst(deps, request, call);
  const { results, ...stepped } = await transitionSession(deps, 'delete', request, call, ({ session }): Step => {
    if (session.state === 'active' && !request.force) throw isActive(request);
    return { to: 'terminated', isFrozen: true, ops: [CLEAR_ALL], erases: true };
  });
  const { removed = 0, notes = 0, checkpointsRemoved = 0 } = results[0] ?? {};
  return { ...stepped, clearedCount: removed, notesClearedCount: notes, checkpointsClearedCount: checkpointsRemoved };
}

/** A termination that was begun is finished: its episode would be lost with the session. */
async function endFirst(deps: LifecycleDeps, { namespace, session }: TransitionRequest, call: Call): Promise<void> {
  if (deps.sessions.storesEpisodes) return;
  const record = await deps.sessions.session({ namespace, session });
  if (record?.state === 'terminating') await finishTermination(deps, record, call.signal);
}

function isActive({ namespace, session }: TransitionRequest): MnemeError {
  const name = sessionName(namespace, session);
  return new MnemeError('SESSION_STATE', `${name} is active: terminate it first, or delete it with force`, {
    metadata: { name, state: 'active', transition: 'delete' },
  });
}
