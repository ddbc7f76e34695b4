import { describe, expect, it } from '@jest/globals';
import { spokenDate } from '../../src/memory/words.ts';

describe('spokenDate', () => {
  it.each([
    ['2023-05-08T00:00:00Z', '8 May 2023'],
    ['2023-12-31T23:59:59.999Z', '31 December 2023'],
    ['1969-01-01T12:00:00Z', '1 January 1969'],
  ])('%s › %s', (instant, spoken) => {
    expect(spokenDate(Date.parse(instant) * 1000)).toBe(spoken);
  });
});
