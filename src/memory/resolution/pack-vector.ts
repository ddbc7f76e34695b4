import { crc32 } from 'node:zlib';
import { MnemeError } from '../errors.ts';
import { newFloats, reusedFloats } from '../floats.ts';
import { expandVector } from './reduce-vector.ts';

const FORMAT = 1;
/** Format, which parts follow, number of values, CRC-32 of the exact vector, length of the sparse list. */
const HEADER_BYTES = 10;
/** Two lower bytes of each difference. */
const HAS_LOWER = 1;
/** The third one. */
const HAS_MIDDLE = 2;
/** The highest one; otherwise only those that are not 0 follow, each behind its place. */
const HAS_TOP = 4;
const SPARSE_BYTES = 3;

const nearFloats = reusedFloats();

/**
 * What a reduced vector lacks of the exact one, bit for bit: the differences of their bits without the bytes that are
 * empty in all. The upper bytes are, or nearly, so both vectors together take about as much as the exact one alone; what
 * is left looks like noise, which no codec makes smaller.
 */
export function packVector(values: Float32Array, reduced: Uint8Array): Buffer {
  const { length } = values;
  const near = expandVector(reduced, length, nearFloats);
  const bits = new Int32Array(values.buffer, values.byteOffset, length);
  const nearBits = new Int32Array(near.buffer);
  // The vector that is near is not needed any more: the differences take its place.
  let used = 0;
  let topCount = 0;
  for (let i = 0; i < length; i++) {
    const each = folded(((bits[i] ?? 0) - (nearBits[i] ?? 0)) | 0);
    nearBits[i] = each;
    used |= each;
    if (each >>> 24 !== 0) topCount++;
  }
  const isSparse = topCount * SPARSE_BYTES < length;
  const flags = (used & 0xffff && HAS_LOWER) | (used & 0xff0000 && HAS_MIDDLE) | (isSparse ? 0 : HAS_TOP);
  const { middleAt, topAt } = partsOf(flags, length);
  const bytes = Buffer.allocUnsafe(topAt + (isSparse ? topCount * SPARSE_BYTES : length));
  bytes[0] = FORMAT;
  bytes[1] = flags;
  bytes.writeUInt16LE(length, 2);
  bytes.writeUInt32LE(crc32(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)), 4);
  bytes.writeUInt16LE(isSparse ? topCount : 0, 8);
  if (flags & HAS_LOWER) {
    for (let i = 0, at = HEADER_BYTES; i < length; i++, at += 2) {
      const each = nearBits[i] ?? 0;
      bytes[at] = each;
      bytes[at + 1] = each >>> 8;
    }
  }
  if (flags & HAS_MIDDLE) for (let i = 0; i < length; i++) bytes[middleAt + i] = (nearBits[i] ?? 0) >>> 16;
  if (!isSparse) for (let i = 0; i < length; i++) bytes[topAt + i] = (nearBits[i] ?? 0) >>> 24;
  else if (topCount > 0) writeSparse(bytes, topAt, nearBits);
  return bytes;
}

function writeSparse(bytes: Buffer, from: number, differences: Int32Array): void {
  let at = from;
  for (let i = 0; i < differences.length; i++) {
    const top = (differences[i] ?? 0) >>> 24;
    if (top === 0) continue;
    bytes[at++] = i;
    bytes[at++] = i >>> 8;
    bytes[at++] = top;
  }
}

/** The exact vector. Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function unpackVector(
  { buffer, byteOffset, byteLength }: Uint8Array,
  reduced: Uint8Array,
  floats = newFloats,
): Float32Array {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (byteLength < HEADER_BYTES || bytes[0] !== FORMAT) throw damaged();
  const flags = bytes.readUInt8(1);
  const length = bytes.readUInt16LE(2);
  const topCount = bytes.readUInt16LE(8);
  const { middleAt, topAt } = partsOf(flags, length);
  const topBytes = flags & HAS_TOP ? length : SPARSE_BYTES * topCount;
  if (flags > 7 || byteLength !== topAt + topBytes) throw damaged();
  const values = expandVector(reduced, length, floats);
  const bits = new Int32Array(values.buffer);
  let sparseAt = topAt;
  // In the order of their places; one that is out of order is left over, and the checksum tells.
  for (let i = 0; i < length; i++) {
    let each = 0;
    if (flags & HAS_LOWER) each = (bytes[HEADER_BYTES + 2 * i] ?? 0) | ((bytes[HEADER_BYTES + 2 * i + 1] ?? 0) << 8);
    if (flags & HAS_MIDDLE) each |= (bytes[middleAt + i] ?? 0) << 16;
    if (flags & HAS_TOP) each |= (bytes[topAt + i] ?? 0) << 24;
    else if (sparseAt < byteLength && ((bytes[sparseAt] ?? 0) | ((bytes[sparseAt + 1] ?? 0) << 8)) === i) {
      each |= (bytes[sparseAt + 2] ?? 0) << 24;
      sparseAt += SPARSE_BYTES;
    }
    bits[i] = ((bits[i] ?? 0) + ((each >>> 1) ^ -(each & 1))) | 0;
  }
  if (crc32(new Uint8Array(values.buffer)) !== bytes.readUInt32LE(4)) throw damaged();
  return values;
}

/** Where the parts begin that follow the lower bytes. */
function partsOf(flags: number, length: number): { readonly middleAt: number; readonly topAt: number } {
  const middleAt = HEADER_BYTES + (flags & HAS_LOWER ? 2 * length : 0);
  return { middleAt, topAt: middleAt + (flags & HAS_MIDDLE ? length : 0) };
}

/** A difference with its sign in the lowest bit, so that small ones have empty upper bytes. */
function folded(difference: number): number {
  return (difference << 1) ^ (difference >> 31);
}

function damaged(): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'packed bytes of a vector are damaged');
}
