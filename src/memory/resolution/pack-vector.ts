import { crc32 } from 'node:zlib';
import { MnemeError } from '../errors.ts';
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

/**
 * What a reduced vector lacks of the exact one, bit for bit: the differences of their bits without the bytes that are
 * empty in all. The upper bytes are, or nearly, so both vectors together take about as much as the exact one alone; what
 * is left looks like noise, which no codec makes smaller.
 */
export function packVector(values: Float32Array, reduced: Uint8Array): Uint8Array {
  const exact = values.slice();
  const differences = foldedDifferences(exact, expandVector(reduced, values.length));
  const { length } = differences;
  const [lower, middle, top] = [new Uint16Array(length), new Uint8Array(length), new Uint8Array(length)];
  let used = 0;
  let topCount = 0;
  for (let i = 0; i < length; i++) {
    const each = differences[i] ?? 0;
    used |= each;
    lower[i] = each;
    middle[i] = each >>> 16;
    top[i] = each >>> 24;
    if (each >>> 24 !== 0) topCount++;
  }
  const isSparse = topCount * SPARSE_BYTES < length;
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = FORMAT;
  header[1] = (used & 0xffff && HAS_LOWER) | (used & 0xff0000 && HAS_MIDDLE) | (isSparse ? 0 : HAS_TOP);
  header.writeUInt16LE(length, 2);
  header.writeUInt32LE(crc32(new Uint8Array(exact.buffer)), 4);
  header.writeUInt16LE(isSparse ? topCount : 0, 8);
  const parts: Uint8Array[] = [header];
  if (used & 0xffff) parts.push(new Uint8Array(lower.buffer));
  if (used & 0xff0000) parts.push(middle);
  parts.push(isSparse ? sparse(top, topCount) : top);
  return Buffer.concat(parts);
}

/** The exact vector. Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function unpackVector(packed: Uint8Array, reduced: Uint8Array): Float32Array {
  // Copied, so that its numbers are aligned.
  const bytes = Buffer.from(new Uint8Array(packed).buffer);
  if (bytes.byteLength < HEADER_BYTES || bytes[0] !== FORMAT) throw damaged();
  const flags = bytes.readUInt8(1);
  const length = bytes.readUInt16LE(2);
  const topCount = bytes.readUInt16LE(8);
  const middleAt = HEADER_BYTES + (flags & HAS_LOWER ? 2 * length : 0);
  const topAt = middleAt + (flags & HAS_MIDDLE ? length : 0);
  const topBytes = flags & HAS_TOP ? length : SPARSE_BYTES * topCount;
  if (flags > 7 || bytes.byteLength !== topAt + topBytes) throw damaged();
  const lower = flags & HAS_LOWER ? new Uint16Array(bytes.buffer, HEADER_BYTES, length) : new Uint16Array(length);
  const middle = flags & HAS_MIDDLE ? bytes.subarray(middleAt, topAt) : new Uint8Array(length);
  const top = flags & HAS_TOP ? bytes.subarray(topAt) : dense(bytes.subarray(topAt), length);
  const values = expandVector(reduced, length);
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < length; i++) {
    const folded = (lower[i] ?? 0) | ((middle[i] ?? 0) << 16) | ((top[i] ?? 0) << 24);
    bits[i] = (bits[i] ?? 0) + ((folded >>> 1) ^ -(folded & 1));
  }
  if (crc32(new Uint8Array(values.buffer)) !== bytes.readUInt32LE(4)) throw damaged();
  return values;
}

/** Differences of the bits, with the sign in the lowest one so that small differences have empty upper bytes. */
function foldedDifferences(exact: Float32Array, near: Float32Array): Uint32Array {
  const bits = new Uint32Array(exact.buffer);
  const nearBits = new Uint32Array(near.buffer);
  const folded = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) {
    const difference = ((bits[i] ?? 0) - (nearBits[i] ?? 0)) | 0;
    folded[i] = (difference << 1) ^ (difference >> 31);
  }
  return folded;
}

function sparse(plane: Uint8Array, count: number): Uint8Array {
  const list = Buffer.alloc(count * SPARSE_BYTES);
  let at = 0;
  for (let place = 0; at < list.byteLength; place++) {
    const byte = plane[place] ?? 0;
    if (byte === 0) continue;
    at = list.writeUInt16LE(place, at);
    at = list.writeUInt8(byte, at);
  }
  return list;
}

function dense(list: Buffer, length: number): Uint8Array {
  const plane = new Uint8Array(length);
  for (let at = 0; at < list.byteLength; at += SPARSE_BYTES) plane[list.readUInt16LE(at)] = list.readUInt8(at + 2);
  return plane;
}

function damaged(): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'packed bytes of a vector are damaged');
}
