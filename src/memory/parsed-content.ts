import { isJson } from './media-type.ts';
import type { Content } from './memory.ts';
import { parseJson } from './parse-json.ts';

const utf8 = new TextDecoder();

/** The value of JSON content; `undefined` for other formats and for what is not JSON. */
export function parsedContent(content: Content | undefined): unknown {
  if (!content || !isJson(content.mediaType)) return undefined;
  try {
    return parseJson(utf8.decode(content.data));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
