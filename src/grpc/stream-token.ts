import { hash } from 'node:crypto';
import { MnemeError } from '../memory/errors.ts';
import { type PageQuery, positionIn, tokenBytes } from './page-token.ts';

/** Token to go on with behind a revision, in a stream of the same query only. */
export function streamToken(query: PageQuery, revision: number): Buffer {
  return tokenBytes(query, { revision });
}

/** The revision in a token; `undefined` where there is none. Fails with RESUME_TOKEN_INVALID. */
export function revisionIn(query: PageQuery, token: Uint8Array): number | undefined {
  try {
    const text = Buffer.from(token.buffer, token.byteOffset, token.byteLength).toString('base64url');
    return positionIn<{ revision: number }>(query, text)?.revision;
  } catch (cause) {
    if (!(cause instanceof MnemeError)) throw cause;
    throw new MnemeError('RESUME_TOKEN_INVALID', 'resume_token: is damaged, or of another stream', { cause });
  }
}

/** The query is written once, because a token goes out with every message, and kept by its hash, because streams are long. */
export function lasting({ method, request }: PageQuery): PageQuery {
  const digest = hash('sha256', request());
  return { method, request: () => Buffer.from(digest) };
}
