import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AlreadyExistsError,
  connect,
  type Mneme,
  ResourceExhaustedError,
} from '../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const SPACE = 'promotion';
const TEXT = 'Caroline keeps her cello in the attic. '.repeat(200);
const VECTOR = Float32Array.of(0.1, -0.25, 1e-7, 3);

let redis: RedisServer;
let server: TestServer;
let mneme: Mneme;
beforeEach(async () => {
  redis = await RedisServer.started({ 'maxmemory-policy': 'noeviction' });
  const env = { MNEME_REDIS_URL: redis.url };
  server = await startTestServer({ maintenanceIntervalMs: '86400000', embedder: 'none' }, {}, env);
  mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: SPACE });
});
afterEach(async () => {
  void mneme.close();
  await server.stop();
  await redis.stop();
});

const isInRedis = async (id: string) => (await redis.command('HEXISTS', `mneme:{${SPACE}}:ids`, id)) === 1;

/** A memory with a former state and a vector, in long-term memory; returns its state before the move. */
async function sunk(id: string) {
  await mneme.store({ id, text: 'first', embedding: { model: 'm', values: VECTOR } });
  await mneme.update(id, { text: TEXT, embedding: { model: 'm', values: VECTOR } });
  const before = await mneme.get(id, { view: 'full' });
  await mneme.demote([id], { toTier: 'long_term' });
  expect([(await mneme.get(id)).tier, await isInRedis(id)]).toEqual(['long_term', false]);
  return before;
}

const historyOf = async (id: string) => {
  const texts: unknown[] = [];
  for await (const { memory } of mneme.listRevisions(id)) texts.push([memory.version, memory.text]);
  return texts;
};

describe('promotion with Redis', () => {
  it('Promote › Redis owns the memory again, with its fields, vector, history and revision', async () => {
    const before = await sunk('a');
    const history = await historyOf('a');
    await mneme.promote(['a'], { toTier: 'short_term' });

    expect(await isInRedis('a')).toBe(true);
    expect(await mneme.get('a', { view: 'full' })).toEqual(before);
    expect(await historyOf('a')).toEqual(history);
    const { hits } = await mneme.recall({ text: 'cello', tiers: ['short_term'] });
    expect(hits.map(({ memory }) => memory.id)).toEqual(['a']);
    await mneme.update('a', { importance: 0.9 });
    expect(await mneme.get('a')).toMatchObject({ text: TEXT, importance: 0.9 });
    await mneme.demote(['a'], { toTier: 'long_term' });
    expect((await historyOf('a')).slice(1)).toEqual(history);
    expect(await isInRedis('a')).toBe(false);
  });

  it('Get and Recall in focus › used memories move up to Redis, counted, one tier at a time', async () => {
    const before = await sunk('a');
    await mneme.get('a', { focus: true });
    expect(await isInRedis('a')).toBe(false);
    const { promotedIds } = await mneme.recall({ text: 'cello', focus: true });
    expect([promotedIds, await isInRedis('a'), (await mneme.get('a')).tier]).toEqual([['a'], true, 'intermediate']);
    await mneme.get('a', { focus: true });
    const after = await mneme.get('a', { view: 'full' });
    const { lastAccessTime = new Date(0) } = after;

    expect(after).toEqual({ ...before, tier: 'short_term', retrievalCount: 3, lastAccessTime });
  });

  it('Promote while Redis is full › refused, and the memory stays in long-term memory', async () => {
    await sunk('a');
    await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');

    await expect(mneme.promote(['a'], { toTier: 'short_term' })).rejects.toThrow(ResourceExhaustedError);
    expect([(await mneme.get('a')).tier, await isInRedis('a')]).toEqual(['long_term', false]);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await mneme.promote(['a'], { toTier: 'short_term' });
    expect([(await mneme.get('a')).tier, await isInRedis('a')]).toEqual(['short_term', true]);
  });

  it('a memory of an upper tier that the data folder owns › returns to Redis when it is used, if that is not full', async () => {
    await sunk('low');
    await mneme.store({ id: 'high', text: 'in Redis' });
    // A write to memories of both stores is executed in one of them, atomically.
    const again = ['low', 'high'].map((id) => ({ id, text: 'another' }));
    await expect(mneme.batchStore(again)).rejects.toThrow(AlreadyExistsError);
    expect(await isInRedis('high')).toBe(false);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');
    await mneme.get('high', { focus: true });
    expect(await isInRedis('high')).toBe(false);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await mneme.get('high', { focus: true });

    expect(await isInRedis('high')).toBe(true);
    expect(await mneme.get('high')).toMatchObject({ text: 'in Redis', tier: 'short_term', retrievalCount: 2 });
  });
});
