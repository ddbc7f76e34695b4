import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecallLane, RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, json, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

const recall = (request: Parameters<typeof RecallRequest.fromPartial>[0], deadlineMs = 30_000) =>
  ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, ...request }), { deadlineMs });

describe('Recall', () => {
  it('with a text › finds the memories that have its words, and explains on request', async () => {
    const parent = freshNamespace();
    const { revision } = await store(mneme, parent, { text: 'Caroline plays the cello' }, 'cello');
    await store(mneme, parent, { text: 'Rain in Bergen' });
    const answer = await recall({ parent, text: 'who plays a cello?', explain: true, minRevision: revision });
    const [hit] = answer.hits;

    expect(hit?.memory).toMatchObject({ name: `${parent}/memories/cello`, embedding: undefined });
    expect(hit?.components.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(hit?.score ?? 0, 6);
    expect(hit?.matchedTerms).toContain('cello');
    expect(answer.lanes).toContain(RecallLane.RECALL_LANE_KEYWORD);
    expect(answer.revision).toBeGreaterThanOrEqual(revision);
  });

  it('with a vector, an example or a memory › finds similar memories', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'near', embedding: vector(1, 0.1) }, 'near');
    await store(mneme, parent, { text: 'far', embedding: vector(-1, 0.2) }, 'far');
    await store(mneme, parent, { text: 'itself', embedding: vector(1, 0) }, 'itself');
    const first = async (request: Parameters<typeof recall>[0]) =>
      (await recall({ parent, ...request })).hits.map(({ memory }) => memory?.text)[0];

    expect(await first({ embedding: vector(-1, 0) })).toBe('far');
    expect(await first({ similarTo: `${parent}/memories/itself` })).toBe('near');
    expect(await first({ example: { content: json({ word: 'far' }) } })).toBe('far');
  });

  it('when it is touched › the hits count it', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'cello' });
    await recall({ parent, text: 'cello', touch: true });

    expect((await get(mneme, name)).retrievalCount).toBe(1);
  });

  it('when the vector does not fit the namespace › INVALID_ARGUMENT', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { embedding: vector(1, 2) });

    expect(await refusal(recall({ parent, embedding: vector(1) }))).toMatchObject({
      reason: 'DIMENSION_MISMATCH',
      fields: ['embedding.dimension'],
    });
    const foreign = { ...vector(1, 2), model: 'other' };
    expect(await refusal(recall({ parent, embedding: foreign }))).toMatchObject({
      reason: 'MODEL_MISMATCH',
      fields: ['embedding.model'],
    });
  });

  it('when the memory to be like is not there › NOT_FOUND', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'x' });
    const similarTo = `${parent}/memories/none`;

    expect(await refusal(recall({ parent, similarTo }))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'MEMORY_NOT_FOUND',
      metadata: { name: similarTo },
    });
  });

  it('when its weights disable the requested nearness › INVALID_ARGUMENT names them', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'x', step: 5n });
    const nearTime = { origin: { $case: 'step' as const, value: 5n } };

    expect(await refusal(recall({ parent, nearTime, weights: { time: 0 } }))).toMatchObject({
      reason: 'FIELD_INVALID',
      fields: ['weights'],
    });
    expect((await recall({ parent, nearTime, weights: { time: 0, importance: 1 } })).hits).toHaveLength(1);
  });

  it('when its weights leave no lane that looks for the cue › INVALID_ARGUMENT names them', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'x' });

    expect(await refusal(recall({ parent, text: 'x', weights: { keyword: 0, vector: 0 } }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'FIELD_INVALID',
      fields: ['weights'],
    });
  });
});
