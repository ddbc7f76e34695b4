import { codeMemory, PAGE_BYTES, ROWS_AT_ONCE } from './code-memory.ts';
import { KeySlots } from './key-slots.ts';
import type { RoughNearest } from './rough-nearest.ts';

const BLOCK_SHIFT = 10;
const BLOCK_ROWS = 1 << BLOCK_SHIFT;
/** Key of a free slot. */
const FREE = 0;
/** Key, step, error. */
const SLOT_BYTES = 16;

/** A query as rows are compared with it; see `CodedRows.ask`. */
export interface CodedQuery {
  readonly step: number;
  readonly error: number;
}

/** The tables of `CodedRows`, for a snapshot; a free slot has the key 0. */
export interface CodedTables {
  readonly keys: Float64Array;
  readonly steps: Float32Array;
  readonly errors: Float32Array;
}

/**
 * Vectors of length 1 as bytes: each value is a multiple of a 127th of the greatest one. The dot product of two is known
 * up to the length of the rounding error. A vector stays in its slot until it is removed; the slot is then used again.
 */
export class CodedRows {
  readonly dimension: number;
  /** Bytes of a row: a multiple of 16. */
  readonly depth: number;
  private readonly blockPages: number;
  private readonly blocks: number[] = [];
  private readonly slots = new KeySlots();
  private free: number[] = [];
  private count = 0;
  private keys = new Float64Array(0);
  private steps = new Float32Array(0);
  private errors = new Float32Array(0);

  constructor(dimension: number) {
    this.dimension = dimension;
    this.depth = 16 * Math.ceil(dimension / 16);
    this.blockPages = Math.ceil((BLOCK_ROWS * this.depth) / PAGE_BYTES);
  }

  /** Reads what `tables` and `codes` had: `fill` is called for the memory of each block in their order. */
  static filled(dimension: number, tables: CodedTables, fill: (codes: Int8Array) => void): CodedRows {
    const rows = new CodedRows(dimension);
    const count = tables.keys.length;
    rows.ensureCapacity(count);
    rows.keys.set(tables.keys);
    rows.steps.set(tables.steps);
    rows.errors.set(tables.errors);
    rows.count = count;
    for (const codes of rows.codes()) fill(codes);
    for (let slot = count - 1; slot >= 0; slot--) {
      const key = tables.keys[slot] as number;
      if (key === FREE) rows.free.push(slot);
      else rows.slots.set(key, slot);
    }
    return rows;
  }

  get size(): number {
    return this.count - this.free.length;
  }

  /** All slots, free ones included, are less than this. */
  get end(): number {
    return this.count;
  }

  get bytes(): number {
    return this.blocks.length * this.blockPages * PAGE_BYTES + this.keys.length * SLOT_BYTES + this.slots.bytes;
  }

  /** -1 when the key is not there. */
  slotOf(key: number): number {
    return this.slots.get(key);
  }

  /** The slots of the keys that are there, in their order. */
  slotsOf(keys: ArrayLike<number>): Uint32Array {
    return this.slots.all(keys);
  }

  /** 0 for a free slot. */
  keyAt(slot: number): number {
    return this.keys[slot] as number;
  }

  /** Slot of the next new key. */
  get nextSlot(): number {
    return this.free.at(-1) ?? this.count;
  }

  /** Adds a vector of length 1 under a new key, in `nextSlot`. */
  add(key: number, unit: Float32Array): void {
    const slot = this.free.pop() ?? this.count++;
    this.ensureCapacity(slot + 1);
    const { step, error } = codeMemory.encode(unit, this.addressOf(slot), this.depth);
    this.keys[slot] = key;
    this.steps[slot] = step;
    this.errors[slot] = error;
    this.slots.set(key, slot);
  }

  /** Returns the slot that is free from now on; -1 when the key is not there. */
  remove(key: number): number {
    const slot = this.slots.get(key);
    if (slot < 0) return slot;
    this.slots.delete(key);
    this.keys[slot] = FREE;
    this.free.push(slot);
    return slot;
  }

  /** The vector as far as it is known here. */
  decode(slot: number, into: Float32Array): void {
    const { bytes } = codeMemory;
    const at = this.addressOf(slot);
    const step = this.steps[slot] as number;
    for (let i = 0; i < this.dimension; i++) into[i] = (bytes[at + i] as number) * step;
  }

  /** The vector of length 1 that `compare` compares with, until the next call for any rows of the thread. */
  ask(unit: Float32Array): CodedQuery {
    return codeMemory.ask(unit, this.depth);
  }

  /**
   * Offers the vectors in the first `count` slots of the list. `slackShare`: the part of the largest possible error that is
   * allowed for.
   */
  compare(asked: CodedQuery, list: ArrayLike<number>, count: number, slackShare: number, rough: RoughNearest): void {
    const { steps, errors, blocks, depth } = this;
    const { addresses, products } = codeMemory;
    let { floor } = rough;
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      const rows = Math.min(ROWS_AT_ONCE, count - from);
      for (let i = 0; i < rows; i++) {
        const slot = list[from + i] as number;
        addresses[i] = (blocks[slot >>> BLOCK_SHIFT] as number) + (slot & (BLOCK_ROWS - 1)) * depth;
      }
      codeMemory.multiply(rows, depth);
      for (let i = 0; i < rows; i++) {
        const slot = list[from + i] as number;
        const error = errors[slot] as number;
        const slack = slackShare * (error + (1 + error) * asked.error) + ROUNDING;
        const similarity = (products[i] as number) * asked.step * (steps[slot] as number);
        // Nearly all fall behind here.
        if (similarity + slack < floor) continue;
        rough.offer(slot, similarity, slack);
        floor = rough.floor;
      }
    }
  }

  /** Tables in their present state: valid until the next change. */
  tables(): CodedTables {
    const { count } = this;
    return {
      keys: this.keys.subarray(0, count),
      steps: this.steps.subarray(0, count),
      errors: this.errors.subarray(0, count),
    };
  }

  /** The bytes of the rows in the first `end` slots, in their order: each valid until the next change. */
  *codes(end = this.count): Generator<Int8Array> {
    for (let first = 0; first < end; first += BLOCK_ROWS) {
      const at = this.addressOf(first);
      yield codeMemory.bytes.subarray(at, at + Math.min(BLOCK_ROWS, end - first) * this.depth);
    }
  }

  /** Gives the memory back; the rows are not used again. */
  close(): void {
    for (const at of this.blocks.splice(0)) codeMemory.giveBack(at, this.blockPages);
  }

  private addressOf(slot: number): number {
    return (this.blocks[Math.floor(slot / BLOCK_ROWS)] as number) + (slot % BLOCK_ROWS) * this.depth;
  }

  private ensureCapacity(count: number): void {
    while (this.blocks.length * BLOCK_ROWS < count) this.blocks.push(codeMemory.take(this.blockPages));
    if (this.keys.length >= count) return;
    const capacity = Math.max(BLOCK_ROWS, count, Math.ceil(1.25 * this.keys.length));
    this.keys = grown(this.keys, new Float64Array(capacity));
    this.steps = grown(this.steps, new Float32Array(capacity));
    this.errors = grown(this.errors, new Float32Array(capacity));
  }
}

/** More than the rounding of a product of vectors in single precision. */
const ROUNDING = 1e-6;

function grown<A extends Float64Array | Float32Array>(former: A, larger: A): A {
  larger.set(former);
  return larger;
}
