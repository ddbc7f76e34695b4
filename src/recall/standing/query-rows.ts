/** The `count` rows with the greatest dot product, greatest first; distances are 1 less the product, to the digit. */
export type NearestRows = (
  rows: Int8Array,
  vector: Int8Array,
  count: number,
) => { readonly rows: BigUint64Array; readonly distances: Float32Array };

const ROWS_AT_FIRST = 16;
const FIRST_COUNT = 32;
const WIDEN_BY = 8;

/** Rows of bytes by id, packed: the last one takes the place of one that is removed. */
export class QueryRows {
  private readonly width: number;
  private readonly nearest: NearestRows;
  private readonly ids: number[] = [];
  private readonly places = new Map<number, number>();
  private rows: Int8Array;

  constructor(width: number, nearest: NearestRows) {
    this.width = width;
    this.nearest = nearest;
    this.rows = new Int8Array(ROWS_AT_FIRST * width);
  }

  get size(): number {
    return this.ids.length;
  }

  put(id: number, row: Int8Array): void {
    const place = this.ids.length;
    if ((place + 1) * this.width > this.rows.length) {
      const wider = new Int8Array(this.width * Math.ceil(place * 1.25));
      wider.set(this.rows);
      this.rows = wider;
    }
    this.rows.set(row, place * this.width);
    this.ids.push(id);
    this.places.set(id, place);
  }

  remove(id: number): boolean {
    const place = this.places.get(id);
    const lastId = this.ids.at(-1);
    if (place === undefined || lastId === undefined) return false;
    const last = this.ids.length - 1;
    this.rows.copyWithin(place * this.width, last * this.width, (last + 1) * this.width);
    this.ids[place] = lastId;
    this.places.set(lastId, place);
    this.ids.pop();
    this.places.delete(id);
    return true;
  }

  /** Ids of the rows whose product with the vector is not below a number. */
  notBelow(least: number, vector: Int8Array): number[] {
    if (this.size === 0) return [];
    const rows = this.rows.subarray(0, this.size * this.width);
    for (let count = Math.min(FIRST_COUNT, this.size); ; count = Math.min(count * WIDEN_BY, this.size)) {
      const found = this.nearest(rows, vector, count);
      if (count === this.size || 1 - (found.distances[count - 1] ?? 0) < least) return this.idsOf(found, least);
    }
  }

  private idsOf({ rows, distances }: ReturnType<NearestRows>, least: number): number[] {
    const ids: number[] = [];
    for (let at = 0; at < rows.length && 1 - (distances[at] ?? 0) >= least; at++) {
      const id = this.ids[Number(rows[at])];
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }
}
