import { isJson, parsedContent } from '../derive-text.ts';
import type { Content } from '../memory.ts';
import type { Compaction, CompactionRecord } from './resolution.ts';

export interface Compacted {
  readonly content: Content;
  readonly loss: Omit<CompactionRecord, 'checksum'>;
}

/** Part of `JSON` in ECMAScript 2025 that TypeScript does not declare yet: numbers as they were written. */
interface RawJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}
const rawJson = JSON as unknown as RawJson;

/** A fraction without an exponent: the numbers that rounding applies to. */
const FRACTION = /^-?\d+\.\d+$/;
const utf8 = new TextDecoder();

/**
 * JSON content without the keys that may be dropped, at any depth, and with its fractions rounded; all other values
 * stay as they were written. `undefined` when compaction changes nothing: the content is not JSON or has no such keys
 * or fractions.
 */
export function compact(content: Content | undefined, { dropKeys, decimals }: Compaction): Compacted | undefined {
  if (!content || !isJson(content.mediaType) || parsedContent(content) === undefined) return undefined;
  const drop = new Set(dropKeys);
  const droppedKeys = new Set<string>();
  let isRounded = false;
  const value = rawJson.parse(utf8.decode(content.data), (_, each, { source }) => {
    if (source !== undefined && typeof each === 'number') {
      const rounded = roundedTo(source, decimals);
      isRounded ||= rounded !== source;
      return rawJson.rawJSON(rounded);
    }
    if (drop.size > 0 && isPlainObject(each)) dropFrom(each, drop, droppedKeys);
    return each;
  });
  if (droppedKeys.size === 0 && !isRounded) return undefined;
  return {
    content: { mediaType: content.mediaType, data: new TextEncoder().encode(JSON.stringify(value)) },
    loss: {
      contentBytes: content.data.byteLength,
      droppedKeys: [...droppedKeys].sort(),
      ...(isRounded && decimals !== undefined ? { decimals } : {}),
    },
  };
}

function dropFrom(object: Record<string, unknown>, drop: ReadonlySet<string>, dropped: Set<string>): void {
  for (const key of Object.keys(object)) {
    if (!drop.has(key)) continue;
    delete object[key];
    dropped.add(key);
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function roundedTo(source: string, decimals: number | undefined): string {
  if (decimals === undefined || !FRACTION.test(source)) return source;
  if (source.length - source.indexOf('.') - 1 <= decimals) return source;
  const rounded = String(Number(Number(source).toFixed(decimals)));
  return rounded === '-0' ? '0' : rounded;
}
