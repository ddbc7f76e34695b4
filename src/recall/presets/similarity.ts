import { NARROWING, narrowingOf } from './common-parameters.ts';
import { BY_VECTOR, checkContextWeights, emphasized, likeText, textOfJson } from './likeness.ts';
import type { Parameter } from './parameter.ts';
import { isObject } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

export const MIN_SCORE: Parameter = {
  name: 'min_score',
  description: 'Least cosine; above 1 nothing is found.',
  kinds: ['number'],
  default: 0.6,
};

export const similarity: Preset = {
  name: 'similarity',
  description:
    'Memories whose vectors are nearest to that of a text, a state, a vector or another memory, nearest first; the score is the cosine. An empty query finds nothing.',
  parameters: [
    {
      name: 'query',
      description: "A text, a state as a JSON object, or a vector of the namespace's model.",
      kinds: ['string', 'object', 'array of numbers', 'null'],
    },
    {
      name: 'memory_id',
      description: 'Id of a memory that others are to be like; it is not returned itself.',
      kinds: ['string'],
    },
    MIN_SCORE,
    {
      name: 'context_weights',
      description: 'How much values of the state are emphasized, by path.',
      kinds: ['object'],
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const query = reading.value('query');
    const filter = narrowingOf(reading);
    const weights = checkContextWeights(reading, 'context_weights');
    if (reading.isGiven('query') === reading.isGiven('memory_id')) {
      reading.add('query', 'must be given, or memory_id, but not both');
    }
    if (reading.isGiven('context_weights') && !isObject(query))
      reading.add('context_weights', 'needs a state as query');
    const minSimilarity = reading.number('min_score');
    const isEmpty = query === null || (Array.isArray(query) && query.length === 0);
    if (isEmpty || minSimilarity > 1) return { kind: 'nothing' };
    const cue = {
      kind: 'cue',
      weights: BY_VECTOR,
      minSimilarity,
      scoredByCosine: true,
      ...(filter ? { filter } : {}),
    } as const;
    if (reading.isGiven('memory_id')) {
      const similarToId = reading.text('memory_id');
      if (similarToId === '') reading.add('memory_id', 'must not be empty');
      return { ...cue, similarToId };
    }
    if (Array.isArray(query)) {
      const vector = query as readonly number[];
      const isUsable = vector.length > 0 && vector.length <= 4096 && vector.some((value) => value !== 0);
      if (!isUsable) reading.add('query', 'must be a vector of 1 to 4,096 numbers that are not all 0');
      return { ...cue, vector, vectorField: `${reading.prefix}.query` };
    }
    if (isObject(query)) return likeText(emphasized(textOfJson(query), query, weights), minSimilarity, filter);
    return likeText(reading.text('query'), minSimilarity, filter);
  },
};
