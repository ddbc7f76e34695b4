import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { MnemeError } from '../../../memory/errors.ts';
import { written } from '../upstream/written-bytes.ts';

/** A generated message: how it is written and read. */
export interface Codec<T> {
  encode(message: T, writer: BinaryWriter): BinaryWriter;
  decode(reader: BinaryReader): T;
  /** A message with these of its fields; all others have their defaults. Absent where only bytes are converted. */
  fromPartial?(fields: never): T;
}

/** One shared buffer for all messages: allocating a new one each time doubles the cost of encoding. */
let writer = new BinaryWriter();
/** Maximum size of the buffer that is kept. */
const KEPT_BYTES = 1_048_576;

export function encode<T>(codec: Pick<Codec<T>, 'encode'>, message: T): Buffer {
  try {
    const bytes = written(codec.encode(message, writer));
    if (bytes.length > KEPT_BYTES) writer = new BinaryWriter();
    return bytes;
  } catch (error) {
    // A partially written message would remain in the writer and precede the next one.
    writer = new BinaryWriter();
    throw error;
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const decodeUtf8 = (bytes: Uint8Array): string => strictUtf8.decode(bytes);

/** Reads a message strictly: texts that are not UTF-8 and bytes that are left over fail as MESSAGE_MALFORMED. */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const reader = new BinaryReader(bytes, decodeUtf8);
  let message: T;
  try {
    message = codec.decode(reader);
  } catch (cause) {
    throw malformed(problemOf(cause), cause);
  }
  if (reader.pos !== reader.len) throw malformed(`stray bytes at ${reader.pos} of ${reader.len}`);
  return message;
}

function malformed(problem: string, cause?: unknown): MnemeError {
  return new MnemeError('MESSAGE_MALFORMED', `the request is not a message of this method: ${problem}`, { cause });
}

function problemOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'a text is not valid UTF-8' : message;
}
