import { expandVector } from './reduce-vector.ts';
import { compressed, decompressed } from './zstd.ts';

/** No dictionary helps with bits. */
const LEVEL = 3;

/**
 * What a reduced vector lacks of the exact one, bit for bit: the XOR of their bits, in planes of equal bytes, compressed.
 * The upper planes are nearly empty, so both together take about as much as the exact vector alone.
 */
export function packVector(values: Float32Array, reduced: Uint8Array): Uint8Array {
  const bits = new Uint32Array(values.slice().buffer);
  const near = new Uint32Array(expandVector(reduced, values.length).buffer);
  const planes = new Uint8Array(bits.length * 4);
  for (let i = 0; i < bits.length; i++) {
    const difference = (bits[i] ?? 0) ^ (near[i] ?? 0);
    for (let plane = 0; plane < 4; plane++) planes[plane * bits.length + i] = (difference >>> (plane * 8)) & 0xff;
  }
  return compressed(planes, LEVEL);
}

/** The exact vector. Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function unpackVector(packed: Uint8Array, reduced: Uint8Array): Float32Array {
  const planes = decompressed(packed);
  const dimension = planes.byteLength / 4;
  const values = expandVector(reduced, dimension);
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < dimension; i++) {
    let difference = 0;
    for (let plane = 0; plane < 4; plane++) difference |= (planes[plane * dimension + i] ?? 0) << (plane * 8);
    bits[i] = (bits[i] ?? 0) ^ difference;
  }
  return values;
}
