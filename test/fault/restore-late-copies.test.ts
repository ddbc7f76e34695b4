import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Tier } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import type { HotStore } from '../../src/storage/mirror-store.ts';
import { makeBackup } from '../../src/storage/sqlite/backup/make-backup.ts';
import { restoreBackup } from '../../src/storage/sqlite/backup/restore-backup.ts';
import type { RestorePoint } from '../../src/storage/sqlite/backup/select-backup.ts';
import { verifyFolder } from '../../src/storage/sqlite/damage/verify.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { listRead } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { RedisServer } from '../support/redis-server.ts';
import { reusedThreads } from '../support/reused-threads.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

/** Copies of `late` are held back now and then; memories of `mixed` move between Redis and the data folder. */
const SPACES = ['late', 'mixed'] as const;
type Space = (typeof SPACES)[number];

const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 1000;
const WRITES = 160;
const IDS = 12;
const LIFE_MS = 3_600_000;

interface Kept {
  readonly text: string;
  readonly importance: number;
  readonly updatedAtUs: number;
  readonly mayExpire: boolean;
}
type State = ReadonlyMap<string, Kept>;

interface Moment {
  readonly revision: number;
  readonly timeMs: number;
  readonly state: State;
}

let server: RedisServer;
let folder: string;
let stores: TieredStoreOfTest;
let gate: Gate;
let nowMs: number;
let nextTerm = 0;

/** Holds back the copies of one namespace. */
class Gate {
  private opened = Promise.resolve();
  private open: (() => void) | undefined;

  get isShut(): boolean {
    return this.open !== undefined;
  }
  shut(): void {
    if (this.isShut) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    this.open = resolve;
  }
  release(): void {
    this.open?.();
    this.open = undefined;
  }
  around(hot: HotStore): HotStore {
    return new Proxy(hot, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'changes') return value.bind(target) as unknown;
        return async (read: Parameters<HotStore['changes']>[0]) => {
          if (read.namespace === 'late') await this.opened;
          return hot.changes(read);
        };
      },
    });
  }
}

beforeAll(async () => {
  server = await RedisServer.started();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.command('FLUSHALL');
  folder = mkdtempSync(join(tmpdir(), 'mneme-late-copies-'));
  gate = new Gate();
  nowMs = START_MS;
  stores = await open();
});
afterEach(async () => {
  gate.release();
  await stores.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = () =>
  openTieredStore({
    folder: join(folder, 'data'),
    urls: [server.url],
    mayLag: () => true,
    around: ({ hot, cold }) => ({ hot: gate.around(hot), cold }),
  });

/** As `mneme backup` does it, with or without --after-copies. */
async function backUp(afterCopies: boolean) {
  const { store } = stores;
  const time = new Date(nowMs).toISOString();
  const revision = store.revision;
  if (afterCopies) for (const namespace of SPACES) await store.count({ namespace, nowUs: 0 });
  const copied = afterCopies ? { revision, time } : undefined;
  const options = { folder: join(folder, 'data'), repository: join(folder, 'backups'), version: 'test' };
  return (await makeBackup({ ...options, copied, nowMs: () => nowMs })).manifest;
}

async function restored(point: RestorePoint): Promise<State> {
  const to = join(folder, `restored-${nextTerm}`);
  const term = `restored-${nextTerm++}`;
  restoreBackup({ repository: join(folder, 'backups'), folder: to, point, nowMs, term });
  expect(verifyFolder(to)).toMatchObject({ tables: [], memories: [] });
  const store = await openSqliteStore({ folder: to, writerThreads: reusedThreads().writer });
  const state = new Map<string, Kept>();
  for (const { name: namespace } of await store.listNamespaces({ limit: 10, afterName: '' })) {
    const { memories } = await store.list({ ...listRead({ namespace, limit: 1000 }), nowUs: 0 });
    for (const { id, text, importance, updatedAtUs, expiresAtUs } of memories) {
      state.set(`${namespace}/${id}`, { text, importance, updatedAtUs, mayExpire: expiresAtUs !== undefined });
    }
  }
  await store.close();
  return state;
}

/** Changes memories, one after the other, and notes what is there. */
class Writes {
  readonly state = new Map<string, Kept>();
  readonly moments: Moment[] = [];
  /** Time at which a memory was last deleted or expired. */
  readonly deletedAtMs = new Map<string, number>();
  readonly expiredAtMs = new Map<string, number>();
  private readonly random: TestRandom;
  private n = 0;

  constructor(random: TestRandom) {
    this.random = random;
  }

  async one(): Promise<void> {
    const { random } = this;
    const namespace = random.pick(SPACES);
    const id = `m${random.int(IDS)}`;
    const isThere = this.state.has(`${namespace}/${id}`);
    nowMs += STEP_MS;
    // What needs copies waits for them.
    if (gate.isShut && namespace === 'late' && isThere) await this.update(namespace, id);
    else if (gate.isShut && namespace === 'late') await this.store(namespace, `new${this.n}`);
    else if (!isThere || random.chance(0.3)) await this.store(namespace, id);
    else if (random.chance(0.03)) await this.expire();
    else if (random.chance(0.06)) await this.erase(namespace, id);
    else if (namespace === 'mixed' && random.chance(0.4)) await this.move(id);
    else await this.update(namespace, id);
    const { revision } = stores.store;
    this.moments.push({ revision, timeMs: nowMs, state: new Map(this.state) });
  }

  async store(namespace: Space, id: string): Promise<void> {
    const atUs = nowMs * 1000;
    const text = `text ${this.n++}`;
    const mayExpire = this.random.chance(0.15);
    const importance = this.random.int(10) / 10;
    const tier = namespace === 'mixed' && this.random.chance(0.4) ? 'long_term' : 'short_term';
    const expiry = mayExpire && { expiresAtUs: atUs + LIFE_MS * 1000 };
    const memory = newMemory({ id, text, importance, tier, createdAtUs: atUs, updatedAtUs: atUs, ...expiry });
    await stores.store.store({ namespace, memories: [memory], createNamespace: true, onConflict: 'replace', atUs });
    this.state.set(`${namespace}/${id}`, { text, importance, updatedAtUs: atUs, mayExpire });
  }

  async update(namespace: Space, id: string): Promise<void> {
    const atUs = nowMs * 1000;
    const { text, checksum } = newMemory({ id, text: `text ${this.n++}` });
    await stores.store.update({ namespace, id, changes: { text, checksum }, atUs });
    const before = this.state.get(`${namespace}/${id}`);
    if (!before) throw new Error(`no ${id}`);
    this.state.set(`${namespace}/${id}`, { ...before, text, updatedAtUs: atUs });
  }

  private async move(id: string): Promise<void> {
    const to = this.random.pick<Tier>(['short_term', 'intermediate', 'long_term']);
    const write = { namespace: 'mixed', ids: [id], to, resolution: FULL_RESOLUTION };
    await stores.store.tiers.move({ ...write, atUs: nowMs * 1000 });
  }

  private async erase(namespace: Space, id: string): Promise<void> {
    const key = `${namespace}/${id}`;
    const write = { namespace, ids: [id], cause: 'deleted', mustExist: true, atUs: nowMs * 1000 } as const;
    await stores.store.delete(write);
    this.state.delete(key);
    this.deletedAtMs.set(id, nowMs);
  }

  /** All that have an expiry. */
  private async expire(): Promise<void> {
    nowMs += 2 * LIFE_MS;
    for (const namespace of SPACES) {
      const expired = [...this.state].filter(([key, { mayExpire }]) => mayExpire && key.startsWith(namespace));
      const ids = expired.map(([key]) => key.slice(namespace.length + 1));
      if (ids.length === 0) continue;
      await stores.store.delete({ namespace, ids, cause: 'expired', mustExist: false, atUs: nowMs * 1000 });
      for (const [key] of expired) this.state.delete(key);
      for (const id of ids) this.expiredAtMs.set(id, nowMs);
    }
  }
}

/** Memories that have expired since are gone in the restored state as well. */
function differences(got: State, expected: State): string[] {
  const keys = new Set([...got.keys(), ...expected.keys()]);
  return [...keys].filter((key) => {
    const [one, other] = [got.get(key), expected.get(key)];
    if (!one && other?.mayExpire) return false;
    return JSON.stringify(one) !== JSON.stringify(other);
  });
}

/** Whether the memory that a refusal names is as it says. */
function isTrue(message: string, { timeMs, state }: Moment, writes: Writes): boolean {
  const [, id = '', what = ''] =
    /such as (\S+), were (deleted later|updated later and have expired)/.exec(message) ?? [];
  const isIn = SPACES.some((space) => state.has(`${space}/${id}`));
  const at = (what === 'deleted later' ? writes.deletedAtMs : writes.expiredAtMs).get(id) ?? 0;
  return isIn && at > timeMs;
}

describe('restore › at a point of a folder with copies of Redis', () => {
  it('writes in Redis and in the folder, copies that come late › the memories of each point, or a true refusal', async () => {
    const random = seededRandom('late copies');
    const writes = new Writes(random);
    await writes.store('late', 'first');
    await writes.store('mixed', 'first');
    await backUp(true);
    for (let n = 0; n < WRITES; n++) {
      await writes.one();
      if (random.chance(0.1)) gate.shut();
      else if (random.chance(0.15)) gate.release();
      if (n % 25 === 24) gate.release();
      if (n % 25 === 24) await backUp(true);
      else if (random.chance(0.04)) await backUp(false);
    }
    gate.release();
    nowMs += STEP_MS;
    await backUp(true);
    let exact = 0;
    for (const moment of writes.moments.filter((_, at) => at % 3 === 0)) {
      for (const point of [{ revision: moment.revision }, { timeMs: moment.timeMs + STEP_MS / 2 }]) {
        try {
          const got = await restored(point);
          expect([random.seed, point, differences(got, moment.state)]).toEqual([random.seed, point, []]);
          exact++;
        } catch (error) {
          if (!(error instanceof Error) || !error.message.startsWith('this state cannot be restored')) throw error;
          expect([random.seed, point, error.message, isTrue(error.message, moment, writes)]).toEqual([
            random.seed,
            point,
            error.message,
            true,
          ]);
        }
      }
    }
    expect(exact).toBeGreaterThan(20);
  }, 120_000);
});
