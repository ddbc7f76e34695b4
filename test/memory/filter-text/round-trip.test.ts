import { isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import { parseFilter } from '../../../src/memory/filter-text/parse-filter.ts';
import { seededRandom } from '../../support/random.ts';
import { randomFilter, type Whole } from '../../support/random-filters.ts';
import { isSayable, writeFilter } from '../../support/write-filter.ts';

const WHOLES: readonly Whole[] = [
  { path: [], json: { a: 1, 'b"': ["x'", null] } },
  { path: ['a.b', '', '0'], json: [[1, 'two, (three)'], {}, { k: [] }] },
  { path: ['position'], json: [12, 22] },
];

it('any filter › as a text › reads as the same filter', () => {
  const random = seededRandom('filter-text round trip');
  let tried = 0;
  for (let number = 0; tried < 5000 && number < 200_000; number++) {
    const filter = randomFilter(random, WHOLES, random.pick([0, 1, 2, 3]));
    if (!isSayable(filter)) continue;
    tried++;
    const text = writeFilter(filter, random);
    const read = parseFilter(text);
    if (!isDeepStrictEqual(read, filter)) {
      throw new Error(`${text}\n${JSON.stringify(filter)}\n${JSON.stringify(read)}`);
    }
  }
  expect(tried).toBe(5000);
});
