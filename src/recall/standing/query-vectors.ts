import { unitVector } from '../../memory/unit-vector.ts';
import { dotProduct } from '../../vector-index/dot-product.ts';
import { QueryRows } from './query-rows.ts';

/** Up to so many each is compared in full, which takes 5 µs each: rows are not worth the 192 KiB that they begin with. */
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

/** Vectors of queries of one dimension. One scan names the few that a memory may be near enough to; those are compared in full. */
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
