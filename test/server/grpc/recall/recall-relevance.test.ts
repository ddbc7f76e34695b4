import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { FollowedAnswer } from '../support/followed-answer.ts';
import { freshNamespace, store, vector } from '../support/memories.ts';
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

async function received(query: Parameters<typeof RecallRequest.fromPartial>[0]) {
  const { hits } = await ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial(query));
  return hits.map(({ memory, relevance }) => ({ text: memory?.text ?? '', relevance }));
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
  it('omits less relevant hits; 0 omits none', async () => {
    const parent = await stored([CELLO, MILK]);
    const text = 'Who plays the cello?';
    expect((await received({ parent, text, minRelevance: 0.07 })).map((hit) => hit.text)).toEqual([CELLO]);
    expect(await received({ parent, text, minRelevance: 0 })).toHaveLength(2);
    expect(await received({ parent, text: 'xyzzy', minRelevance: 0.07 })).toEqual([]);
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
