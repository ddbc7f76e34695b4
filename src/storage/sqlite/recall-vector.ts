import { isDamage } from '../../memory/errors.ts';
import { expandVector } from '../../memory/resolution/lower-vector.ts';
import { vectorFromBytes } from '../../memory/resolution/plain-vector.ts';

interface VectorRow {
  readonly small: Uint8Array | null;
  readonly data: Uint8Array;
}

/** A vector as recall ranks by it. One whose bytes are damaged is passed over: who reads the memory with it is told. */
export function recallVector({ small, data }: VectorRow, dimension: number): Float32Array | undefined {
  try {
    return small ? expandVector(small, dimension) : vectorFromBytes(data);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}
