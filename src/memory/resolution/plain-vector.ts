import { crc32 } from 'node:zlib';
import { MnemeError } from '../errors.ts';
import { newFloats } from '../floats.ts';

const VALUE_BYTES = 4;
/** Behind the values: a byte that distinguishes it from bytes without a checksum, whose length is a multiple of 4, and a CRC-32. */
const TAIL_BYTES = 5;
const TAIL_MARK = 1;

/** The original vector as little-endian f32, followed by its checksum. */
export function vectorToBytes({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(byteLength + TAIL_BYTES);
  const values = new Uint8Array(buffer, byteOffset, byteLength);
  bytes.set(values);
  writeTail(bytes, values, byteLength);
  return bytes;
}

function writeTail(bytes: Buffer, values: Uint8Array, at: number): void {
  bytes[at] = TAIL_MARK;
  bytes.writeUInt32LE(crc32(values), at + 1);
}

/** Whether bytes that `vectorToBytes` may have written have a checksum behind them. */
export function hasChecksum({ byteLength }: Uint8Array): boolean {
  return byteLength % VALUE_BYTES === TAIL_BYTES % VALUE_BYTES;
}

/**
 * The vector. Fails with CHECKSUM_MISMATCH on damaged bytes; bytes that were written without a checksum are accepted
 * unchecked.
 */
export function vectorFromBytes(bytes: Uint8Array, floats = newFloats): Float32Array {
  const isChecked = hasChecksum(bytes);
  const end = bytes.byteLength - (isChecked ? TAIL_BYTES : 0);
  if (end < 0 || end % VALUE_BYTES !== 0) throw damaged();
  // Copied, because bytes of a row or an answer need not be aligned for floats.
  const vector = floats(end / VALUE_BYTES);
  const values = new Uint8Array(vector.buffer);
  values.set(bytes.subarray(0, end));
  if (isChecked) {
    const tail = new DataView(bytes.buffer, bytes.byteOffset + end, TAIL_BYTES);
    if (tail.getUint8(0) !== TAIL_MARK || tail.getUint32(1, true) !== crc32(values)) throw damaged();
  }
  return vector;
}

function damaged(): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'stored vector failed checksum verification');
}
