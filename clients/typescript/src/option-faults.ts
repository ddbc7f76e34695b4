import { nearestOf } from './nearest-name.ts';
import type { ObjectShape, Shape, ShapeTable } from './option-shapes.ts';
import { isTime } from './precise-date.ts';

/** What is wrong with a value. */
export interface Fault {
  /** Path of the value, as the caller wrote it. */
  readonly field: string;
  readonly description: string;
  /** Name of an option that does not exist. */
  readonly unknown?: string;
  /** How many options of the object are known, less those that are unknown or missing: of several types, the likeliest has most. */
  readonly likeness?: number;
}

/** What is wrong with a value that must have a shape; undefined where nothing is. */
export function faultOf(table: ShapeTable, shape: Shape, value: unknown, field: string): Fault | undefined {
  if (shape === 'any') return undefined;
  if (typeof shape === 'object') {
    if ('either' in shape) return faultOfChoice(table, shape.either, value, field);
    const members = membersOf(table, shape);
    if (members)
      return isPlain(value) ? faultInMembers(table, members, value, field) : mismatch(table, shape, value, field);
    if ('list' in shape && Array.isArray(value)) {
      for (const [at, each] of value.entries()) {
        const fault = faultOf(table, shape.list, each, `${field}[${at}]`);
        if (fault) return fault;
      }
      return undefined;
    }
  }
  return fits(shape, value) ? undefined : mismatch(table, shape, value, field);
}

/** The options of an object shape, those that any of its choices has. */
export function optionsOf(table: ShapeTable, shape: Shape): ObjectShape {
  if (typeof shape !== 'object') return {};
  if ('either' in shape)
    return Object.fromEntries(shape.either.flatMap((each) => Object.entries(optionsOf(table, each))));
  return membersOf(table, shape) ?? {};
}

export function membersOf(table: ShapeTable, shape: Shape): ObjectShape | undefined {
  if (typeof shape !== 'object') return undefined;
  if ('object' in shape) return shape.object;
  return 'ref' in shape ? table.objects[shape.ref] : undefined;
}

export function namesOf(members: ObjectShape): string[] {
  return Object.keys(members).map((key) => key.replace('?', ''));
}

function fits(shape: Shape, value: unknown): boolean {
  switch (shape) {
    case 'number':
      return typeof value === 'number' && !Number.isNaN(value);
    case 'null':
      return value === null;
    case 'time':
      return isTime(value);
    case 'filter':
      return isPlain(value) && isPlain(value['node']) && '$case' in value['node'];
    default:
      break;
  }
  if (typeof shape === 'string') return typeof value === shape;
  if ('one' in shape) return shape.one.includes(value as string);
  const isObject = typeof value === 'object' && value !== null;
  return 'each' in shape && isObject && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function faultOfChoice(table: ShapeTable, shapes: readonly Shape[], value: unknown, field: string): Fault | undefined {
  let likeliest: Fault | undefined;
  for (const shape of shapes) {
    const fault = faultOf(table, shape, value, field);
    if (!fault) return undefined;
    const isNearer = likeliest === undefined || (fault.likeness ?? 0) > (likeliest.likeness ?? 0);
    if (fault.field !== field || fault.unknown !== undefined) likeliest = isNearer ? fault : likeliest;
  }
  return likeliest ?? mismatch(table, { either: shapes }, value, field);
}

function faultInMembers(
  table: ShapeTable,
  members: ObjectShape,
  value: Readonly<Record<string, unknown>>,
  field: string,
): Fault | undefined {
  const names = Object.keys(value);
  const own = (name: string) => (Object.hasOwn(members, name) ? members[name] : undefined);
  const known = (name: string) => own(name) ?? own(`${name}?`) ?? own('*');
  const isMissing = (name: string) =>
    name !== '*' && !name.endsWith('?') && members[name] !== 'any' && value[name] === undefined;
  const missing = Object.keys(members).filter(isMissing);
  const unknown = names.filter((name) => known(name) === undefined);
  const likeness = names.length - 2 * unknown.length - missing.length;
  const [first] = unknown;
  if (first !== undefined) {
    return { field: joined(field, first), description: unknownText(first, members), unknown: first, likeness };
  }
  for (const name of names) {
    const isUnset = own(name) === undefined && value[name] === undefined;
    const fault = isUnset ? undefined : faultOf(table, known(name) ?? 'any', value[name], joined(field, name));
    if (fault) return { ...fault, likeness };
  }
  return missing[0] === undefined
    ? undefined
    : { field: joined(field, missing[0]), description: 'is required', likeness };
}

function unknownText(name: string, members: ObjectShape): string {
  const names = namesOf(members);
  const nearest = nearestOf(name, names);
  const hint = nearest === undefined ? '' : `, did you mean ${nearest}?`;
  return `unknown option${hint}${hint === '' ? ';' : ''} known are ${names.join(', ') || 'none'}`;
}

function mismatch(table: ShapeTable, shape: Shape, value: unknown, field: string): Fault {
  const hint = value === null ? ': leave it out where it is not set' : '';
  return { field, description: `must be ${textOf(table, shape)}, got ${shown(value)}${hint}` };
}

function textOf(table: ShapeTable, shape: Shape): string {
  if (typeof shape === 'string') return TEXTS[shape];
  if ('either' in shape) return [...new Set(shape.either.map((each) => textOf(table, each)))].join(' or ');
  if ('one' in shape) return `${shape.one.length > 1 ? 'one of ' : ''}${shape.one.join(', ')}`;
  if ('list' in shape) return 'a list';
  if ('each' in shape) return 'an iterable';
  const names = namesOf(membersOf(table, shape) ?? {});
  return names.includes('*')
    ? 'an object'
    : `an object of ${names.slice(0, 4).join(', ')}${names.length > 4 ? ', …' : ''}`;
}

const TEXTS: Readonly<Record<Extract<Shape, string>, string>> = {
  any: 'any value',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  bigint: 'a bigint',
  null: 'null',
  undefined: 'undefined',
  function: 'a function',
  time: 'a Date, milliseconds since 1970, or a time such as 2026-11-29T08:00:00Z',
  filter: 'a filter made with where',
};

const SHOWN_LENGTH = 80;

/** A value for an error text, shortened. */
export function shown(value: unknown): string {
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return String(value);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // It holds itself, or a bigint; its kind is enough to find it.
  }
  text ??= String(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

function joined(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
