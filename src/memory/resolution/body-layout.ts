import { MnemeError } from '../errors.ts';
import type { Content } from '../memory.ts';

/** Text and content of a memory, as a caller gave them. */
export interface Body {
  readonly text: string;
  readonly content?: Content;
}

const LENGTH_BYTES = 4;
/** A media type of this length stands for: no content. */
const NO_CONTENT = 0xffffffff;

/** One piece: length and bytes of the text, length and bytes of the media type, bytes of the content. */
export function layOut({ text, content }: Body): Buffer {
  const media = content?.mediaType ?? '';
  const textBytes = Buffer.byteLength(text);
  const mediaBytes = Buffer.byteLength(media);
  const data = content?.data ?? new Uint8Array();
  const plain = Buffer.allocUnsafe(2 * LENGTH_BYTES + textBytes + mediaBytes + data.byteLength);
  let at = plain.writeUInt32LE(textBytes);
  at += plain.write(text, at);
  at = plain.writeUInt32LE(content ? mediaBytes : NO_CONTENT, at);
  at += plain.write(media, at);
  plain.set(data, at);
  return plain;
}

/** Fails with CHECKSUM_MISMATCH on bytes that `layOut` did not write. */
export function readLayout(bytes: Uint8Array): Body {
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const textEnd = LENGTH_BYTES + lengthAt(plain, 0);
  const mediaBytes = lengthAt(plain, textEnd);
  const text = plain.toString('utf8', LENGTH_BYTES, textEnd);
  if (mediaBytes === NO_CONTENT) return { text };
  const mediaStart = textEnd + LENGTH_BYTES;
  const mediaEnd = mediaStart + mediaBytes;
  if (mediaEnd > plain.byteLength) throw damaged();
  const mediaType = plain.toString('utf8', mediaStart, mediaEnd);
  return { text, content: { mediaType, data: new Uint8Array(plain.subarray(mediaEnd)) } };
}

function lengthAt(plain: Buffer, at: number): number {
  if (at + LENGTH_BYTES > plain.byteLength) throw damaged();
  return plain.readUInt32LE(at);
}

function damaged(): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'packed bytes of a memory are damaged');
}
