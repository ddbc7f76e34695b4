import { newFloats } from './floats.ts';

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
