import { exactSearch, MetricKind } from 'usearch';

/**
 * The `count` rows nearest to a vector by dot product, nearest first, with similarities that are good to about 1e-7. Equal
 * ones come in no particular order. All rows and the vector must be finite; `rows` must begin where its buffer does, because
 * the native side does not look at offsets.
 */
export function nearestRows(
  rows: Float32Array,
  vector: Float32Array,
  count: number,
): { rows: BigUint64Array; distances: Float32Array } {
  if (rows.byteOffset !== 0) throw new RangeError('rows do not begin where their buffer does');
  if (vector.length === 0 || rows.length % vector.length !== 0) throw new RangeError('rows of another dimension');
  const query = vector.byteOffset === 0 ? vector : vector.slice();
  const matches = exactSearch(rows, query, vector.length, count, MetricKind.IP, 1);
  return { rows: matches.keys, distances: matches.distances };
}
