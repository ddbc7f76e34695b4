import { describe, expect, it } from '@jest/globals';
import {
  ASKS,
  IS_LIST,
  NAMES_SOMETHING,
  REACTS,
  SPEAKS_OF_SELF,
  SPEAKS_TO_OTHER,
  TELLS_NUMBER,
  TELLS_TIME,
  traitsOf,
} from '../../../src/search/ranking/ranked-memories.ts';

const traits = {
  ASKS,
  IS_LIST,
  NAMES_SOMETHING,
  REACTS,
  SPEAKS_OF_SELF,
  SPEAKS_TO_OTHER,
  TELLS_NUMBER,
  TELLS_TIME,
} as const;

describe('traitsOf', () => {
  it.each<[keyof typeof traits, string, string]>([
    ['ASKS', 'Where is it? ', 'It is here?!'],
    ['TELLS_TIME', 'We met last week', 'We met'],
    ['TELLS_TIME', 'It was in March', 'It marched on'],
    ['TELLS_NUMBER', 'She has two cats', 'She has cats'],
    ['SPEAKS_TO_OTHER', 'How did your day go', 'How did the day go'],
    ['NAMES_SOMETHING', 'he went to Oslo', 'then I went home'],
    ['SPEAKS_OF_SELF', "and I'm tired", 'and Ivan is tired'],
    ['REACTS', 'Wow, great', 'The wow effect'],
    ['IS_LIST', 'To do:\n- one\n- two', 'one - two'],
  ])('%s: "%s", not "%s"', (name, yes, no) => {
    const bit: number = traits[name];
    expect(traitsOf(yes) & bit).toBe(bit);
    expect(traitsOf(no) & bit).toBe(0);
  });

  it('fits a byte, and an empty text has none', () => {
    expect(traitsOf('')).toBe(0);
    expect(traitsOf('I gave you two in Oslo last week:\n- a\n- b?')).toBeLessThan(256);
  });
});
