import { invalidFields } from './errors.ts';
import { jsonText, parseJson } from './json.ts';
import { MEMORY_LIMITS } from './limits.ts';
import type { Content } from './memory.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const { textBytes, jsonTextBytes } = MEMORY_LIMITS;
const encoder = new TextEncoder();

/**
 * Searchable text of a content that came without a text: the text itself, or the keys and values of JSON. Empty for
 * other formats. Throws when the bytes are not UTF-8; JSON must be valid.
 */
export function deriveText(content: Content): string {
  if (isJson(content.mediaType))
    return searchable(jsonText(strictUtf8.decode(content.data), jsonTextBytes), jsonTextBytes);
  if (isText(content.mediaType)) return searchable(strictUtf8.decode(content.data), textBytes);
  return '';
}

/** As `deriveText`; bytes that are not UTF-8 are the fault of the request's field. */
export function derivedTextOf(content: Content, field: string): string {
  try {
    return deriveText(content);
  } catch (cause) {
    if (!isNotUtf8(cause)) throw cause;
    throw invalidFields([{ field, description: `must be valid UTF-8 for ${content.mediaType} when there is no text` }]);
  }
}

/** Whether a strict decoder has failed because the bytes are not UTF-8. */
function isNotUtf8(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** Replaces characters that JSON can escape and a text may not contain: NUL and lone surrogates. */
function searchable(text: string, bytesMax: number): string {
  return clipToBytes(text.toWellFormed().replaceAll('\0', ' '), bytesMax);
}

/** The longest prefix of a well-formed text that fits in `bytesMax` bytes of UTF-8. */
export function clipToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** The beginning and the end of a text, each with half of the bytes: where a long question is usually put. */
export function endsWithin(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  const half = Math.floor((bytesMax - 1) / 2);
  const beginning = clipToBytes(text, half);
  let end = Buffer.from(text).subarray(-half);
  // A character of UTF-8 goes on with bytes of the form 10xxxxxx.
  while (((end[0] ?? 0) & 0xc0) === 0x80) end = end.subarray(1);
  return `${beginning}\n${end.toString()}`;
}

const utf8 = new TextDecoder();

/** The value of JSON content; `undefined` for other formats and for invalid JSON. */
export function parsedContent(content: Content | undefined): unknown {
  if (!content || !isJson(content.mediaType)) return undefined;
  try {
    return parseJson(utf8.decode(content.data));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Type and subtype in lower case, without parameters. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function isJson(mediaType: string): boolean {
  return essenceOf(mediaType) === 'application/json';
}

export function isText(mediaType: string): boolean {
  return essenceOf(mediaType).startsWith('text/');
}

/** Spaces, line ends, and characters that are not seen, such as U+200B. */
const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]+$/u;

/** Whether a text has characters but none of them is visible. */
export function isBlank(text: string): boolean {
  return UNSEEN.test(text);
}
