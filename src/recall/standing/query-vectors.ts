import { unitVector } from '../../memory/unit-vector.ts';
import { dotProduct } from '../../vector-index/dot-product.ts';
import { type NearestRows, QueryRows } from './query-rows.ts';

/** Vectors of which no value is so many times the one that all would have if they were equal are written the finest. */
const SPREAD = 5;
const BYTE = 127;
/** More than single precision can be wrong by. */
const MARGIN = 1e-5;

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
 * Vectors of queries as bytes, each with the least product that it asks for as some more bytes, so that one pass over
 * all of them tells which queries a memory may be near enough to. What rounding can have added is allowed for: the pass
 * leaves out none, and the few that it names are compared in full.
 */
export class QueryVectors {
  private readonly dimension: number;
  /** What 1 is written as where no value stands out. */
  private readonly finest: number;
  /** Bytes that the least product is shared out over. */
  private readonly leastBytes: number;
  private readonly rows: QueryRows;
  private readonly kept = new Map<number, KeptQuery>();
  /** Length of the longest row. */
  private longest = 1;

  constructor(dimension: number, nearest: NearestRows) {
    this.dimension = dimension;
    this.finest = BYTE * Math.max(1, Math.sqrt(dimension) / SPREAD);
    // The least product is between -1 and 1, and rounding takes less than 1 from it.
    this.leastBytes = Math.ceil(2 * (this.finest / BYTE) ** 2) + 1;
    this.rows = new QueryRows(dimension + this.leastBytes, nearest);
  }

  get size(): number {
    return this.kept.size;
  }

  /** The vector is kept as it is. */
  put(id: number, vector: Float32Array, leastCosine: number): void {
    const unit = unitVector(vector) ?? vector;
    const { row, scale, error, length } = this.rounded(unit, this.finest);
    // In what the bytes of a memory, which has `BYTE` or less in these places, multiply.
    let least = Math.floor((scale * this.finest * (leastCosine - error - MARGIN)) / BYTE);
    for (let at = this.dimension; least !== 0; at++) {
      const part = Math.max(-BYTE, Math.min(BYTE, least));
      row[at] = -part;
      least -= part;
    }
    this.longest = Math.max(this.longest, length);
    this.rows.put(id, row);
    this.kept.set(id, { vector, leastCosine });
  }

  remove(id: number): void {
    if (this.kept.delete(id)) this.rows.remove(id);
  }

  /** The queries that the memory is near enough to. */
  near(memory: Float32Array): NearQuery[] {
    const unit = memory.length === this.dimension ? unitVector(memory) : undefined;
    if (!unit || this.size === 0) return [];
    const share = Math.min(1, BYTE / greatest(unit) / this.finest);
    const weight = Math.max(1, Math.floor(BYTE * share));
    const { row, scale, error } = this.rounded(unit, (this.finest * weight) / BYTE);
    row.fill(weight, this.dimension);
    const near: NearQuery[] = [];
    for (const id of this.rows.notBelow(-(this.finest * scale) * error * this.longest, row)) {
      const query = this.kept.get(id);
      if (!query) continue;
      const similarity = cosine(unitVector(query.vector) ?? query.vector, unit);
      if (similarity >= query.leastCosine) near.push({ id, similarity });
    }
    return near;
  }

  /** The vector as bytes, what 1 is in them, how far they are from the vector, and how long they are. */
  private rounded(unit: Float32Array, finest: number) {
    const row = new Int8Array(this.dimension + this.leastBytes);
    const scale = Math.min(finest, BYTE / greatest(unit));
    let errors = 0;
    let squares = 0;
    for (let at = 0; at < unit.length; at++) {
      const value = unit[at] ?? 0;
      const byte = Math.round(value * scale);
      row[at] = byte;
      errors += (value - byte / scale) ** 2;
      squares += byte ** 2;
    }
    return { row, scale, error: Math.sqrt(errors), length: Math.sqrt(squares) / scale };
  }
}

function greatest(unit: Float32Array): number {
  let most = 0;
  for (const value of unit) most = Math.max(most, Math.abs(value));
  return most;
}

/** As the vector indexes compute it, digit by digit: both vectors are of length 1. */
export function cosine(one: Float32Array, other: Float32Array): number {
  return Math.max(-1, Math.min(1, dotProduct(one, other)));
}
