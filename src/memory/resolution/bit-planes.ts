import { compressed, decompressed } from './zstd.ts';

const EMPTY = 0;
const PLAIN = 1;
const COMPRESSED = 2;
/** Kind, number of values, bytes that follow. */
const HEADER_BYTES = 5;
const LEVEL = 1;

/** Bytes of one significance: nothing when all are zero, compressed where that makes them fewer. At most 65,535. */
export function packPlane(plane: Uint8Array): Uint8Array {
  const most = mostFrequent(plane);
  if (most.byte === 0 && most.count === plane.length) return withHeader(EMPTY, plane.length, new Uint8Array());
  // Bytes as even as noise, which the lower planes of most vectors are: compressing those is time lost.
  if (most.count <= plane.length / 16) return withHeader(PLAIN, plane.length, plane);
  const small = compressed(plane, LEVEL);
  const isSmaller = small.byteLength < plane.byteLength;
  return withHeader(isSmaller ? COMPRESSED : PLAIN, plane.length, isSmaller ? small : plane);
}

/** The plane and the bytes that it took; `undefined` where the bytes hold none. */
export function unpackPlane(bytes: Buffer): { readonly plane: Uint8Array; readonly bytesRead: number } | undefined {
  if (bytes.byteLength < HEADER_BYTES) return undefined;
  const [kind, length, size] = [bytes.readUInt8(0), bytes.readUInt16LE(1), bytes.readUInt16LE(3)];
  const bytesRead = HEADER_BYTES + size;
  const body = bytes.subarray(HEADER_BYTES, bytesRead);
  if (body.byteLength !== size) return undefined;
  if (kind === EMPTY) return { plane: new Uint8Array(length), bytesRead };
  if (kind !== PLAIN && kind !== COMPRESSED) return undefined;
  const plane = kind === COMPRESSED ? decompressed(body) : body;
  return plane.byteLength === length ? { plane, bytesRead } : undefined;
}

function withHeader(kind: number, length: number, body: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES + body.byteLength);
  bytes.writeUInt8(kind);
  bytes.writeUInt16LE(length, 1);
  bytes.writeUInt16LE(body.byteLength, 3);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

function mostFrequent(plane: Uint8Array): { readonly byte: number; readonly count: number } {
  const counts = new Uint16Array(256);
  for (let i = 0; i < plane.length; i++) counts[plane[i] ?? 0] = (counts[plane[i] ?? 0] ?? 0) + 1;
  let byte = 0;
  for (let each = 1; each < counts.length; each++) if ((counts[each] ?? 0) > (counts[byte] ?? 0)) byte = each;
  return { byte, count: counts[byte] ?? 0 };
}
