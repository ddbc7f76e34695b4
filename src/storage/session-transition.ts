import type { Micros } from '../memory/memory.ts';
import type { SessionState } from '../memory/session.ts';
import type { StoreWrite } from './memory-store.ts';

/**
 * A step in the life of a session. What it means is decided before it is written; the store compares the generation,
 * so that of two steps that were decided on at the same time only one is taken: the other fails with VERSION_MISMATCH.
 */
export interface SessionTransition {
  readonly kind: 'transition';
  /** Generation that the step was decided on; the session has the next one afterwards. A new session is at 0. */
  readonly fromGeneration: number;
  /** When given, the revision that the session must have: nothing was written to it since it was looked at. */
  readonly ifRevision?: number;
  readonly to: SessionState;
  readonly isFrozen: boolean;
  /** JSON objects; see `SessionRecord`. */
  readonly metadata: string;
  readonly lifecycle: string;
  /** Takes the session away with all that it holds: its id is free. */
  readonly erases?: boolean;
  /** When the session is forgotten. */
  readonly expiresAtUs?: Micros;
  /** Appended to the namespace's log of events with the step. */
  readonly event?: string;
  /** Given back with the result, and so kept for the request id. */
  readonly answer: string;
  /** Stored with the step; only where the store says that it `storesEpisodes`. */
  readonly episode?: StoreWrite;
}
