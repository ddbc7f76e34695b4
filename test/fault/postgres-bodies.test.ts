import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { checksumOf } from '../../src/memory/checksum.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { idSource } from '../../src/server/new-id.ts';
import type { Body, BodyStore, StoredBody } from '../../src/storage/body-store.ts';
import { PostgresAgentSnapshots } from '../../src/storage/postgres/agents/agent-snapshots.ts';
import { eraseUnnamedBodies, holdingBodies } from '../../src/storage/postgres/erase-bodies.ts';
import { because, getOne, NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { expectOneOf } from '../storage/conformance/tier-store/one-of-two.ts';
import { InMemoryBodies } from '../storage/in-memory/body-store.ts';
import { externalBodies, openRedisBodies } from '../support/external-bodies.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords, type RecordsOfTest } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { brokenRules } from './postgres-rules.ts';

const HOUR_MS = 3_600_000;
const IN_LONG_TERM = { tier: 'long_term' } as const;

let server: PostgresServer;
let schemas = 0;
let schema: string;
beforeAll(async () => {
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
});
beforeEach(() => {
  schema = `bodies_${++schemas}`;
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

async function query<R>(sql: string): Promise<R[]> {
  const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    return (await client.query(sql)).rows as R[];
  } finally {
    await client.end();
  }
}

/** Texts in the rows; empty where the body is in the other store. */
const textsInRows = async () =>
  (await query<{ text: string }>('SELECT text FROM memory_body ORDER BY sequence')).map(({ text }) => text);

async function textsIn(store: BodyStore): Promise<string[]> {
  const texts: string[] = [];
  for await (const keys of store.keys()) texts.push(...(await store.get(keys)).map((body) => body?.text ?? ''));
  return texts.sort();
}

const textChange = (text: string) => ({ text, checksum: checksumOf(text) });
const lower = ({ store }: RecordsOfTest, id: string) =>
  store.write({
    kind: 'move',
    namespace: SPACE,
    ids: [id],
    from: ['short_term'],
    to: 'long_term',
    resolution: FULL_RESOLUTION,
    atUs: NOW_US,
  });
const remove = ({ store }: RecordsOfTest, ids: readonly string[]) =>
  store.write({ kind: 'delete', namespace: SPACE, ids, cause: 'deleted', mustExist: true, atUs: NOW_US });
const textOf = async ({ store }: RecordsOfTest, id: string) => (await getOne(store, id))?.text;

describe('bodies of the upper tiers in another store than PostgreSQL', () => {
  let bodies: InMemoryBodies;
  let opened: RecordsOfTest;
  beforeEach(async () => {
    bodies = new InMemoryBodies();
    opened = await openRecords({ url: server.url, schema, bodies: externalBodies(bodies) });
    await put(opened.store, [newMemory({ id: 'short', text: 'one' })]);
    await put(opened.store, [newMemory({ id: 'long', text: 'two', ...IN_LONG_TERM })]);
  });
  const closed = async () => {
    await opened.records.settled();
    expect(await brokenRules(server.url, schema)).toEqual([]);
    await opened.close();
    expect(opened.failures).toEqual([]);
  };

  it('stored › the text of the upper tier is there alone, that of long-term memory in its row', async () => {
    expect(await textsInRows()).toEqual(['', 'two']);
    expect(await textsIn(bodies)).toEqual(['one']);
    expect(await textOf(opened, 'short')).toBe('one');
    expect(opened.records.describe().map(({ role }) => role)).toEqual(['memories', 'upper tiers']);
    await closed();
  });

  it('a text that is replaced, erased, or in long-term memory now › is erased there', async () => {
    const { store, records } = opened;
    await put(
      store,
      ['b', 'c', 'd'].map((id) => newMemory({ id, text: id })),
    );
    await store.write({ kind: 'update', namespace: SPACE, id: 'b', changes: textChange('b, later'), atUs: NOW_US });
    await remove(opened, ['c']);
    await lower(opened, 'd');
    await records.settled();
    expect(await textsIn(bodies)).toEqual(['b, later', 'one']);
    expect(await textsInRows()).toEqual(['', 'two', '', 'd']);
    expect(await textOf(opened, 'd')).toBe('d');
    await closed();
  });

  it('a namespace is deleted › its texts are erased there', async () => {
    const { store, records } = opened;
    await put(store, [newMemory({ id: 'a', text: 'kept' })], { namespace: 'other' });
    await store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
    await records.settled();
    expect(await textsIn(bodies)).toEqual(['kept']);
    await closed();
  });

  it('an erased memory that a snapshot shows › its text stays until the snapshot is dropped', async () => {
    const { store, records } = opened;
    const scope = { project: '', agentType: '', agent: 'ada', session: '' };
    await put(store, [newMemory({ id: 'a', text: 'of ada', scope })]);
    const agents = new PostgresAgentSnapshots(records.access);
    const named = { namespace: SPACE, id: 'before', atUs: NOW_US };
    await agents.take({ ...named, scope, description: '' });
    await remove(opened, ['a']);
    await records.settled();
    expect(await textsIn(bodies)).toEqual(['of ada', 'one']);
    await agents.restore({ ...named, embedsLater: false });
    expect(await textOf(opened, 'a')).toBe('of ada');
    await agents.drop(named);
    await records.settled();
    expect(await textsIn(bodies)).toEqual(['of ada', 'one']);
    await closed();
  });

  it('opened without the upper tiers there › all texts come back into PostgreSQL', async () => {
    await closed();
    const counts: number[] = [];
    opened = await openRecords({ url: server.url, schema });
    opened.records.bodies.begin({ ...externalBodies(bodies), hasUpperTiers: false }, (count) => counts.push(count));
    await opened.records.settled();
    expect(await textsInRows()).toEqual(['one', 'two']);
    expect(await textsIn(bodies)).toEqual([]);
    expect(counts).toEqual([1]);
    await closed();
  });

  it('opened without the other store › a text there is refused, not answered as empty', async () => {
    await closed();
    opened = await openRecords({ url: server.url, schema });
    await expect(getOne(opened.store, 'short')).rejects.toMatchObject({
      ...because('STORAGE_UNAVAILABLE'),
      metadata: { backend: 'redis' },
    });
    expect(await textOf(opened, 'long')).toBe('two');
    await closed();
  });

  it('a server ends between text and rows › its text is erased after an hour, no other', async () => {
    const before = idSource(() => Date.now() - 2 * HOUR_MS);
    await bodies.put([
      { key: before(), body: { text: 'left long ago' } },
      { key: idSource()(), body: { text: 'perhaps under way' } },
    ]);
    const { records } = opened;
    const later = Date.now() + HOUR_MS / 2;
    await eraseUnnamedBodies(records.access.read, bodies, later);
    expect(await textsIn(bodies)).toEqual(['one', 'perhaps under way']);
    await eraseUnnamedBodies(records.access.read, bodies, later + HOUR_MS);
    expect(await textsIn(bodies)).toEqual(['one']);
    await closed();
  });

  it('while a backup reads › what its snapshot names is not erased', async () => {
    const { store, records } = opened;
    const { database } = records.core;
    await holdingBodies(database, async () => {
      await store.write({ kind: 'update', namespace: SPACE, id: 'short', changes: textChange('newer'), atUs: NOW_US });
      await records.settled();
      await eraseUnnamedBodies(records.access.read, bodies, Date.now() + 2 * HOUR_MS);
      expect(await textsIn(bodies)).toEqual(['newer', 'one']);
    });
    await remove(opened, ['long']);
    await records.settled();
    expect(await textsIn(bodies)).toEqual(['newer']);
    await closed();
  });
});

/** Runs work between the read of the rows and that of their bodies. */
class InterruptedBodies extends InMemoryBodies {
  before: (() => Promise<unknown>) | undefined;
  failing: Error | undefined;

  override async get(keys: readonly string[]): Promise<(Body | undefined)[]> {
    const { before } = this;
    this.before = undefined;
    await before?.();
    return super.get(keys);
  }

  override async put(bodies: readonly StoredBody[]): Promise<void> {
    if (this.failing) throw this.failing;
    await super.put(bodies);
  }
}

describe('between rows and bodies', () => {
  let bodies: InterruptedBodies;
  let opened: RecordsOfTest;
  beforeEach(async () => {
    bodies = new InterruptedBodies();
    opened = await openRecords({ url: server.url, schema, bodies: externalBodies(bodies) });
    await put(opened.store, [newMemory({ id: 'a', text: 'one' })]);
  });

  it('the text is replaced, and the former one erased › the newer one is read', async () => {
    const { store, records } = opened;
    bodies.before = async () => {
      await store.write({ kind: 'update', namespace: SPACE, id: 'a', changes: textChange('two'), atUs: NOW_US });
      await records.settled();
    };
    expect(await textOf(opened, 'a')).toBe('two');
    bodies.before = async () => {
      await store.write({ kind: 'update', namespace: SPACE, id: 'a', changes: textChange('three'), atUs: NOW_US });
      await records.settled();
    };
    const { memories } = await records.changes({ namespace: SPACE });
    expect(memories.map(({ memory }) => memory.text)).toEqual(['three']);
    await opened.close();
  });

  it('the memory is erased › it is not there', async () => {
    bodies.before = async () => {
      await remove(opened, ['a']);
      await opened.records.settled();
    };
    expect(await getOne(opened.store, 'a')).toBeUndefined();
    await opened.close();
  });

  it('the text is lost › the memory is damaged: named, replaceable, erasable', async () => {
    const { store, records } = opened;
    await put(store, [newMemory({ id: 'b' }), newMemory({ id: 'c' })]);
    for await (const keys of bodies.keys()) await bodies.erase(keys);
    await expect(getOne(store, 'a')).rejects.toMatchObject(because('CHECKSUM_MISMATCH'));
    await expect(
      store.write({ kind: 'update', namespace: SPACE, id: 'a', changes: { tags: ['x'] }, atUs: NOW_US }),
    ).rejects.toMatchObject(because('CHECKSUM_MISMATCH'));
    await put(store, [newMemory({ id: 'a', text: 'anew' })], { onConflict: 'replace' });
    expect(await textOf(opened, 'a')).toBe('anew');
    await remove(opened, ['b']);
    await lower(opened, 'c');
    await expect(getOne(store, 'c')).rejects.toMatchObject(because('CHECKSUM_MISMATCH'));
    await records.settled();
    expect(await textsIn(bodies)).toEqual(['anew']);
    await opened.close();
  });

  it('the text cannot be stored › the write fails, and nothing of it is there', async () => {
    const { store, records } = opened;
    const before = records.revision;
    bodies.failing = new Error('the store is away');
    await expect(put(store, [newMemory({ id: 'b' })])).rejects.toThrow('the store is away');
    expect(await query('SELECT id FROM memory')).toEqual([{ id: 'a' }]);
    expect(records.revision).toBe(before);
    await remove(opened, ['a']);
    bodies.failing = undefined;
    await put(store, [newMemory({ id: 'b', text: 'again' })]);
    expect(await textOf(opened, 'b')).toBe('again');
    await opened.close();
  });
});

describe('two servers', () => {
  it('one new id in two tiers at the same time › one is stored, and the other is refused', async () => {
    const [one, other] = [
      await openRecords({ url: server.url, schema }),
      await openRecords({ url: server.url, schema }),
    ];
    await expectOneOf(one.store, other.store);
    await one.close();
    await other.close();
    expect(await brokenRules(server.url, schema)).toEqual([]);
  });

  it('the same, with texts of upper tiers in Redis › the refused text is erased there', async () => {
    const redis = await RedisServer.started();
    const { bodies, close } = await openRedisBodies([redis.url]);
    const open = () => openRecords({ url: server.url, schema, bodies: externalBodies(bodies) });
    const [one, other] = [await open(), await open()];
    await expectOneOf(one.store, other.store);
    await one.records.settled();
    await other.records.settled();
    expect((await textsIn(bodies)).length).toBe((await textsInRows()).filter((text) => text === '').length);
    await one.close();
    await other.close();
    expect(await brokenRules(server.url, schema)).toEqual([]);
    await close();
    await redis.stop();
  });
});

describe('texts in a Redis that fails', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'always' });
  });
  afterAll(() => redis.stop());

  it('killed › writes of upper tiers fail, deletions work; back › all texts, and what was erased is erased there', async () => {
    const { bodies, close } = await openRedisBodies([redis.url]);
    const opened = await openRecords({ url: server.url, schema, bodies: externalBodies(bodies) });
    const { store, records, failures } = opened;
    await put(store, [newMemory({ id: 'a', text: 'one' }), newMemory({ id: 'b', text: 'two' })]);
    await put(store, [newMemory({ id: 'long', text: 'in PostgreSQL', ...IN_LONG_TERM })]);
    await redis.kill();
    const isAway = { ...because('STORAGE_UNAVAILABLE'), metadata: { backend: 'redis' } };
    await expect(put(store, [newMemory({ id: 'c' })])).rejects.toMatchObject(isAway);
    await expect(getOne(store, 'a')).rejects.toMatchObject(isAway);
    expect(await textOf(opened, 'long')).toBe('in PostgreSQL');
    await remove(opened, ['b']);
    await records.settled();
    await redis.start();
    // A Redis that has failed is left alone for a moment.
    await until('Redis answers', () => getOne(store, 'a').then(Boolean, () => false));
    await put(store, [newMemory({ id: 'c', text: 'three' })]);
    expect(await textOf(opened, 'a')).toBe('one');
    await remove(opened, ['long']);
    await records.settled();
    expect(await textsIn(bodies)).toEqual(['one', 'three']);
    expect(failures).toMatchObject([isAway]);
    expect(await brokenRules(server.url, schema)).toEqual([]);
    await opened.close();
    await close();
  });
});
