import { describe, expect, it } from '@jest/globals';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../src/storage/redis/sessions/session-store.ts';
import { act, append, checkpoint, set, valuesOf, write } from '../storage/conformance/session-store/session-of-test.ts';
import { InMemorySeenKeyspaces } from '../storage/in-memory/scope-policies.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';

/** Timeout of the test that waits for it; on a busy machine the others must not reach it. */
const TIMEOUT_MS = 1500;
/** Tolerance beyond a call's timeout on a busy machine. */
const SLACK_MS = 10_000;

const { closers, serve } = redisOfTest();

async function open(
  { url }: RedisServer,
  commandTimeoutMs: number = PATIENT_REDIS.commandTimeoutMs,
): Promise<RedisSessionStore> {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [url], commandTimeoutMs });
  closers.push(() => connection.close());
  const store = new RedisSessionStore(connection, {
    prefix: 'refusals',
    pollMs: 20,
    retentionMs: 3_600_000,
    checkNamespace: async () => ({ createdAtUs: 0 }),
    seen: new InMemorySeenKeyspaces(),
    lossHoldMs: 60_000,
  });
  closers.push(() => store.close());
  return store;
}

/** The error of the call, which must fail within its timeout. */
async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  const startedAtMs = performance.now();
  const failure = await call().then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
  expect(performance.now() - startedAtMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
  return failure;
}

const unavailable = (...faults: string[]) => ({
  reason: 'STORAGE_UNAVAILABLE',
  metadata: { backend: 'redis', fault: expect.stringMatching(new RegExp(`^(${faults.join('|')})$`)) },
});

describe('sessions in a Redis that refuses', () => {
  it('frozen › reads and writes fail as UNAVAILABLE within the timeout, then at once, and succeed afterwards', async () => {
    const server = await serve();
    const store = await open(server, TIMEOUT_MS);
    await until('Redis answers', () => isWritten(store));
    server.freeze();
    for (let count = 0; count < 3; count++) {
      expect(await failureOf(() => valuesOf(store))).toMatchObject(unavailable('timeout', 'disconnected'));
    }
    expect(await failureOf(() => act(store, set('a', '2')))).toMatchObject(
      unavailable('circuit_open', 'timeout', 'disconnected'),
    );
    server.thaw();
    await until('Redis answers again', () => isAnswering(store));
    expect(Object.keys(await valuesOf(store))).toEqual(['a']);
  });

  it('killed › reads and writes fail as UNAVAILABLE within the timeout, and continue with the same data afterwards', async () => {
    const server = await serve({ appendonly: 'yes', appendfsync: 'always' });
    const store = await open(server);
    await write(store, [set('a', '1'), append('one'), checkpoint('c1')]);
    await server.kill();
    const down = unavailable('timeout', 'disconnected', 'circuit_open');
    expect(await failureOf(() => valuesOf(store))).toMatchObject(down);
    expect(await failureOf(() => act(store, set('a', '2')))).toMatchObject(down);
    await server.start();
    await until('Redis answers again', () => isAnswering(store));
    expect(await valuesOf(store)).toEqual({ a: '1' });
    await act(store, set('a', '3'));
    expect(await valuesOf(store)).toEqual({ a: '3' });
  });

  it('a read-only replica › reads succeed, writes fail as UNAVAILABLE with the fault', async () => {
    const [master, server] = [await serve(), await serve()];
    const store = await open(server);
    await act(store, set('a', '1'));
    // The data stays until the first synchronisation, which never begins as the master is gone.
    await master.kill();
    await server.command('REPLICAOF', '127.0.0.1', String(master.port));
    expect(await failureOf(() => act(store, set('a', '2')))).toMatchObject(unavailable('read_only'));
    expect(await valuesOf(store)).toEqual({ a: '1' });
    await server.command('REPLICAOF', 'NO', 'ONE');
    await act(store, set('a', '3'));
    expect(await valuesOf(store)).toEqual({ a: '3' });
  });

  it('out of memory › writes fail as RESOURCE_EXHAUSTED, reads and erasures succeed and free memory', async () => {
    const server = await serve({ 'maxmemory-policy': 'noeviction' });
    const store = await open(server);
    await write(store, [set('a', '1'), set('big', 'x'.repeat(900_000))]);
    await server.command('CONFIG', 'SET', 'maxmemory', '1mb');
    const full = { reason: 'STORAGE_FULL', metadata: { backend: 'redis' } };
    expect(await failureOf(() => act(store, set('b', '2')))).toMatchObject(full);
    expect(await failureOf(() => act(store, checkpoint('c1')))).toMatchObject(full);
    expect(await valuesOf(store)).toMatchObject({ a: '1' });
    expect(await store.eraseSession({ namespace: 'space', session: 'run-1' })).toBe(true);
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await act(store, set('b', '2'));
    expect(await valuesOf(store)).toEqual({ b: '2' });
  });

  it('refusing to write because its disk fails › writes fail as UNAVAILABLE with the fault, reads succeed', async () => {
    const server = await serve({ 'min-replicas-to-write': '0' });
    const store = await open(server);
    await act(store, set('a', '1'));
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
    expect(await failureOf(() => act(store, set('a', '2')))).toMatchObject(unavailable('persistence_failed'));
    expect(await valuesOf(store)).toEqual({ a: '1' });
  });
});

function isWritten(store: RedisSessionStore): Promise<boolean> {
  return act(store, set('a', '1')).then(
    () => true,
    () => false,
  );
}

function isAnswering(store: RedisSessionStore): Promise<boolean> {
  return valuesOf(store).then(
    () => true,
    () => false,
  );
}
