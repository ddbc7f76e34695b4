import { isUtf8 } from 'node:buffer';
import type { Content as ContentMessage } from '../../gen/ts/mneme/v1/memory.ts';
import { jsonDepth } from '../memory/json-scan.ts';
import { MEMORY_LIMITS } from '../memory/limits.ts';
import { isJson } from '../memory/media-type.ts';
import type { Content } from '../memory/memory.ts';
import { parseJson } from '../memory/parse-json.ts';
import type { RequestChecks } from './request-checks.ts';

/** Printable ASCII with one slash that is neither first nor last. */
const MEDIA_TYPE = /^(?=.{3,128}$)[\x20-\x2e\x30-\x7e]+\/[\x20-\x2e\x30-\x7e]+$/;

/** Views the content's own bytes. */
export function contentMessage({ mediaType, data }: Content): ContentMessage {
  return { mediaType, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) };
}

/** Copies the bytes: they lie in the request's buffer, which is not to be kept or sent to another thread with them. */
export function contentOf(checks: RequestChecks, field: string, { mediaType, data }: ContentMessage): Content {
  const shape = `3 to ${MEMORY_LIMITS.mediaTypeBytes} printable ASCII characters with one slash, such as text/plain`;
  checks.matching(`${field}.media_type`, mediaType, MEDIA_TYPE, shape);
  if (data.length > MEMORY_LIMITS.contentBytes) {
    checks.add(`${field}.data`, `must be at most ${MEMORY_LIMITS.contentBytes} bytes, got ${data.length}`);
  } else if (isJson(mediaType)) {
    checkJson(checks, `${field}.data`, data);
  }
  return { mediaType, data: new Uint8Array(data) };
}

function checkJson(checks: RequestChecks, field: string, data: Buffer): void {
  if (!isUtf8(data)) checks.add(field, 'must be valid UTF-8 for application/json');
  else if (!isValidJson(data)) checks.add(field, 'must be valid JSON for application/json');
  else {
    const depth = jsonDepth(data);
    const { jsonDepth: depthMax } = MEMORY_LIMITS;
    if (depth > depthMax) checks.add(field, `must be at most ${depthMax} levels deep, got ${depth}`);
  }
}

function isValidJson(data: Buffer): boolean {
  try {
    parseJson(data.toString());
    return true;
  } catch {
    // It fails in no other way, and its message would quote the content.
    return false;
  }
}
