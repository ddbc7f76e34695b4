import { beforeAll, describe, expect, it } from '@jest/globals';
import { MaxSim } from '../../../../src/embedding/static/max-sim.ts';
import { PooledVector } from '../../../../src/embedding/static/pooled-vector.ts';
import { readTokenTable, type TokenTable } from '../../../../src/embedding/static/token-table.ts';
import { WordPiece } from '../../../../src/embedding/static/word-piece.ts';
import { NamespaceColumns } from '../../../../src/recall/namespace-columns.ts';
import { bestOf } from '../../../../src/recall/ranking/lane-scores.ts';
import { weightedTokensOf } from '../../../../src/recall/ranking/question.ts';
import { PooledVectors } from '../../../../src/recall/ranking/ranked-memories.ts';
import { scoreIn } from '../../../../src/recall/ranking/signals.ts';
import { SoftMatcher } from '../../../../src/recall/ranking/soft-match.ts';
import { TokenIndex } from '../../../../src/recall/ranking/token-index.ts';

const TEXTS = [
  'We bought a puppy last week and called him Rex',
  'Nice! Where did you find him?',
  'At the animal shelter near the harbour',
  'My train was late again',
  'The concert was cancelled because of the storm',
  'A dog needs a long walk every day',
];

let table: TokenTable;
let tokenizer: WordPiece;

beforeAll(async () => {
  table = await readTokenTable();
  tokenizer = new WordPiece(table);
});

function filled(): { index: TokenIndex; columns: NamespaceColumns } {
  const [index, columns] = [new TokenIndex(), new NamespaceColumns()];
  TEXTS.forEach((text, at) => {
    const session = at < 3 ? 'one' : 'two';
    const row = { key: at, session, speaker: '', eventAtUs: at, importance: 0, superseded: false };
    columns.put(at, { ...row, expiresAtUs: Number.POSITIVE_INFINITY });
    index.put(at, tokenizer.encode(text));
  });
  return { index, columns };
}

describe('SoftMatcher', () => {
  it('returns for every memory the MaxSim of a token-by-token comparison', () => {
    const { index, columns } = filled();
    const matcher = new SoftMatcher(table);
    for (const question of ['dog shelter', 'cancelled storm concert', 'train']) {
      const query = weightedTokensOf(question.split(' '), tokenizer, index);
      const { own } = matcher.match(query, index, columns);
      const tokens = Uint16Array.from(query, ({ token }) => token);
      const weights = query.map(({ weight }) => weight);
      const expected = new MaxSim(table, tokenizer.unknown).scores(
        { tokens, weights },
        TEXTS.map((text) => tokenizer.encode(text)),
      );
      TEXTS.forEach((_, at) => {
        expect(scoreIn(own, at)).toBeCloseTo(expected[at] ?? Number.NaN, 5);
      });
    }
  });

  it('finds a memory that shares no word with the question', () => {
    const { index, columns } = filled();
    const { own } = new SoftMatcher(table).match(weightedTokensOf(['dogs'], tokenizer, index), index, columns);
    expect(bestOf(own, 1)).toEqual([5]);
    expect(scoreIn(own, 2)).toBeGreaterThan(0.4);
    expect(scoreIn(own, 3)).toBe(0);
  });

  it('includes one memory on each side in a window, within the session', () => {
    const { index, columns } = filled();
    const query = weightedTokensOf(['puppy', 'harbour'], tokenizer, index);
    const { own, window } = new SoftMatcher(table).match(query, index, columns);
    expect(scoreIn(window, 1)).toBeCloseTo(1, 5);
    expect(scoreIn(own, 1)).toBe(0);
    expect(scoreIn(window, 3)).toBe(scoreIn(own, 3));
  });

  it('finds nothing for no tokens', () => {
    const { index, columns } = filled();
    expect(bestOf(new SoftMatcher(table).match([], index, columns).own, 10)).toEqual([]);
  });
});

describe('PooledVectors', () => {
  it('returns the cosine of the pooled vectors, with the accuracy of a byte', () => {
    const pooled = new PooledVector(table, tokenizer);
    const vectors = new PooledVectors(table.dimensions);
    const asked = pooled.ofText('who adopted a pet') ?? new Float32Array(table.dimensions);
    TEXTS.forEach((text, at) => {
      const vector = pooled.ofText(text);
      vectors.put(at, vector);
      const expected = vector?.reduce((sum, value, d) => sum + value * (asked[d] ?? 0), 0);
      expect(Math.abs(vectors.cosine(at, asked) - (expected ?? 0))).toBeLessThan(0.01);
    });
    expect(vectors.cosine(4000, asked)).toBe(0);
  });
});
