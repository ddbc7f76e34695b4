import { MnemeError } from '../memory/errors.ts';
import type { ChangeLog, LogPlace, WatchedNamespace } from './change-log/change-log.ts';

/** The log of a server, in which positions that several servers share are found. */
export type PlacedLog = Pick<ChangeLog, 'revision' | 'place' | 'revisionAt' | 'watchedNamespace'>;

/** Before all entries: Consume then answers that the changes are compacted. */
export const BEFORE_LOG = -1;
const GONE: ReadonlySet<string> = new Set(['REVISION_COMPACTED', 'REVISION_AHEAD']);

/** The revision in the log of this server after which a place lies; `BEFORE_LOG` where not all changes after it are there. */
export async function revisionHere(log: PlacedLog, watched: WatchedNamespace, place: LogPlace): Promise<number> {
  try {
    return await log.revisionAt(watched, place);
  } catch (error) {
    if (error instanceof MnemeError && GONE.has(error.reason)) return BEFORE_LOG;
    throw error;
  }
}
