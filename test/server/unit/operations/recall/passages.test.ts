import { describe, expect, it } from '@jest/globals';
import type { Memory } from '../../../../../src/memory/memory.ts';
import { withinBudget } from '../../../../../src/server/operations/recall/answer-recall.ts';
import type { RecallHit } from '../../../../../src/server/operations/recall/recall-request.ts';

const memory = (id: string, text: string, speaker = '') => ({ id, text, source: { speaker } }) as unknown as Memory;

/** Memories `m1`, `m2` … of one session, with the given numbers of words. */
const session = [3, 2, 4, 1, 2].map((words, at) =>
  memory(
    `m${at + 1}`,
    Array(words)
      .fill(`w${at + 1}`)
      .join(' '),
  ),
);

function hit(place: number, score: number): RecallHit {
  const [before, found, after] = [session[place - 2], session[place - 1], session[place]];
  if (!found) throw new Error(`no memory ${place}`);
  return {
    memory: found,
    score,
    relevance: 1,
    components: [],
    matchedTerms: [],
    equalCount: 0,
    isRestored: false,
    features: [],
    before: before ? [before] : [],
    after: after ? [after] : [],
  };
}

const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

async function cut(places: readonly number[], budget: number) {
  const hits = places.map((place, at) => hit(place, 1 - at / 10));
  const { hits: kept, passages, tokenCount } = await withinBudget(hits, budget, countWords);
  return {
    kept: kept.map((one) => one.memory.id),
    passages: passages.map(({ memories, tokenCount: tokens, score }) => [memories.map(({ id }) => id), tokens, score]),
    tokenCount,
  };
}

describe('withinBudget', () => {
  it('hits that follow one another › one passage in their order, with the best score', async () => {
    expect(await cut([3, 1, 2, 5], 100)).toEqual({
      kept: ['m3', 'm1', 'm2', 'm5'],
      passages: [
        [['m1', 'm2', 'm3'], 9, 1],
        [['m5'], 2, 0.7],
      ],
      tokenCount: 11,
    });
  });

  it('a hit too large › omitted, smaller ones after it are included, and the gap separates passages', async () => {
    expect(await cut([2, 3, 4], 3)).toEqual({
      kept: ['m2', 'm4'],
      passages: [
        [['m2'], 2, 1],
        [['m4'], 1, 0.8],
      ],
      tokenCount: 3,
    });
  });

  it('nothing fits › no passages', async () => {
    expect(await cut([3], 3)).toEqual({ kept: [], passages: [], tokenCount: 0 });
  });

  it('speaker › in front of the text, and counted', async () => {
    const said = { ...hit(1, 1), memory: memory('s', 'hello there', 'Ann'), before: [], after: [] };
    const { passages, tokenCount } = await withinBudget([said], 3, countWords);
    expect(passages.map(({ text }) => text)).toEqual(['Ann: hello there']);
    expect(tokenCount).toBe(3);
  });

  it('a memory without a text › a hit, but no passage', async () => {
    const silent = { ...hit(1, 1), memory: memory('v', ''), before: [], after: [] };
    expect(await withinBudget([silent], 1, countWords)).toMatchObject({ hits: [silent], passages: [], tokenCount: 0 });
  });

  it('memories that name each other as neighbours › an end', async () => {
    const [one, two] = [memory('a', 'x'), memory('b', 'y')];
    const ring = [
      { ...hit(1, 1), memory: one, before: [two], after: [two] },
      { ...hit(2, 0.9), memory: two, before: [one], after: [one] },
    ];
    expect((await withinBudget(ring, 9, countWords)).passages).toHaveLength(1);
  });
});
