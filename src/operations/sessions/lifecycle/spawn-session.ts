import type { Call } from '../../../memory/call.ts';
import type { LivingSession, Notes } from '../../../memory/lifecycle.ts';
import type { Content, Micros, Scope } from '../../../memory/memory.ts';
import type { Expiry, SessionOp } from '../../../storage/session-store.ts';
import { ensureNamespace } from '../../namespaces/namespaces.ts';
import { type LifecycleDeps, livingSession, repeatableId } from './lifecycle-deps.ts';
import { type Told, transitionSession } from './transition-session.ts';

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

export interface Spawned extends Told {
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
