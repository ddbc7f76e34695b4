import { expect, it } from '@jest/globals';
import { sentenceAbout } from '../../../src/search/reading/sentence-about.ts';

const minutes = 'The committee discussed the code of conduct. The vault code is 9471. Nothing else was said!\nThe end';

it('the sentence with most words of the question speaks for a passage', () => {
  expect(sentenceAbout('What is the vault code?', minutes)).toBe('The vault code is 9471.');
});

it('of sentences with as many words the shortest speaks', () => {
  expect(sentenceAbout('the code', minutes)).toBe('The vault code is 9471.');
});

it('a passage without a word of the question has no such sentence', () => {
  expect(sentenceAbout('Where is the garage?', minutes)).toBeUndefined();
});
