import { deepEqual, equal, rejects } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';
import { systemClock } from '../../src/memory/clock.ts';
import { MnemeError } from '../../src/memory/errors.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { FORMAT } from '../../src/storage/command-log.ts';
import type { MemoryStore, StoreWrite } from '../../src/storage/memory-store.ts';
import { RedisCommandLog } from '../../src/storage/redis/command-log.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { bringInPending } from '../../src/storage/shared/bring-in.ts';
import { prepareFolder } from '../../src/storage/shared/prepare-folder.ts';
import type { SharedMemoryStore } from '../../src/storage/shared/shared-memory-store.ts';
import { SqliteAgentSnapshots } from '../../src/storage/sqlite/agents/agent-snapshots.ts';
import { SqliteScopePolicies } from '../../src/storage/sqlite/agents/scope-policies.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { leaveSharedLog } from '../../src/storage/sqlite/shared-position.ts';
import { newMemory } from '../support/new-memory.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openSharedStore, type SharedStoreOfTest } from '../support/shared-store.ts';
import { openTieredStore } from '../support/tiered-store.ts';

const namespace = 'space';
const atUs = Date.now() * 1000;
const SCOPE = { project: '', agentType: '', agent: 'ada', session: '' };

let redis: RedisServer;
const opened: SharedStoreOfTest[] = [];
const folders: string[] = [];

async function open(folder?: string): Promise<SharedStoreOfTest> {
  const shared = await openSharedStore({ url: redis.url, ...(folder !== undefined && { folder }) });
  opened.push(shared);
  return shared;
}
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-shared-'));
  folders.push(folder);
  return folder;
}
async function closed(shared: SharedStoreOfTest): Promise<void> {
  opened.splice(opened.indexOf(shared), 1);
  await shared.close();
}

beforeAll(async () => {
  redis = await RedisServer.started();
});
afterEach(async () => {
  for (const shared of opened.splice(0)) await shared.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  await redis.command('FLUSHALL');
});
afterAll(() => redis.stop());

function put(store: MemoryStore, ids: readonly string[], more: Partial<StoreWrite> = {}) {
  const memories = ids.map((id) => newMemory({ id, text: `text of ${id}`, scope: SCOPE }));
  return store.store({ namespace, memories, createNamespace: true, onConflict: 'fail', atUs, ...more });
}

function changeTo(text: string) {
  return { text, checksum: checksumOf(text, undefined) };
}

/** All answers of a server about its contents. */
async function answersOf({ store }: SharedStoreOfTest) {
  const names = await store.listNamespaces({ limit: 100 });
  const [agents, policies] = [new SqliteAgentSnapshots(store), new SqliteScopePolicies(store)];
  const spaces = await Promise.all(
    names.map(async ({ name }) => {
      const read = { namespace: name, limit: 1000, bytesMax: 1 << 30, nowUs: 0 };
      const { memories } = await store.list({ ...read, order: 'create_time_asc', view: 'full' });
      const past = memories.map(({ id }) => store.revisions({ namespace: name, id, limit: 100, nowUs: 0 }));
      return {
        name,
        memories,
        past: await Promise.all(past),
        snapshots: await agents.list({ namespace: name, limit: 100 }),
        policies: await policies.list(name),
        settings: [...(await store.tiers.tierSettings(name))],
      };
    }),
  );
  return { revision: store.revision, names, spaces, settings: [...(await store.tiers.tierSettings(''))] };
}

async function reason(call: Promise<unknown>): Promise<string> {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  return failure instanceof MnemeError ? failure.reason : String(failure);
}

describe('several servers, one log', () => {
  it('the same id at two servers › one memory: the second is refused, and sees the first', async () => {
    const [one, other] = [await open(), await open()];
    const outcomes = await Promise.allSettled([put(one.store, ['m']), put(other.store, ['m'])]);
    deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    deepEqual(await answersOf(one), await answersOf(other));
  });

  it('acknowledged writes of one › every other reads, of any tier', async () => {
    const servers = [await open(), await open(), await open()];
    for (const [at, { store }] of servers.entries()) {
      const memories = [newMemory({ id: `m${at}`, tier: at === 0 ? 'long_term' : 'short_term' })];
      await store.store({ namespace, memories, createNamespace: true, onConflict: 'fail', atUs });
      for (const reader of servers) {
        const [found] = await reader.store.get({ namespace, ids: [`m${at}`], view: 'full', nowUs: atUs });
        equal(found?.id, `m${at}`);
      }
    }
    await servers[0]?.store.delete({ namespace, ids: ['m0'], cause: 'deleted', mustExist: true, atUs });
    equal(await reason(put(servers[1]?.store as MemoryStore, ['m1'])), 'MEMORY_EXISTS');
    deepEqual(await servers[2]?.store.get({ namespace, ids: ['m0'], view: 'full', nowUs: atUs }), [undefined]);
  });

  it('writes of all kinds at three servers at once › the same in all, to the revision', async () => {
    const servers = [await open(), await open(), await open()];
    const stores = servers.map(({ store }) => store);
    await Promise.all(
      stores.flatMap((store, server) =>
        Array.from({ length: 20 }, async (_, at) => {
          const id = `m${server}-${at}`;
          await put(store, [id, `${id}b`]);
          const other = stores[(server + 1) % 3] as MemoryStore;
          await other.update({ namespace, id, changes: changeTo(`changed ${id}`), atUs });
          if (at % 4 === 0) await other.delete({ namespace, ids: [`${id}b`], cause: 'deleted', mustExist: true, atUs });
          else await store.tiers.move({ namespace, ids: [id], to: 'long_term', resolution: FULL_RESOLUTION, atUs });
        }),
      ),
    );
    await stores[0]?.updateNamespace({ name: namespace, description: 'of all', atUs });
    const [first, ...others] = await Promise.all(servers.map(answersOf));
    equal(first?.spaces[0]?.memories.length, 105);
    for (const answers of others) deepEqual(answers, first);
  });

  it('joined with an empty folder › answers as the others do: memories, settings, policies, snapshots', async () => {
    const one = await open();
    await put(one.store, ['a', 'b', 'erased']);
    const agents = new SqliteAgentSnapshots(one.store);
    await agents.take({ namespace, id: 'then', scope: SCOPE, description: '', atUs });
    await one.store.delete({ namespace, ids: ['erased'], cause: 'deleted', mustExist: true, atUs });
    await one.snapshot();
    await one.store.tiers.setTierSettings({ namespace: '', settings: [['redis.when_lost', 'refuse']], atUs });
    await one.store.tiers.setTierSettings({ namespace, settings: [['short_term.memory_limit', '7']], atUs });
    const policy = { scope: SCOPE, isPrivate: true, isReadOnly: false, isIsolated: false };
    await new SqliteScopePolicies(one.store).set({ namespace, policy, atUs });
    const joined = await open();
    deepEqual(await answersOf(joined), await answersOf(one));
    const restored = await new SqliteAgentSnapshots(joined.store).restore({
      namespace,
      id: 'then',
      embedsLater: false,
      atUs,
    });
    equal(restored.restoredCount, 1);
    deepEqual(await answersOf(joined), await answersOf(one));
  });

  it('a request that is repeated at another server › its first outcome, one effect', async () => {
    const [one, other] = [await open(), await open()];
    const idempotency = { requestId: 'r', fingerprint: 'f' };
    const first = await put(one.store, ['m'], { idempotency });
    deepEqual(await put(other.store, ['m'], { idempotency }), first);
    equal(JSON.stringify(await one.store.outcomeOf(namespace, idempotency)), JSON.stringify(first));
  });

  it('offline while others wrote › continues; when the log was trimmed further › is rebuilt', async () => {
    const folder = await newFolder();
    const [one, away] = [await open(), await open(folder)];
    await put(one.store, ['a']);
    await closed(away);
    await put(one.store, ['b']);
    const back = await open(folder);
    deepEqual(await answersOf(back), await answersOf(one));
    await closed(back);
    await put(one.store, ['c']);
    await one.snapshot();
    await put(one.store, ['d']);
    await one.snapshot();
    await put(one.store, ['e']);
    const anew = await open(folder);
    deepEqual(await answersOf(anew), await answersOf(one));
    deepEqual(anew.broughtIn, []);
  });

  it('a log of an older version of the server › is followed, and joined by no older one; of a newer version › refused', async () => {
    const state = 'mneme:{log:shared}:state';
    const one = await open();
    await put(one.store, ['a']);
    await redis.command('HSET', state, 'format', `${FORMAT - 1}`);
    const two = await open();
    await put(two.store, ['b'], { erasedIds: ['a'] });
    const read = { namespace, ids: ['a', 'b'], view: 'metadata', nowUs: atUs } as const;
    for (const { store } of [one, two])
      deepEqual(
        (await store.get(read)).map((memory) => memory?.id),
        [undefined, 'b'],
      );
    equal(await redis.command('HGET', state, 'format'), `${FORMAT}`);
    await redis.command('HSET', state, 'format', `${FORMAT + 1}`);
    const connection = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
    const log = new RedisCommandLog(connection, 'mneme:{log:shared}');
    const nothing = async () => undefined;
    const joined = prepareFolder({ folder: await newFolder(), log, complete: nothing, release: nothing });
    await rejects(joined, { reason: 'STORAGE_UNAVAILABLE', metadata: { backend: 'redis', fault: 'other_format' } });
    await connection.close();
  });

  it('left behind while it runs › fails until it is started again', async () => {
    const folder = await newFolder();
    const [one, behind] = [await open(), await open(folder)];
    for (const id of ['a', 'b', 'c']) {
      await put(one.store, [id]);
      await one.snapshot();
    }
    equal(await reason(behind.store.getNamespace(namespace)), 'STORAGE_UNAVAILABLE');
    deepEqual(behind.ends, ['left_behind']);
    equal(await reason(put(behind.store, ['d'])), 'STORAGE_UNAVAILABLE');
    await closed(behind);
    deepEqual(await answersOf(await open(folder)), await answersOf(one));
  });
});

describe('Redis has lost data', () => {
  it('emptied › nothing is lost, whichever server comes first', async () => {
    const [one, other] = [await open(), await open()];
    await put(one.store, ['a']);
    await other.log.current();
    await put(one.store, ['b']);
    await redis.command('FLUSHALL');
    await Promise.all([put(other.store, ['c']), put(one.store, ['d'])]);
    deepEqual(await answersOf(other), await answersOf(one));
    const joined = await open();
    deepEqual(await answersOf(joined), await answersOf(one));
    equal((await answersOf(one)).spaces[0]?.memories.length, 4);
    deepEqual([one.ends, other.ends], [[], []]);
  });

  it('restored to an older state › lost writes exist again', async () => {
    const [one, other] = [await open(), await open()];
    await put(one.store, ['a']);
    await other.log.current();
    const before = await savedLog();
    await put(one.store, ['b']);
    await one.store.delete({ namespace, ids: ['a'], cause: 'deleted', mustExist: true, atUs });
    await before.restore();
    await put(one.store, ['c']);
    deepEqual(await answersOf(other), await answersOf(one));
    deepEqual((await answersOf(await open())).spaces[0]?.memories.map(({ id }) => id).sort(), ['b', 'c']);
  });

  it('restored, and another server continued › writes of only one are merged when it restarts', async () => {
    const folder = await newFolder();
    const [one, other] = [await open(folder), await open()];
    await put(one.store, ['a']);
    await other.log.current();
    const before = await savedLog();
    await put(one.store, ['b']);
    await before.restore();
    await put(other.store, ['c']);
    equal(await reason(put(one.store, ['d'])), 'STORAGE_UNAVAILABLE');
    deepEqual(one.ends, ['rolled_back']);
    await closed(one);
    const again = await open(folder);
    deepEqual(again.broughtIn, [1]);
    deepEqual(await answersOf(again), await answersOf(other));
    deepEqual((await answersOf(again)).spaces[0]?.memories.map(({ id }) => id).sort(), ['a', 'b', 'c']);
  });

  it('emptied while no server ran › the first that starts restores it from its folder', async () => {
    const folder = await newFolder();
    const one = await open(folder);
    await put(one.store, ['a']);
    const before = await answersOf(one);
    await closed(one);
    await redis.command('FLUSHALL');
    deepEqual(await answersOf(await open(folder)), before);
    deepEqual(await answersOf(await open()), before);
  });
});

describe('from one server to several', () => {
  async function ownFolder(ids: readonly string[]): Promise<string> {
    const folder = await newFolder();
    const own = await openSqliteStore({ folder });
    await put(own, ids);
    await own.update({ namespace, id: ids[0] ?? '', changes: changeTo('changed'), atUs: atUs + 1 });
    await own.tiers.move({ namespace, ids, to: 'long_term', resolution: FULL_RESOLUTION, atUs });
    await own.close();
    return folder;
  }

  it('the first › shares the contents of its folder, with former states and versions', async () => {
    const folder = await ownFolder(['a', 'b']);
    const own = await openSqliteStore({ folder });
    const [before] = await own.get({ namespace, ids: ['a'], view: 'full', nowUs: atUs });
    await own.close();
    const [one, other] = [await open(folder), await open()];
    deepEqual(await other.store.get({ namespace, ids: ['a'], view: 'full', nowUs: atUs }), [before]);
    equal((await other.store.revisions({ namespace, id: 'a', limit: 9, nowUs: atUs })).length, 2);
    deepEqual(await answersOf(one), await answersOf(other));
  });

  it('the next › adds missing memories; existing ones stay, and once is enough', async () => {
    const one = await open();
    await put(one.store, ['a'], { atUs: atUs - 5 });
    const [kept] = await one.store.get({ namespace, ids: ['a'], view: 'full', nowUs: atUs });
    const folder = await ownFolder(['b', 'a', 'c']);
    const next = await open(folder);
    deepEqual(next.broughtIn, [2]);
    deepEqual(await one.store.get({ namespace, ids: ['a'], view: 'full', nowUs: atUs }), [kept]);
    equal((await one.store.revisions({ namespace, id: 'b', limit: 9, nowUs: atUs })).length, 2);
    deepEqual(await answersOf(next), await answersOf(one));
    await one.store.delete({ namespace, ids: ['b'], cause: 'deleted', mustExist: true, atUs });
    await closed(next);
    const again = await open(folder);
    deepEqual(again.broughtIn, []);
    deepEqual(await answersOf(again), await answersOf(one));
  });

  it('stopped at any moment of it › the next start continues; memories deleted in the meantime do not return', async () => {
    const one = await open();
    const ids = Array.from({ length: 450 }, (_, at) => `m${String(at).padStart(3, '0')}`);
    const folder = await ownFolder(ids);
    for (const end of ['before', 'after'] as const) {
      for (const pages of [0, 1, 3]) {
        const next = await openSharedStore({ url: redis.url, folder, bringsIn: false });
        let left = pages;
        const failing = Object.assign(Object.create(next.store) as SharedMemoryStore, {
          async write(...[verb, write]: Parameters<SharedMemoryStore['write']>) {
            const isLast = verb === 'bringIn' && left-- === 0;
            if (isLast && end === 'before') throw new Error('ended');
            const outcome = await next.store.write(verb, write);
            if (isLast) throw new Error('ended');
            return outcome;
          },
        });
        await rejects(bringInPending({ folder, shared: failing, clock: systemClock }), { message: 'ended' });
        await next.close();
      }
    }
    await one.store.delete({ namespace, ids: ['m000'], cause: 'deleted', mustExist: true, atUs });
    const next = await open(folder);
    equal((await answersOf(next)).spaces[0]?.memories.length, 449);
    deepEqual(await answersOf(next), await answersOf(one));
    deepEqual(await one.store.get({ namespace, ids: ['m000'], view: 'full', nowUs: atUs }), [undefined]);
  });

  it('memories in its Redis alone › are migrated, and their keys are deleted', async () => {
    const folder = await newFolder();
    const tiered = await openTieredStore({ folder, urls: [redis.url] });
    await put(tiered.store, ['hot', 'warm']);
    await tiered.close();
    equal(await redis.command('EXISTS', 'mneme:{space}:room'), 1);
    const one = await open(folder);
    deepEqual((await answersOf(one)).spaces[0]?.memories.map(({ id }) => id).sort(), ['hot', 'warm']);
    deepEqual(await redis.command('KEYS', 'mneme:{space}:*'), []);
    deepEqual(await answersOf(await open()), await answersOf(one));
  });

  it('a data folder whose database was never completed, or is none › does not prevent the start of servers that share nothing', async () => {
    for (const bytes of ['', 'not a database, whatever its name says']) {
      const folder = await newFolder();
      await writeFile(join(folder, 'mneme.db'), bytes);
      leaveSharedLog(folder);
      const opening = openSqliteStore({ folder }).then((store) => store.close());
      if (bytes === '') await opening;
      else await rejects(opening, { name: 'FolderError' });
    }
  });

  it('refused by its own rules › the reason is that of the memories', async () => {
    const one = await open();
    await rejects(one.store.getNamespace('none'), { reason: 'NAMESPACE_NOT_FOUND' });
  });
});

/** The log as it is now, to be put back in its place later. */
async function savedLog() {
  const keysNow = async () => (await redis.command('KEYS', 'mneme:{log:shared}*')) as string[];
  const keys = await keysNow();
  for (const key of keys) await redis.command('COPY', key, `saved:${key}`, 'REPLACE');
  return {
    async restore() {
      for (const key of await keysNow()) await redis.command('DEL', key);
      for (const key of keys) await redis.command('COPY', `saved:${key}`, key);
    },
  };
}
