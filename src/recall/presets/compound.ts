import type { Filter, Operator } from '../../memory/filter.ts';
import type { Json } from '../../memory/json-values.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import { allOf, entryFilter } from './entry-filter.ts';
import { alike } from './metadata-filter.ts';
import { isObject, type ParameterReading } from './parameter-reading.ts';
import { checkPattern } from './path.ts';
import type { Plan, Preset } from './preset.ts';

const CONDITIONS_MAX = 32;
const DEPTH_MAX = 8;
const COMPARISONS = [
  'equals',
  'not_equals',
  'contains',
  'greater_than',
  'greater_than_equal',
  'less_than',
  'less_than_equal',
  'regex',
] as const;
const ORDERED: { readonly [name: string]: Operator } = {
  greater_than: 'greater',
  greater_than_equal: 'greater_or_equal',
  less_than: 'less',
  less_than_equal: 'less_or_equal',
};

export const compound: Preset = {
  name: 'compound',
  description:
    'Memories that conditions joined by AND and OR admit, newest first. A field that a memory does not have fulfils no condition on it.',
  parameters: [
    {
      name: 'operator',
      description: 'How `conditions` are joined.',
      kinds: ['string'],
      choices: ['AND', 'OR'],
      default: 'AND',
    },
    {
      name: 'conditions',
      description: `Each {field, value, comparison} or {operator, conditions}; comparison is one of ${COMPARISONS.join(', ')} (default equals).`,
      kinds: ['array of objects'],
    },
    { name: 'field', description: 'Path of a single condition, in place of `conditions`.', kinds: ['string'] },
    { name: 'value', description: 'Its value.', kinds: ['string', 'number', 'boolean'] },
    { name: 'comparison', description: 'Its comparison.', kinds: ['string'], choices: COMPARISONS, default: 'equals' },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const isSingle = reading.isGiven('field');
    if (isSingle && reading.isGiven('conditions')) reading.add('conditions', 'must not be given together with field');
    const conditions = new Conditions(reading);
    const asked = isSingle
      ? conditions.single(pick(reading, ['field', 'value', 'comparison']), '')
      : conditions.group(pick(reading, ['operator', 'conditions']), '', 1);
    const filter = allOf([asked, narrowingOf(reading)]);
    return { kind: 'scored', ...(filter ? { filter } : {}), scoring: { kind: 'newest' } };
  },
};

type JsonObject = { readonly [key: string]: Json };

class Conditions {
  private readonly reading: ParameterReading;
  private count = 0;

  constructor(reading: ParameterReading) {
    this.reading = reading;
  }

  group({ operator = 'AND', conditions, ...others }: JsonObject, at: string, depth: number): Filter | undefined {
    this.refuseOthers(others, at);
    if (operator !== 'AND' && operator !== 'OR') this.reading.add(`${at}operator`, 'must be AND or OR');
    if (!Array.isArray(conditions) || conditions.length === 0) {
      this.reading.add(`${at}conditions`, 'must be an array of at least one condition');
      return undefined;
    }
    if (depth > DEPTH_MAX) {
      this.reading.add(`${at}conditions`, `must be at most ${DEPTH_MAX} levels deep`);
      return undefined;
    }
    const filters: Filter[] = [];
    for (const [index, condition] of (conditions as readonly Json[]).entries()) {
      if (++this.count > CONDITIONS_MAX) {
        this.reading.add(`${at}conditions`, `must be at most ${CONDITIONS_MAX} in all`);
        break;
      }
      const inner = `${at}conditions[${index}].`;
      if (!isObject(condition)) this.reading.add(inner.slice(0, -1), 'must be an object');
      else {
        const filter =
          'conditions' in condition ? this.group(condition, inner, depth + 1) : this.single(condition, inner);
        if (filter) filters.push(filter);
      }
    }
    return filters.length > 0 ? { kind: operator === 'OR' ? 'any' : 'all', filters } : undefined;
  }

  single({ field, value, comparison = 'equals', ...others }: JsonObject, at: string): Filter | undefined {
    this.refuseOthers(others, at);
    if (typeof field !== 'string' || field === '' || field.length > 512) {
      this.reading.add(`${at}field`, 'must be a path of 1 to 512 characters');
    } else if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      this.reading.add(`${at}value`, 'must be a text, a number or a truth value');
    } else {
      return this.compared(field, value, comparison, at);
    }
    return undefined;
  }

  private compared(path: string, value: string | number | boolean, comparison: Json, at: string): Filter | undefined {
    const ordered =
      typeof comparison === 'string' && Object.hasOwn(ORDERED, comparison) ? ORDERED[comparison] : undefined;
    if (ordered !== undefined) return entryFilter({ path, operator: ordered, values: [value] });
    switch (comparison) {
      case 'equals':
        return entryFilter({ path, operator: 'in', values: [value] });
      case 'not_equals':
        return allOf([
          entryFilter({ path, operator: 'exists', values: [] }),
          { kind: 'not', filter: entryFilter({ path, operator: 'in', values: [value] }) },
        ]);
      case 'contains':
        return {
          kind: 'any',
          filters: [
            ...(typeof value === 'string' ? [entryFilter({ path, operator: 'contains', values: [value] })] : []),
            entryFilter({ path, operator: 'in', values: alike(value) }),
          ],
        };
      case 'regex': {
        const source = `^(?:${String(value)})`;
        checkPattern(source, (fault) => this.reading.add(`${at}value`, fault));
        return entryFilter({ path, operator: 'matches', values: [source] });
      }
      default:
        this.reading.add(`${at}comparison`, `must be one of ${COMPARISONS.join(', ')}`);
        return undefined;
    }
  }

  private refuseOthers(others: JsonObject, at: string): void {
    for (const key of Object.keys(others)) this.reading.add(`${at}${key}`, 'is not part of a condition');
  }
}

function pick(reading: ParameterReading, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = reading.value(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
