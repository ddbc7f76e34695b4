import { hash } from 'node:crypto';
import type { LogPlace } from '../../change-log/change-log.ts';
import { MnemeError } from '../../memory/errors.ts';
import { type PageQuery, pageToken, positionIn } from '../edge/page-token.ts';

/** Token to go on with behind a place, in a stream of the same query only, here or at another server over the same store. */
export function streamToken(query: PageQuery, { log, revision, epoch, origin, term }: LogPlace): string {
  const shared = epoch === '' ? {} : { epoch, origin };
  return pageToken(query, { revision, log, ...shared, ...(term === '' ? {} : { term }) });
}

/** The place in a token; `undefined` where there is none. Fails with RESUME_TOKEN_INVALID. */
export function placeIn(query: PageQuery, token: string): LogPlace | undefined {
  try {
    const found = positionIn<Partial<LogPlace> & { revision: number; log: string }>(query, token);
    return found && { epoch: '', origin: 0, term: '', ...found };
  } catch (cause) {
    if (!(cause instanceof MnemeError)) throw cause;
    const description = 'is damaged, or of another stream';
    throw new MnemeError('RESUME_TOKEN_INVALID', `resume_token: ${description}`, {
      violations: [{ field: 'resume_token', description }],
      cause,
    });
  }
}

/** The query is written once, because a token goes out with every message, and kept by its hash, because streams are long. */
export function lasting({ method, request }: PageQuery): PageQuery {
  const digest = hash('sha256', request());
  return { method, request: () => Buffer.from(digest) };
}
