import type { ContentValue } from '../../memory/values.ts';

/**
 * Values of contents as terms of the full-text index `memory_value_words`: namespace, path and value in one word of
 * lower-case letters and digits. Terms of one path and one kind of value are in the order of the values.
 */

/** What the terms of all values at a path begin with. */
export function pathPrefix(namespaceKey: number, pathKey: number): string {
  return `${namespaceKey}_${pathKey}_`;
}

/** The part of a term behind the prefix of its path; its first letter tells the kind of value. */
export function valueTerm(value: ContentValue['value']): string {
  switch (typeof value) {
    case 'string':
      return `s${Buffer.from(value).toString('hex')}`;
    case 'number':
      return `d${orderedHex(value)}`;
    case 'boolean':
      return value ? 'b1' : 'b0';
    default:
      return value === null ? 'z' : 'e';
  }
}

/** Terms from `low` on that are less than `high`, both without the prefix of a path. */
export interface TermRange {
  readonly low: string;
  readonly high: string;
}

/** Comes before every letter and digit, so that a term with it is the next one after the term. */
const NEXT = '!';
/** Comes after every letter and digit. */
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
export function lesserValues(value: string | number, orEqual: boolean): TermRange {
  const term = valueTerm(value);
  return { low: kindOf(value).low, high: orEqual ? term + NEXT : term };
}

export function greaterValues(value: string | number, orEqual: boolean): TermRange {
  const term = valueTerm(value);
  return { low: orEqual ? term : term + NEXT, high: kindOf(value).high };
}

function kindOf(value: string | number): TermRange {
  return typeof value === 'string' ? ANY_TEXT : ANY_NUMBER;
}

const bytes = Buffer.alloc(8);

/** The bits of the number, changed so that greater numbers have greater bits. Both zeros are the same. */
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
