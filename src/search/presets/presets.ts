import { type FieldViolation, invalidFields } from '../../memory/errors.ts';
import { parseNewJson } from '../../memory/json.ts';
import type { Json } from '../../memory/json-values.ts';
import type { Micros } from '../../memory/memory.ts';
import { attribute, match } from './attribute.ts';
import { combinedOf, compound, path } from './compound.ts';
import { importance } from './importance.ts';
import {
  attributes,
  byStep,
  customFilter,
  lastDays,
  lastHours,
  lastMinutes,
  oldest,
  recent,
  stepRange,
  tag,
  timeRange,
} from './listed.ts';
import { isObject, ParameterReading } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';
import { sequence } from './sequence.ts';
import { content, hybrid, similarity } from './similarity.ts';
import { stepBased, temporal, window } from './temporal.ts';

const SINGLE = byName([
  attribute,
  attributes,
  byStep,
  compound,
  content,
  customFilter,
  hybrid,
  importance,
  lastDays,
  lastHours,
  lastMinutes,
  match,
  oldest,
  path,
  recent,
  sequence,
  similarity,
  stepBased,
  stepRange,
  tag,
  temporal,
  timeRange,
  window,
]);

/** Every retrieval form, by name. */
export const PRESETS: ReadonlyMap<string, Preset> = byName([...SINGLE.values(), combinedOf(SINGLE)]);

function byName(presets: readonly Preset[]): ReadonlyMap<string, Preset> {
  const sorted = presets.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return new Map(sorted.map((preset) => [preset.name, preset]));
}

export interface PresetRequest {
  readonly name: string;
  /** One JSON object; empty for none. */
  readonly parameters: Uint8Array;
  /** Reference instant of relative windows, where the caller specifies one. */
  readonly nowUs?: Micros;
}

/** The problem with a name that no preset has. */
export function unknownPreset(name: string): string {
  return `must be one of ${[...PRESETS.keys()].join(', ')}, got ${JSON.stringify(name)}`;
}

/** Resolves a preset with its parameters into a plan. Fails with FIELD_INVALID, naming the parameter. */
export function resolvePreset({ name, parameters }: PresetRequest, nowUs: Micros): Plan {
  const preset = PRESETS.get(name);
  if (!preset) throw invalidFields([{ field: 'preset.name', description: unknownPreset(name) }]);
  return resolveWith(preset, parsed(parameters), nowUs);
}

function resolveWith(preset: Preset, provided: { readonly [key: string]: Json }, nowUs: Micros): Plan {
  const violations: FieldViolation[] = [];
  const reading = new ParameterReading('preset.parameters', provided, preset.parameters, violations);
  if (violations.length > 0) throw invalidFields(violations);
  const plan = preset.resolve(reading, nowUs);
  if (violations.length > 0) throw invalidFields(violations);
  return plan;
}

function parsed(parameters: Uint8Array): { readonly [key: string]: Json } {
  if (parameters.length === 0) return {};
  let value: unknown;
  try {
    value = parseNewJson(new TextDecoder('utf-8', { fatal: true }).decode(parameters));
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause;
    throw invalidFields([{ field: 'preset.parameters', description: `must be JSON in UTF-8: ${cause.message}` }]);
  }
  if (isObject(value)) return value;
  throw invalidFields([{ field: 'preset.parameters', description: 'must be a JSON object' }]);
}
