import type { RedisArgument } from './connection.ts';

const ARRAY_32 = 0xdd;
const STRING_32 = 0xdb;
/** Added to the length of a text whose header is one byte. */
const STRING_SHORT = 0xa0;
const HEADER_BYTES = 5;
/** In UTF-16: three times as many bytes still have a short header. */
const SHORT_LENGTH_MAX = 10;

/**
 * Arguments as one, in MessagePack, which scripts take apart with `cmsgpack.unpack`: the driver writes each argument of a
 * command by itself, and a batch of writes has thousands of them.
 */
export function packArguments(args: readonly RedisArgument[]): Buffer {
  // Enough if every text is ASCII, which nearly all are, and each alone may be what it likes.
  let left = 0;
  let longest = 0;
  for (const arg of args) {
    left += HEADER_BYTES + arg.length;
    if (arg.length > longest) longest = arg.length;
  }
  let packed: Buffer = Buffer.allocUnsafe(HEADER_BYTES + left + 2 * longest);
  let at = writeHeader(packed, ARRAY_32, args.length, 0);
  for (const arg of args) {
    left -= HEADER_BYTES + arg.length;
    const needed = HEADER_BYTES + (typeof arg === 'string' ? 3 * arg.length : arg.length);
    if (packed.length - at < needed + left) packed = longer(packed, at, packed.length + needed + left);
    if (typeof arg !== 'string') {
      at = writeHeader(packed, STRING_32, arg.length, at);
      at += arg.copy(packed, at);
    } else if (arg.length <= SHORT_LENGTH_MAX) {
      const written = packed.write(arg, at + 1);
      packed[at] = STRING_SHORT + written;
      at += 1 + written;
    } else {
      const written = packed.write(arg, at + HEADER_BYTES);
      at = writeHeader(packed, STRING_32, written, at) + written;
    }
  }
  return packed.subarray(0, at);
}

function longer(packed: Buffer, used: number, length: number): Buffer {
  const grown = Buffer.allocUnsafe(length);
  packed.copy(grown, 0, 0, used);
  return grown;
}

function writeHeader(packed: Buffer, kind: number, length: number, at: number): number {
  packed[at] = kind;
  packed.writeUInt32BE(length, at + 1);
  return at + HEADER_BYTES;
}
