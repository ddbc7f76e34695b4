/** Provides an array of the length; it may contain the values of an earlier use. */
export type Floats = (length: number) => Float32Array;

/** Allocates a new array for each vector. */
export const newFloats: Floats = (length) => new Float32Array(length);

/**
 * Returns the same array while the length is the same, for a caller that needs only the last vector: allocating the
 * array takes longer than all work on the values.
 */
export function reusedFloats(): Floats {
  let last = new Float32Array(0);
  return (length) => {
    if (last.length !== length) last = new Float32Array(length);
    return last;
  };
}

/**
 * The vector of length 1 in the same direction, as a copy; `undefined` when there is no direction because all values are
 * zero or one is not finite.
 */
export function unitVector(values: ArrayLike<number>, floats = newFloats): Float32Array | undefined {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] ?? 0) ** 2;
  if (!(squares > 0 && squares < Number.POSITIVE_INFINITY)) return undefined;
  const length = Math.sqrt(squares);
  const unit = floats(values.length);
  for (let i = 0; i < unit.length; i++) unit[i] = (values[i] ?? 0) / length;
  return unit;
}
