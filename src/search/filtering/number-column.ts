import type { Operator } from '../../memory/filter.ts';
import { grown } from '../recall/grown.ts';
import { Bits, lowestBit } from './bits.ts';

const ROOM_AT_FIRST = 1024;

/** A number of each memory, by sequence; `NaN` where there is none. Allocates no memory before the first one. */
export class NumberColumn {
  values: Float64Array = new Float64Array(0);

  set(sequence: number, value: number | undefined): void {
    if (sequence >= this.values.length) {
      if (value === undefined) return;
      this.ensureCapacity(sequence);
    }
    this.values[sequence] = value ?? Number.NaN;
  }

  at(sequence: number): number {
    return this.values[sequence] ?? Number.NaN;
  }

  get bytes(): number {
    return this.values.byteLength;
  }

  private ensureCapacity(sequence: number): void {
    let room = Math.max(ROOM_AT_FIRST, this.values.length);
    while (room <= sequence) room *= 2;
    this.values = grown(this.values, new Float64Array(room).fill(Number.NaN));
  }
}

/** Numbers from `low` to `high`, both included. */
export interface NumberRange {
  readonly low: number;
  readonly high: number;
}

export const ANY_NUMBER: NumberRange = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** Numbers that compare with `number` as the operator says; none for operators of texts. */
export function rangeOf(operator: Operator, number: number): NumberRange | undefined {
  switch (operator) {
    case 'equals':
    case 'in':
      return { low: number, high: number };
    case 'less':
      return { low: Number.NEGATIVE_INFINITY, high: before(number) };
    case 'less_or_equal':
      return { low: Number.NEGATIVE_INFINITY, high: number };
    case 'greater':
      return { low: -before(-number), high: Number.POSITIVE_INFINITY };
    case 'greater_or_equal':
      return { low: number, high: Number.POSITIVE_INFINITY };
    default:
      return undefined;
  }
}

const float = new Float64Array(1);
const bits = new BigInt64Array(float.buffer);

/** The greatest number that is less. */
function before(number: number): number {
  if (number === 0) return -Number.MIN_VALUE;
  float[0] = number;
  bits[0] = (bits[0] as bigint) + (number > 0 ? -1n : 1n);
  return float[0];
}

/** Ranges that are compared one by one; more single values are looked up in a set. */
const RANGES_MAX = 4;

/** Sequences of `within` whose value is in one of the ranges. `NaN` is in none. */
export function inRanges(values: Float64Array, ranges: readonly NumberRange[], within: Bits): Bits {
  if (ranges.length > RANGES_MAX && ranges.every(({ low, high }) => low === high)) {
    return among(values, new Set(ranges.map(({ low }) => low)), within);
  }
  const [first, ...rest] = ranges.map((range) => inRange(values, range, within));
  return rest.reduce((sum, bits) => sum.or(bits), first ?? within.emptied());
}

function inRange(values: Float64Array, { low, high }: NumberRange, within: Bits): Bits {
  const words = new Int32Array(within.words.length);
  for (let at = 0; at < words.length; at++) {
    const mask = within.words[at] as number;
    if (mask === 0) continue;
    let word = 0;
    const first = at << 5;
    if (mask === -1 && first + 32 <= values.length) {
      for (let bit = 0; bit < 32; bit++) {
        const value = values[first + bit] as number;
        if (value >= low && value <= high) word |= 1 << bit;
      }
    } else {
      for (let left = mask; left !== 0; left &= left - 1) {
        const bit = lowestBit(left);
        const value = values[first + bit] as number;
        if (value >= low && value <= high) word |= 1 << bit;
      }
    }
    words[at] = word;
  }
  return new Bits(words);
}

function among(values: Float64Array, wanted: ReadonlySet<number>, within: Bits): Bits {
  const words = new Int32Array(within.words.length);
  for (let at = 0; at < words.length; at++) {
    let word = 0;
    for (let left = within.words[at] as number; left !== 0; left &= left - 1) {
      const bit = lowestBit(left);
      if (wanted.has(values[(at << 5) + bit] as number)) word |= 1 << bit;
    }
    words[at] = word;
  }
  return new Bits(words);
}
