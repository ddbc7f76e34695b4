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

/** Other names of arguments, each with the name that the schema has. */
export type ArgumentAliases = Readonly<Record<string, string>>;

/**
 * The arguments of a tool as a model means them: null, and an empty text or list where the schema wants more, are not set;
 * numbers, booleans, lists and objects may come as texts; one text stands for a list of one, or for an object with a text.
 * What does not fit the schema stays as it is, for `checkArguments` to refuse.
 */
export function readArguments(schema: JsonSchema, value: unknown, aliases: ArgumentAliases = {}): unknown {
  const provided = typeof value === 'string' ? (jsonOf(value) ?? value) : (value ?? {});
  return isRecord(provided) ? readObject(schema, renamed(provided, aliases)) : provided;
}

function renamed(provided: Readonly<Record<string, unknown>>, aliases: ArgumentAliases) {
  const values = { ...provided };
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(values, alias) || (!isNotSet({ type: 'string' }, values[name]) && values[alias] !== null))
      continue;
    values[name] = values[alias];
    delete values[alias];
  }
  return values;
}

function readObject({ properties = {}, required = [] }: JsonSchema, provided: Readonly<Record<string, unknown>>) {
  const values: [string, unknown][] = [];
  for (const [name, value] of Object.entries(provided)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) {
      if (value !== null) values.push([name, value]);
    } else if (!isNotSet(schema, value) || (required.includes(name) && value !== null))
      values.push([name, readValue(schema, value)]);
  }
  return Object.fromEntries(values);
}

/** Null and an empty text are values only of an argument that may be anything. */
function isNotSet({ type, enum: choices, minItems = 0 }: JsonSchema, value: unknown): boolean {
  if (value === undefined) return true;
  if (value === null || value === '') return type !== undefined || choices !== undefined;
  return Array.isArray(value) && value.length === 0 && minItems > 0;
}

function readValue(schema: JsonSchema, value: unknown): unknown {
  const { type, items = {}, properties = {} } = schema;
  switch (type) {
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
    case 'boolean':
      return typeof value === 'string' && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value;
    case 'array': {
      const read = typeof value === 'string' ? (jsonOf(value) ?? value) : value;
      const list = typeof read === 'string' ? [read] : read;
      return Array.isArray(list) ? list.map((one) => readValue(items, one)) : list;
    }
    case 'object': {
      const read = typeof value === 'string' ? (jsonOf(value) ?? value) : value;
      if (typeof read === 'string' && Object.hasOwn(properties, 'text')) return { text: read };
      return isRecord(read) ? readObject(schema, read) : read;
    }
    default:
      return value;
  }
}

/** The list or object that a text in JSON has; undefined for every other text. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
