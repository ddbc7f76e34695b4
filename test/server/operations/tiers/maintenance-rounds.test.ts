import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MaintenanceJob, tierLimitJob } from '../../../../src/server/jobs/maintenance-jobs.ts';
import { createLogger } from '../../../../src/server/logger.ts';
import { movePace } from '../../../../src/server/operations/tiers/carry-out-moves.ts';
import { CrowdedNamespaces } from '../../../../src/server/operations/tiers/crowded-namespaces.ts';
import { MaintenanceRounds } from '../../../../src/server/operations/tiers/maintenance-rounds.ts';
import type { Records } from '../../../../src/storage/records.ts';
import { withMethods } from '../../../../src/storage/with-methods.ts';
import { InMemoryMemoryStore } from '../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { call } from '../support.ts';

const HOUR_US = 3_600_000_000;

let store: InMemoryMemoryStore;
let nowUs: number;
let stored: number;
beforeEach(() => {
  store = new InMemoryMemoryStore();
  nowUs = 1_800_000_000_000_000;
  stored = 0;
});
afterEach(() => store.close());

const deps = () => ({ store, view: store, clock: { nowUs: () => nowUs } });
const put = (namespace: string, count: number) =>
  store.write({
    kind: 'store',
    namespace,
    createNamespace: true,
    onConflict: 'fail',
    atUs: nowUs,
    memories: Array.from({ length: count }, () => newMemory({ id: `m${++stored}`, createdAtUs: nowUs })),
  });
const set = (namespace: string, settings: Readonly<Record<string, string>>) =>
  store.write({ kind: 'setTierSettings', namespace, settings: Object.entries(settings), atUs: nowUs });
const held = async (namespace: string) => Object.fromEntries(await store.count({ namespace, nowUs }));
/** One round; returns the number of moves of each namespace. */
async function round(rounds: MaintenanceRounds): Promise<Readonly<Record<string, number>>> {
  const moved: Record<string, number> = {};
  for await (const { namespace, moves } of rounds.round(call.signal))
    moved[namespace] = (moved[namespace] ?? 0) + moves.length;
  return moved;
}

describe('rounds of maintenance', () => {
  it('more comes to one namespace than a round moves › every other is maintained in the same round', async () => {
    await put('aa', 1200);
    await set('aa', { 'short_term.memory_limit': '10' });
    for (const name of ['mm', 'zz']) {
      await put(name, 3);
      await set(name, { 'short_term.ttl': '1h' });
    }
    nowUs += HOUR_US;
    const rounds = new MaintenanceRounds(deps());
    rounds.begin();
    expect(await round(rounds)).toEqual({ aa: 1000 });
    await put('aa', 1000);

    expect(await round(rounds)).toEqual({ mm: 3, zz: 3, aa: 700 });
    expect(await held('zz')).toEqual({ intermediate: 3 });
    expect(rounds.isDone).toBe(false);
  });

  it('two namespaces have more to move than their share › they alternate until no work remains', async () => {
    for (const name of ['a', 'b']) {
      await put(name, 1300);
      await set(name, { 'short_term.memory_limit': '50', 'short_term.ttl': 'none' });
    }
    const rounds = new MaintenanceRounds(deps());
    rounds.begin();
    const received: string[] = [];
    while (!rounds.isDone) received.push(...Object.keys(await round(rounds)));

    expect(received).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect(await held('a')).toEqual({ short_term: 50, intermediate: 1250 });
    expect(await held('b')).toEqual({ short_term: 50, intermediate: 1250 });
  }, 60_000);

  it('moves of several namespaces, in several rounds › all go at the one pace of the server', async () => {
    for (const name of ['a', 'b']) {
      await put(name, 800);
      await set(name, { 'short_term.memory_limit': '50', 'short_term.ttl': 'none' });
    }
    const take = jest.spyOn(movePace, 'take').mockResolvedValue();
    const rounds = new MaintenanceRounds(deps());
    rounds.begin();
    while (!rounds.isDone) await round(rounds);
    const paced = take.mock.calls.reduce((sum, [count]) => sum + count, 0);
    take.mockRestore();
    expect(paced).toBe(1500);
  });

  it('one tier never reaches its limit › the next lower tier is kept within its own nevertheless', async () => {
    await put('aa', 1200);
    await set('aa', { 'short_term.memory_limit': '10', 'intermediate.memory_limit': '20', 'short_term.ttl': 'none' });
    const rounds = new MaintenanceRounds(deps());
    rounds.add(['aa']);
    await round(rounds);

    expect(await held('aa')).toMatchObject({ short_term: 700, intermediate: 20 });
  });

  it('a namespace that is deleted while it waits › is passed over', async () => {
    await put('aa', 3);
    const rounds = new MaintenanceRounds(deps());
    rounds.add(['aa', 'zz']);
    await store.write({ kind: 'deleteNamespace', name: 'aa', force: true, atUs: nowUs });

    expect([await round(rounds), await round(rounds)]).toEqual([{}, {}]);
    expect(rounds.isDone).toBe(true);
  });
});

describe('namespaces that are crowded', () => {
  const crowdedOf = () => new CrowdedNamespaces({ store, view: store, changes: store.log });

  it('writes bring a tier well above its limit › it is named, once for these writes; others are not', async () => {
    for (const name of ['full', 'few']) {
      await put(name, 1);
      await set(name, { 'short_term.memory_limit': '100' });
    }
    const crowded = crowdedOf();
    await put('full', 110);
    await put('few', 109);

    expect(await crowded.look()).toEqual(['full']);
    expect(await crowded.look()).toEqual([]);
  });

  it('a limit of a type, or of bytes › counts as that of the tier', async () => {
    await put('types', 1);
    await set('types', { 'type.note.short_term.memory_limit': '10' });
    await put('bytes', 1);
    await set('bytes', { 'short_term.bytes_limit': '30' });
    const crowded = crowdedOf();
    await put('types', 20);
    await put('bytes', 20);

    const { type } = newMemory({ id: 'any', createdAtUs: nowUs });
    await set('types', { [`type.${type}.short_term.memory_limit`]: '10' });
    expect((await crowded.look())?.toSorted()).toEqual(['bytes', 'types']);
  });

  it('a namespace was deleted in the meantime › all are checked; then it continues', async () => {
    await put('gone', 2);
    await put('full', 2);
    await set('full', { 'short_term.memory_limit': '1' });
    const crowded = crowdedOf();
    await store.write({ kind: 'deleteNamespace', name: 'gone', force: true, atUs: nowUs });

    expect(await crowded.look()).toBeUndefined();
    await put('full', 1);
    expect(await crowded.look()).toEqual(['full']);
  });
});

describe('the job of maintenance', () => {
  it('hurried while the interval is far from over › looks at these namespaces alone', async () => {
    for (const name of ['full', 'other']) {
      await put(name, 30);
      await set(name, { 'short_term.memory_limit': '10', 'short_term.ttl': 'none' });
    }
    const maintained = Promise.withResolvers<void>();
    const noted = withMethods<Records>(store, {
      write: (change) =>
        store.write(change).finally(() => {
          if (change.kind === 'setMaintained') maintained.resolve();
        }),
    });
    const logger = createLogger({ logLevel: 'silent', logFormat: 'json' });
    const job = new MaintenanceJob({ ...deps(), store: noted }, HOUR_US / 1000, logger);
    const limits = tierLimitJob({ look: async () => ['full'] }, job, HOUR_US / 1000, logger);
    limits.wake();
    await maintained.promise;
    await limits.stop();
    await job.stop();

    expect(await held('full')).toMatchObject({ short_term: 10 });
    expect(await held('other')).toEqual({ short_term: 30 });
  });
});
