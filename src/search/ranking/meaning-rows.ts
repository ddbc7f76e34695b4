import { grown } from '../recall/grown.ts';
import { Nearest } from '../vectors/nearest.ts';
import type { Sought } from './question.ts';
import { FineProducts, type Kernel, newKernel } from './rough-products.ts';
import type { Row } from './row-products.ts';

export const DIMENSIONS = 512;
const SIGN_BYTES = DIMENSIONS / 8;
const BLOCK_SHIFT = 10;
const BLOCK_ROWS = 1 << BLOCK_SHIFT;
/** Rows of the first block at first: most namespaces are small. */
const ROWS_AT_FIRST = 16;
const NONE = -1;
/** Bytes of a row's tables. */
const TABLE_BYTES = 12;
/** Up to so many rows are compared exactly. */
const EXACT_MAX = 4096;
/** Number of rows that are compared exactly for each owner that is wanted: the rows with the nearest signs. */
const SPARE = 8;

/**
 * Vectors of texts by bytes, 512 a row, one row for each part of a text: some 590 bytes. Many are searched by the signs
 * of their values first, 64 bytes a row: a million in some 10 ms.
 */
export class MeaningRows {
  private readonly bytes: Int8Array[] = [];
  private readonly signs: Uint8Array[] = [];
  private owners = new Int32Array(0);
  /** The next part of the same text. */
  private nexts = new Int32Array(0);
  /** One over the length of each row. */
  private shrinks = new Float32Array(0);
  /** By owner: one more than its first row. */
  private firsts = new Int32Array(0);
  private readonly free: number[] = [];
  private end = 0;
  private ownerCount = 0;

  /** Number of owners. */
  get size(): number {
    return this.ownerCount;
  }

  get byteLength(): number {
    const blocks = [...this.bytes, ...this.signs].reduce((sum, { byteLength }) => sum + byteLength, 0);
    return blocks + TABLE_BYTES * this.owners.length + this.firsts.byteLength;
  }

  has(owner: number): boolean {
    return (this.firsts[owner] ?? 0) > 0;
  }

  /** Replaces the rows of an owner: `vectors` holds the new ones one after the other. */
  put(owner: number, vectors: Int8Array): void {
    this.remove(owner);
    if (owner >= this.firsts.length) {
      this.firsts = grown(this.firsts, new Int32Array(Math.max(ROWS_AT_FIRST, Math.ceil((owner + 1) * 1.25))));
    }
    let before = NONE;
    for (let from = 0; from < vectors.length; from += DIMENSIONS) {
      const row = this.add(owner, vectors.subarray(from, from + DIMENSIONS));
      if (before === NONE) this.firsts[owner] = row + 1;
      else this.nexts[before] = row;
      before = row;
    }
    if (before !== NONE) this.ownerCount++;
  }

  remove(owner: number): void {
    if (!this.has(owner)) return;
    for (const row of this.rowsOf(owner)) {
      this.owners[row] = NONE;
      this.free.push(row);
    }
    this.firsts[owner] = 0;
    this.ownerCount--;
  }

  /** The rows of an owner one after the other; empty without rows. Valid until the next change. */
  vectorsOf(owner: number): Int8Array {
    const rows = [...this.rowsOf(owner)];
    const [only] = rows;
    if (only !== undefined && rows.length === 1) return this.vectorAt(only);
    const all = new Int8Array(rows.length * DIMENSIONS);
    rows.forEach((row, at) => {
      all.set(this.vectorAt(row), at * DIMENSIONS);
    });
    return all;
  }

  /** The cosine of each owner's nearest row; `absent` for an owner without rows. */
  cosines(owners: readonly number[], unit: Float32Array, absent: number): Float32Array {
    const rows = owners.flatMap((owner) => [...this.rowsOf(owner)]);
    const cosines = this.cosinesOf(rows, unit);
    let at = 0;
    return Float32Array.from(owners, (owner) => {
      let best = Number.NEGATIVE_INFINITY;
      for (; at < rows.length && this.owners[rows[at] as number] === owner; at++) {
        best = Math.max(best, cosines[at] as number);
      }
      return best === Number.NEGATIVE_INFINITY ? absent : best;
    });
  }

  /** About the `count` nearest owners, nearest first, exact up to some thousand rows. */
  nearest(unit: Float32Array, count: number, { isAllowed, among }: Sought): number[] {
    const isSought = (owner: number) => owner !== NONE && (!isAllowed || isAllowed(owner));
    const rows = among ? this.rowsAmong(among, isSought) : this.roughlyNearest(unit, SPARE * count, isSought);
    const cosines = this.cosinesOf(rows, unit);
    const bests = new Map<number, number>();
    rows.forEach((row, at) => {
      const owner = this.owners[row] as number;
      bests.set(owner, Math.max(bests.get(owner) ?? -1, cosines[at] as number));
    });
    const nearest = new Nearest(count);
    for (const [owner, cosine] of bests) nearest.offer(owner, cosine);
    return nearest.take().map(({ key }) => key);
  }

  private rowsAmong(among: ArrayLike<number>, isSought: (owner: number) => boolean): number[] {
    const rows: number[] = [];
    for (let at = 0; at < among.length; at++) {
      const owner = among[at] as number;
      if (isSought(owner)) rows.push(...this.rowsOf(owner));
    }
    return rows;
  }

  /** At least `wanted` rows that are sought, if there are so many; those whose signs are nearest. */
  private roughlyNearest(unit: Float32Array, wanted: number, isSought: (owner: number) => boolean): number[] {
    const { owners, end } = this;
    const rows: number[] = [];
    if (end <= EXACT_MAX) {
      for (let row = 0; row < end; row++) if (isSought(owners[row] as number)) rows.push(row);
      return rows;
    }
    const differences = signScan.differences(unit, this.signs, end);
    const counts = new Uint32Array(DIMENSIONS + 1);
    for (let row = 0; row < end; row++) {
      const difference = differences[row] as number;
      counts[difference] = (counts[difference] as number) + 1;
    }
    for (let from = 0; from <= DIMENSIONS && rows.length < wanted; ) {
      let until = from;
      for (let missing = wanted - rows.length; until <= DIMENSIONS && missing > 0; until++)
        missing -= counts[until] ?? 0;
      for (let row = 0; row < end; row++) {
        const difference = differences[row] as number;
        if (difference >= from && difference < until && isSought(owners[row] as number)) rows.push(row);
      }
      from = until;
    }
    return rows;
  }

  private cosinesOf(rows: readonly number[], unit: Float32Array): Float64Array {
    const places = rows.map(
      (row): Row => ({
        values: this.bytes[row >>> BLOCK_SHIFT] as Int8Array,
        from: (row & (BLOCK_ROWS - 1)) * DIMENSIONS,
      }),
    );
    const products = fineProducts.of(places, unit);
    return products.map((product, at) => product * (this.shrinks[rows[at] as number] as number));
  }

  private *rowsOf(owner: number): Generator<number> {
    for (let row = (this.firsts[owner] ?? 0) - 1; row >= 0; row = this.nexts[row] as number) yield row;
  }

  private vectorAt(row: number): Int8Array {
    const from = (row & (BLOCK_ROWS - 1)) * DIMENSIONS;
    return (this.bytes[row >>> BLOCK_SHIFT] as Int8Array).subarray(from, from + DIMENSIONS);
  }

  private add(owner: number, vector: Int8Array): number {
    const row = this.free.pop() ?? this.end++;
    this.ensureCapacity(row + 1);
    this.vectorAt(row).set(vector);
    const signs = (this.signs[row >>> BLOCK_SHIFT] as Uint8Array).subarray((row & (BLOCK_ROWS - 1)) * SIGN_BYTES);
    writeSigns(vector, signs);
    let squares = 0;
    for (let d = 0; d < DIMENSIONS; d++) squares += (vector[d] as number) ** 2;
    this.owners[row] = owner;
    this.nexts[row] = NONE;
    this.shrinks[row] = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    return row;
  }

  private ensureCapacity(count: number): void {
    const block = (count - 1) >>> BLOCK_SHIFT;
    const rows = Math.min(
      BLOCK_ROWS,
      block > 0 ? BLOCK_ROWS : 2 ** Math.ceil(Math.log2(Math.max(ROWS_AT_FIRST, count))),
    );
    if ((this.bytes[block]?.length ?? 0) < rows * DIMENSIONS) {
      this.bytes[block] = grown(this.bytes[block] ?? new Int8Array(0), new Int8Array(rows * DIMENSIONS));
      this.signs[block] = grown(this.signs[block] ?? new Uint8Array(0), new Uint8Array(rows * SIGN_BYTES));
    }
    if (this.owners.length >= count) return;
    const capacity = Math.max(ROWS_AT_FIRST, Math.ceil(count * 1.25));
    this.owners = grown(this.owners, new Int32Array(capacity));
    this.nexts = grown(this.nexts, new Int32Array(capacity));
    this.shrinks = grown(this.shrinks, new Float32Array(capacity));
  }
}

/** One bit a value: whether it is above 0. */
function writeSigns(vector: Int8Array | Float32Array, to: Uint8Array): void {
  for (let byte = 0; byte < SIGN_BYTES; byte++) {
    let bits = 0;
    for (let bit = 0; bit < 8; bit++) if ((vector[8 * byte + bit] as number) > 0) bits |= 1 << bit;
    to[byte] = bits;
  }
}

/** The first page holds the question and the results, the second one the signs of a block. */
const RESULTS_AT = SIGN_BYTES;
const ROWS_AT = 65_536;

/** Numbers of differing signs. One instance serves one thread. */
class SignScan {
  private readonly kernel: Kernel;
  private readonly memory: Uint8Array;
  private readonly results: Uint16Array;
  private found = new Uint16Array(0);

  constructor() {
    this.kernel = newKernel();
    this.memory = new Uint8Array(this.kernel.memory.buffer);
    this.results = new Uint16Array(this.kernel.memory.buffer, RESULTS_AT, BLOCK_ROWS);
  }

  /** By row; good until the next call. */
  differences(unit: Float32Array, blocks: readonly Uint8Array[], end: number): Uint16Array {
    if (this.found.length < end) this.found = new Uint16Array(Math.ceil(end * 1.25));
    writeSigns(unit, this.memory);
    for (let from = 0; from < end; from += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, end - from);
      const block = blocks[from >>> BLOCK_SHIFT] as Uint8Array;
      this.memory.set(count === BLOCK_ROWS ? block : block.subarray(0, count * SIGN_BYTES), ROWS_AT);
      this.kernel.differing(0, ROWS_AT, count, RESULTS_AT);
      this.found.set(count === BLOCK_ROWS ? this.results : this.results.subarray(0, count), from);
    }
    return this.found.subarray(0, end);
  }
}

const signScan = new SignScan();
const fineProducts = new FineProducts();
