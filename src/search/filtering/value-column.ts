import { grown } from '../recall/grown.ts';
import { Bits, lowestBit } from './bits.ts';
import { ANY_VALUE, KeptBitmaps } from './kept-bitmaps.ts';

const ROOM_AT_FIRST = 1024;
/** The number of the set without values. */
const NOTHING = 0;
/** More than any number of a value. */
const VALUES_MAX = 2 ** 26;
/** Memory of a value beside its text, and of a set of values. */
const VALUE_BYTES = 96;
const SET_BYTES = 40;

/**
 * A set of values of each memory, by sequence: of a text field one value at most, of tags or a JSON path several.
 * Values have numbers, and so have the sets that occur: a set is a smaller set and one more value.
 */
export class ValueColumn<V> {
  private sets = new Uint32Array(0);
  private readonly values: V[] = [];
  private readonly numbers = new Map<V, number>();
  /** Of each set: the smaller set, the value added to it, and the number of memories that have it. */
  private readonly smaller: number[] = [NOTHING];
  private readonly added: number[] = [-1];
  private readonly counts: number[] = [0];
  /** The set of a value alone, by the value's number. */
  private readonly single: number[] = [];
  /** Greater sets, by smaller set and value. */
  private readonly greater = new Map<number, number>();
  private textLength = 0;
  private readonly bitmaps = new KeptBitmaps();

  /** Replaces the set of a memory. */
  put(sequence: number, values: Iterable<V>): void {
    const numbers: number[] = [];
    for (const value of values) numbers.push(this.numberOf(value));
    numbers.sort((a, b) => a - b);
    let set = NOTHING;
    for (const number of numbers) set = this.with(set, number);
    this.assign(sequence, set);
  }

  /** Adds a value to the set of a memory. */
  add(sequence: number, value: V): void {
    this.assign(sequence, this.with(this.setOf(sequence), this.numberOf(value)));
  }

  /** The values of a memory. */
  of(sequence: number): V[] {
    const found: V[] = [];
    for (let set = this.setOf(sequence); set !== NOTHING; set = this.smaller[set] as number) {
      found.push(this.values[this.added[set] as number] as V);
    }
    return found.reverse();
  }

  /** Which values pass, by their numbers; `undefined` where none does. */
  choose(passes: (value: V) => boolean): Uint8Array | undefined {
    const chosen = new Uint8Array(this.values.length);
    let count = 0;
    for (let number = 0; number < chosen.length; number++) {
      if (!passes(this.values[number] as V)) continue;
      chosen[number] = 1;
      count++;
    }
    return count > 0 ? chosen : undefined;
  }

  /** The same for some values, without a look at the others. */
  chooseOnly(values: Iterable<V>): Uint8Array | undefined {
    let chosen: Uint8Array | undefined;
    for (const value of values) {
      const number = this.numbers.get(value);
      if (number === undefined) continue;
      chosen ??= new Uint8Array(this.values.length);
      chosen[number] = 1;
    }
    return chosen;
  }

  /** The memories that have one of the chosen values. */
  having(chosen: Uint8Array | undefined): Having {
    const key = chosen && keyOf(chosen);
    const kept = key === undefined ? undefined : this.bitmaps.of(key, this.sets.length, () => this.bitsOf(chosen));
    return kept ?? this.found(chosen);
  }

  /** All memories that have one of the chosen values. */
  private bitsOf(chosen: Uint8Array | undefined): Bits {
    return this.found(chosen).within(new Bits(new Int32Array(this.sets.length >>> 5).fill(-1)));
  }

  private found(chosen: Uint8Array | undefined): Having {
    const { smaller, added, counts } = this;
    const passing = new Uint8Array(counts.length);
    let count = 0;
    for (let set = 1; chosen && set < counts.length; set++) {
      if (chosen[added[set] as number] === 1 || passing[smaller[set] as number] === 1) {
        passing[set] = 1;
        count += counts[set] as number;
      }
    }
    return { count, within: (bits) => (count === 0 ? bits.emptied() : this.scan(passing, bits)) };
  }

  get bytes(): number {
    return this.sets.byteLength + this.dictionaryBytes + this.bitmaps.bytes;
  }

  /** Memory that grows with the number of different values. */
  get dictionaryBytes(): number {
    return 2 * this.textLength + this.values.length * VALUE_BYTES + this.counts.length * SET_BYTES;
  }

  private scan(passing: Uint8Array, within: Bits): Bits {
    const { sets } = this;
    const words = new Int32Array(within.words.length);
    for (let at = 0; at < words.length; at++) {
      const mask = within.words[at] as number;
      if (mask === 0) continue;
      let word = 0;
      const first = at << 5;
      if (first + 32 <= sets.length) {
        for (let bit = 0; bit < 32; bit++) word |= (passing[sets[first + bit] as number] as number) << bit;
        word &= mask;
      } else {
        for (let left = mask; left !== 0; left &= left - 1) {
          const bit = lowestBit(left);
          if (passing[this.setOf(first + bit)] === 1) word |= 1 << bit;
        }
      }
      words[at] = word;
    }
    return new Bits(words);
  }

  private setOf(sequence: number): number {
    return this.sets[sequence] ?? NOTHING;
  }

  private assign(sequence: number, set: number): void {
    if (sequence >= this.sets.length) {
      if (set === NOTHING) return;
      this.ensureCapacity(sequence);
    }
    (this.counts[this.sets[sequence] as number] as number)--;
    (this.counts[set] as number)++;
    this.sets[sequence] = set;
    if (this.bitmaps.size > 0) this.bitmaps.change(sequence, (key) => this.hasIn(set, key));
  }

  /** Whether a key of the bitmaps selects the memories that have the set. */
  private hasIn(set: number, key: number): boolean {
    if (key === ANY_VALUE) return set !== NOTHING;
    for (let at = set; at !== NOTHING; at = this.smaller[at] as number) if (this.added[at] === key) return true;
    return false;
  }

  private numberOf(value: V): number {
    let number = this.numbers.get(value);
    if (number === undefined) {
      if (this.values.length >= VALUES_MAX) throw new RangeError(`more than ${VALUES_MAX} different values`);
      number = this.values.push(value) - 1;
      this.numbers.set(value, number);
      this.single.push(NOTHING);
      if (typeof value === 'string') this.textLength += value.length;
    }
    return number;
  }

  /** The set with one more value. */
  private with(set: number, number: number): number {
    for (let at = set; at !== NOTHING; at = this.smaller[at] as number) if (this.added[at] === number) return set;
    const key = set * VALUES_MAX + number;
    const known = set === NOTHING ? this.single[number] : this.greater.get(key);
    if (known) return known;
    const made = this.counts.push(0) - 1;
    this.smaller.push(set);
    this.added.push(number);
    if (set === NOTHING) this.single[number] = made;
    else this.greater.set(key, made);
    return made;
  }

  private ensureCapacity(sequence: number): void {
    let room = Math.max(ROOM_AT_FIRST, this.sets.length);
    while (room <= sequence) room *= 2;
    this.sets = grown(this.sets, new Uint32Array(room));
    this.bitmaps.clear();
  }
}

/** The chosen value where it is one, or any where all are chosen. */
function keyOf(chosen: Uint8Array): number | undefined {
  const first = chosen.indexOf(1);
  if (chosen.indexOf(1, first + 1) < 0) return first;
  return chosen.includes(0) ? undefined : ANY_VALUE;
}

/** Memories found by their values. */
export interface Having {
  readonly count: number;
  /** The intersection with a set. */
  readonly within: (bits: Bits) => Bits;
}
