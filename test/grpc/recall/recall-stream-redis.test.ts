import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest, GetServerStatisticsRequest } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { Tier } from '../../../gen/ts/mneme/v1/memory.ts';
import { DemoteMemoriesRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import {
  RecallRequest,
  RecallStreamRequest,
  type RecallStreamResponse,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { streamed } from '../support/recall-stream.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const { TIER_SHORT_TERM, TIER_INTERMEDIATE, TIER_LONG_TERM } = Tier;
/** So long that only a thaw or a deadline ends a wait for Redis. */
const COMMAND_TIMEOUT_MS = '15000';

/** Scores fall with the time. */
const clock = { nowUs: () => 1_800_000_000_000_000 };

let redis: RedisServer;
let mneme: TestServer;
let parent: string;
async function start(commandTimeoutMs: string): Promise<void> {
  redis = await RedisServer.started();
  const flags = { redisCommandTimeoutMs: commandTimeoutMs, redisRetryMs: '50', embedder: 'none' };
  mneme = await startTestServer(
    { ...flags, maintenanceIntervalMs: '86400000' },
    { clock },
    { MNEME_REDIS_URL: redis.url },
  );
  parent = freshNamespace();
  for (const id of ['hot', 'warm', 'cold']) await store(mneme, parent, { text: `the ${id} garden` }, id);
  for (const [id, to] of [['warm', TIER_INTERMEDIATE] as const, ['cold', TIER_LONG_TERM] as const]) {
    const request = DemoteMemoriesRequest.fromPartial({ parent, names: [`${parent}/memories/${id}`], toTier: to });
    await ask(mneme.memories, mneme.memories.demoteMemories, request);
  }
}
afterEach(async () => {
  redis.thaw();
  await mneme.stop();
  await redis.stop();
});

const isHitsOf =
  (tier: Tier) =>
  ({ part }: RecallStreamResponse) =>
    part?.$case === 'hits' && part.value.tier === tier;
const idsOf = (names: readonly string[] = []) => names.map((name) => name.split('/').at(-1)).sort();

describe('RecallStream over Redis and the data folder', () => {
  describe('Redis is slow', () => {
    beforeEach(() => start(COMMAND_TIMEOUT_MS));

    it('it answers late › long-term hits are there before; the end has all tiers, as Recall', async () => {
      redis.freeze();
      let isThawed = false;
      const { merged, failures, parts } = await streamed(mneme, { query: { parent, text: 'garden' } }, (part) => {
        if (isThawed || !isHitsOf(TIER_LONG_TERM)(part)) return;
        isThawed = true;
        redis.thaw();
      });
      expect([isThawed, parts[0]?.part?.$case, failures.size]).toEqual([true, 'hits', 0]);
      const request = RecallRequest.fromPartial({ parent, text: 'garden' });
      const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
      expect(merged?.order.map(({ name, score }) => [name, score])).toEqual(
        hits.map(({ memory, score }) => [memory?.name, score]),
      );
      expect(merged?.order).toHaveLength(3);
    });

    it('it does not answer within tier_timeout › its tiers are reported as late, the others are merged', async () => {
      redis.freeze();
      const query = { parent, text: 'garden' };
      const { merged, failures, hits } = await streamed(mneme, { query, tierTimeout: { seconds: 5n } });
      const late = status.DEADLINE_EXCEEDED;
      expect(failures).toEqual(
        new Map([
          [TIER_SHORT_TERM, late],
          [TIER_INTERMEDIATE, late],
        ]),
      );
      expect([idsOf(merged?.order.map(({ name }) => name)), hits.get(TIER_LONG_TERM)?.length]).toEqual([['cold'], 1]);
      expect(merged?.degraded.map(({ part }) => part)).toEqual(['short_term', 'intermediate']);
    });

    it('only long-term memory is asked for › Redis is not waited for', async () => {
      redis.freeze();
      const query = { parent, text: 'garden', tiers: [TIER_LONG_TERM] };
      const { merged } = await streamed(mneme, { query, tierTimeout: { seconds: 10n } });
      expect(idsOf(merged?.order.map(({ name }) => name))).toEqual(['cold']);
    });

    it('the deadline passes, or the caller disconnects, after the first hits › the stream ends, and the server continues', async () => {
      redis.freeze();
      const asked = RecallStreamRequest.fromPartial({ query: { parent, text: 'garden' } });
      const late = new FollowedStream(mneme.recalls.recallStream(asked, { deadline: Date.now() + 10_000 }));
      await late.until(isHitsOf(TIER_LONG_TERM));
      const end = await late.outcome();
      expect(end === true ? end : refusalOf(end).code).toBe('DEADLINE_EXCEEDED');
      const left = new FollowedStream(mneme.recalls.recallStream(asked));
      await left.until(isHitsOf(TIER_LONG_TERM));
      left.cancel();
      expect(await left.outcome()).toMatchObject({ code: status.CANCELLED });
      redis.thaw();
      expect((await streamed(mneme, { query: { parent, text: 'garden' } })).merged?.order).toHaveLength(3);
    });
  });

  describe('Redis is lost', () => {
    beforeEach(() => start('20000'));

    it('before the call › its tiers are reported as failed, the order is that of Recall', async () => {
      await redis.kill();
      const query = { parent, text: 'garden' };
      const { merged, failures, hits: received } = await streamed(mneme, { query });
      expect([...failures]).toEqual([
        [TIER_SHORT_TERM, status.UNAVAILABLE],
        [TIER_INTERMEDIATE, status.UNAVAILABLE],
      ]);
      // An answer without hits would claim that there are none.
      expect([...received.keys()]).toEqual([TIER_LONG_TERM]);
      const { hits } = await ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial(query));
      expect(merged?.order.map(({ name, score }) => [name, score])).toEqual(
        hits.map(({ memory, score }) => [memory?.name, score]),
      );
    });

    it('with focus or touch › hits are returned, with a report that they were not counted', async () => {
      await redis.kill();
      for (const part of ['focus', 'touch'] as const) {
        const query = { parent, text: 'garden', [part]: true };
        const { hits, degraded } = await ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial(query));
        expect(idsOf(hits.map(({ memory }) => memory?.name ?? ''))).toContain('cold');
        expect(degraded.at(-1)).toEqual({ part, reason: expect.stringContaining('may not have been counted') });
        const { merged } = await streamed(mneme, { query });
        expect(merged?.order).toHaveLength(hits.length);
        expect(merged?.degraded.at(-1)?.part).toBe(part);
      }
    });

    it('statistics of all namespaces › copies are counted, and reported as such', async () => {
      const before = await ask(mneme.admin, mneme.admin.getServerStatistics, GetServerStatisticsRequest.create());
      expect([before.statistics?.memoryCount, before.degraded]).toEqual([3, []]);
      await redis.kill();
      const after = await ask(mneme.admin, mneme.admin.getServerStatistics, GetServerStatisticsRequest.create());
      expect(after.statistics?.memoryCount).toBe(3);
      expect(after.degraded).toEqual([expect.stringMatching(/^short_term and intermediate: .*Redis/)]);
    });

    it('out of memory, with focus › all hits are returned, with a report that they were not counted', async () => {
      await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');
      const query = { parent, text: 'garden', focus: true };
      const { hits, degraded } = await ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial(query));
      expect(hits).toHaveLength(3);
      expect(degraded).toEqual([{ part: 'focus', reason: expect.stringContaining('used up its memory') }]);
      const received = await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.create());
      expect(received.degraded).toEqual([expect.stringMatching(/^short_term and intermediate: .*used up its memory/)]);
    });

    it('between the search and the read of its hits › they are omitted, and the answer reports the reason', async () => {
      const { store: real } = mneme.storage;
      const get = real.get.bind(real);
      let isKilled = false;
      real.get = async (read) => {
        if (read.ids.length > 1 && !isKilled) {
          isKilled = true;
          await redis.kill();
        }
        return get(read);
      };
      const { merged, failures } = await streamed(mneme, { query: { parent, text: 'garden' } });
      expect([isKilled, idsOf(merged?.order.map(({ name }) => name))]).toEqual([true, ['cold']]);
      expect([...failures.keys()].sort()).toEqual([TIER_SHORT_TERM, TIER_INTERMEDIATE]);
    });
  });
});
