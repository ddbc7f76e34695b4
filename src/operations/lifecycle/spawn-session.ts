import type { Call } from '../../memory/call.ts';
import type { LivingSession, Notes } from '../../memory/lifecycle.ts';
import type { Content, Micros, Scope } from '../../memory/memory.ts';
import type { SessionOp } from '../../storage/session-store.ts';
import { ensureNamespace } from '../ensure-namespace.ts';
import { type LifecycleDeps, repeatableId } from './lifecycle-deps.ts';
import { livingSession } from './living-session.ts';
import type { Stepped } from './step.ts';
import { transitionSession } from './transition-session.ts';

export interface SpawnRequest {
  readonly namespace: string;
  /** Absent: a new one. */
  readonly session?: string;
  readonly scope: Scope;
  readonly values: readonly { readonly key: string; readonly content: Content; readonly ttlUs?: Micros }[];
  readonly metadata: Notes;
}

export interface Spawned extends Pick<Stepped, 'hookReports' | 'revision'> {
  readonly session: LivingSession;
}

/** Makes a session with the values that it starts with: all of them, or no session. */
export async function spawnSession(deps: LifecycleDeps, request: SpawnRequest, call: Call): Promise<Spawned> {
  const { namespace, scope, values, metadata } = request;
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
      create: { ...owner, isSpawned: true, defaultTtlUs: deps.defaultTtlUs, mustBeNew: true },
      ops: values.map(({ key, content, ttlUs }): SessionOp => {
        const expiry =
          ttlUs === undefined ? ({ kind: 'default' } as const) : ({ kind: 'at', atUs: nowUs + ttlUs } as const);
        return { kind: 'set', key, content, expiry };
      }),
    }),
  );
  return { ...stepped, session: livingSession(stepped.record) };
}
