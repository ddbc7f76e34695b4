import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RecallEngine } from '../../src/recall/recall-engine.ts';
import type { HotStore } from '../../src/storage/mirror-store.ts';
import { openReadOnly } from '../../src/storage/sqlite/database.ts';
import { TieredEngine } from '../../src/storage/tiered/engine.ts';
import { NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { longMemory, moveTo } from '../support/moved-memories.ts';
import { aQuery, engineOver } from '../support/recall-fixture.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredSettings, type TieredStoreOfTest } from '../support/tiered-store.ts';

const IDS = ['a', 'b', 'c'];

let server: RedisServer;
let opened: TieredStoreOfTest;
let changes: Gate;
let finds: Gate;
let engine: TieredEngine;
/** Each search of the copies: done when its answer is there. */
let searches: Promise<unknown>[];
let onSearch: () => void;
let moving: ReturnType<typeof moveTo>;
const { closers, serve } = redisOfTest();

/** Blocks calls until they are released. */
class Gate {
  private opening: PromiseWithResolvers<void> | undefined;
  private reached = Promise.withResolvers<void>();

  private passing = 0;

  /** Lets a number of calls pass. Resolves when the next one waits. */
  close(passing = 0): Promise<void> {
    this.passing = passing;
    this.opening = Promise.withResolvers();
    this.reached = Promise.withResolvers();
    return this.reached.promise;
  }
  open(): void {
    this.opening?.resolve();
    this.opening = undefined;
  }
  async pass(): Promise<void> {
    if (!this.opening || this.passing-- > 0) return;
    this.reached.resolve();
    await this.opening.promise;
  }
}

async function open(around?: TieredSettings['around']): Promise<TieredStoreOfTest & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-recall-beside-moves-'));
  closers.push(() => rm(folder, { recursive: true }));
  const store = await openTieredStore({ folder, urls: [server.url], ...(around && { around }) });
  closers.push(() => store.close());
  return { ...store, folder };
}

/** The hot store, whose changes and state are read only on demand. */
const gated: NonNullable<TieredSettings['around']> = ({ hot, cold }) => ({
  cold,
  hot: new Proxy(hot, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'changes') {
        return (read: Parameters<HotStore['changes']>[0]) => changes.pass().then(() => target.changes(read));
      }
      if (name === 'find') return (read: Parameters<HotStore['find']>[0]) => finds.pass().then(() => target.find(read));
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }),
});

/** Three memories are in a move between the tiers of Redis; their copies wait. */
beforeEach(async () => {
  [server, changes, finds, searches] = [await serve(), new Gate(), new Gate(), []];
  onSearch = () => undefined;
  const { folder, ...store } = await open(gated);
  opened = store;
  const database = openReadOnly(folder);
  closers.push(async () => void database.close());
  const local = engineOver(folder, database, []);
  const inner: RecallEngine = {
    textModel: '',
    search: (query) => {
      const found = Promise.resolve().then(() => local.search(query));
      searches.push(found);
      onSearch();
      return found;
    },
    statistics: async () => [],
    close: async () => undefined,
  };
  engine = new TieredEngine({
    engine: inner,
    cold: opened.cold,
    follower: opened.store.follower,
    getNamespace: (name) => opened.store.getNamespace(name),
  });
  await put(opened.store, IDS.map(longMemory));
  await opened.store.follower.catchUp(SPACE);
  const waits = changes.close();
  moving = moveTo(opened.store, 'intermediate', IDS);
  await waits;
  // The first answers decide whether other servers write.
  for (let count = 0; count < 3; count++) expect(await recall()).toEqual(IDS);
  searches = [];
});

const recall = async (): Promise<string[]> => {
  const query = aQuery({ namespace: SPACE, text: 'abstract', nowUs: NOW_US, revision: opened.store.revision });
  const { hits, degraded } = await engine.search(query, new AbortController().signal);
  return [...hits.map(({ id }) => id), ...degraded.map(({ part }) => `without ${part}`)].sort();
};
const searched = () => new Promise<void>((resolve) => (onSearch = resolve));
const letCopiesBeMade = async (): Promise<void> => {
  changes.open();
  expect((await moving).moved).toHaveLength(IDS.length);
};

describe('recall while memories move', () => {
  it('no other change has happened › it does not wait for an unacknowledged move', async () => {
    expect(await recall()).toEqual(IDS);
    await letCopiesBeMade();
  });

  it('Redis is slow › the copies are searched in the meantime, and not again', async () => {
    const asked = finds.close();
    const begun = searched();
    const recalling = recall();
    await Promise.all([asked, begun]);
    await Promise.all(searches);
    finds.open();
    expect(await recalling).toEqual(IDS);
    expect(searches).toHaveLength(1);
    await letCopiesBeMade();
  });

  it('another server has written › an outdated result is not returned, and later searches wait for the copies', async () => {
    const other = await open();
    await put(other.store, [longMemory('d')]);
    const asked = finds.close();
    const first = recall();
    await asked;
    finds.open();
    await finds.close();
    const second = recall();
    finds.open();
    await letCopiesBeMade();
    expect(await Promise.all([first, second])).toEqual([
      [...IDS, 'd'],
      [...IDS, 'd'],
    ]);
    expect(searches).toHaveLength(3);
  });

  it.each([
    ['emptied Redis', false],
    ['deleted the namespace', true],
  ])(
    'another server has %s and stored anew › what is not followed yet is waited for, though revisions begin again',
    async (_, isDeleted) => {
      const other = await open();
      await letCopiesBeMade();
      if (isDeleted) {
        await other.store.getNamespace(SPACE);
        await other.store.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });
      } else await server.command('FLUSHALL');
      await put(other.store, [longMemory('d')]);
      const copied = Promise.withResolvers<void>();
      const isMoving = opened.store.follower.moving(SPACE, () => copied.promise);
      // The first step finds another namespace: its memories come with the next.
      const again = changes.close(1);
      const first = recall();
      await again;
      const asked = finds.close();
      const second = recall();
      await asked;
      finds.open();
      // Redis replies in order, so the reply to this call implies the reply to that one.
      await opened.hot.find({ namespace: SPACE, ids: [], view: 'metadata' });
      await Promise.all(searches);
      changes.open();
      const found = isDeleted ? ['d'] : [...IDS, 'd'];
      expect(await Promise.all([first, second])).toEqual([found, found]);
      copied.resolve();
      await isMoving;
    },
  );

  it('Redis ends before it has answered › an incomplete result is not returned as complete', async () => {
    const asked = finds.close();
    const recalling = recall();
    await asked;
    await server.stop();
    finds.open();
    changes.open();
    await expect(moving).rejects.toMatchObject({ reason: 'STORAGE_UNAVAILABLE' });
    expect(await recalling).toEqual(['without intermediate', 'without short_term']);
  });
});
