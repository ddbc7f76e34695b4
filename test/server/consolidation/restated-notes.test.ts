import { describe, expect, it } from '@jest/globals';
import { restatedGroups } from '../../../src/memory/consolidation/restated-notes.ts';

const groups = (...texts: string[]) => restatedGroups(texts, (text) => text);

describe('restatedGroups', () => {
  it('texts that differ in case, spaces and marks at the edges of words › one group', () => {
    expect(groups('The user likes tea.', 'the user  likes TEA', 'The dog sleeps.')).toEqual([
      ['The user likes tea.', 'the user  likes TEA'],
    ]);
  });

  it('a text with one word more of eight › one group, the longer text first', () => {
    const short = 'Deploy staging cluster every Friday morning before lunch meeting';
    const long = 'Deploy staging cluster every Friday morning before team lunch meeting';
    expect(groups(short, long)).toEqual([[long, short]]);
  });

  it.each([
    [
      'a word is another one',
      'moved to Lisbon in spring for work and family',
      'moved to Porto in spring for work and family',
    ],
    ['the order differs', 'Alice manages Bob', 'Bob manages Alice'],
    ['a negation', 'The user does not like green tea with milk', 'The user does like green tea with milk'],
    [
      'a number',
      'Deploy staging cluster every Friday morning before lunch 3',
      'Deploy staging cluster every Friday morning before lunch',
    ],
    [
      'a limiting word',
      'The user formerly lived alone in a big old house near Lisbon',
      'The user lived alone in a big old house near Lisbon',
    ],
    ['a mark inside', 'The team writes firmware in C++', 'The team writes firmware in C'],
    ['no words', '???', '!!!'],
  ])('%s › no group', (_, one, other) => {
    expect(groups(one, other)).toEqual([]);
  });
});
