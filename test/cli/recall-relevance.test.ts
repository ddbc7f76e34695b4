import { afterEach, describe, expect, it } from '@jest/globals';
import { TrustLevel } from '../../gen/ts/mneme/v1/knowledge_service.ts';
import type { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { fullMemoryMessage } from '../client/support/proto-memory.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

describe('mneme recall › what is not relevant', () => {
  async function recalling(hitCount: number, lowRelevanceCount: number) {
    const requests: RecallRequest[] = [];
    const recall = unary<RecallRequest, object>((request) => {
      requests.push(request);
      const hits = Array.from({ length: hitCount }, () => ({
        memory: { ...fullMemoryMessage(), text: 'tea at five', embedding: undefined },
        score: 0.75,
        relevance: 0.5,
        equalCount: 0,
        outdatedBy: '',
        components: [],
        features: [],
        matchedTerms: [],
        restored: false,
        trust: TrustLevel.TRUST_LEVEL_USER,
        before: [],
        after: [],
      }));
      const parts = { degraded: [], passages: [], promoted: [], damaged: [] };
      return { hits, revision: 9n, lanes: [1], candidateCount: 12, lowRelevanceCount, tokenCount: 0, ...parts };
    });
    return { run: await against({ recall: { recall } }), requests };
  }

  it.each([
    [0, 0, 'nothing found\n'],
    [0, 1, 'nothing relevant; --min-relevance 0 shows the nearest memory\n'],
    [0, 2, 'nothing relevant; --min-relevance 0 shows the nearest 2 memories\n'],
    [1, 0, ''],
    [1, 3, '3 less relevant left out; --min-relevance 0 shows them\n'],
  ])('%d hits, %d left out › %j', async (hitCount, leftOut, expected) => {
    const { run } = await recalling(hitCount, leftOut);
    const { code, stdout, stderr } = await run(['recall', 'tea']);

    expect([code, stdout.includes('tea at five'), stderr]).toEqual([0, hitCount > 0, expected]);
  });

  it('--budget that no hit fits › is said, and how many are left out', async () => {
    const { run } = await recalling(0, 2);
    const { stderr } = await run(['recall', 'tea', '--budget', '5']);

    const left = '2 less relevant left out; --min-relevance 0 shows them\n';
    expect(stderr).toBe(`nothing found that fits the budget\n${left}`);
  });

  it('--min-relevance › is sent; without it the server decides; beyond 1 it is refused', async () => {
    const { run, requests } = await recalling(0, 0);
    await run(['recall', 'tea', '--min-relevance', '0.25']);
    await run(['recall', 'tea', '--min-relevance', '0']);
    await run(['recall', 'tea']);

    expect(requests.map(({ minRelevance }) => minRelevance)).toEqual([0.25, 0, undefined]);
    expect((await run(['recall', 'tea', '--min-relevance', '1.5'])).stderr).toContain('--min-relevance');
  });

  it('--json › has how many are left out', async () => {
    const { run } = await recalling(1, 2);
    const { stdout } = await run(['recall', 'tea', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ hits: [{ relevance: 0.5 }], lowRelevanceCount: 2 });
  });
});
