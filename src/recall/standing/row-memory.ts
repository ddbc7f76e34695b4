import { readFileSync } from 'node:fs';

const PAGE_BYTES = 65_536;
/** The first page, from its beginning: values of a memory, lengths of its parts, and what a scan has found. */
const LENGTHS_AT = 32_768;
const FOUND_AT = 36_864;

interface Kernel {
  readonly memory: WebAssembly.Memory;
  readonly scan: (...numbers: number[]) => number;
}

const CODE = new URL('../../../gen/wasm/query-rows.wasm', import.meta.url);
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(CODE)));
const { memory, scan } = exports as unknown as Kernel;
const freeBlocks = new Map<number, number[]>();
let views = { bytes: new Int8Array(memory.buffer), floats: new Float32Array(memory.buffer) };

/** What a memory is compared with rows by: its values and the length of what is left of it after each stage. */
export interface ScannedVector {
  readonly values: Int16Array;
  readonly lengths: Float32Array;
  /** What products of its values are multiplied with, and what is added to them. */
  readonly scale: number;
  readonly slack: number;
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

  /** What the following scans look for. */
  look({ values, lengths }: ScannedVector): void {
    new Int16Array(memory.buffer).set(values);
    views.floats.set(lengths, LENGTHS_AT / 4);
  },

  /** Numbers of the rows in so many groups from `at` that the memory may be near to; good until the next scan. */
  scan(at: number, groups: number, { lengths, scale, slack }: ScannedVector): Uint32Array {
    const count = scan(at, groups, lengths.length, 0, LENGTHS_AT, scale, slack, FOUND_AT);
    return new Uint32Array(memory.buffer, FOUND_AT, count);
  },
};
