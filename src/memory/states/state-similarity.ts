/** Quantiles whose distance is the spread of a field: an outlier among many values changes nothing. */
const LOW = 0.1;
const HIGH = 0.9;

/**
 * Typical difference of two values of a field: the distance of the 10 % and 90 % quantiles or, where these are equal, of
 * the least and the greatest value. 0 where all values are equal. `sorted` is in ascending order.
 */
export function spreadOf(sorted: ArrayLike<number>): number {
  const last = sorted.length - 1;
  if (last < 1) return 0;
  const low = sorted[Math.floor(LOW * last)] ?? 0;
  const high = sorted[Math.ceil(HIGH * last)] ?? 0;
  if (high > low) return finite(high - low);
  return finite((sorted[last] ?? 0) - (sorted[0] ?? 0));
}

/**
 * Similarity of two numbers of one field, 0 to 1: 1 / (1 + |difference| / spread). Without a spread the greater of the
 * two amounts takes its place.
 */
export function numberSimilarity(one: number, other: number, spread: number): number {
  if (one === other) return 1;
  const scale = spread > 0 ? spread : Math.max(Math.abs(one), Math.abs(other));
  return 1 / (1 + finite(Math.abs(one - other)) / scale);
}

/** The difference of two finite numbers may exceed the greatest one. */
function finite(difference: number): number {
  return Math.min(difference, Number.MAX_VALUE);
}
