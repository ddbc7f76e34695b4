import { invalidFields } from './errors.ts';
import { jsonText } from './json-scan.ts';
import { MEMORY_LIMITS } from './limits.ts';
import { isJson, isText } from './media-type.ts';
import type { Content } from './memory.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const { textBytes, jsonTextBytes } = MEMORY_LIMITS;
const encoder = new TextEncoder();

/**
 * What is searched of a content that came without a text: the text itself, or the keys and values of JSON. Empty for
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

/** JSON can escape what a text may not hold: NUL and halves of surrogate pairs. */
function searchable(text: string, bytesMax: number): string {
  return clipToBytes(text.toWellFormed().replaceAll('\0', ' '), bytesMax);
}

/** The longest beginning of a well-formed text that takes at most so many bytes of UTF-8. */
export function clipToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}
