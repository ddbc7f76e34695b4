import type { ContentValue } from '../../memory/values.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';

/**
 * Values of contents as terms of the full-text index `memory_value_words`: namespace, path and value in one word of
 * lower-case letters and digits. Terms of one path and one kind of value are in the order of the values.
 */

/** Common prefix of the terms of all values at a path. */
export function pathPrefix(namespaceKey: number, pathKey: number): string {
  return `${namespaceKey}_${pathKey}_`;
}

/** The part of a term after the prefix of its path; its first letter is the kind of value. */
export function valueTerm(value: ContentValue['value']): string {
  switch (typeof value) {
    case 'string':
      return `s${Buffer.from(value).toString('hex')}`;
    case 'number':
      return `d${orderedHex(value)}`;
    case 'bigint':
      return `d${orderedHex(Number(value))}${distanceHex(value)}`;
    case 'boolean':
      return value ? 'b1' : 'b0';
    default:
      return value === null ? 'z' : 'e';
  }
}

/** Terms from `low` (inclusive) to `high` (exclusive), both without the prefix of a path. */
export interface TermRange {
  readonly low: string;
  readonly high: string;
}

/** Sorts before every letter and digit, so that a term with it appended is the next possible term. */
const NEXT = '!';
/** Sorts after every letter and digit. */
const LAST = '~';

export const ANY_VALUE: TermRange = { low: '', high: LAST };
export const ANY_TEXT: TermRange = { low: 's', high: `s${LAST}` };
const ANY_NUMBER: TermRange = { low: 'd', high: `d${LAST}` };

export function oneValue(value: ContentValue['value']): TermRange {
  const term = valueTerm(value);
  return { low: term, high: term + NEXT };
}

export function textsFrom(prefix: string): TermRange {
  const term = valueTerm(prefix);
  return { low: term, high: term + LAST };
}

/** Values of the same kind, text or number, that are less or greater; with `orEqual` the value itself, too. */
export function lesserValues(value: string | number | bigint, orEqual: boolean): TermRange {
  const term = valueTerm(value);
  return { low: kindOf(value).low, high: orEqual ? term + NEXT : term };
}

export function greaterValues(value: string | number | bigint, orEqual: boolean): TermRange {
  const term = valueTerm(value);
  return { low: orEqual ? term : term + NEXT, high: kindOf(value).high };
}

function kindOf(value: string | number | bigint): TermRange {
  return typeof value === 'string' ? ANY_TEXT : ANY_NUMBER;
}

const bytes = Buffer.alloc(8);

/** The bits of the number, in an order-preserving form. Both zeros are equal. */
function orderedHex(number: number): string {
  bytes.writeDoubleBE(number + 0);
  const high = bytes.readUInt32BE(0);
  if (high < 0x80000000) bytes.writeUInt32BE(high + 0x80000000);
  else {
    bytes.writeUInt32BE(~high >>> 0);
    bytes.writeUInt32BE(~bytes.readUInt32BE(4) >>> 0, 4);
  }
  return bytes.toString('hex');
}

/**
 * The distance of a bigint from the double next to it, in an order-preserving form. No number that is a double has the
 * same first digits, since all integers beyond 2^53 are bigints.
 */
function distanceHex(value: bigint): string {
  const near = BigInt(Number(value));
  return (value - near + (1n << distanceBits(near))).toString(16).padStart(Number(distanceBits(near) / 4n) + 1, '0');
}

/** Four bits at a time; more than the distance of any bigint that has this double next to it. */
function distanceBits(near: bigint): bigint {
  const bits = (near < 0n ? -near : near).toString(16).length * 4;
  return BigInt(Math.max(4, bits - 48));
}

/** The value of a term, which `valueTerm` has written. */
export function valueOfTerm(term: string): ContentValue['value'] {
  switch (term[0]) {
    case 's':
      return Buffer.from(term.slice(1), 'hex').toString();
    case 'd':
      return integerOfHex(term.slice(17), numberOfHex(term.slice(1, 17)));
    case 'b':
      return term === 'b1';
    case 'z':
      return null;
    default:
      return undefined;
  }
}

function integerOfHex(distance: string, near: number): number | bigint {
  return distance === '' ? near : BigInt(near) + BigInt(`0x${distance}`) - (1n << distanceBits(BigInt(near)));
}

function numberOfHex(hex: string): number {
  const high = Number.parseInt(hex.slice(0, 8), 16);
  const low = Number.parseInt(hex.slice(8), 16);
  const isNegative = high < 0x80000000;
  bytes.writeUInt32BE(isNegative ? ~high >>> 0 : high - 0x80000000);
  bytes.writeUInt32BE(isNegative ? ~low >>> 0 : low, 4);
  return bytes.readDoubleBE(0);
}

/** Maximum indexed paths of a namespace; contents with other paths are found without the index. */
const PATHS_MAX = 4096;
const PATH_NAMESPACES_KEPT = 1000;

const pathsOf = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('value_path').select(['path', 'key']).where('namespace_key', '=', p.namespace_key),
);
const addPath = prepared((p: { namespace_key: number; path: string }) =>
  queries.insertInto('value_path').values({ namespace_key: p.namespace_key, path: p.path }).returning('key'),
);

/** Paths of JSON contents in the writer's cache. */
export class ValuePaths {
  private readonly database: SqliteDatabase;
  private readonly namespaces = new Map<number, Map<string, string>>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  /** Prefix of the terms of values at the path, new or known; `undefined` when the namespace has too many paths. */
  prefixOf(namespaceKey: number, path: string): string | undefined {
    const paths = this.pathsOf(namespaceKey);
    const known = paths.get(path);
    if (known !== undefined || paths.size >= PATHS_MAX) return known;
    const key = addPath(this.database).get({ namespace_key: namespaceKey, path })?.key;
    if (key === undefined) return undefined;
    const prefix = pathPrefix(namespaceKey, key);
    paths.set(path, prefix);
    return prefix;
  }

  clear(): void {
    this.namespaces.clear();
  }

  private pathsOf(namespaceKey: number): Map<string, string> {
    const known = this.namespaces.get(namespaceKey);
    if (known) return known;
    const rows = pathsOf(this.database).all({ namespace_key: namespaceKey });
    const paths = new Map(rows.map(({ path, key }) => [path, pathPrefix(namespaceKey, key)]));
    if (this.namespaces.size >= PATH_NAMESPACES_KEPT) this.namespaces.clear();
    this.namespaces.set(namespaceKey, paths);
    return paths;
  }
}
