import { KeySlots } from './key-slots.ts';
import { dotProduct } from './nearest.ts';

const BLOCK_BYTES = 8 * 1024 * 1024;
const ROWS_AT_FIRST = 64;
const KEY_BYTES = 8;

/** Rows in use of one block. `rows` begins where its buffer does. */
export interface MatrixPiece {
  readonly firstSlot: number;
  readonly count: number;
  readonly rows: Float32Array;
}

/**
 * Vectors of one dimension by key, in blocks of a few thousand rows: growing never copies more than one block. Rows
 * are packed: the last row replaces a removed one.
 */
export class VectorMatrix {
  readonly dimension: number;
  /** A power of two; every block but the first is allocated at this size. */
  readonly blockRows: number;
  private readonly blocks: Float32Array[] = [];
  private readonly keys: number[] = [];
  private readonly slots = new KeySlots();

  constructor(dimension: number) {
    this.dimension = dimension;
    this.blockRows = Math.max(ROWS_AT_FIRST, 2 ** Math.floor(Math.log2(BLOCK_BYTES / (4 * dimension))));
  }

  /** Loads rows from a file: `fill` is called for each piece of memory in the order of the keys. */
  static filled(dimension: number, keys: Float64Array, fill: (rows: Float32Array) => void): VectorMatrix {
    const matrix = new VectorMatrix(dimension);
    for (let first = 0; first < keys.length; first += matrix.blockRows) {
      const block = new Float32Array(matrix.blockRows * dimension);
      fill(block.subarray(0, Math.min(matrix.blockRows, keys.length - first) * dimension));
      matrix.blocks.push(block);
    }
    for (const key of keys) matrix.slots.set(key, matrix.keys.push(key) - 1);
    return matrix;
  }

  get size(): number {
    return this.keys.length;
  }

  get bytes(): number {
    return this.blocks.reduce(
      (bytes, block) => bytes + block.byteLength,
      this.keys.length * KEY_BYTES + this.slots.bytes,
    );
  }

  /** Index of the key's row, less than `size`, or -1; changes when rows are removed. */
  slotOf(key: number): number {
    return this.slots.get(key);
  }

  keyAt(slot: number): number {
    return at(this.keys, slot);
  }

  /** The row itself, not a copy: good until the next change. */
  rowAt(slot: number): Float32Array {
    const offset = (slot % this.blockRows) * this.dimension;
    return this.blockOf(slot).subarray(offset, offset + this.dimension);
  }

  /** Dot product of the row with a vector. */
  dotAt(slot: number, vector: Float32Array): number {
    return dotProduct(this.blockOf(slot), vector, (slot % this.blockRows) * this.dimension);
  }

  /** Adds a row or overwrites the key's. */
  put(key: number, row: Float32Array): void {
    let slot = this.slots.get(key);
    if (slot < 0) {
      slot = this.keys.length;
      this.ensureCapacity(slot);
      this.keys.push(key);
      this.slots.set(key, slot);
    }
    this.write(slot, row);
  }

  remove(key: number): boolean {
    const slot = this.slots.get(key);
    if (slot < 0) return false;
    const last = this.keys.length - 1;
    if (slot !== last) {
      const lastKey = this.keyAt(last);
      this.write(slot, this.rowAt(last));
      this.keys[slot] = lastKey;
      this.slots.set(lastKey, slot);
    }
    this.keys.pop();
    this.slots.delete(key);
    if (last === 0) this.blocks.length = 0;
    // One empty block stays, so that adding and removing by turns at its edge does not allocate.
    if (this.blocks.length > Math.ceil(last / this.blockRows) + 1) this.blocks.pop();
    return true;
  }

  *pieces(): Generator<MatrixPiece> {
    for (let firstSlot = 0; firstSlot < this.size; firstSlot += this.blockRows) {
      const count = Math.min(this.blockRows, this.size - firstSlot);
      yield { firstSlot, count, rows: this.blockOf(firstSlot).subarray(0, count * this.dimension) };
    }
  }

  /** The keys in the order of the rows. */
  keyTable(): Float64Array {
    return Float64Array.from(this.keys);
  }

  private write(slot: number, row: Float32Array): void {
    this.blockOf(slot).set(row, (slot % this.blockRows) * this.dimension);
  }

  private ensureCapacity(slot: number): void {
    const first = this.blocks[0];
    if (slot >= this.blockRows) {
      if (this.blocks.length * this.blockRows <= slot)
        this.blocks.push(new Float32Array(this.blockRows * this.dimension));
    } else if (!first || first.length <= slot * this.dimension) {
      const grown = new Float32Array(Math.max(ROWS_AT_FIRST, 2 * slot) * this.dimension);
      if (first) grown.set(first);
      this.blocks[0] = grown;
    }
  }

  private blockOf(slot: number): Float32Array {
    return at(this.blocks, Math.floor(slot / this.blockRows));
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`no item ${index} in ${list.length}`);
  return item;
}
