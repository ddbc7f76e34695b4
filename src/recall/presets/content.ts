import { NARROWING, narrowingOf } from './common-parameters.ts';
import { textOfJson } from './likeness.ts';
import { isObject } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

/** More than all else can add to a score: keywords 1, recency and importance 0.05 each, nearness in time and place 0.5 each. */
const WORD_WEIGHT = 10;

export const content: Preset = {
  name: 'content',
  description:
    'Memories that have words of a text, or of the keys and values of a JSON object, in any order and inflection: those with all words first, then by the number of words, then by keyword score. The relevance of a hit is the share of the words that it has. An empty query finds nothing.',
  parameters: [
    { name: 'query', description: 'What to look for.', kinds: ['string', 'object'], required: true },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const query = reading.value('query');
    const filter = narrowingOf(reading);
    const text = isObject(query) ? textOfJson(query) : reading.text('query');
    if (text.trim() === '') return { kind: 'nothing' };
    return {
      kind: 'cue',
      text,
      weights: { keyword: 1, vector: 0, words: WORD_WEIGHT },
      scoredByCosine: false,
      ...(filter ? { filter } : {}),
    };
  },
};
