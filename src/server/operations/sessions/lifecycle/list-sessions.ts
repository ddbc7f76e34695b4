import { MnemeError } from '../../../../memory/errors.ts';
import type { LivingSession } from '../../../../memory/lifecycle.ts';
import type { Scope } from '../../../../memory/memory.ts';
import { isWithin, SCOPE_PARTS } from '../../../../memory/scope.ts';
import { type SessionKey, type SessionState, sessionName } from '../../../../memory/session.ts';
import { type LifecycleDeps, livingSession, readSession } from './lifecycle-deps.ts';

type Deps = Pick<LifecycleDeps, 'sessions' | 'store' | 'clock'>;

/** Records read at once while sessions of a scope are looked for. */
const BATCH = 500;

/** Fails with SESSION_SCOPE_MISMATCH where the session belongs to another scope than is expected. */
export async function getSession(deps: Deps, request: SessionKey & { scope?: Scope }): Promise<LivingSession> {
  const { session } = await readSession(deps.sessions, request, deps.clock.nowUs());
  const { scope } = request;
  const part = scope && SCOPE_PARTS.find((one) => scope[one] !== '' && scope[one] !== session.scope[one]);
  if (!part) return session;
  const name = sessionName(request.namespace, request.session);
  throw new MnemeError(
    'SESSION_SCOPE_MISMATCH',
    `scope: ${name} is of ${part} ${JSON.stringify(session.scope[part])}, not ${JSON.stringify(scope[part])}`,
    { metadata: { name, part, expected: scope[part], actual: session.scope[part] } },
  );
}

export interface SessionListing {
  readonly namespace: string;
  readonly scope?: Scope;
  /** Empty: all. */
  readonly states: readonly SessionState[];
  readonly limit: number;
  readonly afterId?: string;
}

/** Sessions in the order of their ids, with the id after which the next page begins. */
export async function listSessions(
  { sessions, store, clock }: Deps,
  { namespace, scope, states, limit, afterId = '' }: SessionListing,
): Promise<{ sessions: readonly LivingSession[]; nextAfterId?: string }> {
  await store.getNamespace(namespace);
  const nowUs = clock.nowUs();
  const found: LivingSession[] = [];
  let after = afterId;
  for (;;) {
    const records = await sessions.sessions({
      namespace,
      limit: scope ? BATCH : limit + 1,
      ...(after === '' ? {} : { afterId: after }),
      ...(states.length > 0 ? { states } : {}),
    });
    for (const record of records) {
      if (found.length === limit) return { sessions: found, nextAfterId: after };
      after = record.id;
      if ((record.expiresAtUs ?? Number.POSITIVE_INFINITY) <= nowUs) continue;
      const session = livingSession(record);
      if (!scope || isWithin(session.scope, scope)) found.push(session);
    }
    if (records.length < (scope ? BATCH : limit + 1)) return { sessions: found };
  }
}
