import { crc32 } from 'node:zlib';
import { MnemeError } from '../errors.ts';
import { newFloats, reusedFloats } from '../floats.ts';
import type { Resolution, VectorForm } from './resolution.ts';

/** A vector as a lower tier stores it: the reduced vector, and the difference to the exact one. */
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

/** The original vector, bit for bit. Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function restoreVector({ small, rest }: LoweredVector, floats = newFloats): Float32Array {
  return unpackVector(rest, small, floats);
}

const FORMAT = 1;
/** Format, which parts follow, number of values, CRC-32 of the exact vector, length of the sparse list. */
const HEADER_BYTES = 10;
/** Two lower bytes of each difference. */
const HAS_LOWER = 1;
/** The third one. */
const HAS_MIDDLE = 2;
/** All highest bytes; without this flag only the highest bytes that are not 0 follow, each behind its position. */
const HAS_TOP = 4;
const SPARSE_BYTES = 3;

const nearFloats = reusedFloats();

/**
 * The difference between a reduced vector and the exact one, bit for bit: the differences of their bits without the
 * byte planes that are empty for all values. The upper bytes are empty, or nearly so; both vectors together therefore
 * take about as much as the exact one alone. The remaining bytes look like noise, which no codec compresses.
 */
export function packVector(values: Float32Array, reduced: Uint8Array): Buffer {
  const { length } = values;
  const near = expandVector(reduced, length, nearFloats);
  const bits = new Int32Array(values.buffer, values.byteOffset, length);
  const nearBits = new Int32Array(near.buffer);
  // The approximate vector is no longer needed: the differences overwrite it.
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
  // In ascending position; an entry that is out of order is left unread, and the checksum fails.
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

/** A difference with its sign in the lowest bit, so that small differences have empty upper bytes. */
function folded(difference: number): number {
  return (difference << 1) ^ (difference >> 31);
}

function damaged(): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'packed bytes of a vector are damaged');
}

type Form = Pick<Resolution, 'vector' | 'vectorDimension'>;

/** First byte: the form of the vector, whether a padding byte follows it, and whether a CRC-32 of the whole ends it. */
const MARKS: Readonly<Record<VectorForm, number>> = { f32: 1, bf16: 2, i8: 3 };
const IS_CHECKED = 0x40;
const IS_PADDED = 0x80;
const SUM_BYTES = 4;
/** Mark, an empty byte that keeps lengths odd, so that no reduced vector is as long as a plain one. */
const REDUCED_HEADER_BYTES = 1;
const SCALE_BYTES = 4;
const I8_MAX = 127;

/**
 * A vector in a smaller form: f32, bf16 (rounded to even) or i8 with one scale, of all its values or of the leading
 * ones. Its length is never a multiple of 4, which distinguishes it from the f32 values of a vector at full resolution.
 * A CRC-32 ends it.
 */
export function reduceVector(values: Float32Array, { vector, vectorDimension }: Form): Uint8Array {
  const kept = vectorDimension > 0 && vectorDimension < values.length ? values.subarray(0, vectorDimension) : values;
  const unpadded = REDUCED_HEADER_BYTES + bodyBytes(vector, kept.length);
  const end = unpadded % 4 === 0 ? unpadded + 1 : unpadded;
  const bytes = Buffer.allocUnsafe(end + SUM_BYTES);
  bytes[0] = MARKS[vector] | IS_CHECKED | (end > unpadded ? IS_PADDED : 0);
  if (end > unpadded) bytes[unpadded] = 0;
  if (vector === 'f32') bytes.set(bytesOf(kept), REDUCED_HEADER_BYTES);
  else if (vector === 'bf16') writeBf16(kept, bytes);
  else writeI8(kept, bytes);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end);
  return bytes;
}

/**
 * Expands a reduced vector; values that were cut off are 0. Fails with CHECKSUM_MISMATCH on damaged bytes; bytes that
 * were written without a checksum are accepted unchecked.
 */
export function expandVector(bytes: Uint8Array, dimension: number, floats = newFloats): Float32Array {
  const first = bytes[0] ?? 0;
  const mark = first & ~(IS_CHECKED | IS_PADDED);
  const end = first & IS_CHECKED ? checkedEnd(bytes) : bytes.byteLength;
  const count = valueCount(mark, end - REDUCED_HEADER_BYTES - (first & IS_PADDED ? 1 : 0));
  if (!(count > 0 && count <= dimension)) {
    const what = `form ${mark} in ${bytes.byteLength} bytes is no vector of ${dimension} values`;
    throw new MnemeError('CHECKSUM_MISMATCH', `a reduced vector is damaged: ${what}`);
  }
  const values = floats(dimension);
  if (mark === MARKS.f32) bytesOf(values).set(bytes.subarray(REDUCED_HEADER_BYTES, REDUCED_HEADER_BYTES + 4 * count));
  else if (mark === MARKS.bf16) readBf16(bytes, values, count);
  else readI8(bytes, values, count);
  values.fill(0, count);
  return values;
}

/** The offset of the checksum, which is verified. */
function checkedEnd(bytes: Uint8Array): number {
  const end = bytes.byteLength - SUM_BYTES;
  if (end > 0 && viewOf(bytes).getUint32(end, true) === crc32(bytes.subarray(0, end))) return end;
  throw new MnemeError('CHECKSUM_MISMATCH', 'stored reduced vector failed checksum verification');
}

function valueCount(mark: number, bodyBytes: number): number {
  if (mark === MARKS.f32) return bodyBytes % 4 === 0 ? bodyBytes / 4 : -1;
  if (mark === MARKS.bf16) return bodyBytes % 2 === 0 ? bodyBytes / 2 : -1;
  return mark === MARKS.i8 ? bodyBytes - SCALE_BYTES : -1;
}

function bodyBytes(vector: VectorForm, count: number): number {
  return { f32: 4 * count, bf16: 2 * count, i8: SCALE_BYTES + count }[vector];
}

function writeBf16(values: Float32Array, bytes: Uint8Array): void {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0, at = REDUCED_HEADER_BYTES; i < bits.length; i++, at += 2) {
    const half = roundedHalf(bits[i] ?? 0);
    bytes[at] = half;
    bytes[at + 1] = half >>> 8;
  }
}

/** Upper half, rounded to even, but never up to infinity. */
function roundedHalf(bits: number): number {
  const half = ((bits + 0x7fff + ((bits >>> 16) & 1)) | 0) >>> 16;
  return (half & 0x7fff) >= 0x7f80 ? bits >>> 16 : half;
}

function readBf16(bytes: Uint8Array, values: Float32Array, count: number): void {
  const bits = new Int32Array(values.buffer);
  for (let i = 0, at = REDUCED_HEADER_BYTES; i < count; i++, at += 2) {
    bits[i] = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 24);
  }
}

function writeI8(values: Float32Array, bytes: Uint8Array): void {
  const scale = Math.fround(largestOf(values) / I8_MAX);
  viewOf(bytes).setFloat32(REDUCED_HEADER_BYTES, scale, true);
  const first = REDUCED_HEADER_BYTES + SCALE_BYTES;
  // A scale that underflows to 0 leaves only zeros.
  if (!(scale > 0)) {
    bytes.fill(0, first, first + values.length);
    return;
  }
  const perUnit = 1 / scale;
  for (let i = 0; i < values.length; i++) {
    // Rounds to nearest: the offset makes every value positive, so that truncation rounds down.
    const whole = (((values[i] ?? 0) * perUnit + (I8_MAX + 1.5)) | 0) - (I8_MAX + 1);
    // A scale that was itself rounded may leave the ends a little further out.
    bytes[first + i] = whole > I8_MAX ? I8_MAX : whole < -I8_MAX ? -I8_MAX : whole;
  }
}

/** The size of the largest value: without their signs, the bits of floats are in the order of the floats. */
function largestOf(values: Float32Array): number {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  let largest = 0;
  for (let i = 0; i < bits.length; i++) {
    const size = (bits[i] ?? 0) & 0x7fffffff;
    if (size > largest) largest = size;
  }
  oneBits[0] = largest;
  return oneFloat[0] ?? 0;
}

const oneFloat = new Float32Array(1);
const oneBits = new Int32Array(oneFloat.buffer);

function readI8(bytes: Uint8Array, values: Float32Array, count: number): void {
  const scale = viewOf(bytes).getFloat32(REDUCED_HEADER_BYTES, true);
  for (let i = 0, at = REDUCED_HEADER_BYTES + SCALE_BYTES; i < count; i++, at++) {
    values[i] = (((bytes[at] ?? 0) << 24) >> 24) * scale;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
