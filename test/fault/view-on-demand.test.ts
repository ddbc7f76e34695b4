import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/memory/clock.ts';
import { messageId } from '../../src/memory/conversation.ts';
import { maintainNamespaces } from '../../src/server/operations/tiers/maintain-namespaces.ts';
import { ReliefPass } from '../../src/server/operations/tiers/relief-pass.ts';
import { runFenced } from '../../src/storage/job-fence.ts';
import type { ListPosition } from '../../src/storage/records.ts';
import {
  because,
  deletionOf,
  idsOf,
  listRead,
  NOW_US,
  put,
  SPACE,
} from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openViewedStore } from '../support/viewed-store.ts';
import { beforeChanges, demotionOf, EVERYTHING, evictAll, evictOne, many, withWriter } from './view-of-test.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

const NO_LIMIT = { countMax: 1e9, bytesMax: 1e12, ageMaxMs: 1e14 };
const going = new AbortController().signal;

let schemas = 0;
const newSchema = (): string => `demand_${++schemas}`;

const withBoth = (options: Parameters<typeof withWriter>[1], work: Parameters<typeof withWriter>[2]) =>
  withWriter({ url: server.url, schema: newSchema() }, options, work);

describe('views of namespaces on demand', () => {
  it('a namespace that nothing has read here › not in the view; with the first read all of it is, and it is followed', async () => {
    const read: string[] = [];
    const reached = Promise.withResolvers<void>();
    let isWatched = false;
    const around = beforeChanges((namespace) => {
      read.push(namespace);
      if (isWatched) reached.resolve();
    });
    await withBoth({ around }, async (writer, { store }) => {
      await put(writer.store, many(3));
      await put(writer.store, many(2), { namespace: 'other' });
      const [memory] = await store.get({ namespace: SPACE, ids: ['m1'], view: 'basic', nowUs: NOW_US });
      expect(memory?.text).toBe('memory m1');
      expect([store.viewState.namespaceCount, read]).toEqual([0, []]);
      expect(await idsOf(store)).toEqual(['m0', 'm1', 'm2']);
      expect(store.viewState).toMatchObject({ namespaceCount: 1, builds: { doneCount: 1, runningCount: 0 } });
      isWatched = true;
      await put(writer.store, [newMemory({ id: 'later' })]);
      await reached.promise;
      expect(new Set(read)).toEqual(new Set([SPACE]));
      expect((await store.statistics()).memoryCount).toBe(6);
      expect(store.viewState.namespaceCount).toBe(2);
    });
  });

  it('a view that was there at the start › is followed before anything reads it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-demand-'));
    const schema = newSchema();
    const first = await openViewedStore({ url: server.url, schema, folder });
    await put(first.store, many(2));
    expect(await idsOf(first.store)).toHaveLength(2);
    await first.close();
    const isRead = Promise.withResolvers<void>();
    const around = beforeChanges(() => isRead.resolve());
    const again = await openViewedStore({ url: server.url, schema, folder, around });
    await isRead.promise;
    await again.close();
    await rm(folder, { recursive: true });
  });

  it('a build takes long › calls fail with STORAGE_UNAVAILABLE, and the build goes on; then they are exact', async () => {
    const gate = Promise.withResolvers<void>();
    const around = beforeChanges(() => gate.promise);
    await withBoth({ around, buildWaitMs: 10 }, async (writer, { store }) => {
      await put(writer.store, many(700));
      const refused = because('STORAGE_UNAVAILABLE');
      const metadata = { backend: 'view', fault: 'building' };
      await expect(store.list(listRead())).rejects.toMatchObject({ ...refused, metadata });
      await expect(store.count({ namespace: SPACE, nowUs: NOW_US })).rejects.toMatchObject(refused);
      expect(store.viewState.builds.runningCount).toBe(1);
      gate.resolve();
      for (;;) {
        const ids = await idsOf(store).catch((error: unknown) => error);
        if (!(ids instanceof Error)) {
          expect(ids).toHaveLength(700);
          break;
        }
        expect(ids).toMatchObject(refused);
      }
      expect(store.viewState.builds).toMatchObject({ doneCount: 1, failedCount: 0 });
    });
  });

  it('large namespaces are built › a small one is there before they are', async () => {
    const large = ['large-1', 'large-2', 'large-3'];
    await withBoth({}, async (writer, { store }) => {
      for (const namespace of large) await put(writer.store, many(3000), { namespace });
      await put(writer.store, many(3));
      const done: string[] = [];
      const building = large.map(async (namespace) => {
        await store.follower.catchUp(namespace);
        done.push(namespace);
      });
      expect(await idsOf(store)).toHaveLength(3);
      expect(done).toEqual([]);
      await Promise.all(building);
    });
  }, 60_000);

  it('a build fails › the next call repeats it', async () => {
    let failures = 1;
    const around = beforeChanges(() => {
      if (failures-- > 0) throw new Error('away');
    });
    await withBoth({ around }, async (writer, { store }) => {
      await put(writer.store, many(2));
      await expect(store.list(listRead())).rejects.toThrow('away');
      expect(store.viewState.lag.namespaceCount).toBe(0);
      expect(await idsOf(store)).toHaveLength(2);
    });
  });
});

describe('messages in namespaces that are not in the view', () => {
  it('another server accepts them › the namespace is named, and found to have them, without a view', async () => {
    await withBoth({}, async (writer, { store, subscriptions: { shared } }) => {
      await put(writer.store, many(2));
      await put(writer.store, [newMemory({ id: messageId('c', 0), type: 'message' })], { namespace: 'talk' });
      const named = new Set<string>();
      const nameAll = async () => {
        for (; named.size < 2; await new Promise(setImmediate)) {
          for (const name of shared.takeChanged() ?? []) named.add(name);
        }
      };
      await nameAll();
      expect(named).toEqual(new Set([SPACE, 'talk']));
      expect(await shared.hasAnyOf(SPACE, '~extraction')).toBe(false);
      expect(await shared.hasAnyOf('talk', '~extraction')).toBe(true);
      expect(store.viewState.namespaceCount).toBe(0);
      await expect(shared.hasAnyOf('missing', '~extraction')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    });
  });

  it('extraction has begun there › found by its subscription', async () => {
    await withBoth({}, async (writer, { subscriptions }) => {
      await put(writer.store, many(1));
      const write = { namespace: SPACE, mode: 'work_queue', ackDeadlineMs: 1, consumerTtlMs: 0, atUs: NOW_US } as const;
      await subscriptions.createSubscription({ ...write, id: 's' });
      expect(await subscriptions.shared.hasAnyOf(SPACE, 's')).toBe(true);
      expect(await subscriptions.shared.hasAnyOf(SPACE, 'other')).toBe(false);
    });
  });
});

describe('the follower ends while a namespace is built', () => {
  it('parts that have not begun › fail with DRAINING', async () => {
    let onRead: () => void = () => undefined;
    await withBoth({ around: beforeChanges(() => onRead()) }, async (writer, { store }) => {
      await put(writer.store, many(1200));
      let reads = 0;
      let ending: Promise<void> | undefined;
      onRead = () => {
        if (++reads === 2) ending = store.follower.end();
      };
      await expect(store.follower.catchUp(SPACE)).rejects.toMatchObject(because('DRAINING'));
      await ending;
      expect(store.viewState.builds.failedCount).toBe(0);
    });
  });

  it('a missing namespace › is no failed build', async () => {
    await withBoth({}, async (_, { store }) => {
      await expect(store.follower.catchUp('missing')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
      expect(store.viewState.builds.failedCount).toBe(0);
    });
  });
});

describe('evictions from a view', () => {
  it('read by a job, or built again amid an eviction › the least recently used of the callers goes', async () => {
    await withBoth(EVERYTHING, async (writer, { store }) => {
      const names = ['a', 'b', 'c'];
      const held = () => names.filter((name) => store.follower.isHeld(name));
      for (const namespace of names) await put(writer.store, many(2), { namespace });
      for (const namespace of names) await idsOf(store, { namespace });
      await runFenced({ job: 'j', number: 1, lost: () => undefined }, () => idsOf(store, { namespace: 'a' }));
      await evictOne(store);
      expect(held()).toEqual(['b', 'c']);
      const evicting = evictOne(store);
      await new Promise(setImmediate);
      await idsOf(store, { namespace: 'b' });
      await evicting;
      while (held().length > 1) await evictOne(store);
      expect(held()).toEqual(['b']);
    });
  });

  it('its changes are read from the log of the view › it is named', async () => {
    await withBoth(EVERYTHING, async (writer, { store, streams }) => {
      await put(writer.store, many(2));
      await store.follower.catchUp(SPACE);
      const before = { afterRevision: streams.revision, limit: 1000 };
      await evictAll(store);
      expect(await streams.changedNamespaces(before)).toEqual([SPACE]);
      await store.follower.catchUp(SPACE);
      expect(await streams.changedNamespaces({ ...before, afterRevision: 0 })).toEqual([SPACE]);
    });
  });

  it('too little space › the least recently used go, none that a stream holds; each answers as before', async () => {
    await withBoth(EVERYTHING, async (writer, { store }) => {
      const names = ['a', 'b', 'c'];
      for (const namespace of names) await put(writer.store, many(4), { namespace });
      for (const namespace of names) expect(await idsOf(store, { namespace })).toHaveLength(4);
      expect(await idsOf(store, { namespace: 'a' })).toHaveLength(4);
      const leave = store.follower.keep('b');
      await evictOne(store);
      expect(names.filter((name) => store.follower.isHeld(name))).toEqual(['a', 'b']);
      do await store.budget.look();
      while (store.viewState.namespaceCount > 1);
      expect(names.filter((name) => store.follower.isHeld(name))).toEqual(['b']);
      expect(store.viewState).toMatchObject({ namespaceCount: 1, evictedCount: 1 });
      leave();
      await put(writer.store, [newMemory({ id: 'later' })], { namespace: 'c' });
      for (const namespace of names) {
        expect(await idsOf(store, { namespace })).toHaveLength(namespace === 'c' ? 5 : 4);
        expect((await store.statistics(namespace)).memoryCount).toBe(namespace === 'c' ? 5 : 4);
      }
      await evictAll(store);
    });
  });

  it('evicted between two calls at any time › sums of all namespaces are whole', async () => {
    let evict: (() => Promise<unknown>) | undefined;
    const around = beforeChanges(async () => void (await evict?.()));
    await withBoth({ ...EVERYTHING, around }, async (writer, { store }) => {
      for (const namespace of ['a', 'b', 'c']) {
        await put(writer.store, [newMemory({ id: 'm', type: namespace, importance: 0.25 })], { namespace });
      }
      await put(writer.store, [newMemory({ id: 'n', type: 'a', importance: 1 })], { namespace: 'a' });
      const expected = await writer.store.statistics();
      evict = () => store.follower.evictLeastUsed();
      const { diskBytes, tiers: byTier, ...rest } = await store.statistics();
      const { diskBytes: _, tiers: expectedTiers, ...others } = expected;
      expect(rest).toMatchObject({ ...others, mostAccessed: [], leastAccessed: expect.any(Array) });
      expect(byTier).toMatchObject(expectedTiers.map(({ tier, count }) => ({ tier, count })));
      expect(diskBytes).toBeGreaterThan(0);
      const totals = await store.totals();
      expect(totals.map(({ namespace, type, count }) => [namespace, type, count])).toEqual([
        ['a', 'a', 2],
        ['b', 'b', 1],
        ['c', 'c', 1],
      ]);
    });
  });

  it('one is evicted and built again meanwhile › sums of all namespaces wait for it', async () => {
    const isSecondPage = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    let isRebuilt = false;
    let pages = 0;
    let onZ: (() => Promise<void>) | undefined;
    const around = beforeChanges(async (namespace) => {
      if (namespace === 'z' && !isRebuilt) await onZ?.();
      // The sum of all namespaces did not suffice: each is read once more.
      if (namespace === 'a' && isRebuilt) gate.resolve();
      if (namespace !== 'large' || !isRebuilt || ++pages < 2) return;
      isSecondPage.resolve();
      await gate.promise;
    });
    await withBoth({ ...EVERYTHING, around }, async (writer, { store }) => {
      await put(writer.store, many(1200), { namespace: 'large' });
      for (const namespace of ['a', 'z']) await put(writer.store, many(2), { namespace });
      const leave = store.follower.keep('a');
      let building: Promise<void> | undefined;
      onZ = async () => {
        await evictOne(store);
        isRebuilt = true;
        building = store.follower.catchUp('large');
        await isSecondPage.promise;
      };
      try {
        expect((await store.statistics()).memoryCount).toBe(1204);
      } finally {
        gate.resolve();
        await building;
        leave();
      }
    });
  }, 60_000);

  it('any reads while namespaces are evicted › each is whole', async () => {
    await withBoth(EVERYTHING, async (writer, { store }) => {
      const names = ['a', 'b', 'c', 'd'];
      for (const namespace of names) await put(writer.store, many(50), { namespace });
      const reading = names.map(async (namespace) => {
        for (let turn = 0; turn < 15; turn++) {
          expect(await idsOf(store, { namespace, limit: 20 })).toHaveLength(50);
          const counts = await store.count({ namespace, nowUs: NOW_US });
          expect([...counts.values()]).toEqual([50]);
          await store.follower.evictLeastUsed();
        }
      });
      await Promise.all(reading);
      await evictAll(store);
    });
  }, 60_000);

  it('between two pages of a list, with equal times, deletions and a cut log › every memory is in one page', async () => {
    await withBoth(EVERYTHING, async (writer, { store, records }) => {
      await put(writer.store, many(40));
      const gone = ['m1', 'm7', 'm8'];
      await writer.store.write(deletionOf(gone));
      const read = listRead({ limit: 7 });
      const ids: string[] = [];
      for (let after: ListPosition | undefined, pages = 0; ; pages++) {
        const page = await store.list({ ...read, ...(after && { after }) });
        ids.push(...page.memories.map(({ id }) => id));
        after = page.next;
        if (!after) break;
        await evictAll(store);
        if (pages === 2) await records.trimLogs({ ...NO_LIMIT, countMax: 0 }, going);
      }
      expect(ids).toEqual(many(40).flatMap(({ id }) => (gone.includes(id) ? [] : [id])));
    });
  });

  it('a place of a stream from before › repeats nothing and misses nothing', async () => {
    await withBoth(EVERYTHING, async (writer, { store, streams }) => {
      await put(writer.store, many(5));
      await store.follower.catchUp(SPACE);
      const before = await streams.watchedNamespace(SPACE);
      const page = await streams.readChanges({ namespace: before, afterRevision: 0, limit: 4, bytesMax: 1e6 });
      const place = await streams.place(before, page.throughRevision);
      await evictAll(store);
      await writer.store.write(deletionOf(['m0']));
      await store.follower.catchUp(SPACE);
      const namespace = await streams.watchedNamespace(SPACE);
      expect(namespace.key).not.toBe(before.key);
      const afterRevision = await streams.revisionAt(namespace, place);
      const { changes } = await streams.readChanges({ namespace, afterRevision, limit: 100, bytesMax: 1e6 });
      expect(page.changes.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
        `namespace_created ${SPACE}`,
        'stored m0',
        'stored m1',
        'stored m2',
      ]);
      expect(changes.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['stored m3', 'stored m4', 'deleted m0']);
    });
  });

  it('the log was cut meanwhile › readers of the former view get a notice, and its places are refused', async () => {
    await withBoth(EVERYTHING, async (writer, { store, streams, records }) => {
      await put(writer.store, many(3));
      await store.follower.catchUp(SPACE);
      const before = await streams.watchedNamespace(SPACE);
      const { revision } = streams;
      const place = await streams.place(before, revision);
      await evictAll(store);
      await writer.store.write(deletionOf(['m0']));
      await records.trimLogs({ ...NO_LIMIT, countMax: 0 }, going);
      expect(await idsOf(store)).toEqual(['m1', 'm2']);
      const namespace = await streams.watchedNamespace(SPACE);
      await expect(streams.revisionAt(namespace, place)).rejects.toMatchObject(because('REVISION_COMPACTED'));
      const read = { namespace, afterRevision: revision, limit: 100, bytesMax: 1e6 };
      expect((await streams.readChanges(read)).changes.map(({ kind }) => kind)).toContain('gap');
    });
  });

  it('the process ends while rows are erased › the next one erases the rest, and answers as before', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-evict-'));
    const schema = newSchema();
    const first = await openViewedStore({ url: server.url, schema, folder, ...EVERYTHING });
    await put(first.store, many(600));
    await first.store.follower.catchUp(SPACE);
    // Its rows are erased by later commands.
    await evictOne(first.store);
    await first.close();
    const again = await openViewedStore({ url: server.url, schema, folder, ...EVERYTHING });
    expect(again.store.viewState.namespaceCount).toBe(0);
    expect(await idsOf(again.store)).toHaveLength(600);
    while (!(await again.view.eraseLeftovers()).isDone);
    expect((await again.store.statistics(SPACE)).memoryCount).toBe(600);
    await again.close();
    await rm(folder, { recursive: true });
  });

  it('large namespaces are evicted › their space is given back to the disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-evict-'));
    await withBoth({ folder, ...EVERYTHING }, async (writer, { store, view }) => {
      const text = 'word '.repeat(2000);
      const memories = Array.from({ length: 1500 }, (_, at) => newMemory({ id: `m${at}`, text: `${at} ${text}` }));
      await put(writer.store, memories.slice(0, 750));
      await put(writer.store, memories.slice(750));
      await store.follower.catchUp(SPACE);
      const full = (await view.space()).bytes;
      await evictAll(store);
      const { bytes, isErasing } = await view.space();
      expect([bytes < full / 4, isErasing]).toEqual([true, false]);
      expect(store.viewState.bytes).toBe(bytes);
    });
    // Closing has emptied the write-ahead log into it.
    expect((await stat(join(folder, 'mneme.db'))).size).toBeLessThan(8 * 1_048_576);
    await rm(folder, { recursive: true });
  }, 120_000);

  it('nothing but long-term memories, and evicted › maintenance builds it again when it has changed, and not before', async () => {
    await withBoth(EVERYTHING, async (writer, { store }) => {
      const deps = { store, view: store, clock: systemClock, idle: store.idle };
      const relief = new ReliefPass([]);
      const order = { dryRun: false, flush: false, anyType: false, isAsked: false, isGoneFailure: true, relief };
      const maintain = async () => {
        const before = store.viewState.builds.doneCount;
        let count = 0;
        for await (const { moves } of maintainNamespaces(deps, [SPACE], order, going)) count += moves.length;
        await evictAll(store);
        return [count, store.viewState.builds.doneCount - before];
      };
      const tierSinceUs = systemClock.nowUs();
      await put(writer.store, [newMemory({ id: 'a', tier: 'long_term' })], { atUs: tierSinceUs });
      expect([await maintain(), await maintain(), await maintain()]).toEqual([
        [0, 1],
        [0, 0],
        [0, 0],
      ]);
      await put(writer.store, [newMemory({ id: 'b' })], { atUs: tierSinceUs - 2 * 3_600_000_000 });
      expect(await maintain()).toEqual([1, 1]);
    });
  });

  it('moves between tiers, then evicted › tiers are as before', async () => {
    await withBoth(EVERYTHING, async (writer, { store }) => {
      await put(writer.store, many(3));
      await store.write(demotionOf(['m1']));
      const read = { namespace: SPACE, tier: 'short_term', limit: 1 } as const;
      const [first] = await store.members(read);
      await evictAll(store);
      const rest = await store.members({ ...read, limit: 9, after: first });
      expect([first?.id, ...rest.map(({ id }) => id)]).toEqual(['m0', 'm2']);
    });
  });
});
