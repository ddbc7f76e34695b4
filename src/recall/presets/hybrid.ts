import type { Json } from '../../memory/json-values.ts';
import type { AttributeCondition } from '../scoring/scoring.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import { checkContextWeights, emphasized, likeText, textOfJson, valueAt } from './likeness.ts';
import type { Plan, Preset } from './preset.ts';

const FIELDS = ['position.location', 'health', 'energy', 'level', 'inventory'];
/** Least cosine of what the vectors bring in: the attributes have a say, too. */
const MIN_SIMILARITY = 0.2;

export const hybrid: Preset = {
  name: 'hybrid',
  description:
    'Memories like a state, by vector and by attributes together: the cosine times its weight, plus the share of the attributes that are equal times theirs.',
  parameters: [
    {
      name: 'query_state',
      description: 'The state, a JSON object with at least one field.',
      kinds: ['object'],
      required: true,
    },
    { name: 'vector_weight', description: 'How much the cosine counts.', kinds: ['number'], min: 0, default: 0.7 },
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
    const vectors = likeText(emphasized(textOfJson(state), state, weights), MIN_SIMILARITY, filter);
    const attributes: Plan = {
      kind: 'scored',
      ...(filter ? { filter } : {}),
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

/** One condition per value; each item of an array counts by itself. */
function conditionsOf(state: Json, path: string): AttributeCondition[] {
  const wanted = valueAt(state, path.split('.'));
  const items: readonly (Json | undefined)[] = Array.isArray(wanted) ? wanted : [wanted];
  return items.flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [{ path: `content.${path}`, match: 'equals' as const, value }]
      : [],
  );
}
