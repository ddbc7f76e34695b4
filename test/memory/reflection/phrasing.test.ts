import { describe, expect, it } from '@jest/globals';
import { acceptedPhrase } from '../../../src/memory/reflection/phrasing.ts';

const SENTENCE =
  'Episodes with the action “ran 3 tests” succeed more often: 14 of 1,600 (88 %), against 5 of 15 (33 %) of the others.';

describe('phrases of a model', () => {
  it.each([
    'After “ran 3 tests”, 14 of 1600 episodes succeed (88%), but only-so: 5 of 15 (33%) without it.'.replace(
      'only-so: ',
      '',
    ),
    'Running pays off:\n“ran 3 tests” goes with success in 88 % of cases.',
    'Fifteen others did worse than “ran 3 tests” (88 %).',
  ])('%s › taken', (phrase) => {
    expect(acceptedPhrase(SENTENCE, phrase)).toBe(phrase.replace('\n', ' '));
  });

  it.each([
    ['a number that is not in the sentence', 'With “ran 3 tests” 14 of 17 succeed.'],
    ['a number only in the quotation', 'With “ran 3 tests” 3 of 15 succeed.'],
    ['a number as a word', 'With “ran 3 tests” success is twice as likely.'],
    ['another share', 'With “ran 3 tests” about 90 % succeed.'],
    ['another quotation', 'Use “ran 3 tests” and “asked the user”.'],
    ['no quotation', 'The tests succeed 88 % of the time.'],
    ['a changed quotation', 'Use “ran tests”: 88 %.'],
    ['a generalization', 'Episodes with “ran 3 tests” always succeed.'],
    ['a claim of a cause', '“ran 3 tests” causes success.'],
    ['a link', 'See https://example.com for “ran 3 tests”.'],
    ['markup', '<b>“ran 3 tests”</b> helps.'],
    ['nothing', ' \n'],
    ['a long text', `“ran 3 tests” ${'helps '.repeat(60)}`],
  ])('%s › refused', (_, phrase) => {
    expect(acceptedPhrase(SENTENCE, phrase)).toBeUndefined();
  });
});
