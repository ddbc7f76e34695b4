import type { Micros } from '../../memory/memory.ts';
import { eraseExpiredCheckpoints } from './checkpoint-ops.ts';
import { eraseExpiredEntries } from './entry-ops.ts';
import type { SessionView } from './session-view.ts';

/** Erases expired keys, at most `limit`, and expired checkpoints; tells how many of both. */
export function eraseExpiredIn(view: SessionView, nowUs: Micros, limit: number): number {
  view.record.revision += 1;
  return eraseExpiredEntries(view, nowUs, limit) + eraseExpiredCheckpoints(view, nowUs);
}
