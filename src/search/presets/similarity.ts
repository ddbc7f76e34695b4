import { deriveText } from '../../memory/derive-text.ts';
import type { Json } from '../../memory/json-values.ts';
import { type ContextWeights, comparedState } from '../../memory/states/state.ts';
import type { RecallWeights } from '../recall/recall-engine.ts';
import type { AttributeCondition } from '../scoring/scoring.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import { isObject, type Parameter, type ParameterReading } from './parameter-reading.ts';
import type { CuePlan, NothingPlan, Plan, Preset } from './preset.ts';

export const MIN_SCORE: Parameter = {
  name: 'min_score',
  description: 'Minimum cosine or similarity of states; above 1 nothing is found.',
  kinds: ['number'],
  default: 0.6,
};

export const similarity: Preset = {
  name: 'similarity',
  description:
    'Memories whose vectors are nearest to that of a text, a state, a vector or another memory, nearest first; the score is the cosine. Of a state, numbers and labels are compared with those of other states, and the score is the similarity. An empty query finds nothing.',
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
    if (reading.isSet('query') === reading.isSet('memory_id')) {
      reading.add('query', 'is required, or memory_id, but not both');
    }
    if (reading.isSet('context_weights') && !isObject(query)) reading.add('context_weights', 'needs a state as query');
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
    if (reading.isSet('memory_id')) {
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
    if (isObject(query))
      return likeState(likeText(emphasized(textOfJson(query), query, weights), minSimilarity, filter), query, weights);
    return likeText(reading.text('query'), minSimilarity, filter);
  },
};

/** Only nearness of vectors counts. */
const BY_VECTOR: RecallWeights = { keyword: 0, vector: 1, recency: 0, importance: 0, session: 0 };

/** The words of a JSON value: its keys and values in reading order. */
export function textOfJson(value: Json): string {
  const data = new TextEncoder().encode(JSON.stringify(value));
  return deriveText({ mediaType: 'application/json', data });
}

/** Memories whose vectors are near that of a text; an empty text, or a minimum above 1, matches nothing. */
export function likeText(text: string, minSimilarity: number, filter: CuePlan['filter']): CuePlan | NothingPlan {
  if (text.trim() === '' || minSimilarity > 1) return { kind: 'nothing' };
  return { kind: 'cue', text, weights: BY_VECTOR, minSimilarity, scoredByCosine: true, filter };
}

/** The plan for the text of a state, which compares its numbers and labels too. */
export function likeState(plan: CuePlan | NothingPlan, state: Json, weights: ContextWeights): CuePlan | NothingPlan {
  const compared = comparedState(state, weights);
  return plan.kind === 'cue' && compared && compared.leaves.length > 0 ? { ...plan, state: compared } : plan;
}

/** A text in which the values of some keys are repeated according to their weights. */
export function emphasized(text: string, state: Json, weights: ContextWeights): string {
  const parts = [text];
  for (const [path, weight] of Object.entries(weights)) {
    const value = valueAt(state, path.split('.'));
    if (value === undefined || typeof weight !== 'number' || weight === 0) continue;
    const said = `${path.replaceAll('.', ' ')} ${typeof value === 'string' ? value : textOfJson(value)}`;
    for (let count = Math.min(EMPHASIS_MAX, Math.max(1, Math.floor(weight * EMPHASIS))); count > 0; count--)
      parts.push(said);
  }
  return parts.join(' ');
}

/** Repetitions of a value per unit of weight. */
const EMPHASIS = 3;
const EMPHASIS_MAX = 30;

export function checkContextWeights(reading: ParameterReading, name: string): ContextWeights {
  const weights = reading.object(name) ?? {};
  const provided = Object.entries(weights);
  for (const [path, weight] of provided) {
    const isWeight = typeof weight === 'number' && Number.isFinite(weight) && weight >= 0;
    if (!isWeight) reading.add(`${name}.${path}`, 'must be a number of at least 0');
  }
  if (provided.length > 0 && provided.every(([, weight]) => weight === 0)) reading.add(name, 'must not all be 0');
  return weights;
}

/** The value at a path of keys and indexes; arrays are not looked through. */
export function valueAt(json: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = json;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as { readonly [key: string]: Json })[part];
  }
  return value;
}

/** More than all else can add to a score: keywords 1, recency and importance 0.05 each, nearness in time and place 0.5 each. */
const WORD_WEIGHT = 10;

export const content: Preset = {
  name: 'content',
  description:
    'Memories that have words of a text, or of the keys and values of a JSON object, in any order and inflection: first the memories with all words, then by the number of words, then by keyword score. The relevance of a hit is the share of the words that it has. An empty query finds nothing.',
  parameters: [
    { name: 'query', description: 'The text to look for.', kinds: ['string', 'object'], required: true },
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
      filter,
    };
  },
};

const FIELDS = ['position.location', 'health', 'energy', 'level', 'inventory'];
/** Minimum similarity of states: low, because the attributes contribute to the score too. */
const MIN_SIMILARITY = 0.2;

export const hybrid: Preset = {
  name: 'hybrid',
  description:
    'Memories like a state, by similarity and by attributes together: the similarity of states times its weight, plus the share of the attributes that are equal times theirs.',
  parameters: [
    {
      name: 'query_state',
      description: 'The state, a JSON object with at least one field.',
      kinds: ['object'],
      required: true,
    },
    { name: 'vector_weight', description: 'How much the similarity counts.', kinds: ['number'], min: 0, default: 0.7 },
    {
      name: 'attribute_weight',
      description: 'How much equal attributes count.',
      kinds: ['number'],
      min: 0,
      default: 0.3,
    },
    {
      name: 'fields',
      description: 'Paths in the state of the attributes that are compared, where the state has them.',
      kinds: ['array of strings'],
      default: FIELDS,
    },
    {
      name: 'context_weights',
      description: 'How much values of the state are emphasized, by path.',
      kinds: ['object'],
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const state = reading.object('query_state') ?? {};
    const vectorWeight = reading.number('vector_weight');
    const attributeWeight = reading.number('attribute_weight');
    const weights = checkContextWeights(reading, 'context_weights');
    const filter = narrowingOf(reading);
    if (Object.keys(state).length === 0) reading.add('query_state', 'must have at least one field');
    if (vectorWeight + attributeWeight === 0)
      reading.add('vector_weight', 'must not be 0 together with attribute_weight');
    const conditions = reading.strings('fields').flatMap((path) => conditionsOf(state, path));
    const text = emphasized(textOfJson(state), state, weights);
    const vectors = likeState(likeText(text, MIN_SIMILARITY, filter), state, weights);
    const attributes: Plan = {
      kind: 'scored',
      filter,
      scoring: { kind: 'attribute', conditions, matchAll: false, caseSensitive: true, method: 'binary' },
    };
    const parts = [
      { name: 'vector', plan: vectors, weight: vectorWeight },
      {
        name: 'attributes',
        plan: conditions.length > 0 ? attributes : ({ kind: 'nothing' } as const),
        weight: attributeWeight,
      },
    ];
    return { kind: 'fused', parts: parts.filter(({ weight }) => weight > 0), placeShare: 0 };
  },
};

/** One condition per value; each item of an array is a separate value. */
function conditionsOf(state: Json, path: string): AttributeCondition[] {
  const wanted = valueAt(state, path.split('.'));
  const items: readonly (Json | undefined)[] = Array.isArray(wanted) ? wanted : [wanted];
  return items.flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [{ path: `content.${path}`, match: 'equals' as const, value }]
      : [],
  );
}
