import { readFileSync } from 'node:fs';
import { PAGE_BYTES } from './row-layout.ts';

/** The first page, from its beginning: values of four memories, what else is to be known of them, and what a scan has found. */
const TERMS_AT = 32_768;
const FOUND_AT = 36_864;

/** The part of WebAssembly that is used: of all type libraries only those of browsers declare it. */
interface Wasm {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

interface Kernel {
  readonly memory: {
    /** Another one after each `grow`. */
    readonly buffer: ArrayBuffer;
    /** Adds pages; gives how many there were. Throws a RangeError where there is no more memory. */
    grow(pages: number): number;
  };
  readonly scan: (...numbers: number[]) => number;
}

const CODE = new URL('../../../gen/wasm/query-rows.wasm', import.meta.url);
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Wasm };
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(CODE)));
const { memory, scan } = exports as Kernel;
const freeBlocks = new Map<number, number[]>();
let views = { bytes: new Int8Array(memory.buffer), floats: new Float32Array(memory.buffer) };

/** Memories that are compared with the rows in one scan. */
export const SCANNED_AT_ONCE = 4;

/** What a memory is compared with rows by: its values and the length of what is left of it after each stage. */
export interface ScannedVector {
  readonly values: Int16Array;
  readonly lengths: Float32Array;
  /** What products of its values are multiplied with, and what is added to them. */
  readonly scale: number;
  readonly slack: number;
}

/** Stages of each of some groups. */
export interface Stages {
  /** Those of the first group; those of the next ones follow. */
  readonly at: number;
  readonly count: number;
}

/** All memory of the scans of a thread, in any use: it grows and is never given back to the system. */
export const rowMemory = {
  /** The bytes; good until the next `take`. */
  get bytes(): Int8Array {
    return views.bytes;
  },

  /** The same as numbers of four bytes. */
  get floats(): Float32Array {
    return views.floats;
  },

  /** First byte of pages that nobody else has; what is in them may be anything. */
  take(pages: number): number {
    const free = freeBlocks.get(pages)?.pop();
    if (free !== undefined) return free;
    const at = memory.grow(pages) * PAGE_BYTES;
    views = { bytes: new Int8Array(memory.buffer), floats: new Float32Array(memory.buffer) };
    return at;
  },

  giveBack(at: number, pages: number): void {
    const free = freeBlocks.get(pages);
    if (free) free.push(at);
    else freeBlocks.set(pages, [at]);
  },

  /** What the following scans look for: up to `SCANNED_AT_ONCE` memories of as many values. */
  look(memories: readonly ScannedVector[]): void {
    const values = new Int32Array(memory.buffer);
    for (let place = 0; place < SCANNED_AT_ONCE; place++) {
      const scanned = memories[place];
      views.floats[TERMS_AT / 4 + place] = scanned?.scale ?? 0;
      // Nothing is near to a memory that is not there.
      views.floats[TERMS_AT / 4 + SCANNED_AT_ONCE + place] = scanned?.slack ?? Number.NEGATIVE_INFINITY;
      if (!scanned) continue;
      const pairs = new Int32Array(scanned.values.buffer);
      for (const [at, pair] of pairs.entries()) values[SCANNED_AT_ONCE * at + place] = pair;
      for (const [stage, length] of scanned.lengths.entries()) {
        views.floats[TERMS_AT / 4 + SCANNED_AT_ONCE * (2 + stage) + place] = length;
      }
    }
  },

  /**
   * The rows in so many groups of eight that a memory may be near to: the number of the group times 32, plus that of the memory
   * times 8, plus that of the row in the group. Good until the next scan.
   */
  scan(groups: number, first: Stages, later: Stages): Uint32Array {
    const count = scan(first.at, groups, first.count, later.at, later.count, 0, TERMS_AT, FOUND_AT);
    return new Uint32Array(memory.buffer, FOUND_AT, count);
  },
};
