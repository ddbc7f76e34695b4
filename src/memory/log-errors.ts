import { MnemeError } from './errors.ts';

/** `afterRevision`: behind which somebody wanted to go on. */
export function compactedFor(afterRevision: number, compactRevision: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `not all changes after revision ${afterRevision} are kept: list the memories and go on from the list's revision`,
    { metadata: { revision: String(afterRevision + 1), compact_revision: String(compactRevision) } },
  );
}

export function revisionAhead(revision: number, newest: number): MnemeError {
  return new MnemeError('REVISION_AHEAD', `the newest revision is ${newest}, got ${revision}`, {
    metadata: { revision: String(revision), newest_revision: String(newest) },
  });
}
