import { newFloats } from '../memory/floats.ts';
import { unitVector } from '../memory/unit-vector.ts';

/**
 * The vector at length 1, as a copy. Callers check what comes from outside; this check is the last one before native
 * code, which takes a vector of twice the dimension for two vectors and a value that is not a number for a perfect match.
 */
export function directionOf(vector: Float32Array, dimension: number, floats = newFloats): Float32Array {
  if (vector.length !== dimension)
    throw new RangeError(`a vector of ${vector.length} values where ${dimension} are due`);
  const unit = unitVector(vector, floats);
  if (!unit) throw new RangeError('a vector without direction: all values are zero or one is not finite');
  return unit;
}
