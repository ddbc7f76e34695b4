import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DemoteRequest, GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { Tier } from '../../gen/ts/mneme/v1/memory.ts';
import { ListRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { configFrom } from '../../src/config.ts';
import { createServer } from '../../src/server.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { ask, refusal } from './support/ask.ts';
import { freshNamespace, get, store } from './support/memories.ts';
import { startTestServer, type TestServer } from './support/test-server.ts';

const TIMEOUT_MS = '300';

let redis: RedisServer;
let mneme: TestServer;
beforeEach(async () => {
  redis = await RedisServer.started();
  const env = { MNEME_REDIS_URL: redis.url };
  mneme = await startTestServer({ redisCommandTimeoutMs: TIMEOUT_MS, redisRetryMs: '50' }, {}, env);
});
afterEach(async () => {
  redis.thaw();
  await mneme.stop();
  await redis.stop();
});

const info = () => ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
const recall = (parent: string, text: string) =>
  ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ parent, text }));
const demote = (parent: string, name: string) => {
  const request = DemoteRequest.fromPartial({ parent, names: [name], to: Tier.TIER_LONG_TERM });
  return ask(mneme.admin, mneme.admin.demote, request);
};

describe('a server with Redis', () => {
  it('when it starts › tells what its Redis is and what writes survive, and warns of a weak one', async () => {
    const { backends } = await info();

    expect(backends[0]).toMatchObject({ role: 'hot memories', technology: 'redis 7.0.15' });
    expect(backends[0]?.durability).toMatch(/^nothing/);
    expect(mneme.log).toContainEqual(
      expect.objectContaining({ part: 'redis', msg: expect.stringMatching(/^appendonly/) }),
    );
  });

  it('when memories are stored, listed, recalled, moved down › as without it', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'Caroline plays the cello' });
    await store(mneme, parent, { text: 'Rain in Bergen' });

    expect((await recall(parent, 'cello')).hits[0]?.memory?.name).toBe(name);
    await demote(parent, name);
    expect(await get(mneme, name)).toMatchObject({ text: 'Caroline plays the cello', tier: Tier.TIER_LONG_TERM });
    expect((await recall(parent, 'cello')).hits[0]?.memory?.name).toBe(name);
    const listed = await ask(mneme.memories, mneme.memories.list, ListRequest.fromPartial({ parent }));
    expect(listed.memories).toHaveLength(2);
  });

  it('when Redis is frozen › recall names the tiers it lacks, writes are UNAVAILABLE, the server says so; then all is well', async () => {
    const parent = freshNamespace();
    const { name: low } = await store(mneme, parent, { text: 'a cello in long-term memory' });
    const { name: high } = await store(mneme, parent, { text: 'a cello in short-term memory' });
    await demote(parent, low);
    redis.freeze();

    const degraded = await recall(parent, 'cello');
    expect(degraded.hits.map(({ memory }) => memory?.name)).toEqual([low]);
    expect(degraded.degraded.map(({ part }) => part)).toEqual(['short_term', 'intermediate']);
    expect(await refusal(store(mneme, parent, { text: 'x' }))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await refusal(get(mneme, high))).toMatchObject({ code: 'UNAVAILABLE' });
    expect((await info()).degraded.join()).toContain('short_term and intermediate');
    redis.thaw();
    await until(
      'Redis answers',
      async () => (await info()).degraded.length === 0 || (await recall(parent, 'cello')).hits.length === 2,
    );

    expect((await recall(parent, 'cello')).hits).toHaveLength(2);
  });

  it('when Redis cannot be reached at the start › ends with one line that says so', async () => {
    const config = configFrom({
      flags: { listen: '127.0.0.1:0', data: `${redis.folder}/data`, logLevel: 'silent' },
      env: { MNEME_REDIS_URL: 'redis://127.0.0.1:1' },
    });
    const server = createServer(config);

    await expect(server.start()).rejects.toThrow(/^MNEME_REDIS_URL: there is no connection to Redis/);
    await server.stop();
  });
});
