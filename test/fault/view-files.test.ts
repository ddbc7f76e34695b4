import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BatchStoreMemoriesRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { freshNamespace } from '../server/grpc/support/memories.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openViewedStore } from '../support/viewed-store.ts';
import { Replica } from './replicas.ts';
import { EVERYTHING, evictAll } from './view-of-test.ts';

const EVICTING_CHILD = fileURLToPath(new URL('view-evict-child.ts', import.meta.url));
const schema = 'view_files';
let postgres: PostgresServer;
let place: { readonly url: string; readonly schema: string };
/** Of a server that has recalled from a namespace, and has stopped. */
let recalled: string;

beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  place = { url: postgres.url, schema };
  const replica = await Replica.startWith(postgres.envOf(schema));
  const { memories, recalls } = replica.clients;
  const parent = freshNamespace();
  for (let from = 0; from < 1200; from += 400) {
    const requests = Array.from({ length: 400 }, (_, at) => ({ parent, memory: { text: `lamp ${from + at}` } }));
    await ask(memories, memories.batchStoreMemories, BatchStoreMemoriesRequest.fromPartial({ parent, requests }));
  }
  await ask(recalls, recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'lamp 7' }));
  await replica.terminate();
  recalled = replica.data;
}, 120_000);
afterAll(async () => {
  await rm(recalled, { recursive: true, force: true });
  await postgres.stop();
  postgres.remove();
});

/** Works on a copy of the folder of the server. */
async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-view-files-'));
  try {
    await cp(recalled, folder, { recursive: true });
    expect(await filesIn(folder)).not.toEqual([]);
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const all = await Promise.all(
    ['vectors', 'texts', 'columns', 'graphs'].map(async (name) => {
      const files = await readdir(join(folder, name), { recursive: true }).catch(() => []);
      return files.map((file) => join(name, file));
    }),
  );
  return all.flat();
}

describe('files of indexes of a namespace that is evicted', () => {
  it('no search thread has it in memory › its files go with it, and do not count', async () => {
    await withFolder(async (folder) => {
      const { store, view, close, failures } = await openViewedStore({ ...place, folder, ...EVERYTHING });
      const full = (await view.space()).bytes;
      await evictAll(store);
      await store.budget.look();
      expect(await filesIn(folder)).toEqual([]);
      expect((await view.space()).bytes).toBeLessThan(full);
      await close();
      expect(failures).toEqual([]);
    });
  });

  it('the process is killed before they are deleted › the next start deletes them', async () => {
    await withFolder(async (folder) => {
      const child = spawn(process.execPath, [EVICTING_CHILD, place.url, place.schema, folder], { stdio: 'inherit' });
      expect((await once(child, 'close'))[1]).toBe('SIGKILL');
      expect(await filesIn(folder)).not.toEqual([]);
      const { store, close, failures } = await openViewedStore({ ...place, folder });
      expect(store.viewState.namespaceCount).toBe(0);
      expect(await filesIn(folder)).toEqual([]);
      await close();
      expect(failures).toEqual([]);
    });
  });

  it('they cannot be deleted › namespaces are evicted all the same, and the failure is noted', async () => {
    await withFolder(async (folder) => {
      const { store, view, close, failures } = await openViewedStore({ ...place, folder, ...EVERYTHING });
      const refused = new Error('EACCES');
      view.dropFilesOfDeleted = () => Promise.reject(refused);
      await evictAll(store);
      expect(store.viewState.namespaceCount).toBe(0);
      await close();
      expect(new Set(failures)).toEqual(new Set([refused]));
    });
  });

  it('their folder cannot be read when a data folder is opened › it is opened, and the failure is noted', async () => {
    await withFolder(async (folder) => {
      await rm(join(folder, 'graphs'), { recursive: true, force: true });
      await writeFile(join(folder, 'graphs'), '');
      const kept: unknown[] = [];
      const store = await openSqliteStore({ folder, onFilesKept: (error) => kept.push(error) });
      await store.close();
      expect(kept).toEqual([expect.objectContaining({ code: 'ENOTDIR' })]);
    });
  });

  it('the view is opened, and nothing is evicted › its files stay', async () => {
    await withFolder(async (folder) => {
      const before = await filesIn(folder);
      const { store, close, failures } = await openViewedStore({ ...place, folder });
      await store.budget.look();
      expect(await filesIn(folder)).toEqual(before);
      await close();
      expect(failures).toEqual([]);
    });
  });
});
