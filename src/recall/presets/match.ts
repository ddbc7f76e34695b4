import type { Json } from '../../memory/json-values.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import { checkContextWeights, emphasized, likeText, textOfJson, valueAt } from './likeness.ts';
import type { Plan, Preset } from './preset.ts';
import { MIN_SCORE } from './similarity.ts';

export const match: Preset = {
  name: 'match',
  description:
    'Memories like an example, nearest first: the vector of the example, or of the fields of it that are named, is looked for; the score is the cosine.',
  parameters: [
    {
      name: 'example',
      description: 'The example, a JSON object with at least one field.',
      kinds: ['object'],
      required: true,
    },
    {
      name: 'fields',
      description: 'Paths of the fields of the example that count. Default: all. Only such as it lacks find nothing.',
      kinds: ['array of strings'],
    },
    MIN_SCORE,
    {
      name: 'context_weights',
      description: 'How much values of the example are emphasized, by path.',
      kinds: ['object'],
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const example = reading.object('example') ?? {};
    if (Object.keys(example).length === 0) reading.add('example', 'must have at least one field');
    const weights = checkContextWeights(reading, 'context_weights');
    let chosen: Json = example;
    if (reading.isGiven('fields')) {
      const found = reading.strings('fields').map((path) => [path, fieldOf(example, path)] as const);
      const present = found.filter(([, value]) => value !== undefined);
      chosen = Object.fromEntries(present.map(([path, value]) => [path.split('.').at(-1) ?? path, value as Json]));
    }
    return likeText(
      emphasized(textOfJson(chosen), example, weights),
      reading.number('min_score'),
      narrowingOf(reading),
    );
  },
};

/** An example may be a whole entry or its content, whichever the path is about. */
function fieldOf(example: Json, path: string): Json | undefined {
  const parts = path.split('.');
  return valueAt(example, parts) ?? (parts[0] === 'content' ? valueAt(example, parts.slice(1)) : undefined);
}
