import { afterEach, describe, expect, it } from '@jest/globals';
import { TrustLevel } from '../../gen/ts/mneme/v1/knowledge_service.ts';
import type { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { fullMemoryMessage } from '../client/support/proto-memory.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

describe('mneme recall › what is not relevant', () => {
  async function recalling(...relevances: readonly number[]) {
    const requests: RecallRequest[] = [];
    const recall = unary<RecallRequest, object>((request) => {
      requests.push(request);
      const hits = relevances.map((relevance) => ({
        memory: { ...fullMemoryMessage(), text: `tea ${relevance}`, embedding: undefined },
        score: 0.75,
        relevance,
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
      return { hits, revision: 9n, lanes: [1], candidateCount: 12, tokenCount: 0, ...parts };
    });
    return { run: await against({ recall: { recall } }), requests };
  }

  it('nothing relevant › is said, with how many there are', async () => {
    const { run } = await recalling(0.06, 0.01);
    const { code, stdout, stderr } = await run(['recall', 'tea']);

    expect([code, stdout, stderr]).toEqual([0, '', 'nothing relevant (--all shows 2 less relevant)\n']);
  });

  it('some relevant › are shown, and how many are not', async () => {
    const { run } = await recalling(0.07, 0.06);
    const { stdout, stderr } = await run(['recall', 'tea']);

    expect(stdout).toContain('tea 0.07');
    expect(stdout).not.toContain('tea 0.06');
    expect(stderr).toBe('1 less relevant not shown (--all shows them)\n');
  });

  it.each([['--all'], ['--min-relevance=0.01']])('%s › shows the rest', async (flag) => {
    const { run } = await recalling(0.06, 0.01);
    const { stdout, stderr } = await run(['recall', 'tea', flag]);

    expect(stdout).toContain('tea 0.06');
    expect(stdout).toContain('tea 0.01');
    expect(stderr).toBe('');
  });

  it('--min-relevance › is sent; beyond 1 it is refused', async () => {
    const { run, requests } = await recalling();
    await run(['recall', 'tea', '--min-relevance', '0.25']);
    await run(['recall', 'tea']);

    expect(requests[0]?.minRelevance).toBe(0.25);
    expect(requests[1]?.minRelevance ?? 0).toBe(0);
    expect((await run(['recall', 'tea', '--min-relevance', '1.5'])).stderr).toContain('--min-relevance');
  });

  it('--json › prints all, each with its relevance', async () => {
    const { run } = await recalling(0.06, 0.01);
    const { stdout } = await run(['recall', 'tea', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ hits: [{ relevance: 0.06 }, { relevance: 0.01 }] });
  });
});
