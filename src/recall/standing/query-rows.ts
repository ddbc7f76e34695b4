import { rowMemory, SCANNED_AT_ONCE, type ScannedVector } from './row-memory.ts';

const BYTE = 127;
const PAGE_BYTES = 65_536;
/** Rows that lie together, and dimensions after which a scan looks whether one of them can still be near enough. */
const GROUP_ROWS = 8;
const STAGE = 64;
/** What each row asks for comes first in a group; what is left of each row comes last in a stage. */
const ASKED_BYTES = 4 * GROUP_ROWS;
const STAGE_BYTES = STAGE * GROUP_ROWS + 4 * GROUP_ROWS;
/** More than single precision can be wrong by. */
const MARGIN = 1e-5;

/**
 * Vectors of standing queries as bytes, by id. A scan gives up a row as soon as the dimensions that it has not looked at cannot
 * make it near enough: with `q` and `m` of length 1 the product of what is left of both is at most that of the lengths of what is
 * left (Cauchy and Schwarz). What rounding can have taken is allowed for: a scan leaves out none that is near enough.
 *
 * In memory eight rows are a group: what each of them asks for, then for each stage of 64 dimensions the values, a pair of
 * dimensions of each row after another, and for each row the length of its later dimensions.
 */
export class QueryRows {
  private readonly dimension: number;
  private readonly stages: number;
  private readonly groupBytes: number;
  private readonly blockPages: number;
  private readonly blockRows: number;
  private readonly blocks: number[] = [];
  private readonly ids: number[] = [];
  private readonly places = new Map<number, number>();
  /** Length of the longest row, in bytes' units. */
  private longest = 0;

  constructor(dimension: number) {
    this.dimension = dimension;
    this.stages = Math.ceil(dimension / STAGE);
    this.groupBytes = ASKED_BYTES + this.stages * STAGE_BYTES;
    this.blockPages = Math.ceil(this.groupBytes / PAGE_BYTES);
    this.blockRows = GROUP_ROWS * Math.floor((this.blockPages * PAGE_BYTES) / this.groupBytes);
  }

  /** The id is new; the vector has length 1. */
  put(id: number, unit: Float32Array, leastCosine: number): void {
    const place = this.ids.length;
    if (place === this.blocks.length * this.blockRows) this.blocks.push(rowMemory.take(this.blockPages));
    if (place % GROUP_ROWS === 0) this.clearGroup(place);
    const { bytes, floats } = rowMemory;
    const scale = BYTE / greatest(unit);
    const lengths = lengthsAfter(unit, this.stages);
    let errors = 0;
    let squares = 0;
    for (let at = 0; at < unit.length; at++) {
      const value = unit[at] ?? 0;
      const byte = Math.round(value * scale);
      bytes[this.valueAt(place, at)] = byte;
      errors += (value - byte / scale) ** 2;
      squares += byte ** 2;
    }
    for (const [stage, length] of lengths.entries()) floats[this.lengthAt(place, stage)] = scale * length;
    floats[this.askedAt(place)] = scale * (leastCosine - Math.sqrt(errors) - MARGIN);
    this.longest = Math.max(this.longest, Math.sqrt(squares));
    this.ids.push(id);
    this.places.set(id, place);
  }

  remove(id: number): void {
    const place = this.places.get(id);
    const lastId = this.ids.at(-1);
    if (place === undefined || lastId === undefined) return;
    const last = this.ids.length - 1;
    this.copyRow(last, place);
    rowMemory.floats[this.askedAt(last)] = Number.POSITIVE_INFINITY;
    this.ids[place] = lastId;
    this.places.set(lastId, place);
    this.ids.pop();
    this.places.delete(id);
    if (last % this.blockRows === 0) rowMemory.giveBack(this.blocks.pop() ?? 0, this.blockPages);
  }

  /** For each of the vectors of length 1 the ids of all rows that it is near enough to, and of a few that it is not. */
  candidates(units: readonly Float32Array[]): number[][] {
    const ids: number[][] = units.map(() => []);
    for (let from = 0; from < units.length; from += SCANNED_AT_ONCE) this.scan(units, from, ids);
    return ids;
  }

  private scan(units: readonly Float32Array[], from: number, ids: readonly number[][]): void {
    rowMemory.look(units.slice(from, from + SCANNED_AT_ONCE).map((unit) => this.scanned(unit)));
    for (const [block, at] of this.blocks.entries()) {
      const first = block * this.blockRows;
      const groups = Math.ceil(Math.min(this.blockRows, this.ids.length - first) / GROUP_ROWS);
      for (const found of rowMemory.scan(at, groups, this.stages)) {
        const id = this.ids[first + GROUP_ROWS * (found >> 5) + (found & 7)];
        if (id !== undefined) ids[from + ((found >> 3) & 3)]?.push(id);
      }
    }
  }

  /** As wide as sums of products with bytes allow, which have 31 bits. */
  private scanned(unit: Float32Array): ScannedVector {
    const widest = Math.min(32_767, Math.floor(2 ** 31 / (BYTE * this.stages * STAGE)) - 1);
    const scale = widest / greatest(unit);
    const values = new Int16Array(this.stages * STAGE);
    let errors = 0;
    for (let at = 0; at < unit.length; at++) {
      const value = unit[at] ?? 0;
      const rounded = Math.round(value * scale);
      values[at] = rounded;
      errors += (value - rounded / scale) ** 2;
    }
    const lengths = lengthsAfter(unit, this.stages);
    return { values, lengths, scale: 1 / scale, slack: Math.sqrt(errors) * this.longest };
  }

  private clearGroup(place: number): void {
    const at = this.groupAt(place);
    rowMemory.bytes.fill(0, at, at + this.groupBytes);
    rowMemory.floats.fill(Number.POSITIVE_INFINITY, at / 4, at / 4 + GROUP_ROWS);
  }

  private copyRow(from: number, to: number): void {
    const { bytes, floats } = rowMemory;
    for (let at = 0; at < this.dimension; at++) bytes[this.valueAt(to, at)] = bytes[this.valueAt(from, at)] ?? 0;
    for (let stage = 0; stage < this.stages; stage++) {
      floats[this.lengthAt(to, stage)] = floats[this.lengthAt(from, stage)] ?? 0;
    }
    floats[this.askedAt(to)] = floats[this.askedAt(from)] ?? 0;
  }

  private groupAt(place: number): number {
    const row = place % this.blockRows;
    return (this.blocks[Math.floor(place / this.blockRows)] ?? 0) + Math.floor(row / GROUP_ROWS) * this.groupBytes;
  }

  private valueAt(place: number, at: number): number {
    const stage = this.groupAt(place) + ASKED_BYTES + Math.floor(at / STAGE) * STAGE_BYTES;
    const pair = Math.floor((at % STAGE) / 2);
    return stage + 2 * (GROUP_ROWS * pair + (place % GROUP_ROWS)) + (at % 2);
  }

  private lengthAt(place: number, stage: number): number {
    const end = this.groupAt(place) + ASKED_BYTES + (stage + 1) * STAGE_BYTES;
    return end / 4 - GROUP_ROWS + (place % GROUP_ROWS);
  }

  private askedAt(place: number): number {
    return this.groupAt(place) / 4 + (place % GROUP_ROWS);
  }
}

/** Lengths of what is left of the vector after each stage; nothing after the last. */
function lengthsAfter(unit: Float32Array, stages: number): Float32Array {
  const lengths = new Float32Array(stages);
  let squares = 0;
  for (let at = unit.length - 1; at >= STAGE; at--) {
    squares += (unit[at] ?? 0) ** 2;
    if (at % STAGE === 0) lengths[at / STAGE - 1] = Math.sqrt(squares);
  }
  return lengths;
}

function greatest(unit: Float32Array): number {
  let most = 0;
  for (const value of unit) most = Math.max(most, Math.abs(value));
  return most;
}
