import { badInput } from './bad-input.ts';

/** The part of JSON Schema that the schemas of tools use. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Refuses arguments that do not fit the schema: models make them, and a model can correct what it is told of. */
export function checkArguments(schema: JsonSchema, value: unknown, field = 'arguments'): void {
  const problem = problemOf(schema, value);
  if (problem !== undefined) throw badInput(field, problem);
  if (isRecord(value)) {
    const { properties = {}, required = [], additionalProperties } = schema;
    for (const name of required) if (value[name] === undefined) throw badInput(`${field}.${name}`, 'is required');
    for (const [name, part] of Object.entries(value)) {
      const of = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (of && part !== undefined) checkArguments(of, part, `${field}.${name}`);
      else if (!of && additionalProperties === false) throw badInput(`${field}.${name}`, unknownIn(properties));
    }
  }
  if (Array.isArray(value) && schema.items) {
    for (const [at, part] of value.entries()) checkArguments(schema.items, part, `${field}[${at}]`);
  }
}

function unknownIn(properties: Readonly<Record<string, JsonSchema>>): string {
  return `is not an argument; known are ${Object.keys(properties).join(', ') || 'none'}`;
}

function problemOf(
  { type, enum: values, minLength, minItems, maxItems, minimum, maximum }: JsonSchema,
  value: unknown,
) {
  if (type !== undefined && !isOfType(type, value))
    return `must be ${type}, got ${JSON.stringify(value)?.slice(0, 80)}`;
  if (values && !values.includes(value))
    return `must be ${values.join(', ')}, got ${JSON.stringify(value).slice(0, 80)}`;
  if (typeof value === 'string' && value.length < (minLength ?? 0)) return 'must not be empty';
  if (Array.isArray(value) && (value.length < (minItems ?? 0) || value.length > (maxItems ?? Infinity))) {
    return `must have ${minItems ?? 0} to ${maxItems ?? 'any number of'} items, got ${value.length}`;
  }
  if (typeof value === 'number' && (value < (minimum ?? -Infinity) || value > (maximum ?? Infinity))) {
    return `must be from ${minimum ?? 'any'} to ${maximum ?? 'any'}, got ${value}`;
  }
  return undefined;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
