import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest, UpdateConfigRequest } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { CreateAgentSnapshotRequest, RestoreAgentSnapshotRequest } from '../../../gen/ts/mneme/v1/agent_service.ts';
import { Tier } from '../../../gen/ts/mneme/v1/memory.ts';
import {
  BatchStoreMemoriesRequest,
  DemoteMemoriesRequest,
  ImportMemoriesRequest,
  type ImportMemoriesResponse,
  ListMemoriesRequest,
  StoreMemoryRequest,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { configFrom } from '../../../src/config/config.ts';
import { createServer } from '../../../src/server.ts';
import { until } from '../../support/redis-cluster.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { ask, refusal } from '../support/ask.ts';
import { inTier } from '../support/filter-families.ts';
import { FollowedAnswer } from '../support/followed-answer.ts';
import { TestIngest } from '../support/ingest.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const TIMEOUT_MS = '3000';

let redis: RedisServer;
let mneme: TestServer;
beforeEach(async () => {
  redis = await RedisServer.started();
  const env = { MNEME_REDIS_URL: redis.url };
  mneme = await startTestServer({ redisCommandTimeoutMs: TIMEOUT_MS, redisRetryMs: '50', embedder: 'none' }, {}, env);
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
  const request = DemoteMemoriesRequest.fromPartial({ parent, names: [name], toTier: Tier.TIER_LONG_TERM });
  return ask(mneme.memories, mneme.memories.demoteMemories, request);
};

describe('a server with Redis', () => {
  it('when it starts › reports its Redis and the durability of writes, and warns of a weak one', async () => {
    const { backends } = await info();

    expect(backends[0]).toMatchObject({ role: 'hot memories', technology: 'redis 7.0.15' });
    expect(backends[0]?.durability).toMatch(/^nothing/);
    expect(mneme.log).toContainEqual(
      expect.objectContaining({ part: 'redis', msg: expect.stringMatching(/^appendonly/) }),
    );
  });

  it('when a memory moves between tiers in Redis › standing queries on the tier are notified', async () => {
    const parent = freshNamespace();
    const { name, revision } = await store(mneme, parent, { text: 'Rain in Bergen' });
    const answer = new FollowedAnswer(mneme, { parent, filter: inTier('intermediate') });
    expect(await answer.at(revision)).toEqual([]);
    const request = DemoteMemoriesRequest.fromPartial({ parent, names: [name], toTier: Tier.TIER_INTERMEDIATE });
    await ask(mneme.memories, mneme.memories.demoteMemories, request);
    await answer.until(() => answer.names().length === 1);
    await demote(parent, name);
    await answer.until(() => answer.names().length === 0);
    answer.cancel();
  });

  it('when memories are stored, listed, recalled, moved down › as without it', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'Caroline plays the cello' });
    await store(mneme, parent, { text: 'Rain in Bergen' });

    expect((await recall(parent, 'cello')).hits[0]?.memory?.name).toBe(name);
    await demote(parent, name);
    expect(await get(mneme, name)).toMatchObject({ text: 'Caroline plays the cello', tier: Tier.TIER_LONG_TERM });
    expect((await recall(parent, 'cello')).hits[0]?.memory?.name).toBe(name);
    const listed = await ask(mneme.memories, mneme.memories.listMemories, ListMemoriesRequest.fromPartial({ parent }));
    expect(listed.memories).toHaveLength(2);
  });

  it('when Redis is frozen › recall names the missing tiers, writes are UNAVAILABLE, the server reports it; then it recovers', async () => {
    const parent = freshNamespace();
    const { name: low } = await store(mneme, parent, { text: 'a cello in long-term memory' });
    const { name: high } = await store(mneme, parent, { text: 'a cello in short-term memory' });
    await demote(parent, low);
    redis.freeze();

    const degraded = await recall(parent, 'cello');
    expect(degraded.hits.map(({ memory }) => memory?.name)).toEqual([low]);
    expect(degraded.degraded.map(({ part }) => part)).toEqual(['short_term', 'intermediate']);
    for (const [tiers, names, lost] of [
      [[Tier.TIER_LONG_TERM], [low], []],
      [[Tier.TIER_SHORT_TERM], [], ['short_term']],
    ] as const) {
      const request = RecallRequest.fromPartial({ parent, text: 'cello', tiers: [...tiers] });
      const asked = await ask(mneme.recalls, mneme.recalls.recall, request);
      expect(asked.hits.map(({ memory }) => memory?.name)).toEqual(names);
      expect(asked.degraded.map(({ part }) => part)).toEqual(lost);
    }
    expect(await refusal(store(mneme, parent, { text: 'x' }))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await refusal(get(mneme, high))).toMatchObject({ code: 'UNAVAILABLE' });
    expect((await info()).degraded.join()).toContain('short_term and intermediate');
    redis.thaw();
    await until('all tiers are searched', async () => (await recall(parent, 'cello')).degraded.length === 0);

    // The refused write may have taken effect; it does not mention a cello.
    const { hits } = await recall(parent, 'cello');
    expect(hits.slice(0, 2).map(({ memory }) => memory?.name)).toEqual(expect.arrayContaining([low, high]));
    await until('the server says so', async () => (await info()).degraded.length === 0);
  });

  it('when Redis is frozen and new memories go to long-term memory › the answers report it, reads find them, and it recovers', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'a cello in short-term memory' });
    const settings = { 'redis.when_lost': 'store_below' };
    await ask(mneme.admin, mneme.admin.updateConfig, UpdateConfigRequest.fromPartial({ settings }));
    redis.freeze();
    const { memories } = mneme;
    const one = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'a cello below' } });
    const stored = await ask(memories, memories.storeMemory, one);
    const batch = await ask(
      memories,
      memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests: [one] }),
    );

    const said = { part: 'short_term', storedIn: Tier.TIER_LONG_TERM, reason: expect.stringContaining('Redis') };
    expect([stored.degraded, batch.degraded]).toEqual([[said], [said]]);
    expect(await get(mneme, stored.memory?.name ?? '')).toMatchObject({ text: 'a cello below' });
    expect((await recall(parent, 'cello')).hits).toHaveLength(2);
    const imports = mneme.memories.importMemories();
    imports.write(ImportMemoriesRequest.fromPartial({ parent, memories: [{ text: 'an imported cello' }] }));
    imports.end();
    expect(((await once(imports, 'data')) as [ImportMemoriesResponse])[0].degraded).toEqual([said]);
    const ingest = new TestIngest(mneme.ingests, { parent, streamId: 's' });
    ingest.batch(1, [{ text: 'an ingested cello' }]);
    await ingest.until(() => ingest.acknowledged === 1);
    expect(ingest.acknowledgements[0]?.degraded).toEqual([said]);
    ingest.stream.cancel();
    await ingest.ended;
    redis.thaw();
    await until('Redis answers', async () => (await info()).degraded.length === 0);

    await until('all tiers are searched', async () => (await recall(parent, 'cello')).degraded.length === 0);
    expect((await recall(parent, 'cello')).hits).toHaveLength(5);
    expect((await ask(memories, memories.storeMemory, one)).degraded).toEqual([]);
  });

  it('when Redis is frozen › snapshots of agents are refused as UNAVAILABLE, and nothing is restored', async () => {
    const parent = freshNamespace();
    const scope = { agent: 'ada' };
    await store(mneme, parent, { text: 'then', scope }, 'kept');
    const { agents, memories } = mneme;
    const take = (snapshotId: string) =>
      ask(agents, agents.createAgentSnapshot, CreateAgentSnapshotRequest.fromPartial({ parent, snapshotId, scope }));
    const restore = () =>
      ask(
        agents,
        agents.restoreAgentSnapshot,
        RestoreAgentSnapshotRequest.fromPartial({ parent, snapshotId: 'before' }),
      );
    await take('before');
    await store(mneme, parent, { text: 'later', scope }, 'later');
    redis.freeze();

    for (const call of [() => take('other'), restore]) {
      expect(await refusal(call())).toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE_UNAVAILABLE' });
    }
    redis.thaw();
    const list = () => ask(memories, memories.listMemories, ListMemoriesRequest.fromPartial({ parent }));
    await until('Redis answers', () =>
      list().then(
        () => true,
        () => false,
      ),
    );
    expect((await list()).memories).toHaveLength(2);
    expect(await restore()).toMatchObject({ restoredCount: 0, erasedCount: 1 });
    expect((await list()).memories.map(({ text }) => text)).toEqual(['then']);
  });

  it.each(['refuse', 'store_below'])(
    'when Redis is emptied, with %s › the next Get and Store succeed, and the server reports it',
    async (value) => {
      const settings = { 'redis.when_lost': value };
      await ask(mneme.admin, mneme.admin.updateConfig, UpdateConfigRequest.fromPartial({ settings }));
      const [read, written] = [freshNamespace(), freshNamespace()];
      const { name } = await store(mneme, read, { text: 'Rain in Bergen' });
      await store(mneme, written, { text: 'Caroline plays the cello' });
      await until('both are copied', async () => {
        const found = await Promise.all([recall(read, 'rain'), recall(written, 'cello')]);
        return found.every(({ hits }) => hits.length === 1);
      });
      await redis.command('FLUSHALL');

      expect(await get(mneme, name)).toMatchObject({ text: 'Rain in Bergen' });
      const { name: other } = await store(mneme, written, { text: 'a cello of her own' });
      expect(await get(mneme, other)).toMatchObject({ tier: Tier.TIER_SHORT_TERM });
      expect((await recall(written, 'cello')).hits).toHaveLength(2);
      expect((await info()).degraded).toEqual([
        expect.stringMatching(/^namespaces\/t-.*: Redis has lost all of it/),
        expect.stringMatching(/^namespaces\/t-.*: Redis has lost all of it/),
      ]);
    },
  );

  it('when Redis is unreachable at the start › exits with one line that reports it', async () => {
    const config = configFrom({
      flags: { listen: '127.0.0.1:0', data: `${redis.folder}/data`, logLevel: 'silent' },
      env: { MNEME_REDIS_URL: 'redis://127.0.0.1:1' },
    });
    const server = createServer(config);

    await expect(server.start()).rejects.toThrow(/^MNEME_REDIS_URL: there is no connection to Redis/);
    await server.stop();
  });
});
