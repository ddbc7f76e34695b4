import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import { MoveReason } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { PostgresServer } from '../../../support/postgres-server.ts';
import { until } from '../../../support/redis-cluster.ts';
import { RedisServer } from '../../../support/redis-server.ts';
import { freshNamespace, get } from '../support/memories.ts';
import { MIB, maintained, statistics, storeMany } from '../support/pressure.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const SLOW = '3600000';

let redis: RedisServer;
let postgres: PostgresServer;
let mneme: TestServer | undefined;
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});
beforeEach(async () => {
  redis = await RedisServer.started({ maxmemory: `${16 * MIB}`, 'maxmemory-policy': 'noeviction' });
});
afterEach(async () => {
  await mneme?.stop();
  mneme = undefined;
  await redis.stop();
});

let schemas = 0;
const upperTiersInRedis = () => ({
  MNEME_POSTGRES_URL: postgres.url,
  MNEME_POSTGRES_SCHEMA: `pressure_${++schemas}`,
  MNEME_REDIS_URL: redis.url,
  MNEME_UPPER_TIERS: 'redis',
});

describe('memory pressure', () => {
  it('of Redis › moves memories to long-term memory until enough is free, and is reported in the result and in statistics', async () => {
    const flags = {
      embedder: 'none',
      maintenanceIntervalMs: SLOW,
      memoryPressureIntervalMs: SLOW,
      memoryPressurePercent: '40',
      metricsListen: '127.0.0.1:0',
    };
    const server = await startTestServer(flags, {}, upperTiersInRedis());
    mneme = server;
    const metric = async (name: string) => (await scrape(server)).get(`mneme_memory_pressure${name}`);
    const ofRedis = '{source="redis",node="redis"}';
    const names = await storeMany(server, freshNamespace(), 1500);

    const planned = await maintained(server, true);
    expect(planned.length).toBeGreaterThan(0);
    expect(new Set(planned.map(({ reason }) => reason))).toEqual(new Set([MoveReason.MOVE_REASON_REDIS_MEMORY]));
    expect((await statistics(server)).memoryPressure?.movedCount).toBe(0);

    const before = (await statistics(server)).memoryPressure?.uses[0];
    expect(before).toMatchObject({
      reason: MoveReason.MOVE_REASON_REDIS_MEMORY,
      limitBytes: 16 * MIB,
      aboveThreshold: true,
    });
    expect(before?.thresholdBytes).toBe(Math.floor(16 * MIB * 0.4));
    expect(await metric(ofRedis)).toBe(1);
    expect(await metric(`_used_bytes${ofRedis}`)).toBe(before?.usedBytes);
    expect(await metric(`_limit_bytes${ofRedis}`)).toBe(before?.limitBytes);
    expect(await metric(`_above_bytes${ofRedis}`)).toBe(before?.thresholdBytes);
    expect(await metric('_moves_total')).toBe(0);
    let moved = 0;
    for (let moves = await maintained(server, false); moves.length > 0; moves = await maintained(server, false)) {
      for (const { reason, toTier: to } of moves) {
        expect(reason).toBe(MoveReason.MOVE_REASON_REDIS_MEMORY);
        expect(to).toBe(Tier.TIER_LONG_TERM);
      }
      moved += moves.length;
    }

    const { memoryPressure } = await statistics(server);
    expect(memoryPressure).toMatchObject({ movedCount: moved, uses: [{ aboveThreshold: false }] });
    expect(memoryPressure?.lastMoveTime).toBeDefined();
    expect(await metric('_moves_total')).toBe(moved);
    expect(await metric(ofRedis)).toBe(0);
    expect(moved).toBeLessThan(1500);
    for (const name of [names[0], names.at(-1)])
      expect((await get(server, name ?? '')).text).toMatch(/^memory \d+ of a day/);
  }, 240_000);

  it('of Redis › is detected by the server itself, and logged', async () => {
    const flags = {
      embedder: 'none',
      maintenanceIntervalMs: SLOW,
      memoryPressureIntervalMs: '100',
      memoryPressurePercent: '40',
    };
    const server = await startTestServer(flags, {}, upperTiersInRedis());
    mneme = server;
    await storeMany(server, freshNamespace(), 1500);

    const isRelieved = async () => {
      const { memoryPressure } = await statistics(server);
      return (
        (memoryPressure?.movedCount ?? 0) > 0 &&
        memoryPressure?.uses.every(({ aboveThreshold }) => !aboveThreshold) === true
      );
    };
    await until('enough memory is free', isRelieved);
    expect(server.log).toContainEqual(
      expect.objectContaining({ part: 'memory', source: 'redis', limitBytes: 16 * MIB }),
    );
  }, 240_000);

  it('of the process › moves memories down, a tenth of the upper tiers in one pass, without Redis too', async () => {
    const flags = {
      embedder: 'none',
      maintenanceIntervalMs: SLOW,
      memoryPressureIntervalMs: SLOW,
      maxProcessBytes: `${MIB}`,
    };
    const server = await startTestServer(flags);
    mneme = server;
    await storeMany(server, freshNamespace(), 200);

    const moves = await maintained(server, false);
    expect(moves).toHaveLength(20);
    expect(new Set(moves.map(({ reason }) => reason))).toEqual(new Set([MoveReason.MOVE_REASON_PROCESS_MEMORY]));
    const { memoryPressure } = await statistics(server);
    expect(memoryPressure).toMatchObject({
      movedCount: 20,
      uses: [{ reason: MoveReason.MOVE_REASON_PROCESS_MEMORY, node: '', limitBytes: MIB, aboveThreshold: true }],
    });
  });

  it('is ignored by a server without limits', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    const server = await startTestServer({ embedder: 'none' }, {}, upperTiersInRedis());
    mneme = server;
    expect((await statistics(server)).memoryPressure).toMatchObject({ uses: [], movedCount: 0 });
  });
});
