import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../src/memory/errors.ts';
import { TIERS, type Tier } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import type { SqliteMemoryStore } from '../../src/storage/sqlite/memory-store.ts';
import { TieredReembeddings } from '../../src/storage/tiered/reembeddings.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { InterleavedCalls, ProcessEnded } from '../support/interleaved-calls.ts';
import { newMemory } from '../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { RedisServer } from '../support/redis-server.ts';
import { RegisterHistory } from '../support/register-history.ts';
import { heldIds, openTieredStore, type TieredSettings, type TieredStoreOfTest } from '../support/tiered-store.ts';

const IDS = ['a', 'b'];
const MOVERS = 3;
/** Lives of the server, the last of which ends as it should; turns of the calls in each. */
const LIVES = 8;
const TURNS_MAX = 3000;
const STEPS = 60;
const KINDS = ['store', 'store', 'delete', ...Array.from({ length: 9 }, () => 'update' as const)] as const;

let server: RedisServer;
let folder: string;
beforeAll(async () => {
  server = await RedisServer.started();
  folder = await mkdtemp(join(tmpdir(), 'mneme-interleavings-'));
});
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function open(calls?: InterleavedCalls): Promise<TieredStoreOfTest> {
  return openTieredStore({
    folder,
    urls: [server.url],
    ...(calls && { around: ({ hot, cold }) => ({ hot: calls.around(hot), cold: calls.around(cold) }) }),
  });
}

/** Writers, movers and readers of the same memories, and what they may see. */
class Callers {
  private readonly random: TestRandom;
  readonly histories: ReadonlyMap<string, RegisterHistory>;
  private readonly clock = { now: 0 };
  private values = 0;

  constructor(random: TestRandom) {
    this.random = random;
    this.histories = new Map(IDS.map((id) => [id, new RegisterHistory(this.clock)]));
  }

  /** Until the process ends, or each has done its steps. */
  async run(opened: TieredStoreOfTest): Promise<void> {
    const lanes = [
      ...['a', 'a', 'b'].map((id) => () => this.write(opened, id)),
      () => this.read(opened, this.random.pick(IDS)),
      ...Array.from({ length: MOVERS }, () => () => this.move(opened)),
    ];
    await Promise.all(lanes.map((lane) => this.repeat(lane)));
  }

  private async repeat(step: () => Promise<void>): Promise<void> {
    for (let steps = 0; steps < STEPS; steps++) {
      try {
        await step();
      } catch (error) {
        if (error instanceof ProcessEnded) return;
        throw error;
      }
    }
  }

  private async write({ store }: TieredStoreOfTest, id: string): Promise<void> {
    const history = this.histories.get(id) as RegisterHistory;
    const kind = this.random.pick(KINDS);
    const step = kind === 'delete' ? undefined : ++this.values;
    const written = history.begin(step);
    try {
      if (kind === 'store') {
        await put(store, [newMemory({ id, ...(step !== undefined && { step }) })], { onConflict: 'replace' });
      } else if (kind === 'update') {
        await store.update({ namespace: SPACE, id, changes: { step }, atUs: NOW_US });
      } else {
        await store.delete({ namespace: SPACE, ids: [id], cause: 'deleted', mustExist: false, atUs: NOW_US });
      }
      history.acknowledge(written);
    } catch (error) {
      if (!(error instanceof MnemeError)) throw error;
      expect(['MEMORY_NOT_FOUND', 'NAMESPACE_NOT_FOUND', 'OVERLOADED']).toContain(error.reason);
      history.refuse(written);
    }
  }

  private async read({ store }: TieredStoreOfTest, id: string): Promise<void> {
    const history = this.histories.get(id) as RegisterHistory;
    const start = history.startRead();
    const memory = await getOne(store, id).catch(unlessMissing);
    this.expectRight(id, memory?.step, start);
  }

  private async move({ store }: TieredStoreOfTest): Promise<void> {
    const { random } = this;
    const ids = [...new Set([random.pick(IDS), random.pick(IDS)])];
    if (random.chance(0.1)) {
      await store.touch({ namespace: SPACE, ids, atUs: NOW_US }).catch(unlessMissing);
      return;
    }
    const to = random.chance(0.5) ? 'long_term' : random.pick(TIERS);
    const write = { namespace: SPACE, ids, to, resolution: FULL_RESOLUTION, atUs: NOW_US };
    await store.tiers.move(write).catch(unlessMissing);
  }

  private expectRight(id: string, value: number | undefined, start: number): void {
    const isRight = this.histories.get(id)?.mayRead(value, start);
    expect([this.random.seed, id, value, isRight]).toEqual([this.random.seed, id, value, true]);
  }

  /** Every memory is there once, in the state of a last write, with all acknowledged states. */
  async check(opened: TieredStoreOfTest): Promise<void> {
    const { store, hot, cold } = opened;
    const { seed } = this.random;
    const there: string[] = [];
    for (const id of IDS) {
      const history = this.histories.get(id) as RegisterHistory;
      const start = history.startRead();
      const memory = await getOne(store, id).catch(unlessMissing);
      this.expectRight(id, memory?.step, start);
      if (!memory) continue;
      there.push(id);
      const states = await store.revisions({ namespace: SPACE, id, limit: 10_000, nowUs: NOW_US });
      const steps = states.map((state) => state.memory.step);
      expect([seed, id, steps]).toEqual([seed, id, expect.arrayContaining(history.lasting())]);
    }
    const listed = await idsOf(store).catch(unlessMissing);
    expect([seed, (listed ?? []).toSorted()]).toEqual([seed, there]);
    const held = await heldIds(hot, SPACE);
    const marked = await cold.tiers.ownerships({ namespace: SPACE, ids: IDS });
    expect([seed, marked.map(({ id }) => id)]).toEqual([seed, expect.arrayContaining(held)]);
    expect([seed, opened.losses, opened.failures]).toEqual([seed, [], []]);
  }
}

/** The namespace may not be there yet; what changes too fast stays as it is. */
function unlessMissing(error: unknown): undefined {
  const isMeant = error instanceof MnemeError && ['NAMESPACE_NOT_FOUND', 'OVERLOADED'].includes(error.reason);
  if (!isMeant) throw error;
}

describe('memories that are written, read and moved at once, in any order of the calls to both stores', () => {
  it('the process ends after any call › every read is right, nothing acknowledged is lost, each memory exists once', async () => {
    const random = seededRandom('redis interleavings');
    const callers = new Callers(random);
    for (let life = 1; life <= LIVES; life++) {
      const isLast = life === LIVES;
      const calls = new InterleavedCalls(random, isLast ? undefined : 1 + random.int(TURNS_MAX));
      const opened = await open(calls);
      await callers.run(opened);
      if (isLast) await callers.check(opened);
      await opened.close().catch((error: unknown) => {
        if (!(error instanceof ProcessEnded)) throw error;
      });
      await opened.hot.close();
      await opened.cold.close();
      const next = await open();
      await callers.check(next);
      await next.close();
    }
  }, 120_000);
});

/** Holds the next call of a method until `resume`, and settles `reached` when it is made. */
class HeldCall {
  readonly reached = Promise.withResolvers<void>();
  private readonly held = Promise.withResolvers<void>();
  private readonly method: string;
  private isArmed = false;

  constructor(method: string) {
    this.method = method;
  }

  arm(): void {
    this.isArmed = true;
  }

  resume(): void {
    this.held.resolve();
  }

  around<T extends object>(store: T): T {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== this.method) return value.bind(target) as unknown;
        return async (...args: unknown[]): Promise<unknown> => {
          if (this.isArmed) {
            this.isArmed = false;
            this.reached.resolve();
            await this.held.promise;
          }
          return value.apply(target, args);
        };
      },
    });
  }
}

describe('a call to Redis that is held while the owner of its memory changes', () => {
  const move = ({ store }: TieredStoreOfTest, to: Tier) =>
    store.tiers.move({ namespace: SPACE, ids: ['a'], to, resolution: FULL_RESOLUTION, atUs: NOW_US });

  /** Runs an operation, holds its call of the method, runs the others meanwhile, and returns the result. */
  async function during<T>(
    method: string,
    first: Tier,
    operation: (opened: TieredStoreOfTest) => Promise<T>,
    meanwhile: (opened: TieredStoreOfTest) => Promise<unknown>,
  ): Promise<readonly [TieredStoreOfTest, PromiseSettledResult<T>]> {
    await server.command('FLUSHALL');
    const own = await mkdtemp(join(folder, 'held-'));
    const call = new HeldCall(method);
    const around = ({ hot, cold }: Parameters<NonNullable<TieredSettings['around']>>[0]) => ({
      hot: call.around(hot),
      cold,
    });
    const opened = await openTieredStore({ folder: own, urls: [server.url], around });
    closers.push(() => opened.close());
    await put(opened.store, [newMemory({ id: 'a', step: 1 })]);
    await move(opened, first);
    call.arm();
    const running = operation(opened);
    await call.reached.promise;
    await meanwhile(opened);
    call.resume();
    const [settled] = await Promise.allSettled([running]);
    return [opened, settled];
  }

  const update = ({ store }: TieredStoreOfTest) =>
    store.update({ namespace: SPACE, id: 'a', changes: { step: 2 }, atUs: NOW_US });
  const steps = async ({ store }: TieredStoreOfTest) =>
    (await store.revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: NOW_US })).map(({ memory }) => memory.step);

  it('an adoption; the memory is updated meanwhile › the update stays, and the move takes it up', async () => {
    const [opened, moved] = await during('adopt', 'long_term', (all) => move(all, 'short_term'), update);
    expect(moved).toMatchObject({ status: 'fulfilled', value: { moved: [{ id: 'a' }] } });
    expect(await getOne(opened.store, 'a')).toMatchObject({ step: 2, tier: 'short_term' });
    expect(await steps(opened)).toEqual([2, 1]);
    expect(await heldIds(opened.hot, SPACE)).toEqual(['a']);
  });

  it('an adoption; the memory is deleted meanwhile › it stays deleted', async () => {
    const erase = ({ store }: TieredStoreOfTest) =>
      store.delete({ namespace: SPACE, ids: ['a'], cause: 'deleted', mustExist: true, atUs: NOW_US });
    const [opened] = await during('adopt', 'long_term', (all) => move(all, 'short_term'), erase);
    expect(await getOne(opened.store, 'a')).toBeUndefined();
    expect(await heldIds(opened.hot, SPACE)).toEqual([]);
  });

  it('an adoption; the namespace is deleted meanwhile › it does not come back', async () => {
    const erase = ({ store }: TieredStoreOfTest) => store.deleteNamespace({ name: SPACE, force: true, atUs: NOW_US });
    const [opened, moved] = await during('adopt', 'long_term', (all) => move(all, 'short_term'), erase);
    expect(moved).toMatchObject({ status: 'rejected', reason: because('NAMESPACE_NOT_FOUND') });
    await expect(opened.store.getNamespace(SPACE)).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('an adoption; the vectors of the namespace begin to be recomputed › Redis holds none of its memories', async () => {
    const begin = ({ store, hot, cold }: TieredStoreOfTest) => {
      const { reembedding } = cold as SqliteMemoryStore;
      const write = { namespace: SPACE, model: 'other', dimension: 4, atUs: NOW_US };
      return new TieredReembeddings({
        hot,
        cold: Object.assign(Object.create(cold), { reembedding }),
        store,
      }).beginReembedding(write);
    };
    const [opened] = await during('adopt', 'long_term', (all) => move(all, 'short_term'), begin);
    expect(await heldIds(opened.hot, SPACE)).toEqual([]);
    expect(await getOne(opened.store, 'a')).toMatchObject({ step: 1 });
  });

  it.each(['store', 'delete', 'touch'] as const)(
    'a %s; the memory moves down meanwhile › it takes effect in the data folder, and the memory is there once',
    async (kind) => {
      const operation = ({ store }: TieredStoreOfTest) => {
        if (kind === 'touch') return store.touch({ namespace: SPACE, ids: ['a'], atUs: NOW_US });
        const erasure = { namespace: SPACE, ids: ['a'], cause: 'deleted', mustExist: false, atUs: NOW_US } as const;
        if (kind === 'delete') return store.delete(erasure);
        return put(store, [newMemory({ id: 'a', step: 2 })], { onConflict: 'replace' });
      };
      const [opened] = await during(kind, 'short_term', operation, (all) => move(all, 'long_term'));
      const memory = await getOne(opened.store, 'a');
      if (kind === 'delete') expect(memory).toBeUndefined();
      if (kind === 'store') expect([memory?.step, await steps(opened)]).toEqual([2, [2, 1]]);
      if (kind === 'touch') expect(memory?.retrievalCount).toBe(1);
      expect(await idsOf(opened.store)).toEqual(kind === 'delete' ? [] : ['a']);
    },
  );

  it('a store of a new memory; it is stored, copied and moved down meanwhile › the later one replaces it, and it is there once', async () => {
    const one = (step: number) => (all: TieredStoreOfTest) =>
      put(all.store, [newMemory({ id: 'b', step })], { onConflict: 'replace' });
    const meanwhile = async (all: TieredStoreOfTest) => {
      await one(3)(all);
      const write = { namespace: SPACE, ids: ['b'], resolution: FULL_RESOLUTION, atUs: NOW_US };
      await all.store.tiers.move({ ...write, to: 'long_term' });
    };
    const [opened] = await during('store', 'short_term', one(4), meanwhile);
    const states = await opened.store.revisions({ namespace: SPACE, id: 'b', limit: 9, nowUs: NOW_US });
    expect(states.map(({ memory }) => memory.step)).toEqual([4, 3]);
    expect((await idsOf(opened.store)).toSorted()).toEqual(['a', 'b']);
  });
});
