import { describe, expect, it } from '@jest/globals';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { RedisLifecycleEvents } from '../../src/storage/redis/sessions/lifecycle-events.ts';
import type { SessionLoss } from '../../src/storage/redis/sessions/session-keyspaces.ts';
import { RedisSessionStore } from '../../src/storage/redis/sessions/session-store.ts';
import type { SeenKeyspaces } from '../../src/storage/scope-policies.ts';
import {
  act,
  append,
  checkpoint,
  HERE,
  LIMITS,
  NOW_US,
  set,
  valuesOf,
  write,
} from '../storage/conformance/session-store/session-of-test.ts';
import { InMemorySeenKeyspaces } from '../storage/in-memory/scope-policies.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';

/** Long enough for a notification to arrive on a busy machine. */
const HOLD_MS = 3000;

const { closers, serve } = redisOfTest();

interface Opened {
  readonly store: RedisSessionStore;
  readonly events: RedisLifecycleEvents;
  readonly losses: SessionLoss[];
}

async function open({ url }: RedisServer, seen: SeenKeyspaces = new InMemorySeenKeyspaces(), lossHoldMs = 60_000) {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [url] });
  closers.push(() => connection.close());
  const losses: SessionLoss[] = [];
  const store = new RedisSessionStore(connection, {
    prefix: 'loss',
    pollMs: 20,
    retentionMs: 3_600_000,
    checkNamespace: async () => ({ createdAtUs: 0 }),
    seen,
    lossHoldMs,
    onLoss: (_, loss) => losses.push(loss),
  });
  closers.push(() => store.close());
  return { store, events: new RedisLifecycleEvents(connection, 'loss'), losses } satisfies Opened;
}

const LOST = { name: 'MnemeError', reason: 'SESSION_LOST', metadata: { name: 'namespaces/space/sessions/run-1' } };
const SPAWN = { draft: { mustBeNew: true, isSpawned: true } };

describe('sessions of a Redis that was emptied', () => {
  it('every read and write of a missing session › fails as possibly lost, and creates nothing', async () => {
    const server = await serve();
    const { store, losses } = await open(server);
    await write(store, [set('a', '1'), set('b', '1'), append('n'), checkpoint('c1')]);
    await server.command('FLUSHALL');
    const list = { ...HERE, limit: 10, bytesMax: 1e6, nowUs: NOW_US };
    const restore = { ...HERE, ops: [{ kind: 'restore', id: 'c1', mode: 'replace' } as const], limits: LIMITS };
    for (const call of [
      () => store.get({ ...HERE, keys: ['a'], nowUs: NOW_US }),
      () => store.list({ ...list, withValues: true }),
      () => store.notes({ ...list, order: 'oldest' }),
      () => store.session(HERE),
      () => store.checkpoint({ ...HERE, id: 'c1', nowUs: NOW_US }),
      () => store.checkpoints({ ...HERE, limit: 10, nowUs: NOW_US }),
      () => store.snapshot({ ...HERE, nowUs: NOW_US }),
      () => store.snapshot({ ...HERE, checkpoint: 'c1', nowUs: NOW_US }),
      () => store.changes({ ...HERE, afterRevision: 0, limit: 10 }),
      () => store.statistics(HERE, NOW_US),
      () => act(store, set('a', '2')),
      () => store.write({ ...restore, atUs: NOW_US }),
    ]) {
      await expect(call()).rejects.toMatchObject(LOST);
    }
    expect(losses).toEqual(['flushed']);
    expect(await store.sessions({ namespace: 'space', limit: 10 })).toEqual([]);
  });

  it('a spawned session › starts empty, and is used like any other', async () => {
    const server = await serve();
    const { store } = await open(server);
    await write(store, [set('a', '1')]);
    await server.command('FLUSHALL');
    await expect(valuesOf(store)).rejects.toMatchObject(LOST);
    await write(store, [set('b', '2')], SPAWN);
    await act(store, set('c', '3'));
    expect(await valuesOf(store)).toEqual({ b: '2', c: '3' });
    const other = { ...HERE, session: 'run-2' };
    await expect(store.session(other)).rejects.toMatchObject({ reason: 'SESSION_LOST' });
  });

  it('a server that was stopped during the loss › detects it by its recorded epochs', async () => {
    const server = await serve();
    const seen = new InMemorySeenKeyspaces();
    const before = await open(server, seen);
    await write(before.store, [set('a', '1')]);
    await before.store.close();
    await server.command('FLUSHALL');
    const after = await open(server, seen);
    await expect(valuesOf(after.store)).rejects.toMatchObject(LOST);
    expect(after.losses).toEqual(['flushed']);
  });

  it('a server that has never seen it › fails likewise as soon as another one has detected the loss', async () => {
    const server = await serve();
    const one = await open(server);
    await write(one.store, [set('a', '1')]);
    await server.command('FLUSHALL');
    const two = await open(server);
    // It cannot know of the loss yet, so it accepts the write.
    await write(two.store, [set('x', '1')], { session: 'run-2' });
    await expect(valuesOf(one.store)).rejects.toMatchObject(LOST);
    await expect(valuesOf(two.store)).rejects.toMatchObject(LOST);
    expect(two.losses).toEqual([]);
  });

  it('after the holding time › missing sessions count as new', async () => {
    const server = await serve();
    const { store } = await open(server, new InMemorySeenKeyspaces(), HOLD_MS);
    await write(store, [set('a', '1')]);
    await server.command('FLUSHALL');
    await expect(valuesOf(store)).rejects.toMatchObject(LOST);
    await until('the time is over', () =>
      act(store, set('b', '2')).then(
        () => true,
        () => false,
      ),
    );
    expect(await valuesOf(store)).toEqual({ b: '2' });
  });

  it('a follower of session events › gets REVISION_COMPACTED for the lost ones', async () => {
    const server = await serve();
    const { store, events } = await open(server);
    await write(store, [set('a', '1')]);
    const sequence = await events.append({ namespace: 'space', body: '{}', atUs: NOW_US });
    await server.command('FLUSHALL');
    await expect(valuesOf(store)).rejects.toMatchObject(LOST);
    for (let count = 0; count < 3; count++) await events.append({ namespace: 'space', body: '{}', atUs: NOW_US });
    const read = events.read({ namespace: 'space', afterSequence: sequence, limit: 10 });
    await expect(read).rejects.toMatchObject({ reason: 'REVISION_COMPACTED' });
  });

  it('keys that expire in later sessions › are erased by the expiry job', async () => {
    const server = await serve();
    const { store } = await open(server);
    await write(store, [set('a', '1')]);
    await server.command('FLUSHALL');
    await expect(valuesOf(store)).rejects.toMatchObject(LOST);
    await write(store, [set('b', '2', { expiry: { kind: 'at', atUs: NOW_US + 5 } })], SPAWN);
    expect(await store.eraseExpired({ nowUs: NOW_US + 10, limit: 10 })).toEqual({ erasedCount: 1, isDone: true });
  });
});

describe('sessions of a Redis that went back to an older state', () => {
  it('the next call › fails as UNAVAILABLE with the reason; later calls see the present state', async () => {
    const server = await serve();
    const { store, losses } = await open(server);
    await act(store, set('a', '1'));
    await server.command('SAVE');
    await act(store, set('a', '2'));
    await server.restart();
    await until('the loss is reported', () =>
      valuesOf(store).then(
        () => false,
        (error: { metadata?: { fault?: string } }) => error.metadata?.fault === 'rolled_back',
      ),
    );
    expect(losses).toEqual(['rolled_back']);
    expect(await valuesOf(store)).toEqual({ a: '1' });
    await act(store, set('a', '3'));
    expect(await valuesOf(store)).toEqual({ a: '3' });
  });
});
