import type { Json } from '../../memory/json-values.ts';
import { isObject, ParameterReading } from './parameter-reading.ts';
import type { FusedPart, Plan, Preset } from './preset.ts';

const STRATEGIES_MAX = 8;
/** What a hit's place in a strategy's list counts beside its score there. */
const PLACE_SHARE = 0.3;

/** Several of the other presets together. */
export function combinedOf(others: ReadonlyMap<string, Preset>): Preset {
  return {
    name: 'combined',
    description:
      'Hits of several presets together: each gives 0.7 of its score, brought to 0 to 1 where it is not, and 0.3 of its place, times its weight; what several find adds up.',
    parameters: [
      {
        name: 'strategies',
        description: `1 to ${STRATEGIES_MAX} presets by name, each with {weight, parameters}; weight is 1 where nothing is said.`,
        kinds: ['object'],
        required: true,
      },
    ],
    resolve(reading, nowUs): Plan {
      const given = Object.entries(reading.object('strategies') ?? {});
      if (given.length < 1 || given.length > STRATEGIES_MAX) {
        reading.add('strategies', `must be 1 to ${STRATEGIES_MAX} presets, got ${given.length}`);
        return { kind: 'nothing' };
      }
      const parts = given.flatMap(([name, strategy]) => partOf(others, reading, name, strategy, nowUs));
      if (parts.length === given.length && parts.every(({ weight }) => weight === 0)) {
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
