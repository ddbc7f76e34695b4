import { endianness } from 'node:os';
import { badInput, incompleteAnswer } from './bad-input.ts';

const HOST_IS_LITTLE_ENDIAN = endianness() === 'LE';
const BYTES_PER_VALUE = 4;

/** Single-precision values as the wire carries them: little-endian. */
export function bytesOfVector(values: Float32Array | readonly number[]): Buffer {
  const isList = Array.isArray(values) || (ArrayBuffer.isView(values) && Symbol.iterator in values);
  if (!isList) throw badInput('embedding.values', `must be numbers, got ${typeof values}`);
  if (!values.every((value) => typeof value === 'number')) throw badInput('embedding.values', 'must be numbers');
  const exact = values instanceof Float32Array ? values : Float32Array.from(values);
  if (!exact.every(Number.isFinite)) {
    throw badInput('embedding.values', 'must be finite numbers within the range of 32-bit floats');
  }
  const bytes = Buffer.from(exact.buffer, exact.byteOffset, exact.byteLength);
  return HOST_IS_LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32();
}

/** Copies, because a view would retain the whole message and may be unaligned. */
export function vectorOfBytes(bytes: Uint8Array): Float32Array {
  if (bytes.byteLength % BYTES_PER_VALUE !== 0) throw incompleteAnswer('whole vector');
  const copy = Buffer.alloc(bytes.byteLength);
  copy.set(bytes);
  if (!HOST_IS_LITTLE_ENDIAN) copy.swap32();
  return new Float32Array(copy.buffer, copy.byteOffset, copy.byteLength / BYTES_PER_VALUE);
}
