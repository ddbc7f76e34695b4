import type { FieldViolation } from '../../memory/errors.ts';
import type { Json } from '../../memory/json-values.ts';

type JsonObject = { readonly [key: string]: Json };

const KIND_TESTS: { readonly [K in JsonKind]: (value: unknown) => boolean } = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => isObject(value),
  null: (value) => value === null,
  'array of strings': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'array of objects': (value) => Array.isArray(value) && value.every((item) => isObject(item)),
  'array of numbers': (value) => Array.isArray(value) && value.every((item) => Number.isFinite(item)),
};

/** The parameters of a preset, each validated against its declaration; violations are collected by name. */
export class ParameterReading {
  readonly violations: FieldViolation[];
  readonly prefix: string;
  private readonly values: { [name: string]: Json } = {};
  private readonly provided: JsonObject;

  constructor(prefix: string, provided: JsonObject, parameters: readonly Parameter[], violations: FieldViolation[]) {
    this.prefix = prefix;
    this.provided = provided;
    this.violations = violations;
    const known = new Set(parameters.map(({ name }) => name));
    for (const name of Object.keys(provided)) {
      if (!known.has(name))
        this.add(name, `is not a parameter of this preset, which has ${[...known].join(', ') || 'none'}`);
    }
    for (const parameter of parameters) this.read(parameter);
  }

  add(name: string, description: string): void {
    this.violations.push({ field: `${this.prefix}.${name}`, description });
  }

  isSet(name: string): boolean {
    return Object.hasOwn(this.provided, name);
  }

  value(name: string): Json | undefined {
    return this.values[name];
  }

  number(name: string): number {
    return this.values[name] as number;
  }

  optionalNumber(name: string): number | undefined {
    return this.values[name] as number | undefined;
  }

  text(name: string): string {
    return (this.values[name] as string | undefined) ?? '';
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  strings(name: string): readonly string[] {
    return (this.values[name] as readonly string[] | undefined) ?? [];
  }

  object(name: string): JsonObject | undefined {
    return this.values[name] as JsonObject | undefined;
  }

  private read(parameter: Parameter): void {
    const { name } = parameter;
    if (!this.isSet(name)) {
      if (parameter.required) this.add(name, 'is required');
      if (parameter.default !== undefined) this.values[name] = parameter.default;
      return;
    }
    const value = this.provided[name] as Json;
    const fault = faultOf(value, parameter);
    if (fault !== undefined) this.add(name, fault);
    // A value of the wrong type must not reach the preset: its default, or a value of the right type, replaces it.
    if (fault === undefined) this.values[name] = value;
    else if (parameter.default !== undefined) this.values[name] = parameter.default;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function faultOf(value: Json, parameter: Parameter): string | undefined {
  const { kinds, choices } = parameter;
  if (!kinds.some((kind) => KIND_TESTS[kind](value)))
    return `must be of type ${typeText(parameter)}, got ${shown(value)}`;
  if (choices && !choices.includes(value as string)) return `must be one of ${choices.join(', ')}, got ${shown(value)}`;
  const limits = limitsText(parameter);
  const isBeyond = typeof value === 'number' && limits !== '' && !isWithin(value, parameter);
  return isBeyond ? `must be ${limits}, got ${value}` : undefined;
}

function isWithin(value: number, { min, above, max }: Parameter): boolean {
  return (
    (min === undefined || value >= min) && (above === undefined || value > above) && (max === undefined || value <= max)
  );
}

export function typeText({ kinds }: Parameter): string {
  return kinds.join(' or ');
}

export function limitsText({ min, above, max, choices }: Parameter): string {
  if (choices) return `one of ${choices.join(', ')}`;
  const bounds = [
    min === undefined ? undefined : `at least ${min}`,
    above === undefined ? undefined : `more than ${above}`,
    max === undefined ? undefined : `at most ${max}`,
  ];
  return bounds.filter((bound) => bound !== undefined).join(' and ');
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

export type JsonKind =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'object'
  | 'null'
  | 'array of strings'
  | 'array of numbers'
  | 'array of objects';

/** The declaration of a preset's parameter, against which values are validated. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly kinds: readonly JsonKind[];
  readonly default?: Json;
  readonly required?: boolean;
  /** Least number. */
  readonly min?: number;
  /** Exclusive lower bound. */
  readonly above?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
}

const WHOLE = /^[+-]?\d{1,15}$/;

/** A number, or a text that contains one: the Agent Memory API accepts both. */
export function numberParameter(reading: ParameterReading, name: string): number | undefined {
  return read(reading, name, 'a number', (text) => (text === '' ? Number.NaN : Number(text)));
}

/** A whole number, or a text that is one. */
export function wholeNumberParameter(reading: ParameterReading, name: string): number | undefined {
  return read(reading, name, 'a whole number', (text) => (WHOLE.test(text) ? Number(text) : Number.NaN));
}

function read(
  reading: ParameterReading,
  name: string,
  what: string,
  parse: (text: string) => number,
): number | undefined {
  const provided = reading.value(name);
  if (typeof provided !== 'string') return provided as number | undefined;
  const value = parse(provided.trim());
  if (Number.isFinite(value)) return value;
  reading.add(name, `must be ${what}, got ${JSON.stringify(provided)}`);
  return undefined;
}
