/** The `count` rows with the greatest dot product, greatest first; distances are 1 less the product. */
export type NearestRows = (
  rows: Float32Array,
  vector: Float32Array,
  count: number,
) => { readonly rows: BigUint64Array; readonly distances: Float32Array };

/** Single precision decides up to this much; what lies closer counts as near enough and is asked again in vain. */
const MARGIN = 1e-5;
const FIRST_COUNT = 32;

/** Rows by id, packed: the last one takes the place of one that is removed. */
export class QueryRows {
  private readonly width: number;
  private readonly nearest: NearestRows;
  private readonly ids: number[] = [];
  private readonly places = new Map<number, number>();
  private rows: Float32Array;

  constructor(width: number, nearest: NearestRows) {
    this.width = width;
    this.nearest = nearest;
    this.rows = new Float32Array(64 * width);
  }

  get size(): number {
    return this.ids.length;
  }

  put(id: number, row: Float32Array): void {
    const place = this.ids.length;
    if ((place + 1) * this.width > this.rows.length) {
      const wider = new Float32Array(this.rows.length * 2);
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

  /** Ids of the rows whose product with the vector is not below 0. */
  notBelowZero(vector: Float32Array): number[] {
    if (this.size === 0) return [];
    const rows = this.rows.subarray(0, this.size * this.width);
    for (let count = Math.min(FIRST_COUNT, this.size); ; count = Math.min(count * 8, this.size)) {
      const found = this.nearest(rows, vector, count);
      const isAll = count === this.size || (found.distances[count - 1] ?? 2) > 1 + MARGIN;
      if (isAll) return this.idsOf(found);
    }
  }

  private idsOf({ rows, distances }: ReturnType<NearestRows>): number[] {
    const ids: number[] = [];
    for (let at = 0; at < rows.length && (distances[at] ?? 2) <= 1 + MARGIN; at++) {
      const id = this.ids[Number(rows[at])];
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }
}
