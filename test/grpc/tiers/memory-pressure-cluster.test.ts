import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MoveReason, type TierMove } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { keyspacePrefix } from '../../../src/storage/redis/keys.ts';
import { RedisCluster } from '../../support/redis-cluster.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { refusal } from '../support/ask.ts';
import { MIB, maintained, statistics, storeMany } from '../support/pressure.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let cluster: RedisCluster;
let mneme: TestServer;
beforeAll(async () => {
  // No replica takes over while a master is frozen.
  cluster = await RedisCluster.started({
    nodeTimeoutMs: 300_000,
    config: { maxmemory: `${16 * MIB}`, 'maxmemory-policy': 'noeviction' },
  });
}, 240_000);
beforeEach(async () => {
  await Promise.all(cluster.servers.map((server) => server.command('FLUSHALL').catch(() => undefined)));
  mneme = await startTestServer(
    {
      embedder: 'none',
      maintenanceIntervalMs: '86400000',
      memoryPressureIntervalMs: '3600000',
      memoryPressurePercent: '40',
      redisCommandTimeoutMs: '20000',
      metricsListen: '127.0.0.1:0',
    },
    {},
    { MNEME_REDIS_URL: cluster.urls.join(',') },
  );
});
afterEach(() => mneme?.stop());
afterAll(() => cluster.stop());

interface Home {
  readonly name: string;
  readonly master: RedisServer;
}

/** Namespaces on different nodes, in the order of their names. */
async function namespacesApart(count: number): Promise<Home[]> {
  const homes: Home[] = [];
  for (let at = 0; homes.length < count; at++) {
    const name = `n${String(at).padStart(4, '0')}`;
    const master = await cluster.masterOf(keyspacePrefix('mneme', name));
    if (!homes.some((home) => home.master === master)) homes.push({ name, master });
  }
  return homes;
}

/** Addresses of the nodes in the metrics, those under pressure first. */
async function nodesTold(): Promise<{ pressed: string[]; others: string[] }> {
  const received = [...(await scrape(mneme))].flatMap(([name, value]) => {
    const [, node] = /^mneme_memory_pressure\{source="redis",node="([^"]+)"\}$/.exec(name) ?? [];
    return node === undefined ? [] : [{ node, isPressed: value === 1 }];
  });
  const nodes = (pressed: boolean) => received.filter(({ isPressed }) => isPressed === pressed).map(({ node }) => node);
  return { pressed: nodes(true), others: nodes(false) };
}

const addressOf = ({ port }: RedisServer) => `127.0.0.1:${port}`;

describe('memory pressure on a cluster', () => {
  it('one node is full › only its namespaces are relieved, until it has free memory, and each node is in the metrics', async () => {
    const [other, full] = (await namespacesApart(2)) as [Home, Home];
    await storeMany(mneme, `namespaces/${other.name}`, 100);
    const kept = await storeMany(mneme, `namespaces/${full.name}`, 1500);

    const planned = await maintained(mneme, true);
    expect(planned.length).toBeGreaterThan(0);
    expect((await nodesTold()).pressed).toEqual([addressOf(full.master)]);
    expect((await nodesTold()).others).toHaveLength(2);
    const moved = new Set<string>();
    for (let moves = planned; moves.length > 0; moves = await maintained(mneme, false)) {
      for (const { name, reason } of moves) {
        expect([reason, name]).toEqual([MoveReason.MOVE_REASON_REDIS_MEMORY, expect.stringContaining(full.name)]);
        moved.add(name);
      }
    }
    expect(moved.size).toBeLessThan(kept.length);
    const { memoryPressure } = await statistics(mneme);
    expect(memoryPressure?.uses.map(({ aboveThreshold }) => aboveThreshold)).toEqual([false, false, false]);
    expect((await nodesTold()).pressed).toEqual([]);
  }, 240_000);

  it('a node is lost › a full one is relieved nevertheless, and the call ends with the loss', async () => {
    const [lost, full] = (await namespacesApart(2)) as [Home, Home];
    await storeMany(mneme, `namespaces/${lost.name}`, 100);
    await storeMany(mneme, `namespaces/${full.name}`, 1500);
    await lost.master.kill();
    try {
      const moves: TierMove[] = [];
      const { code } = await refusal(maintained(mneme, false, (some) => moves.push(...some)));
      expect(code).toBe('UNAVAILABLE');
      expect(moves.length).toBeGreaterThan(0);
      for (const { name } of moves) expect(name).toContain(full.name);
      const { pressed, others } = await nodesTold();
      expect([pressed, others]).toEqual([[addressOf(full.master)], [expect.any(String)]]);
      expect(others).not.toContain(addressOf(lost.master));
    } finally {
      await lost.master.start();
    }
  }, 240_000);
});
