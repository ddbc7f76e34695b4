import { afterEach, describe, expect, it } from '@jest/globals';
import {
  connect,
  InvalidArgumentError,
  type Mneme,
  NotFoundError,
  type RecallQuery,
} from '../../../../clients/typescript/src/index.ts';
import { runMneme } from '../../../cli/support/run-mneme.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let nowUs = 1_800_000_000_000_000;
const clock = { nowUs: () => nowUs };
const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function start(
  flags: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<{ server: TestServer; mneme: Mneme }> {
  const still = { embedder: 'none', maintenanceIntervalMs: '86400000', expiryIntervalMs: '3600000' };
  const server = await startTestServer({ ...still, recallCacheCount: '10', ...flags }, { clock }, env);
  const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'one' });
  opened.push(
    () => server.stop(),
    () => mneme.close(),
  );
  await mneme.batchStore([
    { id: 'a', text: 'a garden' },
    { id: 'b', text: 'another garden' },
  ]);
  await mneme.withNamespace('two').store({ id: 'c', text: 'a garden elsewhere' });
  return { server, mneme };
}

async function counts(mneme: Mneme): Promise<readonly [hits: number, misses: number, passedBy: number]> {
  const { recallCache: cache } = await mneme.admin.getServerStatistics();
  return [cache?.hitCount ?? -1, cache?.missCount ?? -1, cache?.bypassedCount ?? -1];
}

/** Increase of hits, misses and bypasses by a recall. */
async function asked(mneme: Mneme, query: RecallQuery): Promise<readonly number[]> {
  const before = await counts(mneme);
  await mneme.recall(query);
  return (await counts(mneme)).map((count, at) => count - (before[at] ?? 0));
}
const HIT = [1, 0, 0];
const MISS = [0, 1, 0];
const PASSED_BY = [0, 0, 1];

describe('answers of recall that are kept', () => {
  it('unless asked for › none is', async () => {
    const { mneme } = await start({ recallCacheCount: '0' });
    for (let round = 0; round < 3; round++) expect(await asked(mneme, { text: 'garden' })).toEqual([0, 0, 0]);
  });

  it('the same question › a hit, with the current revision; another question is a miss', async () => {
    const { mneme } = await start();
    expect(await asked(mneme, { text: 'garden' })).toEqual(MISS);
    expect(await asked(mneme, { text: 'garden' })).toEqual(HIT);
    for (const query of [
      { text: 'gardens' },
      { text: 'garden', limit: 1 },
      { text: 'garden', view: 'full' as const },
    ]) {
      expect(await asked(mneme, query)).toEqual(MISS);
    }
    const { revision } = await mneme.withNamespace('two').store({ text: 'elsewhere' });
    expect((await mneme.recall({ text: 'garden' })).revision).toBeGreaterThanOrEqual(revision);
  });

  it('a write to another namespace › leaves it; any write to its own › is seen at once', async () => {
    const { mneme } = await start();
    const writes: (() => Promise<unknown>)[] = [
      () => mneme.store({ id: 'd', text: 'garden four' }),
      () => mneme.update('d', { text: 'garden five' }),
      () => mneme.setImportance('d', 0.9),
      () => mneme.get('d', { touch: true }),
      () => mneme.demote(['d']),
      () => mneme.promote(['d']),
      () => mneme.clearTier('long_term', { all: true }).then(() => mneme.delete('d')),
      () => mneme.recall({ text: 'garden', touch: true }),
    ];
    for (const write of writes) {
      await mneme.recall({ text: 'garden' });
      await mneme.withNamespace('two').store({ text: 'a garden' });
      expect(await asked(mneme, { text: 'garden' })).toEqual(HIT);
      await write();
      expect(await asked(mneme, { text: 'garden' })).toEqual(MISS);
    }
  });

  it('time alone › ends it: when a memory expires, when recency falls, when its own time is over', async () => {
    const { mneme } = await start({ recallCacheTtlMs: '5000' });
    const plain = { text: 'garden', weights: { recency: 0 } };
    await mneme.recall(plain);
    nowUs += 4_999_000;
    expect(await asked(mneme, plain)).toEqual(HIT);
    nowUs += 1000;
    expect(await asked(mneme, plain)).toEqual(MISS);
    const quick = { text: 'garden', recencyHalfLifeMs: 8192 };
    nowUs -= nowUs % 1_000_000;
    await mneme.recall(quick);
    expect(await asked(mneme, quick)).toEqual(HIT);
    nowUs += 1000;
    expect(await asked(mneme, quick)).toEqual(MISS);
    await mneme.store({ id: 'short', text: 'a short garden', expireTime: new Date(nowUs / 1000 + 2000) });
    expect((await mneme.recall(plain)).hits).toHaveLength(3);
    nowUs += 1_999_000;
    expect(await asked(mneme, plain)).toEqual(HIT);
    nowUs += 1000;
    expect((await mneme.recall(plain)).hits).toHaveLength(2);
  });

  it('windows and presets that end now › are bypassed; with an explicit instant they are cached', async () => {
    const { mneme } = await start();
    const last: RecallQuery = { text: 'garden', timeWindow: { lastMs: 60_000 } };
    expect([await asked(mneme, last), await asked(mneme, last)]).toEqual([PASSED_BY, PASSED_BY]);
    const hours = { name: 'last_hours', parameters: { hours: 2 } };
    expect(await asked(mneme, { preset: hours })).toEqual(PASSED_BY);
    const fixed: RecallQuery = { preset: { ...hours, now: new Date(nowUs / 1000) } };
    expect([await asked(mneme, fixed), await asked(mneme, fixed)]).toEqual([MISS, HIT]);
    const ranked: RecallQuery = { preset: { name: 'importance' } };
    expect([await asked(mneme, ranked), await asked(mneme, ranked)]).toEqual([MISS, HIT]);
  });

  it('focus and touch › count each time, also for cache hits', async () => {
    const { mneme } = await start();
    await mneme.recall({ text: 'another garden', limit: 1 });
    await mneme.recall({ text: 'another garden', limit: 1, touch: true });
    await mneme.recall({ text: 'another garden', limit: 1, focus: true });
    expect((await mneme.get('b')).retrievalCount).toBe(2);
  });

  it('limits › of count and bytes hold, least recently asked out first; they are set while the server runs', async () => {
    const { mneme } = await start({ recallCacheCount: '2' });
    for (const text of ['garden', 'another', 'garden', 'elsewhere']) await mneme.recall({ text });
    expect(await asked(mneme, { text: 'garden' })).toEqual(HIT);
    expect(await asked(mneme, { text: 'another' })).toEqual(MISS);
    expect((await mneme.admin.getServerStatistics()).recallCache).toMatchObject({
      maxEntries: 2,
      entryCount: 2,
      evictedCount: 2,
    });
    await mneme.admin.updateConfig({ 'cache.entries': 1 });
    expect((await mneme.admin.getServerStatistics()).recallCache).toMatchObject({ maxEntries: 1, entryCount: 1 });
    await mneme.admin.updateConfig({ 'cache.entries': 0 });
    expect(await asked(mneme, { text: 'another' })).toEqual([0, 0, 0]);
    await mneme.admin.updateConfig({ 'cache.entries': 5, 'cache.bytes': 65_536, 'cache.ttl': '1m' });
    await mneme.store({ id: 'large', text: 'vast', content: 'x'.repeat(100_000) });
    expect([await asked(mneme, { text: 'vast' }), await asked(mneme, { text: 'vast' })]).toEqual([MISS, MISS]);
    expect((await mneme.admin.getServerStatistics()).recallCache).toMatchObject({ maxBytes: 65_536, ttlMs: 60_000 });
    await mneme.admin.updateConfig({ 'cache.entries': null, 'cache.bytes': null, 'cache.ttl': null });
    expect((await mneme.admin.getServerStatistics()).recallCache).toMatchObject({
      maxEntries: 2,
      maxBytes: 33_554_432,
    });
  });

  it.each([
    [{ 'cache.entries': '-1' }],
    [{ 'cache.bytes': '10' }],
    [{ 'cache.ttl': '0s' }],
    [{ 'cache.ttl': 'none' }],
    [{ 'cache.nonsense': '1' }],
  ])('an invalid setting %j among valid ones › refused, and nothing is changed', async (wrong) => {
    const { mneme } = await start();
    await expect(mneme.admin.updateConfig({ 'short_term.ttl': '2h', ...wrong })).rejects.toThrow(InvalidArgumentError);
    expect(await mneme.admin.getConfig()).toEqual({});
    await expect(mneme.namespaces.update('one', { settings: { 'cache.entries': 5 } })).rejects.toThrow('AdminService');
  });

  it('ClearCache, mneme cache › clear a namespace, or all; metrics count the hits', async () => {
    const { server, mneme } = await start({ metricsListen: '127.0.0.1:0' });
    for (const own of [mneme, mneme, mneme.withNamespace('two')]) await own.recall({ text: 'garden' });
    const metrics = await (await fetch(`http://${server.server.metricsAddress}/metrics`)).text();
    expect(metrics).toMatch(/^mneme_recall_cache_hits_total 1$/m);
    expect(metrics).toMatch(/^mneme_recall_cache_misses_total 2$/m);
    expect(metrics).toMatch(/^mneme_recall_cache_entries 2$/m);
    expect(await mneme.admin.clearRecallCache('two')).toMatchObject({ clearedCount: 1 });
    await expect(mneme.admin.clearRecallCache('nowhere')).rejects.toThrow(NotFoundError);
    const run = (...args: string[]) => runMneme([...args, '--server', server.address, '--namespace', 'one']);
    expect((await run('cache', 'show')).stdout).toMatch(
      /answers +1 of 10, \d+ of 33554432 bytes\nhits +1 of 3 \(33\.3 %\)/,
    );
    expect((await run('cache', 'clear')).stdout).toMatch(/^cleared 1 answer, \d+ bytes\n$/);
    expect(await mneme.admin.clearRecallCache()).toEqual({ clearedCount: 0, clearedBytes: 0 });
    expect(await asked(mneme, { text: 'garden' })).toEqual(MISS);
  });
});
