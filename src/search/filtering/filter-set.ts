import { Bits } from './bits.ts';

/** Memories of a set that are compared one by one; a larger set is a condition on what an index finds. */
const FEW_MAX = 20_000;

/** Memories of a namespace that a filter may admit, and no others. */
export class FilterSet {
  readonly count: number;
  /** True when the filter admits each of them, unless the content that it looks into is damaged: a read reports that. */
  readonly isExact: boolean;
  private readonly bits: Bits;
  private listed: Uint32Array | undefined;

  constructor(bits: Bits, isExact: boolean) {
    this.bits = bits;
    this.isExact = isExact;
    this.count = bits.count;
  }

  /** Sequences less than `end`, in any order. */
  static of(sequences: Iterable<number>, end: number): FilterSet {
    const bits = Bits.none(end);
    for (const sequence of sequences) bits.add(sequence);
    return new FilterSet(bits, false);
  }

  has(sequence: number): boolean {
    return this.bits.has(sequence);
  }

  /** All of them, where they are few. */
  get few(): Uint32Array | undefined {
    return this.count <= FEW_MAX ? this.sequences : undefined;
  }

  /** Their keys in the store, in rising order; with `isAllowed` only of some. */
  keysFrom(firstKey: number, isAllowed?: (sequence: number) => boolean): Float64Array {
    const { sequences } = this;
    const keys = new Float64Array(sequences.length);
    let count = 0;
    for (let at = 0; at < sequences.length; at++) {
      const sequence = sequences[at] as number;
      if (!isAllowed || isAllowed(sequence)) keys[count++] = firstKey + sequence;
    }
    return keys.subarray(0, count);
  }

  /** In rising order. */
  get sequences(): Uint32Array {
    this.listed ??= this.bits.sequences();
    return this.listed;
  }
}
