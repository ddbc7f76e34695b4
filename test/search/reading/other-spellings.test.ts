import { describe, expect, it } from '@jest/globals';
import { indexTermsOf } from '../../../src/memory/languages/terms.ts';
import { respelled, type Vocabulary } from '../../../src/search/reading/other-spellings.ts';

/** Words that are no errors, though the texts lack them. */
const KNOWN = new Set(['bridge', 'martina', 'grieve', 'réparer', 'want']);

function vocabularyOf(texts: readonly string[]): Vocabulary {
  const terms = texts.map((text) => new Set(indexTermsOf(text, '').body));
  const frequency = (term: string) => terms.filter((some) => some.has(term)).length;
  return {
    terms: () => new Set(terms.flatMap((some) => [...some])),
    frequency,
    hasWord: (stem, word) => [stem, `_de_${word}`, `_ru_${word}`].some((term) => frequency(term) > 0),
    textsWith: (term) => texts.filter((_, at) => terms[at]?.has(term)),
    textsWithInitials: () => texts,
    isWord: (word) => KNOWN.has(word),
    isSpeaker: (word) => ['deborah', 'jolene'].includes(word),
  };
}

const vocabulary = vocabularyOf([
  'The fridge in the apartment is broken.',
  'Two apartments in Barcelona were sold.',
  'My restaurant booking is on Friday.',
  'Marina called from J. P. Morgan.',
  'International Business Machines sent an offer to the AcmeCorp office.',
  'The data bank is full, says NASA.',
  'Я живу в квартире на Невском проспекте, и она мне нравится.',
  'Deborah and Jolene went surfing.',
  'Der Staubsauger ist kaputt, und ich habe keinen anderen.',
]);

describe('words that the namespace writes otherwise', () => {
  it.each([
    ['Where is the frigde?', 'Where is the fridge?'],
    ['When did I fly to Barcelna?', 'When did I fly to Barcelona?'],
    ['When is the restauarnt bokking?', 'When is the restaurant booking?'],
    ['How big is the apartm', 'How big is the apartment'],
    ['Wo ist der Staubsaugre?', 'Wo ist der Staubsauger?'],
    ['Где кваритра?', 'Где квартире?'],
    ['What did JPMorgan want?', 'What did J. P. Morgan want?'],
    ['Who works at JP Morgan?', 'Who works at J. P. Morgan?'],
    ['What did IBM offer?', 'What did International Business Machines offer?'],
    ['Where is Acme Corp?', 'Where is AcmeCorp?'],
    ['Is the databank full?', 'Is the data bank full?'],
    ['When did Deboran surf?', 'When did Deborah surf?'],
    ['What does National Aeronautics Space Administration say?', 'What does NASA say?'],
  ])('%s is %s', (question, respelt) => {
    expect(respelled(question, vocabulary)).toBe(respelt);
  });

  it.each([
    ['a word that the namespace has', 'Is the fridge in the apartment?'],
    ['a known word', 'Where is the bridge, and when did Martina call?'],
    ['another form of a known word', 'Who is grieving?'],
    ['a word of another language', 'Où est le frigde, et que faut-il réparer?'],
    ['the name of a second speaker', 'When did Deboran and Jolene surf?'],
    ['another first letter', 'Where is the gridge?'],
    ['a code', 'What is fridge4x?'],
    ['a short word', 'What is a frg?'],
  ])('%s stays', (_, question) => {
    expect(respelled(question, vocabulary)).toBe(question);
  });

  it('a long text stays', () => {
    const page = Array.from({ length: 40 }, (_, at) => `word${'abcdefghij'[at % 10]}${at} frigde`).join(' ');
    expect(respelled(page, vocabulary)).toBe(page);
  });
});
