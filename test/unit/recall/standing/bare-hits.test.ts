import { expect, test } from '@jest/globals';
import type { RecallResult } from '../../../../src/recall/recall-engine.ts';
import { fromBare, isBare, toBare } from '../../../../src/recall/standing/bare-hits.ts';

const NOTHING_ELSE = { components: [], features: [], matchedTerms: [], isRestored: false, before: [], after: [] };

test('bare hits › come out of a message as they went in', () => {
  const result: RecallResult = {
    hits: [
      { id: 'a', revision: 7, score: 0.9, ...NOTHING_ELSE },
      { id: 'b', revision: 2 ** 40, score: 1e-300, ...NOTHING_ELSE },
    ],
    lanes: ['vector'],
    degraded: [{ part: 'vector', reason: 'behind' }],
    candidateCount: 3,
    revision: 8,
    nearExpiresAtUs: 5,
    untilUs: Number.POSITIVE_INFINITY,
  };
  expect(fromBare(structuredClone(toBare(result)))).toEqual(result);
  const none = { ...result, hits: [] };
  expect(fromBare(structuredClone(toBare(none)))).toEqual(none);
});

test('bare hits › are those of queries without words that ask for nothing beside', () => {
  const asked = { text: '', explain: false, neighborCount: 0 };
  expect(isBare(asked)).toBe(true);
  expect([{ text: 'a' }, { explain: true }, { neighborCount: 1 }].map((more) => isBare({ ...asked, ...more }))).toEqual(
    [false, false, false],
  );
});
