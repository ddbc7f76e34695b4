import { describe, expect, it } from '@jest/globals';
import type { RedisConnection } from '../../src/storage/redis/connection.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../src/storage/redis/sessions/session-store.ts';
import type { SessionTransition } from '../../src/storage/session-store.ts';
import {
  because,
  NOW_US,
  SECOND_US,
  set,
  valuesOf,
  write,
} from '../storage/conformance/session-store/session-of-test.ts';
import { InMemorySeenKeyspaces } from '../storage/in-memory/scope-policies.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';

const LATER_US = NOW_US + 10 * SECOND_US;
const ENDED: SessionTransition = {
  kind: 'transition',
  fromGeneration: 0,
  to: 'terminated',
  isFrozen: true,
  metadata: '{}',
  lifecycle: '{}',
  answer: '{}',
  expiresAtUs: NOW_US + SECOND_US,
};

const { closers, serve } = redisOfTest();

async function open({ url }: RedisServer, around = (redis: RedisConnection) => redis): Promise<RedisSessionStore> {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [url] });
  closers.push(() => connection.close());
  const store = new RedisSessionStore(around(connection), {
    prefix: 'expiry',
    pollMs: 60_000,
    retentionMs: 3_600_000,
    seen: new InMemorySeenKeyspaces(),
    lossHoldMs: 60_000,
    checkNamespace: async () => ({ createdAtUs: 0 }),
  });
  closers.push(() => store.close());
  return store;
}

/** Awaits the work once, before the connection erases a session. */
function beforeErasing(work: () => Promise<unknown>): (redis: RedisConnection) => RedisConnection {
  let isDone = false;
  return (redis) =>
    new Proxy(redis, {
      get: (of, name) => {
        if (name !== 'run') {
          const found: unknown = Reflect.get(of, name);
          return typeof found === 'function' ? found.bind(of) : found;
        }
        return async (...args: Parameters<RedisConnection['run']>) => {
          if (args[0].name.startsWith('session-erase') && !isDone) {
            isDone = true;
            await work();
          }
          return of.run(...args);
        };
      },
    });
}

describe('an expired session in Redis that another server replaces', () => {
  it('while this server replaces it too › the acknowledged session stays, and this server is refused', async () => {
    const server = await serve();
    const other = await open(server);
    const make = (store: RedisSessionStore, key: string) =>
      write(store, [set(key, '1')], { draft: { mustBeNew: true }, atUs: LATER_US });
    const one = await open(
      server,
      beforeErasing(() => make(other, 'a')),
    );
    await write(other, [ENDED]);
    await expect(make(one, 'b')).rejects.toMatchObject(because('SESSION_EXISTS'));
    expect(await valuesOf(other, { nowUs: LATER_US })).toEqual({ a: '1' });
  });

  it('while this server erases what has expired › the acknowledged session stays', async () => {
    const server = await serve();
    const other = await open(server);
    const sweeper = await open(
      server,
      beforeErasing(() => write(other, [set('a', '1')], { atUs: LATER_US })),
    );
    await write(other, [ENDED]);
    expect((await sweeper.eraseExpired({ nowUs: LATER_US, limit: 10 })).erasedCount).toBe(0);
    expect(await valuesOf(other, { nowUs: LATER_US })).toEqual({ a: '1' });
    expect(await sweeper.sessions({ namespace: 'space', limit: 10 })).toHaveLength(1);
  });
});
