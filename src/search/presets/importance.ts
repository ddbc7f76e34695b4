import { allOf, fieldFilter, NARROWING, narrowingOf } from './common-parameters.ts';
import { numberParameter, type ParameterReading, wholeNumberParameter } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

const SORTS = ['importance', 'recency'] as const;
/** Both sides are compared rounded to 2 decimals, so an index must look further than either is moved. */
const SLACK = 0.01;
/** Most memories of one answer. */
const LIMIT_MAX = 1000;

export const importance: Preset = {
  name: 'importance',
  description: 'Memories by importance, the most important first; bounds are included and compared at 2 decimals.',
  parameters: [
    { name: 'min_importance', description: 'Least importance.', kinds: ['number', 'string'], min: 0 },
    { name: 'max_importance', description: 'Greatest importance.', kinds: ['number', 'string'], min: 0 },
    {
      name: 'top_n',
      description: `Most memories to return; beyond ${LIMIT_MAX} it is that many.`,
      kinds: ['integer', 'string'],
      min: 1,
    },
    {
      name: 'sort_order',
      description: 'Greatest or least first.',
      kinds: ['string'],
      choices: ['desc', 'asc'],
      default: 'desc',
    },
    {
      name: 'sort_by',
      description: 'Primary order, then the other: importance, or recency, which is the time of the last access.',
      kinds: ['array of strings', 'string'],
      default: ['importance'],
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const min = atLeast(reading, 'min_importance', 0, numberParameter);
    const max = atLeast(reading, 'max_importance', 0, numberParameter);
    const topN = atLeast(reading, 'top_n', 1, wholeNumberParameter);
    const limitMax = topN === undefined ? undefined : Math.min(topN, LIMIT_MAX);
    if (min !== undefined && max !== undefined && min > max) {
      reading.add('min_importance', `must not exceed max_importance, got ${min} and ${max}`);
    }
    const provided = reading.value('sort_by');
    const sortBy = (typeof provided === 'string' ? [provided] : reading.strings('sort_by')) as (typeof SORTS)[number][];
    if (sortBy.length === 0 || sortBy.length > 2 || !sortBy.every((sort) => SORTS.includes(sort))) {
      reading.add('sort_by', 'must be one or two of importance, recency');
    }
    const filter = allOf([
      min === undefined ? undefined : fieldFilter('importance', 'greater_or_equal', min - SLACK),
      max === undefined ? undefined : fieldFilter('importance', 'less_or_equal', max + SLACK),
      narrowingOf(reading),
    ]);
    return {
      kind: 'scored',
      filter,
      scoring: {
        kind: 'importance',
        min,
        max,
        sortBy,
        ascending: reading.text('sort_order') === 'asc',
      },
      limitDefault: limitMax,
      limitMax,
    };
  },
};

/** A text with a number is subject to the same bounds as a number. */
function atLeast(
  reading: ParameterReading,
  name: string,
  min: number,
  read: (reading: ParameterReading, name: string) => number | undefined,
): number | undefined {
  const value = read(reading, name);
  if (value !== undefined && value < min) reading.add(name, `must be at least ${min}, got ${value}`);
  return value;
}
