import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { TIERS } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import type { LoggedRecords } from '../../src/storage/record-log.ts';
import { idsOf, NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { LOW } from '../storage/conformance/tier-store/moving.ts';
import { sized } from '../support/all-tests.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords, projectionOf } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom } from '../support/random.ts';
import { openViewedStore, type ViewedStoreOfTest } from '../support/viewed-store.ts';

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-views-'));
  server = await PostgresServer.started({ parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
  await rm(folder, { recursive: true });
});

const TURNS = sized({ sample: 15, nightly: 40 });
/** As many entries as a view follows in one step. */
const PAGE_ENTRIES = 500;

let schemas = 0;
const newSchema = (): string => `views_${++schemas}`;
const list = {
  namespace: SPACE,
  order: 'create_time_asc',
  limit: 1000,
  bytesMax: 1e9,
  view: 'full',
  nowUs: NOW_US,
} as const;

async function closed(...stores: readonly ViewedStoreOfTest[]): Promise<void> {
  for (const { close } of stores) await close();
  for (const { failures } of stores) expect(failures).toEqual([]);
}

describe('views of the records of several servers', () => {
  it('any writes at two servers › each view has at once what the records have', async () => {
    const schema = newSchema();
    const random = seededRandom('viewed store');
    const stores = [
      await openViewedStore({ url: server.url, schema }),
      await openViewedStore({ url: server.url, schema }),
    ];
    const [one] = stores;
    if (!one) throw new Error('no store');
    const reference = projectionOf(one.records);
    const ids = Array.from({ length: 8 }, (_, at) => `m${at}`);
    await put(one.store, []);
    for (let turn = 0; turn < TURNS; turn++) {
      const { store } = random.pick(stores);
      const id = random.pick(ids);
      const kind = random.pick(['store', 'store', 'move', 'update', 'delete', 'touch', 'embed', 'drop']);
      const embedding = { model: 'm', values: Float32Array.of(turn + 1) };
      const vector = random.pick([{}, { embedding }, { embeddingPending: true }]);
      const memory = newMemory({ id, text: `text ${turn} `.repeat(30), createdAtUs: turn, ...vector });
      const [there] = await store.get({ namespace: SPACE, ids: [id], view: 'metadata', nowUs: NOW_US });
      if (kind === 'store') await put(store, [memory], { onConflict: 'replace' });
      if (kind === 'move') {
        const to = random.pick(TIERS);
        const resolution = to === 'short_term' ? FULL_RESOLUTION : LOW;
        await store.write({ kind: 'move', namespace: SPACE, ids: [id], to, resolution, atUs: NOW_US });
      }
      if (kind === 'update' && there)
        await store.write({
          kind: 'update',
          namespace: SPACE,
          id,
          changes: { importance: turn / TURNS },
          atUs: NOW_US,
        });
      if (kind === 'touch') await store.write({ kind: 'touch', namespace: SPACE, ids: [id], atUs: NOW_US + turn });
      if (kind === 'embed' && there) {
        await store.write({
          kind: 'setEmbeddings',
          atUs: NOW_US,
          namespace: SPACE,
          vectors: [{ id, checksum: there.checksum, embedding }],
        });
      }
      if (kind === 'delete')
        await store.write({
          kind: 'delete',
          namespace: SPACE,
          ids: [id],
          cause: 'deleted',
          mustExist: false,
          atUs: NOW_US,
        });
      if (kind === 'drop' && turn % 7 === 0) {
        await store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
        await put(store, [memory]);
      }
      const expected = await reference.list(list);
      const isAllChecked = turn % 5 === 0;
      for (const each of isAllChecked ? stores : [random.pick(stores)]) {
        expect([turn, kind, await each.store.list(list)]).toEqual([turn, kind, expected]);
        if (!isAllChecked) continue;
        const [counts, referred] = [await each.store.statistics(SPACE), await reference.statistics(SPACE)];
        const { memoryCount, contentBytes, embeddedCount, embeddingPendingCount } = referred;
        expect(counts).toMatchObject({ memoryCount, contentBytes, embeddedCount, embeddingPendingCount });
      }
    }
    await closed(...stores);
  }, 120_000);

  it('many reads while others write › one step of a namespace at a time, and each read has what was acknowledged', async () => {
    let [running, most, steps] = [0, 0, 0];
    const around = (records: LoggedRecords): LoggedRecords =>
      new Proxy(records, {
        get: (target, name) => {
          const value = Reflect.get(target, name, target) as unknown;
          if (typeof value !== 'function') return value;
          if (name !== 'changes') return (value as (...args: unknown[]) => unknown).bind(target);
          return async (read: Parameters<LoggedRecords['changes']>[0]) => {
            steps++;
            most = Math.max(most, ++running);
            return target.changes(read).finally(() => running--);
          };
        },
      });
    const schema = newSchema();
    const one = await openViewedStore({ url: server.url, schema, around });
    const other = await openRecords({ url: server.url, schema });
    let stored = 0;
    const write = async () => {
      for (let turn = 0; turn < 20; turn++) {
        await put(other.store, [newMemory({ id: `m${turn}` })]);
        stored = turn + 1;
      }
    };
    const read = async () => {
      for (let turn = 0; turn < 20; turn++) {
        const least = stored;
        if (least > 0) expect((await idsOf(one.store)).length).toBeGreaterThanOrEqual(least);
        else await one.store.list(list).catch(() => undefined);
      }
    };
    /** Begins each step in the moment in which the one before ends. */
    const followOn = async () => {
      for (let turn = 0; turn < 50; turn++) await one.store.follower.catchUp(SPACE);
    };
    await put(other.store, []);
    await Promise.all([write(), read(), read(), followOn(), followOn(), followOn()]);
    expect(most).toBe(1);
    expect(steps).toBeGreaterThan(1);
    await closed(one);
    await other.close();
  });

  it('a view that is deleted, or was behind for long › made anew, or brought to the end', async () => {
    const schema = newSchema();
    const kept = join(folder, 'kept');
    const first = await openViewedStore({ url: server.url, schema, folder: kept });
    const memories = Array.from({ length: 700 }, (_, at) => newMemory({ id: `m${at}`, createdAtUs: at }));
    await put(first.store, memories.slice(0, 300));
    expect(await idsOf(first.store)).toHaveLength(300);
    await closed(first);
    const other = await openViewedStore({ url: server.url, schema });
    await put(other.store, memories.slice(300));
    await other.store.write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['m0'],
      cause: 'deleted',
      mustExist: true,
      atUs: NOW_US,
    });
    const again = await openViewedStore({ url: server.url, schema, folder: kept });
    const anew = await openViewedStore({ url: server.url, schema });
    const expected = memories.slice(1).map(({ id }) => id);
    for (const { store } of [other, again, anew]) expect(await idsOf(store)).toEqual(expected);
    await closed(other, again, anew);
  });

  it('a memory that is erased before a view follows its changes › the log of the view has all of them, in their states or without', async () => {
    const schema = newSchema();
    const [writer, reader] = [
      await openViewedStore({ url: server.url, schema }),
      await openViewedStore({ url: server.url, schema }),
    ];
    await put(writer.store, [newMemory({ id: 'known', text: 'first' })]);
    await reader.store.list(list);
    const { records } = writer;
    for (const id of ['known', 'gone']) {
      if (id === 'gone') await put(records, [newMemory({ id, text: 'first' })]);
      await records.write({ kind: 'update', namespace: SPACE, id, changes: { text: 'second' }, atUs: NOW_US });
      await records.write({
        kind: 'delete',
        namespace: SPACE,
        ids: [id],
        cause: 'deleted',
        mustExist: true,
        atUs: NOW_US,
      });
    }
    const late = await openViewedStore({ url: server.url, schema });
    for (const { store, streams } of [reader, late]) {
      await store.list(list);
      const namespace = await streams.watchedNamespace(SPACE);
      const { changes } = await streams.readChanges({ namespace, afterRevision: 0, limit: 100, bytesMax: 1e9 });
      const told = changes.filter(({ id }) => id === 'known' || id === 'gone');
      const kinds = ['stored', 'updated', 'deleted'];
      expect(told.map(({ kind, id }) => `${id} ${kind}`)).toEqual(
        ['known', 'gone'].flatMap((id) => kinds.map((kind) => `${id} ${kind}`)),
      );
      expect(told.flatMap(({ memory }) => memory?.text ?? [])).toEqual([]);
    }
    await closed(writer, reader, late);
  });

  it('a memory that is stored on one page of the log and deleted on a later one › a view that follows both has its deletion, once', async () => {
    const schema = newSchema();
    const writer = await openViewedStore({ url: server.url, schema });
    const { records } = writer;
    await put(records, [newMemory({ id: 'gone', text: 'first' })]);
    await put(
      records,
      Array.from({ length: PAGE_ENTRIES }, (_, at) => newMemory({ id: `m${at}` })),
    );
    await records.write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['gone'],
      cause: 'deleted',
      mustExist: true,
      atUs: NOW_US,
    });
    await put(records, [newMemory({ id: 'gone', text: 'second' })]);
    const late = await openViewedStore({ url: server.url, schema });
    await late.store.list(list);
    const namespace = await late.streams.watchedNamespace(SPACE);
    const { changes } = await late.streams.readChanges({ namespace, afterRevision: 0, limit: 2000, bytesMax: 1e9 });
    const told = changes.filter(({ id }) => id === 'gone').map(({ kind, memory }) => [kind, memory?.text]);
    expect(told).toEqual([
      ['stored', undefined],
      ['deleted', undefined],
      ['stored', 'second'],
    ]);
    await closed(writer, late);
  });

  it('a namespace that another server has deleted › gone from the view, also from the sums of all', async () => {
    const schema = newSchema();
    const [one, other] = [
      await openViewedStore({ url: server.url, schema }),
      await openViewedStore({ url: server.url, schema }),
    ];
    await put(one.store, [newMemory({ id: 'a' })]);
    await put(one.store, [newMemory({ id: 'a' })], { namespace: 'stays' });
    expect((await other.store.statistics()).memoryCount).toBe(2);
    await one.store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
    expect(await other.store.statistics()).toMatchObject({ memoryCount: 1, namespaceCount: 1 });
    await expect(other.store.list(list)).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    await closed(one, other);
  });
});

describe('followers of records', () => {
  it('another server writes › named soon, also after PostgreSQL was killed', async () => {
    const schema = newSchema();
    const one = await openRecords({ url: server.url, schema });
    const other = await openRecords({ url: server.url, schema });
    const waiting = new Map<string, () => void>();
    const named = new Set<string>();
    const stop = one.records.follow((name) => {
      named.add(name);
      waiting.get(name)?.();
    });
    const isNamed = (name: string) =>
      named.has(name) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(name, resolve));
    await put(other.store, [newMemory({ id: 'a' })], { namespace: 'before' });
    await isNamed('before');
    await server.kill();
    await server.start();
    await put(other.store, [newMemory({ id: 'a' })], { namespace: 'after' });
    await isNamed('after');
    stop();
    await one.close();
    await other.close();
  });

  it('follow ended while PostgreSQL is away › the store closes', async () => {
    const one = await openRecords({ url: server.url, schema: newSchema() });
    const stop = one.records.follow(() => undefined);
    await server.kill();
    stop();
    await one.close();
    await server.start();
  });
});

describe('writes of records that wait', () => {
  it('200 at once › a few transactions', async () => {
    const schema = newSchema();
    const { store, close } = await openRecords({ url: server.url, schema });
    await put(store, [newMemory({ id: 'first' })]);
    await Promise.all(Array.from({ length: 200 }, (_, at) => put(store, [newMemory({ id: `m${at}` })])));
    const client = new Client(server.url);
    await client.connect();
    const { rows } = await client.query(`SELECT DISTINCT xmin::text FROM ${schema}.memory`);
    await client.end();
    expect(rows.length).toBeLessThanOrEqual(3);
    await close();
  });

  it('more than the queue takes › refused with QUEUE_FULL; the others are stored', async () => {
    const { store, close } = await openRecords({ url: server.url, schema: newSchema(), queue: { queueMax: 3 } });
    await put(store, [newMemory({ id: 'first' })]);
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, (_, at) => put(store, [newMemory({ id: `m${at}` })])),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toMatchObject([{ reason: 'QUEUE_FULL' }, { reason: 'QUEUE_FULL' }]);
    expect(await store.count({ namespace: SPACE, nowUs: NOW_US })).toEqual(new Map([['short_term', 4]]));
    await close();
  });
});
