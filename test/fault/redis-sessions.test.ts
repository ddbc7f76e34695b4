import { describe, expect, it } from '@jest/globals';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../src/storage/redis/sessions/session-store.ts';
import {
  act,
  append,
  checkpoint,
  HERE,
  notesOf,
  set,
  valuesOf,
  write,
} from '../storage/conformance/session-store/session-of-test.ts';
import { InMemorySeenKeyspaces } from '../storage/in-memory/scope-policies.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisConfig, RedisServer } from '../support/redis-server.ts';

/** Timeout of the test that waits for it; on a busy machine the others must not reach it. */
const TIMEOUT_MS = 1500;
const DURABLE: RedisConfig = { appendonly: 'yes', appendfsync: 'always' };

const { closers, serve } = redisOfTest();

async function open(
  { url }: RedisServer,
  commandTimeoutMs: number = PATIENT_REDIS.commandTimeoutMs,
): Promise<RedisSessionStore> {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [url], commandTimeoutMs });
  closers.push(() => connection.close());
  const store = new RedisSessionStore(connection, {
    prefix: 'fault',
    pollMs: 20,
    retentionMs: 3_600_000,
    seen: new InMemorySeenKeyspaces(),
    lossHoldMs: 60_000,
    checkNamespace: async () => ({ createdAtUs: 0 }),
  });
  closers.push(() => store.close());
  return store;
}

const UNAVAILABLE = { name: 'MnemeError', reason: 'STORAGE_UNAVAILABLE' };

describe('sessions in Redis', () => {
  it('when Redis is frozen › calls fail in time without a fallback, and continue with the same data afterwards', async () => {
    const server = await serve();
    const store = await open(server, TIMEOUT_MS);
    await until('Redis answers', () =>
      act(store, set('a', '1')).then(
        () => true,
        () => false,
      ),
    );
    server.freeze();
    await expect(valuesOf(store)).rejects.toMatchObject(UNAVAILABLE);
    await expect(act(store, set('b', '2'))).rejects.toMatchObject(UNAVAILABLE);
    server.thaw();
    await until('Redis answers again', () =>
      valuesOf(store).then(
        () => true,
        () => false,
      ),
    );
    expect(await valuesOf(store)).toMatchObject({ a: '1' });
    await act(store, set('c', '3'));
    expect(await valuesOf(store)).toMatchObject({ a: '1', c: '3' });
  });

  it('when Redis is killed and comes back with its data › every acknowledged write is there, complete', async () => {
    const server = await serve(DURABLE);
    const store = await open(server);
    await write(store, [set('a', '1'), append('one'), checkpoint('c1')]);
    const acknowledged: number[] = [];
    const writers = Array.from({ length: 200 }, async (_, at) => {
      // A write stores a key and a note, or neither.
      await write(store, [set(`key-${at}`, `${at}`), append(`${at}`)]);
      acknowledged.push(at);
      if (acknowledged.length === 60) await server.kill();
    });
    await Promise.allSettled(writers);
    await server.start();
    await until('Redis answers again', () =>
      valuesOf(store).then(
        () => true,
        () => false,
      ),
    );
    const values = await valuesOf(store);
    const notes = await notesOf(store);
    for (const at of acknowledged) expect(values[`key-${at}`]).toBe(`${at}`);
    expect(notes.slice(1).toSorted()).toEqual(
      Object.keys(values)
        .filter((key) => key.startsWith('key-'))
        .map((key) => key.slice('key-'.length))
        .toSorted(),
    );
    await act(store, { kind: 'restore', id: 'c1', mode: 'replace' });
    expect(await valuesOf(store)).toEqual({ a: '1' });
  }, 240_000);

  it('two servers that write to one session at once › lose no update', async () => {
    const server = await serve();
    const [one, two] = [await open(server), await open(server)];
    await act(one, append('first'));
    const woken = Promise.withResolvers<void>();
    const stop = two.onChange(HERE, woken.resolve);
    await Promise.all(Array.from({ length: 60 }, (_, at) => act(at % 2 === 0 ? one : two, append(`${at}`))));
    await woken.promise;
    stop();
    expect(await notesOf(one)).toHaveLength(61);
  });
});
