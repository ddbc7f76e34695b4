import { describe, expect, it } from '@jest/globals';
import { wordsOf } from '../../../src/memory/words.ts';
import { countOfParts, datePartsOf, partsMet } from '../../../src/search/ranking/text-agreement.ts';

const parts = (text: string) => datePartsOf(wordsOf(text));
const instant = (iso: string): number => Date.parse(iso) * 1000;

describe('datePartsOf', () => {
  it.each([
    ['what happened on 7 May 2023?', { day: 7, month: 4, year: 2023 }],
    ['what happened on June 3rd?', { day: 3, month: 5 }],
    ['what did she plan for October?', { month: 9 }],
    ['what was new in 2022?', { year: 2022 }],
    ['may she come?', {}],
    ['what did they do in May 2022?', { month: 4, year: 2022 }],
    ['how many of the 31 were sold?', {}],
    ['was it March 45?', { month: 2 }],
  ])('%s', (text, expected) => {
    expect(parts(text)).toEqual(expected);
  });
});

describe('partsMet', () => {
  it('counts the parts that an instant has, in UTC', () => {
    const asked = parts('on 7 May 2023');
    expect(countOfParts(asked)).toBe(3);
    expect(partsMet(asked, instant('2023-05-07T23:59:59Z'))).toBe(3);
    expect(partsMet(asked, instant('2023-05-08T00:00:00Z'))).toBe(2);
    expect(partsMet(asked, instant('2021-01-01T00:00:00Z'))).toBe(0);
  });

  it('is 0 for a question without a date', () => {
    expect(partsMet(parts('who came?'), instant('2023-05-07T00:00:00Z'))).toBe(0);
  });
});
