import { type FieldViolation, invalidFields } from '../../memory/errors.ts';
import type { Json } from '../../memory/json-values.ts';
import type { Micros } from '../../memory/memory.ts';
import { parseJson } from '../../memory/parse-json.ts';
import { isObject, ParameterReading } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';
import { PRESETS } from './presets.ts';

export interface PresetRequest {
  readonly name: string;
  /** One JSON object; empty for none. */
  readonly parameters: Uint8Array;
  /** Instant that relative windows are counted back from, where the caller says one. */
  readonly nowUs?: Micros;
}

/** What the preset with these parameters asks of recall. Fails with FIELD_INVALID, naming the parameter. */
export function resolvePreset({ name, parameters }: PresetRequest, nowUs: Micros): Plan {
  const preset = PRESETS.get(name);
  if (!preset) {
    const names = [...PRESETS.keys()].join(', ');
    throw invalidFields([
      { field: 'preset.name', description: `must be one of ${names}, got ${JSON.stringify(name)}` },
    ]);
  }
  return resolveWith(preset, parsed(parameters), nowUs);
}

function resolveWith(preset: Preset, given: { readonly [key: string]: Json }, nowUs: Micros): Plan {
  const violations: FieldViolation[] = [];
  const reading = new ParameterReading('preset.parameters', given, preset.parameters, violations);
  if (violations.length > 0) throw invalidFields(violations);
  const plan = preset.resolve(reading, nowUs);
  if (violations.length > 0) throw invalidFields(violations);
  return plan;
}

function parsed(parameters: Uint8Array): { readonly [key: string]: Json } {
  if (parameters.length === 0) return {};
  let value: unknown;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(parameters));
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause;
    throw invalidFields([{ field: 'preset.parameters', description: `must be JSON in UTF-8: ${cause.message}` }]);
  }
  if (isObject(value)) return value;
  throw invalidFields([{ field: 'preset.parameters', description: 'must be a JSON object' }]);
}
