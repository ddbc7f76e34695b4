import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import { BatchStoreMemoriesRequest, DemoteMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest, RecallStreamRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { seededRandom } from '../../../support/random.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, get, json, store, vector } from '../support/memories.ts';
import { streamed } from '../support/recall-stream.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const { TIER_SHORT_TERM, TIER_INTERMEDIATE, TIER_LONG_TERM } = Tier;
const TIERS = [TIER_SHORT_TERM, TIER_INTERMEDIATE, TIER_LONG_TERM];
const NOW_US = 1_800_000_000_000_000;
const WORDS = 'garden rain cello boat lamp stone river bread winter letter'.split(' ');
type Query = Parameters<typeof RecallRequest.fromPartial>[0];

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ maintenanceIntervalMs: '86400000' }, { clock: { nowUs: () => NOW_US } });
});
afterAll(() => mneme.stop());

const recall = (query: Query) =>
  ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, ...query }));

/** Memories of some words each, a third of them in each tier. */
async function space(count: number, random: { int(max: number): number }): Promise<string> {
  const parent = freshNamespace();
  const word = () => WORDS[random.int(WORDS.length)] ?? '';
  const requests = Array.from({ length: count }, (_, at) => ({
    memoryId: `m${at}`,
    memory: {
      text: Array.from({ length: 3 + random.int(6) }, word).join(' '),
      content: json({ mood: random.int(3) }),
      scope: { session: `s${random.int(4)}`, agent: random.int(2) === 0 ? 'ada' : '' },
      eventTime: { seconds: BigInt(1_799_000_000 + random.int(900_000)) },
      importance: random.int(5) / 4,
      embedding: vector(random.int(9) - 4, random.int(9) - 4, 1),
    },
  }));
  await ask(
    mneme.memories,
    mneme.memories.batchStoreMemories,
    BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
  );
  for (const [rest, to] of [[1, TIER_INTERMEDIATE] as const, [2, TIER_LONG_TERM] as const]) {
    const names = requests.flatMap(({ memoryId }, at) => (at % 3 === rest ? [`${parent}/memories/${memoryId}`] : []));
    await ask(
      mneme.memories,
      mneme.memories.demoteMemories,
      DemoteMemoriesRequest.fromPartial({ parent, names, toTier: to }),
    );
  }
  // Until the server has analysed all texts its order differs, and it reports so.
  while ((await recall({ parent, text: WORDS[0] ?? '' })).degraded.length > 0);
  return parent;
}

describe('RecallStream', () => {
  it('any query › the final order is the answer of Recall, and the merge of the tiers', async () => {
    const random = seededRandom('streamed recall');
    const parent = await space(90, random);
    for (let round = 0; round < 40; round++) {
      const word = () => WORDS[random.int(WORDS.length)] ?? '';
      const kinds: Query[] = [
        { text: `${word()} ${word()}` },
        { embedding: vector(random.int(9) - 4, random.int(9) - 4, 1) },
        { text: word(), weights: { keyword: 1, recency: 0.3 } },
        { text: word(), ranking: 2, neighborCount: 1 },
        { preset: { name: 'newest', parameters: '{}' } },
        { preset: { name: 'hybrid', parameters: JSON.stringify({ text: word() }) } },
      ];
      const cue = kinds[random.int(4)] ?? {};
      const tiers = random.int(3) === 0 ? [TIERS[random.int(3)] ?? TIER_SHORT_TERM, TIER_LONG_TERM] : [];
      const scope = random.int(3) === 0 ? { agent: 'ada' } : undefined;
      const query = { parent, ...cue, limit: 1 + random.int(20), tiers, scope };
      const { hits } = await recall(query);
      const { merged, hits: received } = await streamed(mneme, { query: { minRelevance: 0, ...query } });
      const order = hits.map(({ memory, score }) => [memory?.name, memory?.tier, score]);
      expect(merged?.order.map(({ name, tier, score }) => [name, tier, score])).toEqual(order);
      for (const tier of received.keys()) {
        const ofTier = received.get(tier) ?? [];
        expect(ofTier.every(({ memory }) => memory?.tier === tier)).toBe(true);
        expect(ofTier.length).toBeLessThanOrEqual(query.limit);
        const inOrder = hits.filter(({ memory }) => memory?.tier === tier);
        expect(ofTier.slice(0, inOrder.length)).toEqual(inOrder);
      }
      // Merged by score, the tiers give the order.
      const scores = [...received.values()]
        .flat()
        .map(({ score }) => score)
        .sort((a, b) => b - a);
      expect(scores.slice(0, hits.length)).toEqual(hits.map(({ score }) => score));
      expect([...received.keys()].sort()).toEqual(tiers.length > 0 ? [...new Set(tiers)].sort() : TIERS);
    }
  });

  it('each tier › has as many hits as requested, however many others precede them', async () => {
    const parent = await space(60, seededRandom('tiers of their own'));
    const { hits } = await streamed(mneme, { query: { minRelevance: 0, parent, text: WORDS.join(' '), limit: 5 } });
    expect(TIERS.map((tier) => hits.get(tier)?.length)).toEqual([5, 5, 5]);
  });

  it('presets, budgets and focus › equal those of Recall; only hits in the answer are counted', async () => {
    const parent = await space(30, seededRandom('forms'));
    const budget = { parent, text: 'garden rain', tokenBudget: 30 };
    const { merged } = await streamed(mneme, { query: { minRelevance: 0, ...budget } });
    const answer = await recall(budget);
    expect([merged?.passages, merged?.tokenCount]).toEqual([answer.passages, answer.tokenCount]);
    const preset = { name: 'importance', parameters: '{}' };
    const ranked = await streamed(mneme, { query: { parent, preset, limit: 4 } });
    expect(ranked.merged?.order.map(({ name }) => name)).toEqual(
      (await recall({ parent, preset, limit: 4 })).hits.map(({ memory }) => memory?.name),
    );
    const focus = { parent, text: 'garden', limit: 2, focus: true };
    const focused = await streamed(mneme, { query: { minRelevance: 0, ...focus } });
    const counted = [...focused.hits.values()].flat().map(({ memory }) => memory?.name ?? '');
    const counts = await Promise.all(counted.map(async (name) => (await get(mneme, name)).retrievalCount));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
  });

  it('large hits › come in several messages', async () => {
    const parent = freshNamespace();
    for (const id of ['a', 'b', 'c']) {
      await store(mneme, parent, { text: `garden ${id}`, content: json({ body: 'x'.repeat(700_000) }) }, id);
    }
    const { parts, hits } = await streamed(mneme, { query: { minRelevance: 0, parent, text: 'garden' } });
    const received = parts.flatMap(({ part }) => (part?.$case === 'hits' ? [part.value] : []));
    const short = received.filter(({ tier }) => tier === TIER_SHORT_TERM);
    expect(short.map(({ continued }) => continued)).toEqual([false, true, true]);
    expect(hits.get(TIER_SHORT_TERM)).toHaveLength(3);
  });

  it.each([
    ['no query', {}, 'query'],
    ['nothing to look for', { query: { parent: 'namespaces/x' } }, 'query.text'],
    ['a tier that is none', { query: { parent: 'namespaces/x', text: 'x', tiers: [9 as Tier] } }, 'query.tiers[0]'],
    ['hits apart from each other', { query: { parent: 'namespaces/x', text: 'x', diversity: 0.5 } }, 'query.diversity'],
  ])('%s › INVALID_ARGUMENT names it', async (_, asked, field) => {
    const stream = new FollowedStream(mneme.recalls.recallStream(RecallStreamRequest.fromPartial(asked)));
    const end = await stream.outcome();
    if (end === true) throw new Error('it has ended well');
    expect([refusalOf(end).reason, refusalOf(end).fields]).toEqual(['FIELD_INVALID', [field]]);
  });

  it('a namespace that is not there, a deadline that has passed › no hits, DEADLINE_EXCEEDED', async () => {
    const query = { parent: 'namespaces/nowhere', text: 'x' };
    const end = async (options: { deadline?: number }) => {
      const call = mneme.recalls.recallStream(RecallStreamRequest.fromPartial({ query }), options);
      const outcome = await new FollowedStream(call).outcome();
      return outcome === true ? 'ended well' : refusalOf(outcome).code;
    };
    expect(await end({})).toBe('ended well');
    expect(await end({ deadline: Date.now() - 1 })).toBe('DEADLINE_EXCEEDED');
  });
});
