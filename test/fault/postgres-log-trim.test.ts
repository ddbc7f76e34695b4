import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import type { LoggedRecords } from '../../src/storage/record-log.ts';
import { NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { projectionOf } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openViewedStore, type ViewedStoreOfTest } from '../support/viewed-store.ts';
import { brokenRules } from './postgres-rules.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

const NO_LIMIT = { countMax: 1e9, bytesMax: 1e12, ageMaxMs: 1e14 };
const going = new AbortController().signal;
const LIST = {
  namespace: SPACE,
  order: 'create_time_asc',
  limit: 1000,
  bytesMax: 1e9,
  view: 'full',
  nowUs: 0,
} as const;

let schemas = 0;
const newSchema = () => `trim_${++schemas}`;

async function withView(
  schema: string,
  work: (opened: ViewedStoreOfTest) => Promise<void>,
  options: Partial<Parameters<typeof openViewedStore>[0]> = {},
): Promise<void> {
  const opened = await openViewedStore({ url: server.url, schema, ...options });
  try {
    await work(opened);
  } finally {
    await opened.close();
  }
  expect(await brokenRules(server.url, schema)).toEqual([]);
}

const update = ({ store }: ViewedStoreOfTest, id: string, importance: number) =>
  store.write({ kind: 'update', namespace: SPACE, id, changes: { importance }, atUs: NOW_US });

/** Compares the lists and the totals of the view with the records. */
async function expectWhole({ store, records }: ViewedStoreOfTest): Promise<void> {
  const truth = projectionOf(records);
  expect((await store.list(LIST)).memories).toEqual((await truth.list(LIST)).memories);
  expect(await store.count({ namespace: SPACE, nowUs: 0 })).toEqual(await truth.count({ namespace: SPACE, nowUs: 0 }));
  for (const tier of ['short_term', 'long_term'] as const) {
    const read = { namespace: SPACE, tier, limit: 1000 };
    const ids = async ({ members }: Pick<typeof store, 'members'>) => (await members(read)).map(({ id }) => id).sort();
    expect(await ids({ members: (one) => store.members(one) })).toEqual(await ids(truth));
  }
}

const trimAll = ({ records }: ViewedStoreOfTest) => records.trimLogs({ ...NO_LIMIT, countMax: 0 }, going);

describe('a log that is cut', () => {
  it('a new view › is made from copies and the rest of the log', async () => {
    const schema = newSchema();
    await withView(schema, async (first) => {
      const { store, records } = first;
      await put(
        store,
        ['a', 'b', 'c', 'd'].map((id) => newMemory({ id, text: id })),
      );
      await update(first, 'b', 0.9);
      await store.write({
        kind: 'delete',
        namespace: SPACE,
        ids: ['c'],
        cause: 'deleted',
        mustExist: true,
        atUs: NOW_US,
      });
      expect(await trimAll(first)).toBeGreaterThan(5);
      await update(first, 'd', 0.7);
      await store.write({
        kind: 'move',
        namespace: SPACE,
        ids: ['a'],
        to: 'long_term',
        resolution: FULL_RESOLUTION,
        atUs: NOW_US,
      });
      await put(store, [newMemory({ id: 'e' })]);
      await expectWhole(first);
      await withView(schema, async (second) => {
        await expectWhole(second);
        const past = await second.store.revisions({ namespace: SPACE, id: 'd', limit: 9, nowUs: NOW_US });
        expect(past).toEqual(await records.revisions({ namespace: SPACE, id: 'd', limit: 9, nowUs: NOW_US }));
        // The rest of the log is in it, change by change.
        const changes = await changesOf(second);
        expect(changes.filter(({ origin }) => origin !== undefined).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
          'updated d',
          'moved a',
          'stored e',
        ]);
      });
    });
  });

  it('a view that is behind the cut › gets what changed, loses what was erased, its readers a notice', async () => {
    const schema = newSchema();
    const folder = await mkdtemp(join(tmpdir(), 'mneme-trim-'));
    await withView(schema, async (first) => {
      const { store, records } = first;
      await put(
        store,
        ['a', 'b', 'c', 'd', 'e'].map((id) => newMemory({ id, embeddingPending: true })),
      );
      await withView(schema, expectWhole, { folder });
      await update(first, 'a', 0.9);
      await store.write({
        kind: 'move',
        namespace: SPACE,
        ids: ['b'],
        to: 'long_term',
        resolution: FULL_RESOLUTION,
        atUs: NOW_US,
      });
      await store.write({ kind: 'touch', namespace: SPACE, ids: ['b'], atUs: NOW_US + 5 });
      const [memory] = await records.get({ namespace: SPACE, ids: ['d'], view: 'full', nowUs: NOW_US });
      const embedding = { model: 'm', values: Float32Array.of(1, 2) };
      await store.write({
        kind: 'setEmbeddings',
        atUs: NOW_US,
        namespace: SPACE,
        vectors: [{ id: 'd', checksum: memory?.checksum ?? '', embedding }],
      });
      await store.write({
        kind: 'delete',
        namespace: SPACE,
        ids: ['c'],
        cause: 'deleted',
        mustExist: true,
        atUs: NOW_US,
      });
      await trimAll(first);
      await store.write({
        kind: 'delete',
        namespace: SPACE,
        ids: ['e'],
        cause: 'deleted',
        mustExist: true,
        atUs: NOW_US,
      });
      await put(store, [newMemory({ id: 'c', text: 'again' })]);
      await withView(
        schema,
        async (behind) => {
          await expectWhole(behind);
          const kinds = (await changesOf(behind)).slice(6).map(({ kind, id }) => `${kind} ${id}`);
          expect(kinds[0]).toBe(`gap ${SPACE}`);
          // An entry that is still in the log is delivered as such, once.
          expect(kinds.filter((text) => text === 'deleted e')).toHaveLength(1);
        },
        { folder },
      );
    });
    await rm(folder, { recursive: true });
  });

  it('the process ends between any two steps of the copies › the next start repeats them', async () => {
    const schema = newSchema();
    await withView(schema, async (first) => {
      await put(
        first.store,
        Array.from({ length: 150 }, (_, at) => newMemory({ id: `m${at}` })),
      );
      await trimAll(first);
      await update(first, 'm0', 0.9);
      for (let failing = 1, isOver = false; !isOver; failing++) {
        const folder = await mkdtemp(join(tmpdir(), 'mneme-trim-'));
        let calls = 0;
        const around = (records: LoggedRecords): LoggedRecords =>
          new Proxy(records, {
            get: (target, name) => {
              const value = Reflect.get(target, name, target) as unknown;
              if (typeof value !== 'function') return value;
              const counted = ['changes', 'copies', 'loggedIds'].includes(String(name));
              return (...args: unknown[]) => {
                if (counted && ++calls === failing) throw new Error('ended here');
                return (value as (...all: unknown[]) => unknown).apply(target, args);
              };
            },
          });
        const broken = await openViewedStore({ url: server.url, schema, folder, around });
        const outcome = await broken.store.follower.catchUp(SPACE).catch((error: Error) => error.message);
        isOver = outcome === undefined;
        if (!isOver) expect(outcome).toBe('ended here');
        await broken.close();
        await withView(schema, expectWhole, { folder });
        await rm(folder, { recursive: true });
      }
    });
  }, 120_000);

  it('limits of count, size and age › the oldest entries go, each log keeps its part', async () => {
    await withView(newSchema(), async ({ store, records }) => {
      const entry = (namespace: string, at: number) =>
        put(store, [newMemory({ id: `m${at}` })], { namespace, atUs: at * 1_000_000 });
      for (let at = 0; at < 30; at++) await entry(SPACE, at);
      for (let at = 0; at < 10; at++) await entry('other', at);
      const lengths = async () =>
        Promise.all(
          [SPACE, 'other'].map(async (namespace) => {
            const all = await records.changes({ namespace });
            const since = { epoch: all.epoch, position: String(all.cut ?? 0) };
            return (await records.changes({ namespace, since })).entries.length;
          }),
        );
      const [whole = 0, small = 0] = await lengths();
      expect(await records.trimLogs(NO_LIMIT, going)).toBe(0);
      await records.trimLogs({ ...NO_LIMIT, countMax: (whole + 1 + small + 1) / 2 }, going);
      expect(await lengths()).toEqual([Math.floor(whole / 2), Math.floor(small / 2)]);
      await records.trimLogs({ ...NO_LIMIT, bytesMax: 0 }, going);
      expect(await lengths()).toEqual([0, 0]);
      const stopped = new AbortController();
      stopped.abort();
      await entry(SPACE, 100);
      expect(await records.trimLogs({ ...NO_LIMIT, countMax: 0 }, stopped.signal)).toBe(0);
      // Its entries are decades old by the clock of the store.
      expect(await records.trimLogs({ ...NO_LIMIT, ageMaxMs: 1000 }, going)).toBe(1);
      await put(store, [newMemory({ id: 'new' })], { atUs: Date.now() * 1000 + 3_600_000_000 });
      expect(await records.trimLogs({ ...NO_LIMIT, ageMaxMs: 1000 }, going)).toBe(0);
    });
  });
});

describe('a step of the log', () => {
  it('memories of many bytes › a step ends before it has all of them, and the next one goes on', async () => {
    await withView(newSchema(), async (opened) => {
      const data = new Uint8Array(2_000_000);
      for (let at = 0; at < 24; at++) {
        await put(opened.store, [
          newMemory({ id: `m${at}`, content: { mediaType: 'application/octet-stream', data } }),
        ]);
      }
      const step = await opened.records.changes({ namespace: SPACE });
      expect(step.hasMore).toBe(true);
      expect(step.memories.length).toBeGreaterThan(5);
      expect(step.memories.length).toBeLessThan(12);
      await opened.store.follower.catchUp(SPACE);
      expect(await opened.store.count({ namespace: SPACE, nowUs: 0 })).toEqual(new Map([['short_term', 24]]));
    });
  });
});

async function changesOf({ store, streams }: ViewedStoreOfTest) {
  await store.follower.catchUp(SPACE);
  const namespace = await streams.watchedNamespace(SPACE);
  return (await streams.readChanges({ namespace, afterRevision: 0, limit: 1000, bytesMax: 1e9 })).changes;
}
