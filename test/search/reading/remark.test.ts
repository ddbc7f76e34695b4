import { describe, expect, it } from '@jest/globals';
import { byBothRanks, isRemark } from '../../../src/search/reading/remark.ts';

describe('isRemark', () => {
  it.each([
    'The doctor wants to put me on antibiotics.',
    "I'm booking seats for the flight to Oslo.",
    'My nephew will be born soon',
    'They ask at the border for a document of mine.',
  ])('%s › is one', (text) => {
    expect(isRemark(text)).toBe(true);
  });

  it.each([
    ['a question', 'I forgot it again. Where is the key?'],
    ['a question without its mark', 'where do I keep my passport'],
    ['a request', 'Tell me what she said about the boat'],
    ['keywords', 'blue boat paint harbour'],
    ['a subject', "the user's health and allergies"],
    ['a few words', 'I see it'],
    ['another language', 'Der Arzt will mir Antibiotika geben, weil ich krank bin.'],
    ['a page', 'She has a long story about it. '.repeat(20)],
  ])('%s › is none', (_, text) => {
    expect(isRemark(text)).toBe(false);
  });
});

describe('byBothRanks', () => {
  it('the values stay, and what is early in both orders has the best', () => {
    const fused = byBothRanks(Float64Array.of(5, 4, 3, 2, 1), [0.1, 0.2, 0.9, 0.3, 0.8]);
    expect([...fused].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(fused[2]).toBe(5);
    expect(fused[0]).toBe(4);
  });
});
