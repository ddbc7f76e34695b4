import { readFileSync } from 'node:fs';

/** The first page, from its beginning: values of four memories, their parameters, and the results of a scan. */
const TERMS_AT = 32_768;
const FOUND_AT = 36_864;

/** The part of WebAssembly that is used: among type libraries only those of browsers declare it. */
interface Wasm {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

interface Kernel {
  readonly memory: {
    /** Another one after each `grow`. */
    readonly buffer: ArrayBuffer;
    /** Adds pages; returns the former number. Throws a RangeError when memory is exhausted. */
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

/** A memory's vector as it is compared with rows: its values and the length of the remainder after each stage. */
export interface ScannedVector {
  readonly values: Int16Array;
  readonly lengths: Float32Array;
  /** Factor and summand of the products of its values. */
  readonly scale: number;
  readonly slack: number;
}

/** Stages of each of some groups. */
export interface Stages {
  /** Offset of the first group; the next groups follow. */
  readonly at: number;
  readonly count: number;
}

/** All memory of the scans of a thread, used or free: it grows and is never returned to the system. */
export const rowMemory = {
  /** The bytes; valid until the next `take`. */
  get bytes(): Int8Array {
    return views.bytes;
  },

  /** The same as numbers of four bytes. */
  get floats(): Float32Array {
    return views.floats;
  },

  /** First byte of pages of this block alone; their contents are undefined. */
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

  /** Sets the memories of the following scans: up to `SCANNED_AT_ONCE` memories of the same dimension. */
  look(memories: readonly ScannedVector[]): void {
    const values = new Int32Array(memory.buffer);
    for (let place = 0; place < SCANNED_AT_ONCE; place++) {
      const scanned = memories[place];
      views.floats[TERMS_AT / 4 + place] = scanned?.scale ?? 0;
      // An unused slot must match no row.
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

const PAGE_BYTES = 65_536;
/** Rows that are stored together. */
export const GROUP_ROWS = 8;
/** Dimensions after which a scan looks whether one of a group's rows can still be near enough. */
export const STAGE = 64;
/** Each row's threshold comes first in a group; the length of its remainder comes last in a stage. */
const ASKED_BYTES = 4 * GROUP_ROWS;
const STAGE_BYTES = STAGE * GROUP_ROWS + 4 * GROUP_ROWS;
/** Most rows are abandoned within this share of their stages. */
const FIRST_SHARE = 1 / 3;

/** Where the first and the later stages of a block of groups are. */
export interface Block {
  readonly first: number;
  readonly later: number;
}

/**
 * Memory layout of rows of one dimension. Eight rows are a group: the threshold of each, then for each stage of 64
 * dimensions the values, a pair of dimensions of each row after another, and for each row the length of its later
 * dimensions. The later stages, which a scan seldom reaches, are stored separately, so that the others are read
 * sequentially. `query-rows.wat` reads it.
 */
export class RowLayout {
  readonly stages: number;
  readonly firstStages: number;
  readonly laterStages: number;
  readonly blockRows: number;
  /** Pages of the later stages of a block; the first stages have one. */
  readonly laterPages: number;
  private readonly firstBytes: number;
  private readonly laterBytes: number;

  constructor(dimension: number) {
    this.stages = Math.ceil(dimension / STAGE);
    this.firstStages = Math.ceil(this.stages * FIRST_SHARE);
    this.laterStages = this.stages - this.firstStages;
    this.firstBytes = ASKED_BYTES + this.firstStages * STAGE_BYTES;
    this.laterBytes = this.laterStages * STAGE_BYTES;
    const groups = Math.floor(PAGE_BYTES / this.firstBytes);
    this.blockRows = groups * GROUP_ROWS;
    this.laterPages = Math.ceil((groups * this.laterBytes) / PAGE_BYTES);
  }

  /** Where the byte of a value of a row of the block is. */
  valueAt(block: Block, row: number, at: number): number {
    const pair = Math.floor((at % STAGE) / 2);
    return this.stageAt(block, row, Math.floor(at / STAGE)) + 2 * (GROUP_ROWS * pair + (row % GROUP_ROWS)) + (at % 2);
  }

  /** Index of the length of the remainder after a stage, in numbers of four bytes. */
  lengthAt(block: Block, row: number, stage: number): number {
    return (this.stageAt(block, row, stage) + STAGE_BYTES) / 4 - GROUP_ROWS + (row % GROUP_ROWS);
  }

  /** Index of the row's threshold, in numbers of four bytes. */
  askedAt({ first }: Block, row: number): number {
    return (first + Math.floor(row / GROUP_ROWS) * this.firstBytes) / 4 + (row % GROUP_ROWS);
  }

  /** The bytes of the group of a row: from and to where. */
  groupAt({ first, later }: Block, row: number): readonly (readonly [from: number, to: number])[] {
    const group = Math.floor(row / GROUP_ROWS);
    const [firstAt, laterAt] = [first + group * this.firstBytes, later + group * this.laterBytes];
    return [
      [firstAt, firstAt + this.firstBytes],
      [laterAt, laterAt + this.laterBytes],
    ];
  }

  private stageAt({ first, later }: Block, row: number, stage: number): number {
    const group = Math.floor(row / GROUP_ROWS);
    return stage < this.firstStages
      ? first + group * this.firstBytes + ASKED_BYTES + stage * STAGE_BYTES
      : later + group * this.laterBytes + (stage - this.firstStages) * STAGE_BYTES;
  }
}
