import { exactSearch, MetricKind } from 'usearch';
import { directionOf, Nearest } from './nearest.ts';
import { wholeNumbers } from './usearch.ts';
import type { Neighbor, VectorIndex, VectorSearchOptions } from './vector-index.ts';
import { type MatrixPiece, VectorMatrix } from './vector-matrix.ts';

/** Larger than the difference between native similarities and those of `dotProduct`. */
const TOLERANCE = 1e-5;
/** Rows requested from the native scan beyond the limit, so that a few ties at the end need no second scan. */
const SPARE = 8;
/** Minimum piece size at which a native call is faster. */
const NATIVE_ROWS_MIN = 48;
const SAMPLES = 64;
/** When fewer of the sampled keys are admitted, only the admitted rows are looked at, one by one. */
const ADMITTED_SHARE_MIN = 0.2;

/** Compares the query with every vector: the oracle of the others, and the fastest up to some 10,000 vectors. */
export class ExactVectorIndex implements VectorIndex {
  readonly matrix: VectorMatrix;

  constructor(dimension: number, matrix = new VectorMatrix(dimension)) {
    this.matrix = matrix;
  }

  get dimension(): number {
    return this.matrix.dimension;
  }

  get size(): number {
    return this.matrix.size;
  }

  set(key: number, vector: Float32Array): void {
    this.matrix.put(key, directionOf(vector, this.dimension));
  }

  delete(key: number): boolean {
    return this.matrix.remove(key);
  }

  search(query: Float32Array, limit: number, options: VectorSearchOptions = {}): Neighbor[] {
    const nearest = new Nearest(limit);
    this.collect(directionOf(query, this.dimension), limit, options, nearest);
    return nearest.take();
  }

  /** `search` for a query of length 1, into a collection that others offer to as well. */
  collect(query: Float32Array, limit: number, { admits, candidates }: VectorSearchOptions, nearest: Nearest): void {
    if (limit < 1) return;
    if (candidates) {
      this.collectKeys(query, candidates, admits, nearest);
      return;
    }
    const share = admits ? this.admittedShare(admits) : 1;
    const wanted = share < ADMITTED_SHARE_MIN ? Number.POSITIVE_INFINITY : Math.ceil((limit + SPARE) / share);
    const looked: NativeLook[] = [];
    for (const piece of this.matrix.pieces()) {
      if (piece.count < NATIVE_ROWS_MIN || wanted >= piece.count) this.collectRows(query, piece, admits, nearest);
      else looked.push(this.lookNatively(query, piece, wanted, admits, nearest));
    }
    for (const { piece, rows, least } of looked) {
      // The remaining rows of the piece are at most as near as the last row that was found.
      if (least >= nearest.floor - TOLERANCE) this.collectRows(query, piece, admits, nearest, rows);
    }
  }

  /** Offers only the given keys. */
  collectKeys(
    query: Float32Array,
    keys: ArrayLike<number>,
    admits: VectorSearchOptions['admits'],
    nearest: Nearest,
  ): void {
    for (let at = 0; at < keys.length && this.size > 0; at++) {
      const key = keys[at] as number;
      const slot = this.matrix.slotOf(key);
      if (slot >= 0 && (!admits || admits(key))) nearest.offer(key, this.similarity(slot, query));
    }
  }

  private lookNatively(
    query: Float32Array,
    piece: MatrixPiece,
    wanted: number,
    admits: VectorSearchOptions['admits'],
    nearest: Nearest,
  ): NativeLook {
    const { rows, distances } = nearestRows(piece.rows, query, wanted);
    for (let i = 0; i < wanted; i++) {
      if (1 - (distances[i] ?? 0) < nearest.floor - TOLERANCE) break;
      const slot = piece.firstSlot + (rows[i] as number);
      const key = this.matrix.keyAt(slot);
      if (!admits || admits(key)) nearest.offer(key, this.similarity(slot, query));
    }
    return { piece, rows, least: 1 - (distances[wanted - 1] ?? 0) };
  }

  private collectRows(
    query: Float32Array,
    piece: MatrixPiece,
    admits: VectorSearchOptions['admits'],
    nearest: Nearest,
    known?: readonly number[],
  ): void {
    const done = new Set(known);
    for (let row = 0; row < piece.count; row++) {
      if (done.has(row)) continue;
      const slot = piece.firstSlot + row;
      const key = this.matrix.keyAt(slot);
      if (!admits || admits(key)) nearest.offer(key, this.similarity(slot, query));
    }
  }

  /** Estimate, from keys spread over all slots. */
  admittedShare(admits: (key: number) => boolean): number {
    const samples = Math.min(SAMPLES, this.size);
    let admitted = 0;
    for (let i = 0; i < samples; i++) {
      if (admits(this.matrix.keyAt(Math.floor((i * this.size) / samples)))) admitted++;
    }
    return samples === 0 ? 0 : admitted / samples;
  }

  private similarity(slot: number, query: Float32Array): number {
    return Math.max(-1, Math.min(1, this.matrix.dotAt(slot, query)));
  }
}

interface NativeLook {
  readonly piece: MatrixPiece;
  /** Rows of the piece that were found, all of which have been offered unless they had no chance. */
  readonly rows: readonly number[];
  readonly least: number;
}

/**
 * The `count` rows nearest to a vector by dot product, nearest first, with similarities accurate to about 1e-7. Ties
 * are in no particular order. All rows and the vector must be finite; `rows` must begin at the start of its buffer,
 * because the native code ignores offsets.
 */
function nearestRows(
  rows: Float32Array,
  vector: Float32Array,
  count: number,
): { rows: number[]; distances: Float32Array } {
  if (rows.byteOffset !== 0) throw new RangeError('rows do not begin where their buffer does');
  if (vector.length === 0 || rows.length % vector.length !== 0) throw new RangeError('rows of another dimension');
  const query = vector.byteOffset === 0 ? vector : vector.slice();
  const matches = exactSearch(rows, query, vector.length, count, MetricKind.IP, 1);
  return { rows: wholeNumbers(matches.keys), distances: matches.distances };
}
