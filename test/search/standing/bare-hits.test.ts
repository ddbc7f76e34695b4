import { expect, test } from '@jest/globals';
import type { RecallResult } from '../../../src/search/recall/recall-engine.ts';
import { fromSent, toSent } from '../../../src/search/standing/standing-query.ts';

const ASKED = { text: '', explain: false, neighborCount: 0 };
const NOTHING_ELSE = {
  equalCount: 0,
  components: [],
  features: [],
  matchedTerms: [],
  isRestored: false,
  before: [],
  after: [],
};

test('bare hits › survive the encoding of a message', () => {
  const result: RecallResult = {
    hits: [
      { id: 'a', revision: 7, score: 0.9, relevance: 0.7, ...NOTHING_ELSE },
      { id: 'b', revision: 2 ** 40, score: 1e-300, relevance: 0, ...NOTHING_ELSE },
    ],
    lanes: ['vector'],
    degraded: [{ part: 'vector', reason: 'behind' }],
    candidateCount: 3,
    revision: 8,
    nearExpiresAtUs: 5,
    untilUs: Number.POSITIVE_INFINITY,
  };
  for (const answer of [result, { ...result, hits: [] }]) {
    const sent = toSent(ASKED, answer);
    expect(sent).toHaveProperty('bare');
    expect(fromSent(structuredClone(sent))).toEqual({ answer });
  }
});

test('bare hits › exclude queries with words or further results', () => {
  const hit = { id: 'a', revision: 1, score: 1, relevance: 1, ...NOTHING_ELSE, matchedTerms: ['word'] };
  const answer: RecallResult = { hits: [hit], lanes: ['vector'], degraded: [], candidateCount: 1, revision: 1 };
  for (const more of [{ text: 'word' }, { explain: true }, { neighborCount: 1 }]) {
    expect(fromSent(structuredClone(toSent({ ...ASKED, ...more }, answer)))).toEqual({ answer });
  }
  expect(fromSent({ isUnknown: true })).toEqual({ isUnknown: true });
});
