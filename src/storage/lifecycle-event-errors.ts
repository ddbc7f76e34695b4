import { MnemeError } from '../memory/errors.ts';

/** For a consumer that comes back after what it has not seen was erased. */
export function eventsForgotten(namespace: string, forgotten: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `events of namespaces/${namespace} up to ${forgotten} are kept no longer: begin with the oldest that is kept`,
    { metadata: { compact_revision: String(forgotten) } },
  );
}

/** For a reader who has seen what is not there any more: what came instead may have the same numbers. */
export function eventsLost(namespace: string, forgotten: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `events of namespaces/${namespace} have gone back to an older state: begin with the oldest that is kept`,
    { metadata: { compact_revision: String(forgotten) } },
  );
}

export function consumersFull(namespace: string, limit: number): MnemeError {
  return new MnemeError('HOOKS_FULL', `namespaces/${namespace} has as many consumers of events as it may: ${limit}`, {
    metadata: { limit: String(limit) },
  });
}
