/** A set of sequences less than an end, one bit each. */
export class Bits {
  /** 32 sequences a word. */
  readonly words: Int32Array;

  constructor(words: Int32Array) {
    this.words = words;
  }

  static none(end: number): Bits {
    return new Bits(new Int32Array((end + 31) >>> 5));
  }

  /** An empty set with the same end. */
  emptied(): Bits {
    return new Bits(new Int32Array(this.words.length));
  }

  has(sequence: number): boolean {
    return (((this.words[sequence >>> 5] as number) >>> (sequence & 31)) & 1) === 1;
  }

  add(sequence: number): void {
    (this.words[sequence >>> 5] as number) |= 1 << (sequence & 31);
  }

  delete(sequence: number): void {
    (this.words[sequence >>> 5] as number) &= ~(1 << (sequence & 31));
  }

  get count(): number {
    let count = 0;
    for (let at = 0; at < this.words.length; at++) count += bitsOf(this.words[at] as number);
    return count;
  }

  get bytes(): number {
    return this.words.byteLength;
  }

  /** A copy with room for sequences less than `end`, without those that are not. */
  sized(end: number): Bits {
    const copy = Bits.none(end);
    copy.words.set(this.words.subarray(0, copy.words.length));
    if ((end & 31) !== 0) (copy.words[end >>> 5] as number) &= (1 << (end & 31)) - 1;
    return copy;
  }

  /** The operands of the following three have the same end. */
  and(other: Bits): Bits {
    return this.combined(other, (one, two) => one & two);
  }

  or(other: Bits): Bits {
    return this.combined(other, (one, two) => one | two);
  }

  without(other: Bits): Bits {
    return this.combined(other, (one, two) => one & ~two);
  }

  /** In rising order. */
  sequences(): Uint32Array {
    const found = new Uint32Array(this.count);
    let count = 0;
    for (let at = 0; at < this.words.length; at++) {
      for (let left = this.words[at] as number; left !== 0; left &= left - 1) {
        found[count++] = (at << 5) + lowestBit(left);
      }
    }
    return found;
  }

  private combined(other: Bits, combine: (one: number, two: number) => number): Bits {
    const words = new Int32Array(this.words.length);
    for (let at = 0; at < words.length; at++) words[at] = combine(this.words[at] as number, other.words[at] as number);
    return new Bits(words);
  }
}

/** Position of the lowest bit of a number that is not 0. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
