import { MnemeError } from './errors.ts';

/** `afterRevision`: behind which somebody wanted to go on. */
export function compactedFor(afterRevision: number, compactRevision: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `not all changes after revision ${afterRevision} are kept: list the memories and go on from the list's revision`,
    { metadata: { revision: String(afterRevision + 1), compact_revision: String(compactRevision) } },
  );
}

/** Of a reader who has seen what is not in the log any more: the revisions of what came instead may be the same. */
export function historyLost(afterRevision: number, compactRevision: number, newest: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `the log has gone back to an older state, without revision ${afterRevision} as it was: list the memories and go on from the list's revision`,
    {
      metadata: {
        revision: String(afterRevision + 1),
        compact_revision: String(compactRevision),
        newest_revision: String(newest),
      },
    },
  );
}

export function revisionAhead(revision: number, newest: number): MnemeError {
  return new MnemeError('REVISION_AHEAD', `the newest revision is ${newest}, got ${revision}`, {
    metadata: { revision: String(revision), newest_revision: String(newest) },
  });
}
