import { beforeAll, describe, expect, it } from '@jest/globals';
import { MaxSim } from '../../../src/search/embedding/static/max-sim.ts';
import { PooledVector } from '../../../src/search/embedding/static/pooled-vector.ts';
import { TextTokens } from '../../../src/search/embedding/static/text-tokens.ts';
import { readTokenTable, type TokenTable } from '../../../src/search/embedding/static/token-table.ts';
import { bestOf } from '../../../src/search/ranking/lane-scores.ts';
import { weightedTokensOf } from '../../../src/search/ranking/question.ts';
import { PooledVectors } from '../../../src/search/ranking/ranked-memories.ts';
import { scoreIn } from '../../../src/search/ranking/signals.ts';
import { SoftMatcher } from '../../../src/search/ranking/soft-match.ts';
import { TokenIndex } from '../../../src/search/ranking/token-index.ts';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import { seededRandom } from '../../support/random.ts';

const TEXTS = [
  'We bought a puppy last week and called him Rex',
  'Nice! Where did you find him?',
  'At the animal shelter near the harbour',
  'My train was late again',
  'The concert was cancelled because of the storm',
  'A dog needs a long walk every day',
];

let table: TokenTable;
let tokenizer: TextTokens;

beforeAll(async () => {
  table = await readTokenTable();
  tokenizer = new TextTokens(table);
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

describe('SoftMatcher of a large namespace', () => {
  const WORDS = 'the dog dogs puppy cat storm wind rain train late harbour shelter concert music walk day'.split(' ');
  const COUNT = 600;

  function large(random: ReturnType<typeof seededRandom>): { index: TokenIndex; columns: NamespaceColumns } {
    const [index, columns] = [new TokenIndex(), new NamespaceColumns()];
    for (let at = 1; at <= COUNT; at++) {
      const row = {
        key: at,
        session: `${random.int(20)}`,
        speaker: '',
        eventAtUs: at,
        importance: 0,
        superseded: false,
      };
      columns.put(at, { ...row, expiresAtUs: Number.POSITIVE_INFINITY });
      const text = Array.from({ length: 1 + random.int(8) }, () => random.pick(WORDS)).join(' ');
      index.put(at, tokenizer.encode(text));
    }
    return { index, columns };
  }

  it('reads no more postings than it may, and scores candidates as if it had read all', () => {
    const random = seededRandom('soft match');
    const { index, columns } = large(random);
    const whole = new SoftMatcher(table);
    for (const postingsMax of [1, 50, 300, 1000]) {
      const matcher = new SoftMatcher(table, postingsMax);
      for (let round = 0; round < 20; round++) {
        const words = Array.from({ length: 1 + random.int(5) }, () => random.pick(WORDS));
        const query = weightedTokensOf(words, tokenizer, index);
        const expected = whole.match(query, index, columns);
        const matched = matcher.match(query, index, columns);
        expect(matcher.postingsRead).toBeLessThanOrEqual(postingsMax);
        expect(matched.isWhole).toBe(whole.postingsRead <= postingsMax);
        const candidates = Array.from({ length: 30 }, () => 1 + random.int(COUNT));
        const { own, window } = matcher.complete(matched, query, index, columns, candidates);
        for (const candidate of candidates) {
          const previous = columns.neighbor(candidate, -1);
          const next = columns.neighbor(candidate, 1);
          expect(scoreIn(own, candidate)).toBeCloseTo(scoreIn(expected.own, candidate), 5);
          expect(scoreIn(own, previous)).toBeCloseTo(scoreIn(expected.own, previous), 5);
          expect(scoreIn(own, next)).toBeCloseTo(scoreIn(expected.own, next), 5);
          expect(scoreIn(window, candidate)).toBeCloseTo(scoreIn(expected.window, candidate), 5);
          expect(scoreIn(window, previous)).toBeCloseTo(scoreIn(expected.window, previous), 5);
        }
      }
    }
  });

  it('the rarest words find the best where common ones are left out', () => {
    const { index, columns } = large(seededRandom('soft match'));
    index.put(7, tokenizer.encode('the lighthouse'));
    const query = weightedTokensOf(['the', 'lighthouse'], tokenizer, index);
    const matcher = new SoftMatcher(table, 20);
    const { own } = matcher.complete(matcher.match(query, index, columns), query, index, columns, [7]);
    expect(bestOf(own, 1)).toEqual([7]);
    expect(own.best).toBeCloseTo(1, 5);
  });

  it('a question before it changes nothing', () => {
    const random = seededRandom('soft match');
    const { index, columns } = large(random);
    const matcher = new SoftMatcher(table, 500);
    for (let round = 0; round < 20; round++) {
      const words = Array.from({ length: 1 + random.int(5) }, () => random.pick(WORDS));
      const query = weightedTokensOf(words, tokenizer, index);
      const results = [matcher, new SoftMatcher(table, 500)].map((each) => {
        const { own, window, isWhole } = each.match(query, index, columns);
        const all = Array.from({ length: COUNT + 1 }, (_, at) => [scoreIn(own, at), scoreIn(window, at)]);
        const result = {
          all,
          isWhole,
          found: [...own.found],
          best: [own.best, window.best, own.mean, window.deviation],
        };
        each.complete({ own, window, isWhole }, query, index, columns, [1, 2, 3, 400]);
        return result;
      });
      expect(results[0]).toEqual(results[1]);
    }
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
