import { Bits } from './bits.ts';

/** Room for memories in a column, below which a look at each takes as little time. */
const MEMORIES_MIN = 8192;
const KEPT_MAX = 32;
const ASKED_MAX = 256;

/** Selects the memories that have any value; other keys are numbers of values. */
export const ANY_VALUE = -1;

/** Memories of a column that a filter selects. */
export class Bitmap {
  readonly bits: Bits;
  count: number;

  constructor(bits: Bits) {
    this.bits = bits;
    this.count = bits.count;
  }

  /** The intersection with a set. */
  readonly within = ({ words: others }: Bits): Bits => {
    const { words } = this.bits;
    const found = new Int32Array(others.length);
    const end = Math.min(words.length, others.length);
    for (let at = 0; at < end; at++) found[at] = (words[at] as number) & (others[at] as number);
    return new Bits(found);
  };
}

/**
 * The memories that have one value, or any, for what filters ask again and again, such as the agent or the type: each change
 * of the column changes them, so that a query need not look at each memory.
 */
export class KeptBitmaps {
  /** In order of use, least recent first. */
  private readonly kept = new Map<number, Bitmap>();
  /** Keys that were asked for once, in that order. */
  private readonly asked = new Set<number>();

  /** `undefined` the first time that a key is asked for, and for a column with `room` for few memories. */
  of(key: number, room: number, make: () => Bits): Bitmap | undefined {
    if (room < MEMORIES_MIN) return undefined;
    let bitmap = this.kept.get(key);
    if (bitmap) this.kept.delete(key);
    else if (!this.asked.delete(key)) {
      this.asked.add(key);
      dropFirst(this.asked, ASKED_MAX);
      return undefined;
    }
    bitmap ??= new Bitmap(make());
    this.kept.set(key, bitmap);
    dropFirst(this.kept, KEPT_MAX);
    return bitmap;
  }

  /** To be called with each change of a memory within the room; `has` tells which keys select it now. */
  change(sequence: number, has: (key: number) => boolean): void {
    for (const [key, bitmap] of this.kept) {
      const had = bitmap.bits.has(sequence);
      if (had === has(key)) continue;
      if (had) bitmap.bits.delete(sequence);
      else bitmap.bits.add(sequence);
      bitmap.count += had ? -1 : 1;
    }
  }

  get size(): number {
    return this.kept.size;
  }

  /** To be called when the column has more room. */
  clear(): void {
    this.kept.clear();
  }

  get bytes(): number {
    let bytes = 0;
    for (const { bits } of this.kept.values()) bytes += bits.bytes;
    return bytes;
  }
}

function dropFirst(keys: Set<number> | Map<number, unknown>, most: number): void {
  if (keys.size <= most) return;
  for (const key of keys.keys()) {
    keys.delete(key);
    return;
  }
}
