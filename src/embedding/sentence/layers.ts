import { readFileSync } from 'node:fs';
import type { Matrix } from './encoder-file.ts';

const CODE = new URL('../../../gen/wasm/products.wasm', import.meta.url);
const PAGE_BYTES = 65_536;
const FLOAT_BYTES = 4;
/** The kernel's own, from the beginning of its memory. */
const KERNEL_BYTES = 8192;
/** Columns of a panel of weights. */
const PANEL = 8;
/** Rows that the kernel takes at once: it reads and writes whole groups. */
export const ROWS_AT_ONCE = 4;

/** The part of WebAssembly that is used: of all type libraries only those of browsers declare it. */
interface Wasm {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly multiply_rows: (...numbers: number[]) => void;
  readonly multiply_row: (...numbers: number[]) => void;
}

/** Numbers in the kernel's memory, `width` to a row. */
export interface Room {
  /** Index of the first in `Layers.floats`. */
  readonly at: number;
  readonly width: number;
}

/** A layer's weights in the kernel's memory. */
export interface Layer {
  readonly at: number;
  readonly depth: number;
  readonly columns: number;
  readonly scale: number;
}

/** Memory of the kernel that multiplies activations with weights. All room is taken before the first product. */
export class Layers {
  floats: Float32Array;
  private readonly kernel: Kernel;
  private end = KERNEL_BYTES;

  constructor() {
    const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Wasm };
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(CODE)));
    this.kernel = exports as Kernel;
    this.floats = new Float32Array(this.kernel.memory.buffer);
  }

  take(rows: number, width: number): Room {
    return { at: this.reserve(rows * width * FLOAT_BYTES) / FLOAT_BYTES, width };
  }

  put({ bytes, rows, columns, scale }: Matrix): Layer {
    const at = this.reserve(bytes.length);
    new Int8Array(this.kernel.memory.buffer, at, bytes.length).set(bytes);
    return { at, depth: rows, columns, scale };
  }

  /**
   * Rows of `from`, each `layer.depth` numbers long and beginning `stride` numbers behind the one before, times the weights,
   * without their scale. Works on whole groups of `ROWS_AT_ONCE` rows.
   */
  multiplyRows(layer: Layer, from: { at: number; stride: number }, rows: number, to: { at: number; stride: number }) {
    this.kernel.multiply_rows(
      from.at * FLOAT_BYTES,
      from.stride * FLOAT_BYTES,
      rows,
      layer.at,
      layer.depth,
      layer.columns / PANEL,
      to.at * FLOAT_BYTES,
      to.stride * FLOAT_BYTES,
    );
  }

  multiplyRow(layer: Layer, from: Room, to: Room): void {
    const { at, depth, columns } = layer;
    this.kernel.multiply_row(from.at * FLOAT_BYTES, at, depth, columns / PANEL, to.at * FLOAT_BYTES);
  }

  private reserve(bytes: number): number {
    const at = this.end;
    this.end += Math.ceil(bytes / 16) * 16;
    const { memory } = this.kernel;
    const missing = this.end - memory.buffer.byteLength;
    if (missing > 0) {
      memory.grow(Math.ceil(missing / PAGE_BYTES));
      this.floats = new Float32Array(memory.buffer);
    }
    return at;
  }
}
