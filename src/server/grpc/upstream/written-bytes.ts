import type { BinaryWriter } from '@bufbuild/protobuf/wire';

/** Fields of `BinaryWriter` that its types hide. */
interface Written {
  readonly buffer?: Uint8Array;
  pos?: number;
}

/**
 * The encoded message, in a buffer of Node's pool. `finish` allocates separately for every message, however small,
 * which costs more than the encoding of most answers.
 */
export function written(writer: BinaryWriter): Buffer {
  const inside = writer as unknown as Written;
  const { buffer, pos } = inside;
  if (!buffer || pos === undefined) throw new Error('this release of @bufbuild/protobuf writes elsewhere');
  const bytes = Buffer.allocUnsafe(pos);
  bytes.set(pos === buffer.length ? buffer : buffer.subarray(0, pos));
  inside.pos = 0;
  return bytes;
}
