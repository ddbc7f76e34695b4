import { readFileSync } from 'node:fs';

const CODE = new URL('../../../gen/wasm/rough-products.wasm', import.meta.url);
export const PAGE_BYTES = 65_536;
/** On the first page: the values of a query, then addresses of rows, then products. */
const ADDRESSES_AT = 16_384;
const PRODUCTS_AT = 32_768;
/** Rows that one call multiplies. */
export const ROWS_AT_ONCE = 4096;
/** Rows are far apart when the memory from the first to the last one is at least this many times as long as the rows. */
const APART = 2;
const CODE_MAX = 127;
const LEVELS_MAX = 32_767;

/** The part of WebAssembly that is used: among type libraries only those of browsers declare it. */
interface Wasm {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

type Multiply = (values: number, depth: number, addresses: number, count: number, out: number) => void;

interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly multiplyAt: Multiply;
  readonly multiplyApart: Multiply;
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Wasm };
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(CODE)));
const kernel = exports as Kernel;
const freeBlocks = new Map<number, number[]>();
let views = viewsOf(kernel.memory.buffer);

function viewsOf(buffer: ArrayBuffer) {
  return {
    bytes: new Int8Array(buffer),
    values: new Int16Array(buffer, 0, ADDRESSES_AT / 2),
    addresses: new Uint32Array(buffer, ADDRESSES_AT, ROWS_AT_ONCE),
    products: new Int32Array(buffer, PRODUCTS_AT, ROWS_AT_ONCE),
  };
}

/**
 * Memory of the vectors that a thread keeps as bytes, used or free: it grows and is never returned to the system. Products
 * with one query at a time.
 */
export const codeMemory = {
  /** Valid until the next `take`. */
  get bytes(): Int8Array {
    return views.bytes;
  },

  /** Where the addresses of rows go before `multiply`, and their products are found after it. Valid until the next `take`. */
  get addresses(): Uint32Array {
    return views.addresses;
  },

  get products(): Int32Array {
    return views.products;
  },

  /** First byte of pages of this block alone; their contents are undefined. */
  take(pages: number): number {
    const free = freeBlocks.get(pages)?.pop();
    if (free !== undefined) return free;
    const at = kernel.memory.grow(pages) * PAGE_BYTES;
    views = viewsOf(kernel.memory.buffer);
    return at;
  },

  giveBack(at: number, pages: number): void {
    const free = freeBlocks.get(pages);
    if (free) free.push(at);
    else freeBlocks.set(pages, [at]);
  },

  /**
   * Sets the vector of length 1 that rows of `depth` bytes are multiplied with. Returns what one unit of a product is, and the
   * length of the rounding error.
   */
  ask(unit: Float32Array, depth: number): { readonly step: number; readonly error: number } {
    const { values } = views;
    const levels = Math.min(LEVELS_MAX, Math.floor(2 ** 31 / (CODE_MAX * depth)) - 1);
    const step = greatestOf(unit) / levels;
    let squares = 0;
    for (let i = 0; i < unit.length; i++) {
      const value = unit[i] as number;
      const level = Math.round(value / step);
      values[i] = level;
      squares += (value - level * step) ** 2;
    }
    values.fill(0, unit.length, depth);
    return { step, error: Math.sqrt(squares) };
  },

  /** The products of the first `count` rows of `addresses` with the vector of `ask`. */
  multiply(count: number, depth: number): void {
    const { addresses } = views;
    // Rows are multiplied by fours.
    addresses.fill(addresses[0] as number, count, 4 * Math.ceil(count / 4));
    const span = Math.abs((addresses[count - 1] as number) - (addresses[0] as number));
    // The processor itself looks ahead in rows that follow one another.
    const multiply = span < APART * count * depth ? kernel.multiplyAt : kernel.multiplyApart;
    multiply(0, depth, ADDRESSES_AT, count, PRODUCTS_AT);
  },

  /** Writes a vector as bytes, each value in units of the result's step. Returns the step and the length of the rounding error. */
  encode(unit: Float32Array, at: number, depth: number): { readonly step: number; readonly error: number } {
    const { bytes } = views;
    const step = Math.fround(greatestOf(unit) / CODE_MAX);
    let squares = 0;
    for (let i = 0; i < unit.length; i++) {
      const value = unit[i] as number;
      // A step that was rounded down may leave the greatest value a little further out.
      const code = Math.max(-CODE_MAX, Math.min(CODE_MAX, Math.round(value / step)));
      bytes[at + i] = code;
      squares += (value - code * step) ** 2;
    }
    bytes.fill(0, at + unit.length, at + depth);
    return { step, error: Math.sqrt(squares) };
  },
};

function greatestOf(unit: Float32Array): number {
  let most = 0;
  for (let i = 0; i < unit.length; i++) most = Math.max(most, Math.abs(unit[i] as number));
  return most;
}
