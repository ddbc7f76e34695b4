import { describe, expect, it } from '@jest/globals';
import { deleteNamespace } from '../../src/server/operations/namespaces/namespaces.ts';
import { VisibilityRules } from '../../src/server/operations/visibility/visibility.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../src/storage/redis/sessions/session-store.ts';
import { call } from '../server/operations/support.ts';
import { HERE, NOW_US, SECOND_US, set, valuesOf, write } from '../storage/conformance/session-store/session-of-test.ts';
import { InMemoryMemoryStore } from '../storage/in-memory/memory-store.ts';
import { InMemoryScopePolicies, InMemorySeenKeyspaces } from '../storage/in-memory/scope-policies.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';

const { closers, serve } = redisOfTest();
const { namespace } = HERE;
/** Of a server whose clock is ahead. */
const AHEAD_US = NOW_US + 1000 * SECOND_US;

/** Sessions of one server. `around` is awaited behind each look at a namespace. */
async function sessionsAt({ url }: RedisServer, store: InMemoryMemoryStore, around = async () => {}) {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [url] });
  closers.push(() => connection.close());
  const sessions = new RedisSessionStore(connection, {
    prefix: 'fence',
    pollMs: 60_000,
    retentionMs: 3_600_000,
    seen: new InMemorySeenKeyspaces(),
    lossHoldMs: 60_000,
    async checkNamespace(name) {
      const found = await store.getNamespace(name);
      await around();
      return found;
    },
  });
  closers.push(() => sessions.close());
  return sessions;
}

/** Two servers with one Redis: the one is frozen between its look at the namespace and its write of a session. */
async function standing() {
  const redis = await serve();
  const store = new InMemoryMemoryStore();
  const made = (atUs: number) =>
    store.write({ kind: 'createNamespace', name: namespace, description: '', memoryLimit: 0, atUs });
  await made(NOW_US);
  const [asleep, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const frozen = await sessionsAt(redis, store, () => {
    asleep.resolve();
    return awake.promise;
  });
  const sessions = await sessionsAt(redis, store);
  await write(sessions, [set('city', 'Oslo')], { session: 'before' });
  const late = write(frozen, [set('city', 'Rome')], { atUs: AHEAD_US });
  // A failure is looked at later.
  late.catch(() => undefined);
  await asleep.promise;
  const policies = new InMemoryScopePolicies(store);
  const visibilityRules = new VisibilityRules(policies);
  const deps = { store, view: store, sessions, policies, visibilityRules, clock: { nowUs: () => NOW_US + SECOND_US } };
  await deleteNamespace(deps, { name: namespace, force: true }, call);
  return { made, sessions, frozen, late, thaw: awake.resolve };
}

describe('a server that is frozen while it makes a session, and its namespace is deleted', () => {
  it('it goes on › there is no such namespace, and no session', async () => {
    const { made, sessions, late, thaw } = await standing();
    thaw();
    await expect(late).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    await made(NOW_US + 2 * SECOND_US);
    expect(await sessions.sessions({ namespace, limit: 10 })).toEqual([]);
  });

  it('it goes on when a later namespace has the name › the session is of the later one', async () => {
    const { made, sessions, late, thaw } = await standing();
    await made(NOW_US + 2 * SECOND_US);
    thaw();
    await late;
    expect((await sessions.sessions({ namespace, limit: 10 })).map(({ id }) => id)).toEqual([HERE.session]);
    expect(await valuesOf(sessions)).toEqual({ city: 'Rome' });
    // Writes of a session that is there need no namespace.
    await write(sessions, [set('city', 'Bern')]);
  });
});
