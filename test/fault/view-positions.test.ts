import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogPlace } from '../../src/storage/change-log/change-log.ts';
import type { ListPosition } from '../../src/storage/records.ts';
import { idsOf, listRead, NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords, type RecordsOfTest } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom } from '../support/random.ts';
import { openViewedStore, type ViewedStoreOfTest } from '../support/viewed-store.ts';
import { many } from './view-of-test.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

const going = new AbortController().signal;
const trimAll = ({ records }: RecordsOfTest) =>
  records.trimLogs({ countMax: 0, bytesMax: 1e12, ageMaxMs: 1e14 }, going);
const erase = ({ store }: RecordsOfTest, ...ids: string[]) =>
  store.write({ kind: 'delete', namespace: SPACE, ids, cause: 'deleted', mustExist: true, atUs: NOW_US });
const update = ({ store }: RecordsOfTest, id: string, importance: number) =>
  store.write({ kind: 'update', namespace: SPACE, id, changes: { importance }, atUs: NOW_US });
const putAll = (writer: RecordsOfTest, ...ids: string[]) =>
  put(
    writer.store,
    ids.map((id) => newMemory({ id })),
  );

let schemas = 0;

/** A writer, and views that begin when they are opened. */
async function withViews(
  work: (writer: RecordsOfTest, newView: () => Promise<ViewedStoreOfTest>) => Promise<void>,
): Promise<void> {
  const place = { url: server.url, schema: `positions_${++schemas}` };
  const writer = await openRecords(place);
  const views: ViewedStoreOfTest[] = [];
  const newView = async (): Promise<ViewedStoreOfTest> => {
    const view = await openViewedStore(place);
    views.push(view);
    await view.store.follower.catchUp(SPACE);
    return view;
  };
  try {
    await work(writer, newView);
  } finally {
    for (const { close } of views) await close();
    await writer.close();
  }
  expect([...writer.failures, ...views.flatMap(({ failures }) => failures)]).toEqual([]);
}

/** Lists the namespace with each page at the next one of the views. */
async function idsByTurns(views: readonly ViewedStoreOfTest[], limit: number): Promise<string[]> {
  const ids: string[] = [];
  let after: ListPosition | undefined;
  for (let page = 0; page === 0 || after; page++) {
    const view = views[page % views.length] as ViewedStoreOfTest;
    const { memories, next } = await view.store.list(listRead({ limit, after }));
    ids.push(...memories.map(({ id }) => id));
    after = next;
  }
  return ids;
}

describe('positions in lists at views that were built at different times', () => {
  it('a memory was updated and erased behind the cut of the log › pages go on exactly at either view', async () => {
    await withViews(async (writer, newView) => {
      await putAll(writer, 'a', 'b', 'c');
      const early = await newView();
      await trimAll(writer);
      await update(writer, 'b', 0.9);
      await erase(writer, 'b');
      await putAll(writer, 'd', 'e', 'f');
      const late = await newView();
      for (const limit of [1, 2, 3]) {
        expect(await idsByTurns([early, late], limit)).toEqual(['a', 'c', 'd', 'e', 'f']);
        expect(await idsByTurns([late, early], limit)).toEqual(['a', 'c', 'd', 'e', 'f']);
      }
    });
  });

  it('any writes and cuts › pages go on exactly at all views', async () => {
    const random = seededRandom('view positions');
    for (let round = 0; round < 4; round++) {
      await withViews(async (writer, newView) => {
        await putAll(writer, 'first');
        const views = [await newView()];
        for (let turn = 0; turn < 60; turn++) {
          const ids = await idsOf(writer.store);
          const kind = random.pick(['put', 'put', 'put', 'update', 'erase', 'again', 'cut', 'view', 'read']);
          if (kind === 'put')
            await putAll(writer, ...Array.from({ length: 1 + random.int(4) }, (_, at) => `${turn}-${at}`));
          if (kind === 'update' && ids.length > 0) await update(writer, random.pick(ids), turn / 100);
          if (kind === 'erase' && ids.length > 1) await erase(writer, random.pick(ids));
          if (kind === 'again' && ids.length > 1) {
            const id = random.pick(ids);
            await update(writer, id, turn / 200);
            await erase(writer, id);
            await putAll(writer, id);
          }
          if (kind === 'cut') await trimAll(writer);
          if (kind === 'view' && views.length < 5) views.push(await newView());
          if (kind === 'read') await random.pick(views).store.follower.catchUp(SPACE);
        }
        views.push(await newView());
        const expected = await idsOf(writer.store);
        for (const limit of [1, 3]) expect(await idsByTurns(views, limit)).toEqual(expected);
      });
    }
  }, 120_000);
});

async function placeAtEnd({ streams }: ViewedStoreOfTest): Promise<LogPlace> {
  return streams.place(await streams.watchedNamespace(SPACE), streams.revision);
}

/** Ids of the memories whose deletions a reader gets that goes on behind the place. */
async function deletionsAfter({ streams }: ViewedStoreOfTest, place: LogPlace): Promise<string[]> {
  const namespace = await streams.watchedNamespace(SPACE);
  const afterRevision = await streams.revisionAt(namespace, place);
  const { changes } = await streams.readChanges({ namespace, afterRevision, limit: 1000, bytesMax: 1e9 });
  return changes.filter(({ kind }) => kind === 'deleted').map(({ id }) => id);
}

describe('a stream that goes on at a view that was built later', () => {
  it('memories that were erased before the view was built › it gets their deletions, also far behind their entries', async () => {
    await withViews(async (writer, newView) => {
      await put(writer.store, many(600));
      const early = await newView();
      const place = await placeAtEnd(early);
      await erase(writer, 'm3', 'm590');
      await putAll(writer, 'later');
      const late = await newView();
      expect(await deletionsAfter(late, place)).toEqual(['m3', 'm590']);
    });
  });

  it('the entries of the erased memories are cut from the log › it gets their deletions', async () => {
    await withViews(async (writer, newView) => {
      await putAll(writer, 'a', 'b', 'c');
      await trimAll(writer);
      const early = await newView();
      const place = await placeAtEnd(early);
      await erase(writer, 'b');
      const late = await newView();
      expect(await deletionsAfter(late, place)).toEqual(['b']);
    });
  });
});
