import { crc32 } from 'node:zlib';
import { MnemeError } from '../errors.ts';
import type { Resolution, VectorForm } from './resolution.ts';

type Form = Pick<Resolution, 'vector' | 'vectorDimension'>;

/** First byte: what the rest is, whether an empty byte follows it, and whether a CRC-32 of all that ends it. */
const MARKS: Readonly<Record<VectorForm, number>> = { f32: 1, bf16: 2, i8: 3 };
const IS_CHECKED = 0x40;
const IS_PADDED = 0x80;
const SUM_BYTES = 4;
/** Mark, an empty byte that keeps lengths odd, so that no reduced vector is as long as a plain one. */
const HEADER_BYTES = 1;
const SCALE_BYTES = 4;
const I8_MAX = 127;

/**
 * A vector in a smaller form: f32, bf16 (rounded to even) or i8 with one scale, of all its values or of the leading ones.
 * Its length is never a multiple of 4, which tells it from the plain f32 values of a vector at full resolution. A CRC-32 ends it.
 */
export function reduceVector(values: Float32Array, { vector, vectorDimension }: Form): Uint8Array {
  const kept = vectorDimension > 0 && vectorDimension < values.length ? values.subarray(0, vectorDimension) : values;
  const body = { f32: f32Bytes, bf16: bf16Bytes, i8: i8Bytes }[vector](kept);
  const padding = (body.byteLength + HEADER_BYTES) % 4 === 0 ? 1 : 0;
  const end = HEADER_BYTES + body.byteLength + padding;
  const bytes = new Uint8Array(end + SUM_BYTES);
  bytes[0] = MARKS[vector] | IS_CHECKED | (padding * IS_PADDED);
  bytes.set(body, HEADER_BYTES);
  new DataView(bytes.buffer).setUint32(end, crc32(bytes.subarray(0, end)), true);
  return bytes;
}

/**
 * The vector that a reduced one stands for; values that were cut off are 0. Fails with CHECKSUM_MISMATCH on damaged bytes;
 * those that were written without a checksum are taken as they are.
 */
export function expandVector(reduced: Uint8Array, dimension: number): Float32Array {
  const bytes = checkedBytes(reduced);
  const mark = (bytes[0] ?? 0) & ~(IS_CHECKED | IS_PADDED);
  const padding = (bytes[0] ?? 0) & IS_PADDED ? 1 : 0;
  // Copied: the slice of a Buffer is a view of it.
  const body = new Uint8Array(bytes.subarray(HEADER_BYTES, bytes.byteLength - padding));
  const values = new Float32Array(dimension);
  const count = valueCount(mark, body.byteLength);
  if (!(count > 0 && count <= dimension)) {
    const what = `form ${mark} in ${bytes.byteLength} bytes is no vector of ${dimension} values`;
    throw new MnemeError('CHECKSUM_MISMATCH', `a reduced vector is damaged: ${what}`);
  }
  if (mark === MARKS.f32) values.set(new Float32Array(body.buffer, 0, count));
  else if (mark === MARKS.bf16) expandBf16(body, values);
  else expandI8(body, values);
  return values;
}

/** Without the checksum behind them. */
function checkedBytes(reduced: Uint8Array): Uint8Array {
  if (!((reduced[0] ?? 0) & IS_CHECKED)) return reduced;
  const end = Math.max(0, reduced.byteLength - SUM_BYTES);
  const bytes = reduced.subarray(0, end);
  const sum = Buffer.from(reduced.buffer, reduced.byteOffset + end);
  if (reduced.byteLength > SUM_BYTES && sum.readUInt32LE(0) === crc32(bytes)) return bytes;
  throw new MnemeError('CHECKSUM_MISMATCH', 'the bytes of a reduced vector do not give its checksum');
}

/** True for bytes of `reduceVector`, false for plain f32 values. */
export function isReduced(bytes: Uint8Array): boolean {
  return bytes.byteLength % 4 !== 0;
}

function valueCount(mark: number, bodyBytes: number): number {
  if (mark === MARKS.f32) return bodyBytes % 4 === 0 ? bodyBytes / 4 : -1;
  if (mark === MARKS.bf16) return bodyBytes % 2 === 0 ? bodyBytes / 2 : -1;
  return mark === MARKS.i8 ? bodyBytes - SCALE_BYTES : -1;
}

function f32Bytes(values: Float32Array): Uint8Array {
  return new Uint8Array(values.slice().buffer);
}

function bf16Bytes(values: Float32Array): Uint8Array {
  const bits = new Uint32Array(values.slice().buffer);
  const halves = new Uint16Array(bits.length);
  for (let i = 0; i < bits.length; i++) halves[i] = roundedHalf(bits[i] ?? 0);
  return new Uint8Array(halves.buffer);
}

/** Upper half, rounded to even, but never up to infinity. */
function roundedHalf(bits: number): number {
  const half = (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
  return (half & 0x7fff) >= 0x7f80 ? bits >>> 16 : half;
}

function expandBf16(body: Uint8Array, values: Float32Array): void {
  const halves = new Uint16Array(body.buffer, 0, body.byteLength / 2);
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < halves.length; i++) bits[i] = (halves[i] ?? 0) << 16;
}

function i8Bytes(values: Float32Array): Uint8Array {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const scale = Math.fround(largest / I8_MAX);
  const bytes = new Uint8Array(SCALE_BYTES + values.length);
  new DataView(bytes.buffer).setFloat32(0, scale, true);
  const signed = new Int8Array(bytes.buffer, SCALE_BYTES);
  // A scale that underflows to 0 leaves only zeros.
  if (scale > 0) for (let i = 0; i < values.length; i++) signed[i] = nearest((values[i] ?? 0) / scale);
  return bytes;
}

function nearest(value: number): number {
  return Math.max(-I8_MAX, Math.min(I8_MAX, Math.round(value)));
}

function expandI8(body: Uint8Array, values: Float32Array): void {
  const scale = new DataView(body.buffer).getFloat32(0, true);
  const signed = new Int8Array(body.buffer, SCALE_BYTES);
  for (let i = 0; i < signed.length; i++) values[i] = (signed[i] ?? 0) * scale;
}
