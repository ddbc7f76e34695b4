import { crc32 } from 'node:zlib';
import { MnemeError } from '../errors.ts';

const VALUE_BYTES = 4;
/** Behind the values: a byte that tells it from bytes without a checksum, whose length is a multiple of 4, and a CRC-32. */
const TAIL_BYTES = 5;
const TAIL_MARK = 1;

/** A vector as it was given, as little-endian f32, with its checksum behind it. */
export function vectorToBytes({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(byteLength + TAIL_BYTES);
  const values = new Uint8Array(buffer, byteOffset, byteLength);
  bytes.set(values);
  bytes[byteLength] = TAIL_MARK;
  bytes.writeUInt32LE(crc32(values), byteLength + 1);
  return bytes;
}

/** Whether bytes that `vectorToBytes` may have written have a checksum behind them. */
export function hasChecksum({ byteLength }: Uint8Array): boolean {
  return byteLength % VALUE_BYTES === TAIL_BYTES % VALUE_BYTES;
}

/** The vector. Fails with CHECKSUM_MISMATCH on damaged bytes; those that came without a checksum are taken as they are. */
export function vectorFromBytes(bytes: Uint8Array): Float32Array {
  const isChecked = hasChecksum(bytes);
  if (!isChecked && bytes.byteLength % VALUE_BYTES !== 0) throw damaged();
  const end = bytes.byteLength - (isChecked ? TAIL_BYTES : 0);
  // Copied, because bytes of a row or an answer need not be aligned for floats.
  const values = new Uint8Array(bytes.subarray(0, end));
  if (isChecked) {
    const tail = new DataView(bytes.buffer, bytes.byteOffset + end, TAIL_BYTES);
    if (tail.getUint8(0) !== TAIL_MARK || tail.getUint32(1, true) !== crc32(values)) throw damaged();
  }
  return new Float32Array(values.buffer);
}

function damaged(): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'the bytes of a vector do not give its checksum');
}
