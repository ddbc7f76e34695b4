import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { checksumOf } from '../../src/memory/checksum.ts';
import { MnemeError } from '../../src/memory/errors.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import type { Body, StoredBody } from '../../src/storage/body-store.ts';
import { because, getOne, listRead, NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { InMemoryBodies } from '../storage/in-memory/body-store.ts';
import { externalBodies } from '../support/external-bodies.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openViewedStore, type ViewedStoreOfTest } from '../support/viewed-store.ts';
import { brokenRules } from './postgres-rules.ts';

let server: PostgresServer;
let schemas = 0;
let schema: string;
beforeAll(async () => {
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
beforeEach(() => {
  schema = `restored_${++schemas}`;
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

const AWAY = new MnemeError('STORAGE_UNAVAILABLE', 'the store is away', { metadata: { backend: 'redis' } });

/** Loses what it has, is away, and runs work when it is asked what is missing. */
class LosingBodies extends InMemoryBodies {
  isAway = false;
  whenLookedAt: (() => Promise<unknown>) | undefined;
  whenPut: (() => void) | undefined;

  async lose(): Promise<void> {
    for await (const keys of this.keys()) await this.erase(keys);
  }
  override async get(keys: readonly string[]): Promise<(Body | undefined)[]> {
    if (this.isAway) throw AWAY;
    return super.get(keys);
  }
  override async missing(keys: readonly string[]): Promise<string[]> {
    if (this.isAway) throw AWAY;
    const { whenLookedAt } = this;
    const missing = await super.missing(keys);
    this.whenLookedAt = undefined;
    await whenLookedAt?.();
    return missing;
  }
  override async put(bodies: readonly StoredBody[]): Promise<void> {
    if (this.isAway) throw AWAY;
    const { whenPut } = this;
    this.whenPut = undefined;
    whenPut?.();
    await super.put(bodies);
  }
  async texts(): Promise<string[]> {
    const texts: string[] = [];
    for await (const keys of this.keys()) texts.push(...(await this.get(keys)).map((body) => body?.text ?? ''));
    return texts.sort();
  }
}

const content = (json: string) => ({ mediaType: 'application/json', data: Buffer.from(json) });
const IN_HALL = {
  kind: 'comparison',
  target: { kind: 'path', path: ['room'] },
  operator: 'equals',
  values: ['hall'],
  ignoreCase: false,
} as const;
/** Of the texts and the content that are stored before each test. */
const BYTES = 'onetwoin its row{"room":"hall"}'.length;
const textChange = (text: string) => ({ text, checksum: checksumOf(text) });

describe('bodies of the upper tiers that their store has lost', () => {
  let bodies: LosingBodies;
  let opened: ViewedStoreOfTest;
  const open = () => openViewedStore({ url: server.url, schema, bodies: externalBodies(bodies) });
  const others: { close(): Promise<void> }[] = [];
  /** Closed at the end, also of a test that fails. */
  const also = <T extends { close(): Promise<void> }>(other: T): T => {
    others.push(other);
    return other;
  };

  const end = async (other: { close(): Promise<void> }): Promise<void> => {
    others.splice(others.indexOf(other), 1);
    await other.close();
  };

  beforeEach(async () => {
    bodies = new LosingBodies();
    opened = also(await open());
    await put(opened.store, [
      newMemory({ id: 'a', text: 'one', content: content('{"room":"hall"}') }),
      newMemory({ id: 'b', text: 'two' }),
      newMemory({ id: 'long', text: 'in its row', tier: 'long_term' }),
    ]);
    await list(opened);
    await opened.records.settled();
  });

  const list = ({ store }: ViewedStoreOfTest) => store.list(listRead());
  const listed = async (viewed: ViewedStoreOfTest) => (await list(viewed)).memories.map(({ text }) => text);
  const lower = (id: string) =>
    opened.store.write({
      kind: 'move',
      namespace: SPACE,
      ids: [id],
      from: ['short_term', 'intermediate'],
      to: 'long_term',
      resolution: FULL_RESOLUTION,
      atUs: NOW_US,
    });
  const change = (id: string, text: string) =>
    opened.store.write({ kind: 'update', namespace: SPACE, id, changes: textChange(text), atUs: NOW_US });
  const remove = (id: string) =>
    opened.store.write({
      kind: 'delete',
      namespace: SPACE,
      ids: [id],
      cause: 'deleted',
      mustExist: true,
      atUs: NOW_US,
    });
  const looked = async () => {
    opened.records.bodies.look();
    await opened.records.settled();
  };
  const closed = async () => {
    await opened.records.settled();
    expect(opened.failures).toEqual([]);
    expect(await brokenRules(server.url, schema)).toEqual([]);
  };
  afterEach(async () => {
    for (const other of others.splice(0)) await other.close();
  });

  it('read by id › as the view has it, and all of them are put back', async () => {
    await bodies.lose();
    const memory = await getOne(opened.store, 'a');
    expect([memory?.text, String(memory?.content?.data)]).toEqual(['one', '{"room":"hall"}']);
    const states = await opened.store.revisions({ namespace: SPACE, id: 'b', limit: 9, nowUs: NOW_US });
    expect(states.map((state) => [state.memory.text, state.isDamaged])).toEqual([['two', undefined]]);
    await opened.records.settled();
    expect(await bodies.texts()).toEqual(['one', 'two']);
    expect(opened.records.bodies.degraded).toBeUndefined();
    await closed();
  });

  it('nothing is read › a pass puts them back', async () => {
    await bodies.lose();
    await looked();
    expect(await bodies.texts()).toEqual(['one', 'two']);
    await closed();
  });

  it('while it is compared, a text changes, another is erased › the former ones are not put back', async () => {
    await bodies.lose();
    bodies.whenLookedAt = async () => {
      await change('b', 'two, later');
      await remove('a');
    };
    await looked();
    expect(await bodies.texts()).toEqual(['two, later']);
    expect(opened.records.bodies.degraded).toBeUndefined();
    await closed();
  });

  it('while it is put back, a text changes, another is erased › the former ones are erased after that', async () => {
    await bodies.lose();
    let writes: Promise<unknown> | undefined;
    bodies.whenPut = () => {
      writes = Promise.all([change('b', 'two, later'), remove('a')]);
    };
    await looked();
    await writes;
    await opened.records.settled();
    expect(await bodies.texts()).toEqual(['two, later']);
    await closed();
  });

  it('the namespace is deleted meanwhile › nothing is put back', async () => {
    await bodies.lose();
    bodies.whenLookedAt = () => opened.store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
    await looked();
    expect(await bodies.texts()).toEqual([]);
    expect(opened.records.bodies.degraded).toBeUndefined();
    await closed();
  });

  it('a memory leaves the upper tiers › its text comes from the view into its row', async () => {
    await bodies.lose();
    bodies.whenLookedAt = () => lower('a');
    await looked();
    expect(await bodies.texts()).toEqual(['two']);
    expect((await getOne(opened.store, 'a'))?.text).toBe('one');
    await closed();
  });

  it('it has left them at a server without a view › a server with one puts the text into the row', async () => {
    const bare = also(await openRecords({ url: server.url, schema, bodies: externalBodies(bodies) }));
    await bodies.lose();
    const write = { namespace: SPACE, ids: ['a'], from: ['short_term'], to: 'long_term', atUs: NOW_US } as const;
    await bare.store.write({ kind: 'move', ...write, resolution: FULL_RESOLUTION });
    await looked();
    expect((await getOne(bare.store, 'a'))?.text).toBe('one');
    expect(await bodies.texts()).toEqual(['two']);
    await closed();
  });

  it('no view has them › damaged in lists and reads alike, until they are there again', async () => {
    const kept = await stored(bodies);
    await bodies.lose();
    const before = await list(opened);
    await end(opened);
    const other = also(await open());
    expect(await list(other)).toMatchObject({ memories: [{ text: 'in its row' }], damagedIds: ['a', 'b'] });
    expect((await other.store.list(listRead({ view: 'metadata' }))).memories).toHaveLength(3);
    await expect(getOne(other.store, 'a')).rejects.toMatchObject(because('CHECKSUM_MISMATCH'));
    const states = await other.store.revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: NOW_US });
    expect(states.map(({ isDamaged }) => isDamaged)).toEqual([true]);
    await other.records.settled();
    expect(other.records.bodies.degraded).toMatch(/^upper tiers: Redis does not have 2 texts, noticed at \d{4}-.*Z; /);
    await bodies.put(kept);
    other.records.bodies.look();
    await other.records.settled();
    expect(await list(other)).toEqual(before);
    const inHall = await other.store.list(listRead({ filter: IN_HALL }));
    expect(inHall.memories.map(({ id }) => id)).toEqual(['a']);
    expect((await other.store.statistics(SPACE)).contentBytes).toBe(BYTES);
    expect(other.records.bodies.degraded).toBeUndefined();
    expect(other.failures).toEqual([]);
    await closed();
  });

  it('a change is lost that the view does not have yet › not answered as it was before', async () => {
    const bare = also(await openRecords({ url: server.url, schema, bodies: externalBodies(bodies) }));
    await opened.store.follower.end();
    await bare.store.write({
      kind: 'update',
      namespace: SPACE,
      id: 'b',
      changes: textChange('two, later'),
      atUs: NOW_US,
    });
    await bare.records.settled();
    const kept = await stored(bodies);
    await bodies.lose();
    expect(await list(opened)).toMatchObject({
      memories: [{ text: 'one' }, { text: 'in its row' }],
      damagedIds: ['b'],
    });
    await bodies.put(kept);
    await looked();
    expect(await listed(opened)).toEqual(['one', 'two, later', 'in its row']);
    await closed();
  });

  it('the store is away › reads go on, writes of upper tiers fail, and what is new comes when it answers', async () => {
    const bare = also(await openRecords({ url: server.url, schema, bodies: externalBodies(bodies) }));
    await opened.store.follower.end();
    await put(bare.store, [newMemory({ id: 'new', text: 'seen late' })]);
    bodies.isAway = true;
    await expect(put(opened.store, [newMemory({ id: 'c' })])).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
    expect((await getOne(opened.store, 'b'))?.text).toBe('two');
    await expect(getOne(opened.store, 'new')).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
    await remove('a');
    expect(await list(opened)).toMatchObject({
      memories: [{ text: 'two' }, { text: 'in its row' }],
      damagedIds: ['new'],
    });
    await opened.records.settled();
    // The pass has failed, and is tried again.
    expect(opened.failures.splice(0)).not.toEqual([]);
    bodies.isAway = false;
    await looked();
    expect(await listed(opened)).toEqual(['two', 'in its row', 'seen late']);
    expect(opened.records.bodies.degraded).toBeUndefined();
    await closed();
  });

  it('a memory moves between the upper tiers while its body is lost › whole in its tier when it is there again', async () => {
    const kept = await stored(bodies);
    const before = (await list(opened)).memories;
    await end(opened);
    await bodies.lose();
    const other = also(await open());
    await list(other);
    const write = { namespace: SPACE, ids: ['a'], from: ['short_term'], to: 'intermediate', atUs: NOW_US } as const;
    await other.store.write({
      kind: 'move',
      ...write,
      resolution: { ...FULL_RESOLUTION, abstractBytesMax: 256, compressionLevel: 3 },
    });
    expect((await list(other)).damagedIds).toEqual(['a', 'b']);
    await bodies.put(kept);
    other.records.bodies.look();
    await other.records.settled();
    const moved = before.map((memory) => (memory.id === 'a' ? { ...memory, tier: 'intermediate' } : memory));
    expect((await list(other)).memories).toEqual(moved);
    await closed();
  });

  it('a text to be embedded is lost › it waits, and is embedded as it was when it is there again', async () => {
    await put(opened.store, [newMemory({ id: 'late', text: 'to be embedded', embeddingPending: true })]);
    const kept = await stored(bodies);
    await end(opened);
    await bodies.lose();
    const bare = also(await openRecords({ url: server.url, schema, bodies: externalBodies(bodies) }));
    const due = async (nowUs: number) =>
      (await bare.store.pendingEmbeddings({ limit: 9, nowUs })).map(({ text }) => text);
    expect(await due(NOW_US)).toEqual([]);
    await bodies.put(kept);
    expect(await due(NOW_US)).toEqual([]);
    expect(await due(NOW_US + 60_000_000)).toEqual(['to be embedded']);
  });

  it('the setting is taken back after a loss › texts come from the view into PostgreSQL', async () => {
    await bodies.lose();
    opened.records.bodies.begin({ ...externalBodies(bodies), hasUpperTiers: false });
    opened.records.bodies.restoreFrom(opened.store.bodyCopies);
    await opened.records.settled();
    const rows = await query<{ text: string }>('SELECT text FROM memory_body ORDER BY sequence');
    expect(rows.map(({ text }) => text)).toEqual(['one', 'two', 'in its row']);
    await closed();
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
});

async function stored(bodies: InMemoryBodies): Promise<StoredBody[]> {
  const all: StoredBody[] = [];
  for await (const keys of bodies.keys()) {
    const found = await bodies.get(keys);
    for (const [at, key] of keys.entries()) if (found[at]) all.push({ key, body: found[at] });
  }
  return all;
}
