import { NARROWING, narrowingOf } from './common-parameters.ts';
import { textOfJson } from './likeness.ts';
import { isObject } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

export const content: Preset = {
  name: 'content',
  description:
    'Memories by the words of a text, or of the keys and values of a JSON object, in any order and inflection, best first. An empty query finds nothing.',
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
      weights: { keyword: 1, vector: 0 },
      scoredByCosine: false,
      ...(filter ? { filter } : {}),
    };
  },
};
