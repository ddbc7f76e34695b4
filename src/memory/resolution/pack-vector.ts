import { crc32 } from 'node:zlib';
import { MnemeError } from '../errors.ts';
import { packPlane, unpackPlane } from './bit-planes.ts';
import { expandVector } from './reduce-vector.ts';

const FORMAT = 1;
const CHECKSUM_BYTES = 4;
const HEADER_BYTES = 1 + CHECKSUM_BYTES;
const PLANES = 4;

/**
 * What a reduced vector lacks of the exact one, bit for bit: the difference of their bits, in planes of equal bytes. The
 * upper planes are nearly empty, so both together take about as much as the exact vector alone. Format, CRC-32 of the
 * exact vector, then plane by plane from the lowest.
 */
export function packVector(values: Float32Array, reduced: Uint8Array): Uint8Array {
  const bits = new Uint32Array(values.slice().buffer);
  const near = new Uint32Array(expandVector(reduced, values.length).buffer);
  const folded = new Uint8Array(foldedDifferences(bits, near).buffer);
  const planes = Array.from({ length: PLANES }, (_, at) => planeOf(folded, at));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(FORMAT);
  header.writeUInt32LE(crc32(new Uint8Array(bits.buffer)), 1);
  return Buffer.concat([header, ...planes.map(packPlane)]);
}

/** Differences, in which the sign is the lowest bit so that small ones have empty upper bytes. */
function foldedDifferences(bits: Uint32Array, near: Uint32Array): Uint32Array {
  const folded = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) {
    const difference = ((bits[i] ?? 0) - (near[i] ?? 0)) | 0;
    folded[i] = (difference << 1) ^ (difference >> 31);
  }
  return folded;
}

function planeOf(folded: Uint8Array, at: number): Uint8Array {
  const plane = new Uint8Array(folded.length / PLANES);
  for (let i = 0; i < plane.length; i++) plane[i] = folded[i * PLANES + at] ?? 0;
  return plane;
}

/** The exact vector. Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function unpackVector(packed: Uint8Array, reduced: Uint8Array): Float32Array {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes.byteLength < HEADER_BYTES || bytes[0] !== FORMAT) throw damaged();
  const planes: Uint8Array[] = [];
  let rest = bytes.subarray(HEADER_BYTES);
  while (planes.length < PLANES) {
    const found = unpackPlane(rest);
    if (!found) throw damaged();
    planes.push(found.plane);
    rest = rest.subarray(found.bytesRead);
  }
  const dimension = planes[0]?.length ?? 0;
  if (rest.byteLength > 0 || planes.some((plane) => plane.length !== dimension)) throw damaged();
  const values = expandVector(reduced, dimension);
  addDifferences(new Uint32Array(values.buffer), planes);
  if (crc32(new Uint8Array(values.buffer)) !== bytes.readUInt32LE(1)) throw damaged();
  return values;
}

function addDifferences(bits: Uint32Array, planes: readonly Uint8Array[]): void {
  const bytes = new Uint8Array(bits.length * PLANES);
  for (const [at, plane] of planes.entries()) {
    for (let i = 0; i < plane.length; i++) bytes[i * PLANES + at] = plane[i] ?? 0;
  }
  const folded = new Uint32Array(bytes.buffer);
  for (let i = 0; i < bits.length; i++) {
    const each = folded[i] ?? 0;
    bits[i] = (bits[i] ?? 0) + ((each >>> 1) ^ -(each & 1));
  }
}

function damaged(): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'packed bytes of a vector are damaged');
}
