import type { Filter, Operator, Scalar } from '../../memory/filter.ts';
import type { Json } from '../../memory/json-values.ts';
import { PatternError, patternOf } from '../../memory/pattern.ts';
import { alike, allOf, entryFilter, NARROWING, narrowingOf } from './common-parameters.ts';
import { isObject, ParameterReading } from './parameter-reading.ts';
import type { FusedPart, Plan, Preset } from './preset.ts';

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
    const isSingle = reading.isSet('field');
    if (isSingle && reading.isSet('conditions')) reading.add('conditions', 'must not be set together with field');
    const conditions = new Conditions(reading);
    const asked = isSingle
      ? conditions.single(pick(reading, ['field', 'value', 'comparison']), '')
      : conditions.group(pick(reading, ['operator', 'conditions']), '', 1);
    const filter = allOf([asked, narrowingOf(reading)]);
    return { kind: 'scored', filter, scoring: { kind: 'newest' } };
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

const STRATEGIES_MAX = 8;
/** Weight of a hit's rank in a strategy's list, relative to its score there. */
const PLACE_SHARE = 0.3;

/** Several of the other presets together. */
export function combinedOf(others: ReadonlyMap<string, Preset>): Preset {
  return {
    name: 'combined',
    description:
      'Hits of several presets together: each adds 0.7 of its score, scaled to 0 to 1 where necessary, and 0.3 of its rank, times its weight; contributions of several presets add up.',
    parameters: [
      {
        name: 'strategies',
        description: `1 to ${STRATEGIES_MAX} presets by name, each with {weight, parameters}; the default weight is 1.`,
        kinds: ['object'],
        required: true,
      },
    ],
    resolve(reading, nowUs): Plan {
      const provided = Object.entries(reading.object('strategies') ?? {});
      if (provided.length < 1 || provided.length > STRATEGIES_MAX) {
        reading.add('strategies', `must be 1 to ${STRATEGIES_MAX} presets, got ${provided.length}`);
        return { kind: 'nothing' };
      }
      const parts = provided.flatMap(([name, strategy]) => partOf(others, reading, name, strategy, nowUs));
      if (parts.length === provided.length && parts.every(({ weight }) => weight === 0)) {
        reading.add('strategies', 'must have a weight above 0');
      }
      return { kind: 'fused', parts: parts.filter(({ weight }) => weight > 0), placeShare: PLACE_SHARE };
    },
  };
}

function partOf(
  others: ReadonlyMap<string, Preset>,
  reading: ParameterReading,
  name: string,
  strategy: Json,
  nowUs: number,
): FusedPart[] {
  const at = `strategies.${name}`;
  const preset = others.get(name);
  if (!preset) {
    reading.add(at, `is not one of ${[...others.keys()].join(', ')}`);
    return [];
  }
  const { weight = 1, parameters = {}, ...rest } = isObject(strategy) ? strategy : {};
  for (const key of Object.keys(rest)) reading.add(`${at}.${key}`, 'is neither weight nor parameters');
  if (!isObject(strategy)) reading.add(at, 'must be an object');
  else if (typeof weight !== 'number' || !Number.isFinite(weight) || weight < 0) {
    reading.add(`${at}.weight`, 'must be a number of at least 0');
  } else if (!isObject(parameters)) reading.add(`${at}.parameters`, 'must be an object');
  else {
    const before = reading.violations.length;
    const prefix = `${reading.prefix}.${at}.parameters`;
    const inner = new ParameterReading(prefix, parameters, preset.parameters, reading.violations);
    if (reading.violations.length === before) return [{ name, plan: preset.resolve(inner, nowUs), weight }];
  }
  return [];
}

const PATH = /^[\w.]{1,512}$/;

export const path: Preset = {
  name: 'path',
  description:
    'Memories with a value at a path, newest first: any value, an equal one, one that a pattern matches, or one greater or less than a number. Of an array any item counts.',
  parameters: [
    {
      name: 'path',
      description: 'Path of letters, digits, `_` and dots, such as `content.position.room`.',
      kinds: ['string'],
      required: true,
    },
    { name: 'value', description: 'The value is this.', kinds: ['string', 'number', 'boolean'] },
    {
      name: 'regex',
      description: 'A regular expression in RE2 syntax matches somewhere in the text.',
      kinds: ['string'],
    },
    { name: 'exists', description: 'There is a value, or there is none.', kinds: ['boolean'] },
    { name: 'gt', description: 'The value is greater.', kinds: ['number', 'string'] },
    { name: 'lt', description: 'The value is less.', kinds: ['number', 'string'] },
    {
      name: 'case_sensitive',
      description: 'Upper and lower case differ in `regex`.',
      kinds: ['boolean'],
      default: true,
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const at = reading.text('path');
    if (!PATH.test(at)) reading.add('path', 'must be 1 to 512 letters, digits, underscores and dots');
    const conditions = ['value', 'regex', 'exists', 'gt', 'lt'].filter((name) => reading.isSet(name));
    if (reading.value('exists') === false && conditions.length > 1) {
      reading.add('exists', 'must not be false together with a condition on the value');
    }
    const there = entryFilter({ path: at, operator: 'exists', values: [] });
    const filter = allOf([
      reading.value('exists') === false ? { kind: 'not', filter: there } : conditions.length === 0 ? there : undefined,
      reading.value('exists') === true ? there : undefined,
      reading.isSet('value')
        ? entryFilter({ path: at, operator: 'in', values: alike(reading.value('value') as string | number | boolean) })
        : undefined,
      reading.isSet('regex') ? regexFilter(reading, at) : undefined,
      reading.isSet('gt')
        ? entryFilter({ path: at, operator: 'greater', values: [reading.value('gt') as Scalar] })
        : undefined,
      reading.isSet('lt')
        ? entryFilter({ path: at, operator: 'less', values: [reading.value('lt') as Scalar] })
        : undefined,
      narrowingOf(reading),
    ]);
    return { kind: 'scored', filter, scoring: { kind: 'newest' } };
  },
};

function regexFilter(reading: ParameterReading, at: string) {
  const ignoreCase = !reading.flag('case_sensitive');
  const source = reading.text('regex');
  checkPattern(source, (fault) => reading.add('regex', fault));
  return entryFilter({ path: at, operator: 'matches', values: [source], ignoreCase });
}

function checkPattern(source: string, onFault: (fault: string) => void): void {
  try {
    patternOf(source, false);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    onFault(error.message);
  }
}
