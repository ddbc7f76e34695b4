import type { SessionLimits } from '../../../memory/session.ts';
import type { SessionStore } from '../../../storage/session-store.ts';
import type { MemoryDeps } from '../../memories/operation-deps.ts';

/** What the operations on the working memory of sessions work with. */
export interface WorkingMemoryDeps extends Pick<MemoryDeps, 'store' | 'clock' | 'autoCreateNamespaces' | 'newId'> {
  readonly sessions: SessionStore;
  readonly sessionLimits: SessionLimits;
  /** Time to live of keys that are set without one, in sessions that a first write makes; 0: they stay. */
  readonly defaultTtlUs: number;
  /** Time without a write after which sessions end that ask for no other; 0: they stay. */
  readonly idleTtlUs: number;
}
