import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecallRequest, RecallStreamRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { FollowedAnswer } from '../support/followed-answer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

type Query = Parameters<typeof RecallRequest.fromPartial>[0];

const TEXTS = {
  one: 'The garden needs water every morning.',
  two: 'The garden needs water every single morning.',
  three: 'In the garden stands a broken bench.',
};

/** Texts are distinguished only by their words, or by vectors pooled from them. */
describe.each(['none', 'static'])('diversity with the embedder %s', (embedder) => {
  let mneme: TestServer;
  const parent = freshNamespace();
  let revision = 0n;
  beforeAll(async () => {
    mneme = await startTestServer({ embedder });
    for (const [id, text] of Object.entries(TEXTS)) ({ revision } = await store(mneme, parent, { text }, id));
  });
  afterAll(() => mneme.stop());

  const recall = (query: Query) =>
    ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, ...query }));
  const idsOf = async (query: Query) =>
    (await recall(query)).hits.map(({ memory }) => memory?.name.split('/').at(-1) ?? '');
  const asked = { parent, text: 'garden water morning' };

  it('0 › a repeated statement comes twice; more › another one comes between', async () => {
    expect((await idsOf(asked)).slice(0, 2).sort()).toEqual(['one', 'two']);
    expect((await idsOf({ ...asked, diversity: 0.8 }))[1]).toBe('three');
    expect((await idsOf({ ...asked, diversity: 0.8, limit: 2 }))[1]).toBe('three');
  });

  it('explained › components add up to the score, and scores fall', async () => {
    const { hits } = await recall({ ...asked, diversity: 0.8, explain: true });
    for (const { score, components } of hits) {
      expect(components.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 9);
    }
    const taken = hits.map(({ components }) => components.find(({ name }) => name === 'diversity')?.value ?? -1);
    expect(taken[0]).toBe(0);
    expect(taken[2]).toBeGreaterThan(taken[1] ?? 1);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('Subscribe › answers as Recall does', async () => {
    const query = { ...asked, diversity: 0.8, limit: 2, minRelevance: 0 };
    const answer = new FollowedAnswer(mneme, query);
    const names = (await idsOf(query)).map((id) => `${parent}/memories/${id}`);
    expect((await answer.at(revision)).toSorted()).toEqual(names.sort());
    answer.cancel();
  });

  it('RecallStream › refuses it', async () => {
    const query = { ...asked, diversity: 0.8 };
    const stream = mneme.recalls.recallStream(RecallStreamRequest.fromPartial({ query }));
    const end = await new FollowedStream(stream).outcome();
    expect(end === true ? 'ended well' : refusalOf(end).fields).toEqual(['query.diversity']);
  });

  it('with a preset › is refused', async () => {
    const refused = await refusal(recall({ parent, preset: { name: 'recent' }, diversity: 0.5 }));
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['diversity'] });
  });
});

it('diversity › stored vectors count before words', async () => {
  const mneme = await startTestServer({ embedder: 'none' });
  try {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'a', embedding: vector(1, 0.1, 0) }, 'one');
    await store(mneme, parent, { text: 'b', embedding: vector(1, 0.11, 0) }, 'two');
    await store(mneme, parent, { text: 'a c', embedding: vector(1, 0, 0.9) }, 'three');
    const request = RecallRequest.fromPartial({ parent, embedding: vector(1, 0.1, 0), diversity: 0.8 });
    const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
    expect(hits.map(({ memory }) => memory?.text)).toEqual(['a', 'a c', 'b']);
  } finally {
    await mneme.stop();
  }
});
