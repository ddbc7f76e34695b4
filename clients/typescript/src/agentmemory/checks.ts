import { jsonOf } from '../bad-input.ts';
import { Content } from '../content.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { Tier } from '../memory.ts';
import { type Kind, refused } from './errors.ts';
import { type Fields, isRecord, Model } from './models.ts';
import { shown } from './shown.ts';

/** A tier by its short name. */
export type MemoryTier = 'stm' | 'im' | 'ltm';

export const TIERS: Readonly<Record<MemoryTier, Tier>> = { stm: 'short_term', im: 'intermediate', ltm: 'long_term' };
export const TIER_NAMES: Readonly<Record<Tier, MemoryTier>> = {
  short_term: 'stm',
  intermediate: 'im',
  long_term: 'ltm',
};

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** An id of an agent. */
export function checkedAgentId(Kind: Kind, value: unknown): string {
  return checkedText(Kind, 'agentId', value);
}

/** A text that is not empty. */
export function checkedText(Kind: Kind, field: string, value: unknown): string {
  if (!isText(value)) throw refused(Kind, field, `must be a text that is not empty, got ${shown(value)}`);
  return value;
}

/** A whole number from a limit to 2^53 - 1. */
export function checkedWhole(Kind: Kind, field: string, value: unknown, low = 0): number {
  if (Number.isSafeInteger(value) && (value as number) >= low) return value as number;
  throw refused(Kind, field, `must be a whole number of at least ${low}, got ${shown(value)}`);
}

/** A number from 0 to 1. */
export function checkedShare(Kind: Kind, field: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw refused(Kind, field, `must be a number from 0 to 1, got ${shown(value)}`);
}

/** An object, or a model as one. */
export function checkedRecord(Kind: Kind, field: string, value: unknown): Fields {
  if (value instanceof Model) return value.asDict();
  if (!isRecord(value)) throw refused(Kind, field, `must be an object or a model, got ${shown(value)}`);
  return { ...value };
}

/** A value as JSON content. Refuses values that JSON would drop or convert. */
export function checkedContent(Kind: Kind, field: string, value: unknown): Content {
  const other = convertedIn(value, 0);
  if (other !== undefined) throw refused(Kind, field, `cannot be carried by JSON: ${other}`);
  try {
    return new Content('application/json', jsonOf(value, field));
  } catch (error) {
    const [violation] = error instanceof InvalidArgumentError ? error.violations : [];
    throw violation ? refused(Kind, field, violation.description) : error;
  }
}

const DEPTH_MAX = 1_000;

/** What JSON would write as something else: a `Map` or a `Set` as `{}`, a typed array as an object. */
function convertedIn(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) return value.constructor.name;
  if (depth > DEPTH_MAX) return 'nested too deeply, or an object that contains itself';
  if ('toJSON' in value) return undefined;
  for (const each of Object.values(value)) {
    const found = convertedIn(each, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Tiers by their short names; `undefined` for all. */
export function checkedTiers(Kind: Kind, value: unknown): Tier[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length === 0)
    throw refused(Kind, 'memoryTiers', `must be a list of stm, im and ltm, got ${shown(value)}`);
  return [...new Set(value)].map((each: unknown) => {
    if (typeof each === 'string' && Object.hasOwn(TIERS, each)) return TIERS[each as MemoryTier];
    throw refused(Kind, 'memoryTiers', `must be of stm, im and ltm, got ${shown(each)}`);
  });
}

/** A type of memories; `undefined` for all. */
export function checkedType(Kind: Kind, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return checkedText(Kind, 'memoryType', value);
}

/** A vector: a list or a typed array of finite numbers. */
export function checkedVector(Kind: Kind, value: unknown): number[] {
  const isTyped = ArrayBuffer.isView(value) && !(value instanceof DataView);
  const values: unknown[] = isTyped ? Array.from(value as unknown as ArrayLike<unknown>) : (value as unknown[]);
  if (!Array.isArray(values) || values.length === 0)
    throw refused(Kind, 'queryEmbedding', 'must be a list of numbers that is not empty');
  return values.map((each, place) => {
    if (typeof each === 'number' && Number.isFinite(each)) return each;
    throw refused(Kind, `queryEmbedding[${place}]`, `must be a finite number, got ${shown(each)}`);
  });
}
