import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BuildContextRequest } from '../../../../gen/ts/mneme/v1/context_service.ts';
import { UpdateNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { FollowedAnswer } from '../support/followed-answer.ts';
import { freshNamespace, store, vector } from '../support/memories.ts';
import { streamed } from '../support/recall-stream.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

const [CELLO, MILK] = ['Ada plays the cello in an orchestra.', 'Buy three litres of milk.'];

async function stored(texts: readonly string[]): Promise<string> {
  const parent = freshNamespace();
  for (const text of texts) await store(mneme, parent, { text });
  return parent;
}

async function answer(query: Parameters<typeof RecallRequest.fromPartial>[0]) {
  const { hits, lowRelevanceCount } = await ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial(query));
  return { hits: hits.map(({ memory, relevance }) => ({ text: memory?.text ?? '', relevance })), lowRelevanceCount };
}

/** All hits, relevant or not. */
async function received(query: Parameters<typeof RecallRequest.fromPartial>[0]) {
  return (await answer({ minRelevance: 0, ...query })).hits;
}

describe('relevance', () => {
  it('is high for answers, and low for other memories', async () => {
    const parent = await stored([CELLO, MILK]);
    const [first, second] = await received({ parent, text: 'Who plays the cello?' });
    expect(first?.text).toBe(CELLO);
    expect(first?.relevance).toBeGreaterThan(0.5);
    expect(second?.relevance).toBeLessThan(0.07);
  });

  it('is low for every memory where none answers', async () => {
    const parent = await stored([CELLO, MILK]);
    for (const text of ['xyzzy', 'What is the capital of Mongolia?']) {
      for (const { relevance } of await received({ parent, text })) expect(relevance).toBeLessThan(0.07);
    }
  });

  it('finds in another language', async () => {
    const parent = await stored([CELLO, MILK, 'Meine Schwester wohnt in Köln.']);
    const [first] = await received({ parent, text: 'Where does my sister live?' });
    expect(first?.text).toBe('Meine Schwester wohnt in Köln.');
    expect(first?.relevance).toBeGreaterThan(0.07);
    const [german] = await received({ parent, text: 'Wer spielt Cello?' });
    expect(german?.text).toBe(CELLO);
  });

  it('of a newer statement is at least that of the statement it replaces', async () => {
    const parent = await stored(['I live in Paris.', 'I moved from Paris to Berlin.', MILK]);
    const [newer, older] = await received({ parent, text: 'Where do I live now?' });
    expect([newer?.text, older?.text]).toEqual(['I moved from Paris to Berlin.', 'I live in Paris.']);
    expect(newer?.relevance).toBeGreaterThanOrEqual(older?.relevance ?? 1);
    expect(newer?.relevance).toBeGreaterThan(0.5);
  });

  it('is independent of the weights of lanes', async () => {
    const parent = await stored([CELLO, MILK]);
    const learned = await received({ parent, text: 'Who plays the cello?' });
    const weighed = await received({ parent, text: 'Who plays the cello?', weights: { keyword: 1 } });
    expect(weighed.find(({ text }) => text === CELLO)?.relevance).toBe(learned[0]?.relevance);
  });

  it('of a filter alone is 1, of a vector alone its cosine', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: CELLO, embedding: vector(1, 0) });
    const [byVector] = await received({ parent, embedding: vector(1, 1) });
    expect(byVector?.relevance).toBeCloseTo(Math.SQRT1_2, 3);
    const [byTime] = await received({ parent, timeWindow: { last: { seconds: 3600n } } });
    expect(byTime?.relevance).toBe(1);
  });
});

describe('min_relevance', () => {
  const text = 'Who plays the cello?';

  it('of a text is 0.07 by default: less relevant memories are left out and counted; 0 leaves none out', async () => {
    const parent = await stored([CELLO, MILK]);
    expect(await answer({ parent, text })).toMatchObject({ hits: [{ text: CELLO }], lowRelevanceCount: 1 });
    expect(await answer({ parent, text: 'xyzzy' })).toEqual({ hits: [], lowRelevanceCount: 2 });
    expect(await answer({ parent, text, minRelevance: 0 })).toMatchObject({
      hits: [{ text: CELLO }, { text: MILK }],
      lowRelevanceCount: 0,
    });
  });

  it('the count is of the first `limit` memories, of equal ones once', async () => {
    const parent = await stored([CELLO, MILK, MILK, MILK, 'My passport expires in 2029.', 'Parking costs two euros.']);
    for (const [limit, count] of [
      [1, 0],
      [2, 1],
      [10, 3],
    ]) {
      const { hits, lowRelevanceCount } = await answer({ parent, text, limit });
      expect([hits.length, lowRelevanceCount]).toEqual([1, count]);
    }
  });

  it('a hit below `limit` › takes the place of less relevant ones above it', async () => {
    const parent = await stored([CELLO, MILK]);
    const weights = { recency: 100, importance: 0 };
    expect(await answer({ parent, text, weights, limit: 1 })).toMatchObject({ hits: [{ text: CELLO }] });
  });

  it('none by default › a vector, a filter, a preset, or a text without weight', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: MILK, embedding: vector(0, 1) });
    const queries = [
      { embedding: vector(1, 0) },
      { filterText: 'importance >= 0' },
      { preset: { name: 'recent' } },
      { text: 'cello', embedding: vector(1, 0), weights: { keyword: 0 } },
    ];
    for (const query of queries) expect(await answer({ parent, ...query })).toMatchObject({ hits: [{ text: MILK }] });
  });

  it('RecallStream › each tier and the merged order have relevant hits only', async () => {
    const parent = await stored([CELLO, MILK]);
    const { hits, merged } = await streamed(mneme, { query: { parent, text } });
    expect([...hits.values()].flat()).toHaveLength(1);
    expect(merged).toMatchObject({ order: [{}], lowRelevanceCount: 1 });
  });

  it('the setting of the namespace › is the default, also of contexts; 0.5 is the greatest', async () => {
    const parent = await stored([CELLO, MILK]);
    const set = (value: string) =>
      ask(
        mneme.namespaces,
        mneme.namespaces.updateNamespace,
        UpdateNamespaceRequest.fromPartial({
          namespace: { name: parent, settings: { 'recall.min_relevance': value } },
          updateMask: ['settings'],
        }),
      );
    await set('0');
    expect((await answer({ parent, text })).hits).toHaveLength(2);
    const context = BuildContextRequest.fromPartial({ parent, query: text });
    expect((await ask(mneme.contexts, mneme.contexts.buildContext, context)).entries).toHaveLength(2);
    await set('0.5');
    expect(await answer({ parent, text: 'cello?', minRelevance: 0.07 })).toMatchObject({ hits: [{ text: CELLO }] });
    expect((await answer({ parent, text: 'xyzzy' })).lowRelevanceCount).toBe(2);
    expect(await refusal(set('0.6'))).toMatchObject({ fields: ['namespace.settings[recall.min_relevance]'] });
  });

  it.each([-0.1, 1.5, Number.NaN])('%d › INVALID_ARGUMENT', async (minRelevance) => {
    const parent = await stored([CELLO]);
    const request = RecallRequest.fromPartial({ parent, text: 'cello', minRelevance });
    const { code, fields } = await refusal(ask(mneme.recalls, mneme.recalls.recall, request));
    expect(code).toBe('INVALID_ARGUMENT');
    expect(fields).toEqual(['min_relevance']);
  });

  it('SubscribeRecall › includes relevant memories, and all with 0', async () => {
    const parent = await stored([MILK]);
    const relevant = new FollowedAnswer(mneme, { parent, text: 'Who plays the cello?', minRelevance: undefined });
    const all = new FollowedAnswer(mneme, { parent, text: 'Who plays the cello?', minRelevance: 0 });
    const { name, revision } = await store(mneme, parent, { text: CELLO });
    expect(await relevant.at(revision)).toEqual([name]);
    expect(await all.at(revision)).toHaveLength(2);
    relevant.cancel();
    all.cancel();
  });
});
