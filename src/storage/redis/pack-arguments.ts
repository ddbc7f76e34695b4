import type { RedisArgument } from './connection.ts';

const ARRAY_32 = 0xdd;
const STRING_32 = 0xdb;
const HEADER_BYTES = 5;

/**
 * Arguments as one, in MessagePack, which scripts take apart with `cmsgpack.unpack`: the driver writes each argument of a
 * command by itself, and a batch of writes has thousands of them.
 */
export function packArguments(args: readonly RedisArgument[]): Buffer {
  let length = HEADER_BYTES;
  for (const arg of args) length += HEADER_BYTES + Buffer.byteLength(arg);
  const packed = Buffer.allocUnsafe(length);
  let at = writeHeader(packed, ARRAY_32, args.length, 0);
  for (const arg of args) {
    const begin = at + HEADER_BYTES;
    const written = typeof arg === 'string' ? packed.write(arg, begin) : arg.copy(packed, begin);
    at = writeHeader(packed, STRING_32, written, at) + written;
  }
  return packed;
}

function writeHeader(packed: Buffer, kind: number, length: number, at: number): number {
  packed[at] = kind;
  packed.writeUInt32BE(length, at + 1);
  return at + HEADER_BYTES;
}
