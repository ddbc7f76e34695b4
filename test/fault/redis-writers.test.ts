import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Memory } from '../../src/memory/memory.ts';
import { RedisMemoryStore } from '../../src/storage/redis/memory-store.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { newMemory } from '../support/new-memory.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisServer } from '../support/redis-server.ts';
import { heldIds } from '../support/tiered-store.ts';

const SPACE = 'writers';
const SERVERS = 3;
const EACH = 400;
const NOW_US = 1_800_000_000_000_000;

let server: RedisServer;
let stores: RedisMemoryStore[];
beforeEach(async () => {
  server = await RedisServer.started();
  stores = await Promise.all(Array.from({ length: SERVERS }, connected));
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.stop();
});

async function connected(): Promise<RedisMemoryStore> {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
  return new RedisMemoryStore({ connection, prefix: 'mneme', idempotencyRetentionMs: 3_600_000 });
}

const put = (store: RedisMemoryStore, id: string, requestId?: string) =>
  store.store({
    namespace: SPACE,
    memories: [newMemory({ id, text: `text of ${id}` })],
    createNamespace: true,
    onConflict: 'fail',
    atUs: NOW_US,
    ...(requestId !== undefined && { idempotency: { requestId, fingerprint: id } }),
  });

async function everything(store: RedisMemoryStore): Promise<Memory[]> {
  const ids = await heldIds(store, SPACE);
  return (await store.copies({ namespace: SPACE, ids })).map(({ memory }) => memory);
}

describe('concurrent steps in Redis', () => {
  it('several servers store into one namespace › every memory exists once, each with a revision of its own', async () => {
    const outcomes = await Promise.all(
      stores.flatMap((store, at) => Array.from({ length: EACH }, (_, count) => put(store, `s${at}-${count}`))),
    );
    const [first] = stores;
    const memories = first ? await everything(first) : [];

    expect(memories).toHaveLength(SERVERS * EACH);
    expect(new Set(memories.map(({ id }) => id)).size).toBe(SERVERS * EACH);
    for (const { id, text } of memories) expect(text).toBe(`text of ${id}`);
    const revisions = outcomes.map(({ memories: [receipt] }) => receipt?.revision);
    expect(new Set(revisions).size).toBe(SERVERS * EACH);
    expect(memories.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual(
      revisions.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    );
  }, 240_000);

  it('an id or a request id twice among them › one effect: the second is refused, or answered as the first', async () => {
    const [store] = stores as [RedisMemoryStore];
    await put(store, 'before');
    const ids = Array.from({ length: EACH }, (_, at) => `m${at % (EACH / 2)}`);
    const settled = await Promise.allSettled(ids.map((id) => put(store, id)));
    const kept = await Promise.all(ids.map((id) => put(store, `k${id}`, `request ${id}`)));

    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(EACH / 2);
    for (const one of settled)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ reason: 'MEMORY_EXISTS' });
    for (const [at, outcome] of kept.entries()) expect(outcome).toEqual(kept[at % (EACH / 2)]);
    expect(await everything(store)).toHaveLength(1 + EACH);
  }, 240_000);

  it('Redis killed amid them › acknowledged writes are there after the restart with its log, none twice', async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
    server = await RedisServer.started({ appendonly: 'yes', appendfsync: 'always' });
    stores = [await connected()];
    const [store] = stores as [RedisMemoryStore];
    await put(store, 'before');
    const acknowledged = new Set<string>();
    let killed: Promise<void> | undefined;
    const writes = Array.from({ length: 4 * EACH }, async (_, at) => {
      await put(store, `m${at}`);
      acknowledged.add(`m${at}`);
      if (acknowledged.size === EACH) killed = server.kill();
    });
    await Promise.allSettled(writes);
    await killed;
    await server.restart();
    const again = await connected();
    const found = (await everything(again)).map(({ id }) => id);
    await again.close();

    expect(acknowledged.size).toBeGreaterThanOrEqual(EACH);
    expect(new Set(found).size).toBe(found.length);
    expect([...acknowledged].filter((id) => !found.includes(id))).toEqual([]);
  }, 240_000);
});
