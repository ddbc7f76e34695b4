import { newFloats } from '../floats.ts';
import { packVector, unpackVector } from './pack-vector.ts';
import { reduceVector } from './reduce-vector.ts';
import type { Resolution } from './resolution.ts';

/** A vector as a lower tier keeps it: what is ranked by, and beside it what that lacks of the exact one. */
export interface LoweredVector {
  readonly small: Uint8Array;
  readonly rest: Uint8Array;
}

/** `undefined` where the tier keeps vectors as they are. */
export function lowerVector(
  values: Float32Array,
  form: Pick<Resolution, 'vector' | 'vectorDimension'>,
): LoweredVector | undefined {
  const isCut = form.vectorDimension > 0 && form.vectorDimension < values.length;
  if (form.vector === 'f32' && !isCut) return undefined;
  const small = reduceVector(values, form);
  return { small, rest: packVector(values, small) };
}

/** The vector as it was given, bit for bit. Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function restoreVector({ small, rest }: LoweredVector, floats = newFloats): Float32Array {
  return unpackVector(rest, small, floats);
}
