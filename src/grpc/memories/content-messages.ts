import { isUtf8 } from 'node:buffer';
import type { Content as ContentMessage } from '../../../gen/ts/mneme/v1/memory.ts';
import { jsonDepth } from '../../memory/json-scan.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import { isJson, isText } from '../../memory/media-type.ts';
import type { Content } from '../../memory/memory.ts';
import { parseJson } from '../../memory/parse-json.ts';
import type { RequestChecks } from '../edge/request-checks.ts';

/** Printable ASCII with one slash that is neither first nor last. */
const MEDIA_TYPE = /^(?=.{3,128}$)[\x20-\x2e\x30-\x7e]+\/[\x20-\x2e\x30-\x7e]+$/;
const MEDIA_TYPE_SHAPE = `3 to ${MEMORY_LIMITS.mediaTypeBytes} printable ASCII characters with one slash, such as text/plain`;
const DEFAULT_TYPES = { json: 'application/json', text: 'text/plain', data: '' } as const;

/** JSON and text as strings, everything else as a view of the content's own bytes. */
export function contentMessage({ mediaType, data }: Content): ContentMessage {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (isJson(mediaType) && isUtf8(bytes)) return { mediaType, body: { $case: 'json', value: bytes.toString() } };
  if (isText(mediaType) && isUtf8(bytes)) return { mediaType, body: { $case: 'text', value: bytes.toString() } };
  return { mediaType, body: { $case: 'data', value: bytes } };
}

/** Copies the bytes: they lie in the request's buffer, which is not to be kept or sent to another thread with them. */
export function contentOf(checks: RequestChecks, field: string, { mediaType: given, body }: ContentMessage): Content {
  if (body === undefined) {
    checks.add(field, 'must have json, text or data');
    return { mediaType: given, data: new Uint8Array() };
  }
  const part = `${field}.${body.$case}`;
  const mediaType = given === '' ? DEFAULT_TYPES[body.$case] : given;
  checks.matching(`${field}.media_type`, mediaType, MEDIA_TYPE, MEDIA_TYPE_SHAPE);
  if (body.$case === 'json' && !isJson(mediaType)) {
    checks.add(`${field}.media_type`, `must be application/json or empty beside json, got ${mediaType}`);
  }
  const data = new Uint8Array(body.$case === 'data' ? body.value : Buffer.from(body.value));
  if (data.length > MEMORY_LIMITS.contentBytes) {
    checks.add(part, `must be at most ${MEMORY_LIMITS.contentBytes} bytes, got ${data.length}`);
  } else if (isJson(mediaType)) {
    checkJson(checks, part, data);
  }
  return { mediaType, data };
}

function checkJson(checks: RequestChecks, field: string, data: Uint8Array): void {
  if (!isUtf8(data)) checks.add(field, 'must be valid UTF-8 for application/json');
  else if (!isValidJson(data)) checks.add(field, 'must be valid JSON for application/json');
  else {
    const depth = jsonDepth(data);
    const { jsonDepth: depthMax } = MEMORY_LIMITS;
    if (depth > depthMax) checks.add(field, `must be at most ${depthMax} levels deep, got ${depth}`);
  }
}

function isValidJson(data: Uint8Array): boolean {
  try {
    parseJson(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString());
    return true;
  } catch {
    // It fails in no other way, and its message would quote the content.
    return false;
  }
}
