import { hash } from 'node:crypto';
import { MnemeError } from '../../../memory/errors.ts';
import { type Codec, encode } from './codec.ts';

/** Form of the tokens; one of another version is refused. */
const VERSION = 1;
const SEAL_BYTES = 12;

/** The contents of a token: the method and the fields of the request that later pages must repeat. */
export interface PageQuery {
  readonly method: string;
  /** Written only when there is a token to make or to check. */
  request(): Buffer;
}

/** The request without the fields that may differ from page to page. */
export function pageQuery<Q>(method: string, codec: Codec<Q>, request: Q): PageQuery {
  return { method, request: () => encode(codec, request) };
}

/** Token that leads on from a position, for the same query only. */
export function pageToken(query: PageQuery, position: unknown): string {
  const payload = Buffer.from(JSON.stringify(position));
  return Buffer.concat([Buffer.of(VERSION), sealOf(query, payload), payload]).toString('base64url');
}

/** The position in a token of the same query; `undefined` for an empty one. Others fail with PAGE_TOKEN_INVALID. */
export function positionIn<T>(query: PageQuery, token: string): T | undefined {
  if (token === '') return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const payload = bytes.subarray(1 + SEAL_BYTES);
  const isGenuine = bytes[0] === VERSION && bytes.subarray(1, 1 + SEAL_BYTES).equals(sealOf(query, payload));
  if (isGenuine && bytes.toString('base64url') === token) return JSON.parse(payload.toString()) as T;
  const description = 'is damaged, or of another request';
  throw new MnemeError('PAGE_TOKEN_INVALID', `page_token: ${description}`, {
    violations: [{ field: 'page_token', description }],
  });
}

function sealOf({ method, request }: PageQuery, payload: Buffer): Buffer {
  const fields = request();
  const parts = [Buffer.from(`${method}\n${fields.length}\n`), fields, payload];
  return hash('sha256', Buffer.concat(parts), 'buffer').subarray(0, SEAL_BYTES);
}
