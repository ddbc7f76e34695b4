/** Gives an array for so many values, which may hold those of before. */
export type Floats = (length: number) => Float32Array;

/** One of its own for each vector. */
export const newFloats: Floats = (length) => new Float32Array(length);

/**
 * The same array again and again while the lengths are the same, for whoever needs no vector but the last one: to allocate the
 * array takes longer than all that is done to the values.
 */
export function reusedFloats(): Floats {
  let last = new Float32Array(0);
  return (length) => {
    if (last.length !== length) last = new Float32Array(length);
    return last;
  };
}
