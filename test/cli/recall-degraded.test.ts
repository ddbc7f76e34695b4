import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, onCleanUp } from '../client/support/clean-up.ts';
import { startTestServer } from '../grpc/support/test-server.ts';
import { RedisServer } from '../support/redis-server.ts';
import { runMneme } from './support/run-mneme.ts';

afterEach(cleanUp);

/** One memory in a Redis that answers no more, one in the data folder. */
async function halfLost() {
  const redis = await RedisServer.started();
  onCleanUp(() => redis.stop());
  const mneme = await startTestServer(
    { redisCommandTimeoutMs: '1000', embedder: 'none', maintenanceIntervalMs: '86400000' },
    {},
    { MNEME_REDIS_URL: redis.url },
  );
  onCleanUp(() => mneme.stop());
  const run = (...args: string[]) => runMneme([...args, '--server', mneme.address]);
  await run('store', 'the hot garden', '--id', 'hot');
  await run('store', 'the cold garden', '--id', 'cold');
  await run('demote', 'cold', '--to', 'long_term');
  redis.freeze();
  onCleanUp(() => redis.thaw());
  return run;
}

describe('mneme recall, while Redis is frozen', () => {
  it('each tier, or those asked for › finds the rest, and names the tiers that are missed and no other', async () => {
    const run = await halfLost();
    const missedIn = (text: string) =>
      [...text.matchAll(/^not done in full: (\w+): .*\bRedis\b/gm)].map(([, tier]) => tier);
    for (const [tiers, found, missed] of [
      [[], 1, ['short_term', 'intermediate']],
      [['--tier', 'long_term'], 1, []],
      [['--tier', 'short_term'], 0, ['short_term']],
      [['--tier', 'short_term', '--tier', 'long_term'], 1, ['short_term']],
    ] as const) {
      const { code, stdout, stderr } = await run('recall', 'garden', ...tiers);
      expect([code, tiers, stdout.match(/the cold garden\n/g)?.length ?? 0]).toEqual([0, tiers, found]);
      expect([tiers, missedIn(stderr)]).toEqual([tiers, missed]);
    }
  }, 60_000);

  it('--stream › a missing tier is reported in the place of its hits', async () => {
    const run = await halfLost();
    const { code, stdout, stderr } = await run('recall', 'garden', '--stream');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^long_term: 1\n.* the cold garden\n(.*\n)*answer: 1\n.* the cold garden\n.* cold\n$/);
    expect(stderr).toMatch(/^short_term: .*\bRedis\b/m);
    expect(stderr).toMatch(/^intermediate: .*\bRedis\b/m);
    expect(stderr).toMatch(/^not done in full: short_term: .*\bRedis\b/m);
  }, 60_000);
});
