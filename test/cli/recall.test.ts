import { afterEach, describe, expect, it } from '@jest/globals';
import { TrustLevel } from '../../gen/ts/mneme/v1/knowledge_service.ts';
import { Tier } from '../../gen/ts/mneme/v1/memory.ts';
import type { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { fullMemoryMessage } from '../client/support/proto-memory.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

describe('mneme recall', () => {
  async function recalling(hits = 1) {
    const requests: RecallRequest[] = [];
    const recall = unary<RecallRequest, object>((request) => {
      requests.push(request);
      const hit = {
        memory: { ...fullMemoryMessage(), text: 'tea\n\u001b[31mat five', embedding: undefined },
        score: 0.75,
        relevance: 0.93,
        equalCount: 0,
        outdatedBy: '',
        components: [{ name: 'keyword', value: 3.5, contribution: 0.7, rank: 1 }],
        features: [],
        matchedTerms: ['tea'],
        restored: true,
        trust: TrustLevel.TRUST_LEVEL_USER,
        before: [],
        after: [],
      };
      return {
        hits: Array(hits).fill(hit),
        revision: 9n,
        lanes: [1],
        degraded: [],
        candidateCount: 12,
        lowRelevanceCount: 0,
        passages: [],
        tokenCount: 0,
        promoted: [],
        damaged: [],
      };
    });
    return { run: await against({ recall: { recall } }), requests };
  }

  it('hits › are rank, score and text without control characters, and when, who and id below', async () => {
    const { run, requests } = await recalling();

    const { code, stdout } = await run(['recall', 'when', 'is tea?']);

    expect(code).toBe(0);
    expect(stdout).toBe('  1  0.93  tea �[31mat five\n           2023-11-14 22:13  Ann  m1\n');
    expect(requests[0]).toMatchObject({ text: 'when is tea?', limit: 10, explain: false });
  });

  it('--explain › adds the parts of the score, the words and the tier', async () => {
    const { run } = await recalling();

    const { stdout } = await run(['recall', 'tea', '--explain']);

    expect(
      stdout
        .split('\n')
        .slice(2)
        .map((line) => line.trim()),
    ).toEqual([
      'score 0.7500: keyword 0.7000 (3.5, #1)',
      'matched words: tea',
      'tier: short_term, restored from its compressed form',
      '',
    ]);
  });

  it('--json › prints the whole answer on one line', async () => {
    const { run } = await recalling();

    const { stdout } = await run(['recall', 'tea', '--json', '--explain']);

    expect(JSON.parse(stdout)).toMatchObject({
      hits: [
        {
          score: 0.75,
          relevance: 0.93,
          memory: { id: 'm1', namespace: 'default', tier: 'short_term', version: 11 },
          components: [{ name: 'keyword', value: 3.5, contribution: 0.7, rank: 1 }],
          matchedTerms: ['tea'],
          restored: true,
          trust: 'user',
        },
      ],
      lanes: ['keyword'],
      degraded: [],
      candidateCount: 12,
      lowRelevanceCount: 0,
      revision: 9,
    });
    expect(stdout.trimEnd()).not.toContain('\n');
  });

  it('which memories › becomes a filter: all flags, any value of one', async () => {
    const { run, requests } = await recalling(0);
    const which = [
      '--type',
      'fact',
      '--type',
      'state',
      '--since',
      '2024-01-01',
      '--content',
      'a.b=3',
      '--content',
      'c=x',
    ];

    const { code, stdout, stderr } = await run(['recall', 'tea', ...which]);

    expect([code, stdout, stderr]).toEqual([0, '', 'nothing found\n']);
    expect(requests[0]?.filterText).toBe(
      'type IN ("fact", "state") AND event_time >= 2024-01-01T00:00:00.000Z AND content."a"."b" = 3 AND content."c" = "x"',
    );
    await run(['recall', 'tea', '--filter', 'step > 3 OR tags:x', '--speaker', 'Ann']);
    expect(requests[1]?.filterText).toBe('(step > 3 OR tags:x) AND speaker IN ("Ann")');
    await run(['recall', 'tea', '--filter', 'step > 3', '--as-of', '2026-01-01']);
    expect(requests[2]).toMatchObject({ filterText: 'step > 3', asOf: { seconds: 1_767_225_600n } });
  });

  it('--tier › narrows the search itself, and is no filter', async () => {
    const { run, requests } = await recalling(0);
    await run(['recall', 'tea', '--tier', 'long_term', '--tier', 'intermediate', '--type', 'fact']);

    expect(requests[0]?.tiers).toEqual([Tier.TIER_LONG_TERM, Tier.TIER_INTERMEDIATE]);
    expect(requests[0]?.filterText).toBe('type IN ("fact")');
    // A tier by itself says what is looked for.
    expect((await run(['recall', '--tier', 'long_term'])).code).toBe(0);
    expect(requests[1]).toMatchObject({ tiers: [Tier.TIER_LONG_TERM], filterText: 'tier IN ("long_term")' });
  });

  it('--ranking and --weight › are sent; a part that is not known is named with the nearest', async () => {
    const { run, requests } = await recalling();
    await run(['recall', 'tea', '--ranking', 'fusion', '--weight', 'recency=0.5', '--weight', 'keyword=0']);
    expect(requests[0]).toMatchObject({ ranking: 2, weights: { recency: 0.5, keyword: 0 } });
    const refused = await run(['recall', 'tea', '--weight', 'recensy=1']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Did you mean recency?');
    expect((await run(['recall', 'tea', '--weight', 'recency=-1'])).stderr).toContain('Expected part=number');
  });

  it('--diversity › is sent; beyond 1 it is refused', async () => {
    const { run, requests } = await recalling();
    await run(['recall', 'tea', '--diversity', '0.25']);
    expect(requests[0]?.diversity).toBe(0.25);
    const refused = await run(['recall', 'tea', '--diversity', '1.5']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('--diversity');
  });
});
