import { unitVector } from '../../memory/unit-vector.ts';

/** The `count` rows with the greatest dot product, greatest first; distances are 1 less the product. */
export type NearestRows = (
  rows: Float32Array,
  vector: Float32Array,
  count: number,
) => { readonly rows: BigUint64Array; readonly distances: Float32Array };

/** Single precision decides up to this much; what lies closer counts as near enough and is asked again in vain. */
const MARGIN = 1e-5;
const FIRST_COUNT = 32;

/**
 * Vectors of queries, each with the least cosine that it asks for as one more value, so that a single product tells
 * whether a memory is near enough: `(query, -least) · (memory, 1) >= 0`.
 */
export class QueryVectors {
  readonly dimension: number;
  private readonly nearest: NearestRows;
  private readonly ids: number[] = [];
  private readonly places = new Map<number, number>();
  private rows: Float32Array;

  constructor(dimension: number, nearest: NearestRows) {
    this.dimension = dimension;
    this.nearest = nearest;
    this.rows = new Float32Array(64 * (dimension + 1));
  }

  get size(): number {
    return this.ids.length;
  }

  put(id: number, vector: Float32Array, leastCosine: number): void {
    const width = this.dimension + 1;
    const place = this.ids.length;
    if ((place + 1) * width > this.rows.length) {
      const wider = new Float32Array(this.rows.length * 2);
      wider.set(this.rows);
      this.rows = wider;
    }
    this.rows.set(unitVector(vector) ?? vector, place * width);
    this.rows[place * width + this.dimension] = -leastCosine;
    this.ids.push(id);
    this.places.set(id, place);
  }

  /** The last row takes the place of the one removed. */
  remove(id: number): void {
    const place = this.places.get(id);
    const lastId = this.ids.at(-1);
    if (place === undefined || lastId === undefined) return;
    const width = this.dimension + 1;
    const last = this.ids.length - 1;
    this.rows.copyWithin(place * width, last * width, (last + 1) * width);
    this.ids[place] = lastId;
    this.places.set(lastId, place);
    this.ids.pop();
    this.places.delete(id);
  }

  /** Ids of the queries that the memory is near enough to. */
  near(memory: Float32Array): number[] {
    const unit = memory.length === this.dimension ? unitVector(memory) : undefined;
    if (!unit || this.size === 0) return [];
    const width = this.dimension + 1;
    const vector = new Float32Array(width);
    vector.set(unit);
    vector[this.dimension] = 1;
    const rows = this.rows.subarray(0, this.size * width);
    for (let count = Math.min(FIRST_COUNT, this.size); ; count = Math.min(count * 8, this.size)) {
      const found = this.nearest(rows, vector, count);
      const isAll = count === this.size || (found.distances[count - 1] ?? 2) > 1 + MARGIN;
      if (isAll) return this.nearIds(found.rows, found.distances);
    }
  }

  private nearIds(rows: BigUint64Array, distances: Float32Array): number[] {
    const ids: number[] = [];
    for (let at = 0; at < rows.length && (distances[at] ?? 2) <= 1 + MARGIN; at++) {
      const id = this.ids[Number(rows[at])];
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }
}
