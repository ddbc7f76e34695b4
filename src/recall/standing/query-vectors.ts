import { unitVector } from '../../memory/unit-vector.ts';
import { type NearestRows, QueryRows } from './query-rows.ts';

/** Values of a vector that are looked at first. */
const HEAD = 128;
/** Queries that ask for this much more than what the head leaves open are hardly ever let through by the head alone. */
const HEADROOM = 0.05;

/**
 * Vectors of queries, each with the least cosine that it asks for as one more value, so that a single product tells
 * whether a memory is near enough: `(query, -least) · (memory, 1) >= 0`. Of queries that ask for much, first only the
 * head of each vector is looked at and the most that the tails can add, which is the product of their lengths.
 */
export class QueryVectors {
  private readonly dimension: number;
  private readonly whole: QueryRows;
  private readonly heads: QueryRows | undefined;
  /** Whole vectors of those in `heads`, with what they ask for. */
  private readonly byId = new Map<number, { readonly unit: Float32Array; readonly leastCosine: number }>();

  constructor(dimension: number, nearest: NearestRows) {
    this.dimension = dimension;
    this.whole = new QueryRows(dimension + 1, nearest);
    if (dimension > HEAD) this.heads = new QueryRows(HEAD + 2, nearest);
  }

  get size(): number {
    return this.whole.size + (this.heads?.size ?? 0);
  }

  put(id: number, vector: Float32Array, leastCosine: number): void {
    const unit = unitVector(vector) ?? vector;
    if (this.heads && leastCosine >= 1 - HEAD / this.dimension + HEADROOM) {
      this.heads.put(id, headOf(unit, -leastCosine));
      this.byId.set(id, { unit, leastCosine });
      return;
    }
    this.whole.put(id, extended(unit, -leastCosine));
  }

  remove(id: number): void {
    if (this.byId.delete(id)) this.heads?.remove(id);
    else this.whole.remove(id);
  }

  /** Ids of the queries that the memory is near enough to. */
  near(memory: Float32Array): number[] {
    const unit = memory.length === this.dimension ? unitVector(memory) : undefined;
    if (!unit) return [];
    const near = this.whole.notBelowZero(extended(unit, 1));
    for (const id of this.heads?.notBelowZero(headOf(unit, 1)) ?? []) if (this.isNear(id, unit)) near.push(id);
    return near;
  }

  private isNear(id: number, memory: Float32Array): boolean {
    const query = this.byId.get(id);
    if (!query) return false;
    let product = 0;
    for (let i = 0; i < memory.length; i++) product += (query.unit[i] ?? 0) * (memory[i] ?? 0);
    return product >= query.leastCosine - 1e-5;
  }
}

function extended(unit: Float32Array, last: number): Float32Array {
  const row = new Float32Array(unit.length + 1);
  row.set(unit);
  row[unit.length] = last;
  return row;
}

/** The head, the length of the tail, and one more value. */
function headOf(unit: Float32Array, last: number): Float32Array {
  const row = new Float32Array(HEAD + 2);
  row.set(unit.subarray(0, HEAD));
  let squares = 0;
  for (let i = HEAD; i < unit.length; i++) squares += (unit[i] ?? 0) ** 2;
  row[HEAD] = Math.sqrt(squares);
  row[HEAD + 1] = last;
  return row;
}
