import { unitVector } from '../../memory/floats.ts';
import { dotProduct } from '../vectors/nearest.ts';
import {
  type Block,
  GROUP_ROWS,
  RowLayout,
  rowMemory,
  SCANNED_AT_ONCE,
  type ScannedVector,
  STAGE,
} from './row-memory.ts';

/** Up to this many are compared exactly, at 5 µs each: fewer do not justify the 192 KiB that rows initially take. */
const UNSCANNED_MAX = 16;

/** A standing query that a memory is near enough to. */
export interface NearQuery {
  readonly id: number;
  readonly similarity: number;
}

interface KeptQuery {
  readonly vector: Float32Array;
  readonly leastCosine: number;
}

/**
 * Vectors of queries of one dimension. One scan preselects the few that a memory may be near enough to; those are
 * compared exactly.
 */
export class QueryVectors {
  private readonly dimension: number;
  private readonly kept = new Map<number, KeptQuery>();
  /** Of all that are kept, once they were more than `UNSCANNED_MAX`. */
  private rows: QueryRows | undefined;

  constructor(dimension: number) {
    this.dimension = dimension;
  }

  get size(): number {
    return this.kept.size;
  }

  /** The vector is kept as it is. */
  put(id: number, vector: Float32Array, leastCosine: number): void {
    this.kept.set(id, { vector, leastCosine });
    if (this.rows) this.rows.put(id, unitOf(vector), leastCosine);
    else if (this.size > UNSCANNED_MAX) this.scanFromNow();
  }

  remove(id: number): void {
    if (!this.kept.delete(id)) return;
    this.rows?.remove(id);
    if (this.size === 0) this.rows = undefined;
  }

  /** For each of the memories, all of which have this dimension, the queries that it is near enough to: none without a direction. */
  near(memories: readonly Float32Array[]): NearQuery[][] {
    const units = memories.map((memory) => unitVector(memory));
    const candidates = this.rows?.candidates(units.flatMap((unit) => unit ?? []))[Symbol.iterator]();
    return units.map((unit) => (unit ? this.nearAmong(candidates?.next().value ?? this.kept.keys(), unit) : []));
  }

  private nearAmong(ids: Iterable<number>, unit: Float32Array): NearQuery[] {
    const near: NearQuery[] = [];
    for (const id of ids) {
      const query = this.kept.get(id);
      if (!query) continue;
      const similarity = cosine(unitOf(query.vector), unit);
      if (similarity >= query.leastCosine) near.push({ id, similarity });
    }
    return near;
  }

  private scanFromNow(): void {
    this.rows = new QueryRows(this.dimension);
    for (const [id, { vector, leastCosine }] of this.kept) this.rows.put(id, unitOf(vector), leastCosine);
  }
}

function unitOf(vector: Float32Array): Float32Array {
  return unitVector(vector) ?? vector;
}

/** As the vector indexes compute it, digit by digit: both vectors are of length 1. */
export function cosine(one: Float32Array, other: Float32Array): number {
  return Math.max(-1, Math.min(1, dotProduct(one, other)));
}

const BYTE = 127;
/** More than single precision can be wrong by. */
const MARGIN = 1e-5;
const NOWHERE: Block = { first: 0, later: 0 };

/**
 * Quantized vectors of standing queries, by id. A scan abandons a row as soon as the remaining dimensions cannot make
 * it near enough: with `q` and `m` of length 1 the product of the remainders is at most the product of their lengths
 * (Cauchy and Schwarz). Rounding errors are allowed for: a scan omits no row that is near enough.
 */
export class QueryRows {
  private readonly dimension: number;
  private readonly layout: RowLayout;
  private readonly blocks: Block[] = [];
  private readonly ids: number[] = [];
  private readonly places = new Map<number, number>();
  /** Length of the longest row, in bytes' units. */
  private longest = 0;

  constructor(dimension: number) {
    this.dimension = dimension;
    this.layout = new RowLayout(dimension);
  }

  /** The id is new; the vector has length 1. */
  put(id: number, unit: Float32Array, leastCosine: number): void {
    const { layout } = this;
    const place = this.ids.length;
    if (place === this.blocks.length * layout.blockRows) this.blocks.push(this.takeBlock());
    const [block, row] = this.rowAt(place);
    if (row % GROUP_ROWS === 0) this.clearGroup(block, row);
    const { bytes, floats } = rowMemory;
    const scale = BYTE / greatest(unit);
    let errors = 0;
    let squares = 0;
    for (let at = 0; at < unit.length; at++) {
      const value = unit[at] ?? 0;
      const byte = Math.round(value * scale);
      bytes[layout.valueAt(block, row, at)] = byte;
      errors += (value - byte / scale) ** 2;
      squares += byte ** 2;
    }
    for (const [stage, length] of lengthsAfter(unit, layout.stages).entries()) {
      floats[layout.lengthAt(block, row, stage)] = scale * length;
    }
    floats[layout.askedAt(block, row)] = scale * (leastCosine - Math.sqrt(errors) - MARGIN);
    this.longest = Math.max(this.longest, Math.sqrt(squares));
    this.ids.push(id);
    this.places.set(id, place);
  }

  /** The last row replaces the removed one. */
  remove(id: number): void {
    const place = this.places.get(id);
    const lastId = this.ids.at(-1);
    if (place === undefined || lastId === undefined) return;
    const last = this.ids.length - 1;
    this.copyRow(last, place);
    const [block, row] = this.rowAt(last);
    rowMemory.floats[this.layout.askedAt(block, row)] = Number.POSITIVE_INFINITY;
    this.ids[place] = lastId;
    this.places.set(lastId, place);
    this.ids.pop();
    this.places.delete(id);
    if (row === 0) this.giveBack(this.blocks.pop());
  }

  /** For each of the vectors of length 1 the ids of all rows that it is near enough to, and of a few that it is not. */
  candidates(units: readonly Float32Array[]): number[][] {
    const ids: number[][] = units.map(() => []);
    for (let from = 0; from < units.length; from += SCANNED_AT_ONCE) this.scan(units, from, ids);
    return ids;
  }

  private scan(units: readonly Float32Array[], from: number, ids: readonly number[][]): void {
    rowMemory.look(units.slice(from, from + SCANNED_AT_ONCE).map((unit) => this.scanned(unit)));
    const { blockRows, firstStages, laterStages } = this.layout;
    for (const [at, { first, later }] of this.blocks.entries()) {
      const firstPlace = at * blockRows;
      const groups = Math.ceil(Math.min(blockRows, this.ids.length - firstPlace) / GROUP_ROWS);
      const stages = [
        { at: first, count: firstStages },
        { at: later, count: laterStages },
      ] as const;
      for (const found of rowMemory.scan(groups, ...stages)) {
        const id = this.ids[firstPlace + GROUP_ROWS * (found >> 5) + (found & 7)];
        if (id !== undefined) ids[from + ((found >> 3) & 3)]?.push(id);
      }
    }
  }

  /** As wide as sums of products with bytes allow, which have 31 bits. */
  private scanned(unit: Float32Array): ScannedVector {
    const { stages } = this.layout;
    const widest = Math.min(32_767, Math.floor(2 ** 31 / (BYTE * stages * STAGE)) - 1);
    const scale = widest / greatest(unit);
    const values = new Int16Array(stages * STAGE);
    let errors = 0;
    for (let at = 0; at < unit.length; at++) {
      const value = unit[at] ?? 0;
      const rounded = Math.round(value * scale);
      values[at] = rounded;
      errors += (value - rounded / scale) ** 2;
    }
    const lengths = lengthsAfter(unit, stages);
    return { values, lengths, scale: 1 / scale, slack: Math.sqrt(errors) * this.longest };
  }

  private rowAt(place: number): readonly [Block, number] {
    const { blockRows } = this.layout;
    return [this.blocks[Math.floor(place / blockRows)] ?? NOWHERE, place % blockRows];
  }

  private takeBlock(): Block {
    const first = rowMemory.take(1);
    return { first, later: this.layout.laterStages === 0 ? 0 : rowMemory.take(this.layout.laterPages) };
  }

  private giveBack(block: Block | undefined): void {
    if (!block) return;
    rowMemory.giveBack(block.first, 1);
    if (this.layout.laterStages > 0) rowMemory.giveBack(block.later, this.layout.laterPages);
  }

  /** Rows that are not there ask for more than any memory has. */
  private clearGroup(block: Block, row: number): void {
    for (const [from, to] of this.layout.groupAt(block, row)) rowMemory.bytes.fill(0, from, to);
    const asked = this.layout.askedAt(block, row);
    rowMemory.floats.fill(Number.POSITIVE_INFINITY, asked, asked + GROUP_ROWS);
  }

  private copyRow(fromPlace: number, toPlace: number): void {
    const { layout } = this;
    const { bytes, floats } = rowMemory;
    const from = this.rowAt(fromPlace);
    const to = this.rowAt(toPlace);
    for (let at = 0; at < this.dimension; at++)
      bytes[layout.valueAt(...to, at)] = bytes[layout.valueAt(...from, at)] ?? 0;
    for (let stage = 0; stage < layout.stages; stage++) {
      floats[layout.lengthAt(...to, stage)] = floats[layout.lengthAt(...from, stage)] ?? 0;
    }
    floats[layout.askedAt(...to)] = floats[layout.askedAt(...from)] ?? 0;
  }
}

/** Length of the remainder of the vector after each stage; 0 after the last. */
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
