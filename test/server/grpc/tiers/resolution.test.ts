import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import { DemoteMemoriesRequest, PromoteMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import {
  GetNamespaceStatisticsRequest,
  UpdateNamespaceRequest,
} from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { seededRandom } from '../../../support/random.ts';
import { ask } from '../support/ask.ts';
import { freshNamespace, get, json, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

async function configure(name: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const request = UpdateNamespaceRequest.fromPartial({ namespace: { name, settings }, updateMask: ['settings'] });
  await ask(mneme.namespaces, mneme.namespaces.updateNamespace, request);
}
async function move(direction: 'demote' | 'promote', parent: string, ids: readonly string[], to: Tier): Promise<void> {
  const provided = { parent, names: ids.map((id) => `${parent}/memories/${id}`), toTier: to };
  if (direction === 'demote')
    await ask(mneme.memories, mneme.memories.demoteMemories, DemoteMemoriesRequest.fromPartial(provided));
  else await ask(mneme.memories, mneme.memories.promoteMemories, PromoteMemoriesRequest.fromPartial(provided));
}
async function nearestTo(parent: string, values: readonly number[]): Promise<string[]> {
  const request = RecallRequest.fromPartial({ parent, embedding: vector(...values), limit: 5 });
  const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
  return hits.map(({ memory }) => memory?.name.split('/').at(-1) ?? '');
}

describe('memories at a lower resolution', () => {
  it('vectors in i8, two of their values › recall finds the same in the same order, and the exact ones are returned', async () => {
    const random = seededRandom('reduced vectors');
    const parent = freshNamespace();
    const vectors = Array.from({ length: 30 }, () =>
      Array.from({ length: 24 }, (_, at) => Math.fround((random.next() - 0.5) / (1 + at))),
    );
    for (const [at, values] of vectors.entries()) {
      await store(mneme, parent, { text: `memory ${at}`, embedding: vector(...values) }, `m${at}`);
    }
    const question = vectors[7] ?? [];
    const before = await nearestTo(parent, question);
    await configure(parent, { 'long_term.vector': 'i8', 'long_term.vector_dimension': '2' });
    const stored = await get(mneme, `${parent}/memories/m7`);
    await move(
      'demote',
      parent,
      vectors.map((_, at) => `m${at}`),
      Tier.TIER_LONG_TERM,
    );

    expect(await nearestTo(parent, question)).toEqual(before);
    expect(await get(mneme, `${parent}/memories/m7`)).toEqual({ ...stored, tier: Tier.TIER_LONG_TERM });
  });

  it('texts kept as abstracts, contents packed › statistics report the size of the tier', async () => {
    const parent = freshNamespace();
    const content = json({
      role: 'user',
      content: 'What the garden looked like in the summer of that year. '.repeat(20),
    });
    await store(mneme, parent, { content }, 'long');
    await configure(parent, { 'intermediate.abstract_bytes': '100' });
    await move('demote', parent, ['long'], Tier.TIER_INTERMEDIATE);
    const asked = (simplified: boolean) =>
      ask(
        mneme.namespaces,
        mneme.namespaces.getNamespaceStatistics,
        GetNamespaceStatisticsRequest.fromPartial({ name: parent, simplified }),
      );

    const { statistics } = await asked(false);
    const [tier] = statistics?.tiers ?? [];
    expect(tier).toMatchObject({ tier: Tier.TIER_INTERMEDIATE, memoryCount: 1, importanceMean: 0.5 });
    expect(tier?.contentBytes).toBeGreaterThan(2000);
    expect(tier?.storedBytes).toBeLessThan(300);
    expect(statistics?.leastAccessed).toMatchObject([{ name: `${parent}/memories/long`, retrievalCount: 0 }]);
    const simplified = await asked(true);
    expect(simplified.statistics).toEqual({ ...statistics, types: [], mostAccessed: [], leastAccessed: [] });
    await move('promote', parent, ['long'], Tier.TIER_SHORT_TERM);
    const [raised] = (await asked(true)).statistics?.tiers ?? [];
    expect(raised?.storedBytes).toBe(raised?.contentBytes);
  });

  it('a word that the abstract leaves out › recall finds it all the same', async () => {
    const parent = freshNamespace();
    const sentence = (at: number) => `Number w${at}a tells w${at}b of w${at}c and w${at}d in the garden at noon.`;
    const sentences = Array.from({ length: 60 }, (_, at) => sentence(at));
    sentences[40] =
      'All that long and rainy day in the garden at noon there was a zyzzyva and nobody who saw it at all.';
    await store(mneme, parent, { text: sentences.join(' ') }, 'long');
    await store(mneme, parent, { text: 'Something short about the rain.' }, 'short');
    await configure(parent, { 'long_term.abstract_bytes': '100' });
    const found = async () => {
      const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'zyzzyva', explain: true });
      const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
      return [hits[0]?.memory?.name.split('/').at(-1), hits[0]?.matchedTerms];
    };
    const before = await found();
    await move('demote', parent, ['long'], Tier.TIER_LONG_TERM);

    expect(before[0]).toBe('long');
    expect(await found()).toEqual(before);
  });

  it('lossy compaction asked for › done once, on the way down, recorded, and not undone on the way up', async () => {
    const parent = freshNamespace();
    const content = json({ answer: 42.123456, trace: ['a', 'b'], state: { debug_info: 'x', energy: 7 } });
    await store(mneme, parent, { content }, 'lossy');
    await store(mneme, parent, { content: json({ plain: 1 }) }, 'plain');
    const before = await get(mneme, `${parent}/memories/lossy`);
    await configure(parent, { 'long_term.drop_keys': 'trace,debug_info', 'long_term.round_decimals': '2' });

    await move('demote', parent, ['lossy', 'plain'], Tier.TIER_INTERMEDIATE);
    expect(await get(mneme, `${parent}/memories/lossy`)).toEqual({ ...before, tier: Tier.TIER_INTERMEDIATE });
    await move('demote', parent, ['lossy', 'plain'], Tier.TIER_LONG_TERM);
    await move('promote', parent, ['lossy', 'plain'], Tier.TIER_SHORT_TERM);

    const after = await get(mneme, `${parent}/memories/lossy`);
    expect(JSON.parse(String(after.content?.body?.value ?? ''))).toEqual({ answer: 42.12, state: { energy: 7 } });
    expect(after.compaction).toEqual({
      checksum: before.checksum,
      contentBytes: Buffer.byteLength(content.body.value),
      droppedKeys: ['debug_info', 'trace'],
      decimals: 2,
    });
    expect(after.checksum).not.toBe(before.checksum);
    expect((await get(mneme, `${parent}/memories/plain`)).compaction).toBeUndefined();
  });
});
