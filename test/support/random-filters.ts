import type { Area, Comparison, Filter, FilterValue, MemoryField, Operator } from '../../src/memory/filter.ts';
import { exactNumber } from '../../src/memory/json.ts';
import type { Json } from '../../src/memory/json-values.ts';
import type { TestRandom } from './random.ts';
import { KEYS, NUMBERS, randomGeo, randomText, TIMES_US } from './random-memories.ts';

const OPERATORS: readonly Operator[] = [
  ...(['equals', 'in', 'less', 'less_or_equal', 'greater', 'greater_or_equal'] as const),
  ...(['contains', 'starts_with', 'exists', 'is_null'] as const),
];
const FIELDS: readonly MemoryField[] = [
  ...(['id', 'project', 'agent_type', 'agent', 'session', 'type', 'tier', 'tag', 'text', 'speaker'] as const),
  ...(['source_uri', 'source_origin', 'location', 'room', 'region', 'media_type', 'superseded_by'] as const),
  ...(['step', 'importance', 'priority', 'retrieval_count', 'revision'] as const),
  ...([
    'event_time',
    'create_time',
    'update_time',
    'last_access_time',
    'expire_time',
    'valid_from',
    'valid_until',
  ] as const),
];

/** An array or object at a path of some content. */
export interface Whole {
  readonly path: readonly string[];
  readonly json: object;
}

/** All arrays and objects of a JSON value, by the paths of their keys. */
export function wholesOf(json: unknown, path: readonly string[] = []): Whole[] {
  if (typeof json !== 'object' || json === null) return [];
  const inner = Array.isArray(json)
    ? json.flatMap((element) => wholesOf(element, path))
    : Object.entries(json).flatMap(([key, value]) => wholesOf(value, [...path, key]));
  return [{ path, json }, ...inner];
}

/** `wholes`: occasional operands for arrays and objects, unchanged or slightly changed. */
export function randomFilter(random: TestRandom, wholes: readonly Whole[] = [], depth = 4): Filter {
  const kind = depth > 0 ? random.int(10) : 9;
  if (kind < 3) {
    const filters = Array.from({ length: 1 + random.int(3) }, () => randomFilter(random, wholes, depth - 1));
    return { kind: random.pick(['all', 'any']), filters };
  }
  if (kind < 5) return { kind: 'not', filter: randomFilter(random, wholes, depth - 1) };
  if (kind < 6) return { kind: 'place', area: randomArea(random) };
  return wholes.length > 0 && random.chance(0.3)
    ? wholeComparison(random, random.pick(wholes))
    : randomComparison(random);
}

function randomComparison(random: TestRandom): Comparison {
  const operator = random.pick(OPERATORS);
  const count = operator === 'exists' || operator === 'is_null' ? 0 : operator === 'in' ? 1 + random.int(4) : 1;
  const isField = random.chance(0.4);
  return {
    kind: 'comparison',
    target: isField
      ? { kind: 'field', field: random.pick(FIELDS) }
      : {
          kind: 'path',
          path: Array.from({ length: 1 + random.int(random.pick([1, 1, 3])) }, () =>
            random.pick(random.pick([KEYS, ['a', 'b']])),
          ),
        },
    operator,
    values: Array.from({ length: count }, () => randomValue(random)),
    ignoreCase: random.chance(0.2),
  };
}

function wholeComparison(random: TestRandom, { path, json }: Whole): Comparison {
  const operator = random.pick(['equals', 'in', 'contains', 'contains'] as const);
  const target = { kind: 'path', path: random.chance(0.1) ? [...path, '0'] : path } as const;
  const changed = random.chance(0.4) ? json : changedWhole(random, json);
  const values: FilterValue[] = [{ json: changed as Json[] }];
  if (operator === 'in') values.push(randomValue(random));
  return { kind: 'comparison', target, operator, values, ignoreCase: random.chance(0.2) };
}

/** With a part removed, in another order, or nested deeper. */
function changedWhole(random: TestRandom, json: unknown): unknown {
  if (Array.isArray(json)) {
    if (random.chance(0.3)) return [...json].reverse();
    const kept = json.filter(() => random.chance(0.7));
    return random.chance(0.5) ? kept.map((element) => changedWhole(random, element)) : kept;
  }
  if (typeof json !== 'object' || json === null) {
    const value = random.chance(0.9) ? json : random.pick(NUMBERS);
    return typeof value === 'number' ? exact(value) : value;
  }
  const kept = Object.entries(json).filter(() => random.chance(0.7));
  return Object.fromEntries(kept.map(([key, value]) => [key, changedWhole(random, value)]));
}

/** The number as filters have it. */
function exact(number: number): number | bigint {
  return exactNumber(String(number));
}

const WHOLES: readonly (readonly Json[] | { readonly [key: string]: Json } | null)[] = [
  null,
  [],
  {},
  ['tag'],
  [null],
  [5],
  { a: 5 },
];

function randomValue(random: TestRandom): FilterValue {
  const kind = random.int(12);
  if (kind === 0) return random.pick(['short_term', 'application/json', 'fact', 'm7']);
  if (kind < 5) return randomText(random);
  if (kind < 7) return exact(random.pick(NUMBERS));
  if (kind < 9) return { timeUs: random.pick(TIMES_US) };
  if (kind === 10) return { json: random.pick(WHOLES) };
  return random.chance(0.5);
}

function randomArea(random: TestRandom): Area {
  const point = () => ({
    x: random.int(5) - 2,
    y: random.int(11) - 5,
    ...(random.chance(0.5) && { z: random.int(3) }),
  });
  const kind = random.int(4);
  if (kind === 0) return { kind: 'point_radius', center: point(), radius: random.pick([0, 1, 5, 1e308]) };
  if (kind === 1) {
    const low = point();
    const high = {
      x: low.x + random.int(4),
      y: low.y + random.int(9),
      ...(random.chance(0.5) && { z: (low.z ?? 0) + 1 }),
    };
    return { kind: 'point_box', low, high };
  }
  const one = randomGeo(random);
  if (kind === 2) return { kind: 'geo_radius', center: one, radiusM: random.pick([0, 1, 200, 12_000, 1e7, 2.1e7]) };
  const other = randomGeo(random);
  const [south, north] = one.latitudeDeg <= other.latitudeDeg ? [one, other] : [other, one];
  return { kind: 'geo_box', southWest: south, northEast: north };
}
