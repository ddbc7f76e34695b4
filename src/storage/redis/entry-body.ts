import { MnemeError } from '../../memory/errors.ts';
import type { Content } from '../../memory/memory.ts';
import { lowerBody, restoreBody } from '../../memory/resolution/lower-body.ts';
import type { Entry } from '../in-memory/draft.ts';

/** What follows the text: the content as it is, or text and content as a lower tier packs them. */
const PLAIN = 0;
const PACKED = 1;
const TEXT_FROM = 5;

interface ReadBody {
  readonly text: string;
  readonly content?: Content;
}

/** Text and content of a memory as one: a byte that says what follows the text, the length of the text in bytes, the two. */
export function tailOf({ memory: { text, content }, resolution }: Entry): Buffer {
  if (!resolution) return laid(PLAIN, text, content?.data);
  const body = lowerBody(content ? { text, content } : { text }, resolution);
  return body.packed ? laid(PACKED, body.text, body.packed) : laid(PLAIN, body.text, body.content?.data);
}

function laid(kind: number, text: string, data: Uint8Array | undefined): Buffer {
  const textBytes = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(TEXT_FROM + textBytes + (data?.byteLength ?? 0));
  bytes[0] = kind;
  bytes.writeUInt32LE(textBytes, 1);
  bytes.write(text, TEXT_FROM);
  if (data) bytes.set(data, TEXT_FROM + textBytes);
  return bytes;
}

/** Fails with CHECKSUM_MISMATCH on damaged bytes, as far as these tell. The content is a part of them. */
export function readBody(bytes: Buffer, mediaType: string | undefined): ReadBody {
  const end = bytes.length < TEXT_FROM ? Number.POSITIVE_INFINITY : TEXT_FROM + bytes.readUInt32LE(1);
  if (end > bytes.length) throw new MnemeError('CHECKSUM_MISMATCH', 'the body of a memory is not as long as it says');
  const text = bytes.toString('utf8', TEXT_FROM, end);
  if (bytes[0] === PACKED) return restoreBody({ text, packed: bytes.subarray(end) });
  return mediaType === undefined ? { text } : { text, content: { mediaType, data: bytes.subarray(end) } };
}
