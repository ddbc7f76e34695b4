import { isUtf8 } from 'node:buffer';
import type { Content as ContentMessage } from '../../../gen/ts/mneme/v1/memory.ts';
import { jsonOf } from './bad-input.ts';
import { Content, type Json } from './content.ts';

const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;
const TEXT_TYPE = /^\s*text\//i;

/** The message of a content; plain values become JSON. */
export function contentMessage(value: Content | Json, field = 'content'): ContentMessage {
  if (!(value instanceof Content)) {
    return { mediaType: 'application/json', body: { $case: 'json', value: jsonOf(value, field) } };
  }
  const { mediaType, data } = value;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (JSON_TYPE.test(mediaType) && isUtf8(bytes))
    return { mediaType, body: { $case: 'json', value: bytes.toString() } };
  if (TEXT_TYPE.test(mediaType) && isUtf8(bytes))
    return { mediaType, body: { $case: 'text', value: bytes.toString() } };
  return { mediaType, body: { $case: 'data', value: bytes } };
}

/** The content of a message; an absent one is empty. */
export function contentOfMessage(message: ContentMessage | undefined): Content {
  return new Content(message?.mediaType ?? '', message?.body?.value ?? new Uint8Array());
}
