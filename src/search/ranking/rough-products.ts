import { readFileSync } from 'node:fs';
import type { Row } from './row-products.ts';

const CODE = new URL('../../../gen/wasm/rough-products.wasm', import.meta.url);
/** The first page holds the values and the products, the second one the rows. */
const PAGE_BYTES = 65_536;
const PRODUCTS_AT = PAGE_BYTES / 2;
const ROWS_AT = PAGE_BYTES;
const ROUGH_LEVELS = 32_767;
const PRODUCT_BYTES = 4;
/** Products of more values could be too great for 32 bits. */
const DIMENSIONS_MAX = 512;

/** The part of WebAssembly that is used: among type libraries only those of browsers declare it. */
interface Wasm {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly multiply: (values: number, depth: number, rows: number, count: number, out: number) => void;
  readonly differing: (asked: number, rows: number, count: number, out: number) => void;
}

/** The functions of `rough-products.wat`, with memory of their own. */
export function newKernel(): Kernel {
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Wasm };
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(CODE))).exports as Kernel;
}

/**
 * Cosines of one vector with many quantized ones, accurate to `slack`: a tenth of the work of exact ones. Set a
 * question, add rows until the buffer is full, then take their products, and repeat. One instance serves one thread.
 */
export class RoughProducts {
  private readonly kernel: Kernel;
  private readonly memory: Int8Array;
  private dimensions = 0;
  private step = 0;
  private end = 0;

  constructor() {
    this.kernel = newKernel();
    this.memory = new Int8Array(this.kernel.memory.buffer);
  }

  /** `vector` has a length of 1 and a multiple of 16 dimensions, at most 512. Forgets the rows of another question. */
  ask(vector: Float32Array): void {
    if (vector.length > DIMENSIONS_MAX) throw new RangeError(`${vector.length} dimensions, at most ${DIMENSIONS_MAX}`);
    const greatest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    this.step = greatest / ROUGH_LEVELS;
    this.dimensions = vector.length;
    this.end = 0;
    const levels = new Int16Array(this.memory.buffer, 0, vector.length);
    for (let d = 0; d < vector.length; d++) levels[d] = Math.round((vector[d] as number) / this.step);
  }

  /** Factor that, with the inverse length of the row, turns a product into a cosine. */
  get scale(): number {
    return this.step;
  }

  /** How far a cosine may be from the exact one: each value is rounded by half a level. */
  get slack(): number {
    return this.step * Math.sqrt(this.dimensions);
  }

  /** Rows that the buffer has room for. */
  get room(): number {
    return Math.floor((PAGE_BYTES - this.end) / this.dimensions);
  }

  /** False where the buffer is full: take the products of the rows already added first. */
  add(rows: Int8Array): boolean {
    if (this.end + rows.length > PAGE_BYTES) return false;
    this.memory.set(rows, ROWS_AT + this.end);
    this.end += rows.length;
    return true;
  }

  /** Of the rows added since the last call, in their order; good until the next one. */
  take(): Int32Array {
    const count = this.end / this.dimensions;
    if (count > 0) this.kernel.multiply(0, this.dimensions, ROWS_AT, count, PRODUCTS_AT);
    this.end = 0;
    return new Int32Array(this.memory.buffer, PRODUCTS_AT, count);
  }
}

/**
 * Products of one vector with rows of bytes, as exact as 32-bit numbers: those of its values in steps of 15 bits, and those
 * of what the steps leave. A quarter of the time of `rowProducts`. One instance serves one thread.
 */
export class FineProducts {
  private readonly kernel: Kernel;
  private readonly memory: Int8Array;

  constructor() {
    this.kernel = newKernel();
    this.memory = new Int8Array(this.kernel.memory.buffer);
  }

  /** `vector` has a multiple of 16 dimensions, at most 512. */
  of(rows: readonly Row[], vector: Float32Array): Float64Array {
    const { length } = vector;
    if (length > DIMENSIONS_MAX) throw new RangeError(`${length} dimensions, at most ${DIMENSIONS_MAX}`);
    const { buffer } = this.kernel.memory;
    const [coarse, fine] = [new Int16Array(buffer, 0, length), new Int16Array(buffer, 2 * length, length)];
    const step = (vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1) / ROUGH_LEVELS;
    const rest = step / (2 * ROUGH_LEVELS);
    for (let d = 0; d < length; d++) {
      const value = vector[d] as number;
      const level = Math.round(value / step);
      coarse[d] = level;
      fine[d] = Math.round((value - level * step) / rest);
    }
    const atOnce = Math.floor(PAGE_BYTES / Math.max(length, PRODUCT_BYTES));
    const products = new Float64Array(rows.length);
    for (let from = 0; from < rows.length; from += atOnce) {
      const count = Math.min(atOnce, rows.length - from);
      for (let at = 0; at < count; at++) {
        const row = rows[from + at] as Row;
        this.memory.set(row.values.subarray(row.from, row.from + length), ROWS_AT + at * length);
      }
      this.kernel.multiply(0, length, ROWS_AT, count, PRODUCTS_AT);
      this.kernel.multiply(2 * length, length, ROWS_AT, count, PRODUCTS_AT + count * PRODUCT_BYTES);
      const found = new Int32Array(buffer, PRODUCTS_AT, 2 * count);
      for (let at = 0; at < count; at++) {
        products[from + at] = step * (found[at] as number) + rest * (found[count + at] as number);
      }
    }
    return products;
  }
}
